// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "krossfold/core/random.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/dropout.hpp"
#include "krossfold/nn/architecture.hpp"
#include "krossfold/nn/epoch_on_device.hpp"
#include "krossfold/nn/exchange.hpp"
#include "krossfold/nn/parameter.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// Samples for training or inference, in device memory.
template <class Exec>
struct Samples {
  Matrix<const float, Exec> value;      ///< (sample, feature), scaled
  Vector<const int, Exec> label;        ///< (sample): class
  Vector<const double, Exec> weight{};  ///< (sample): factor of its loss in training; empty for 1

  int size() const { return static_cast<int>(value.extent(0)); }
};

/// Samples from host memory, copied if Exec cannot access it.
template <class Exec>
Samples<Exec> samples_on(const Matrix<const float>& value, const Vector<const int>& label) {
  return {on_device<Exec>(value), on_device<Exec>(label)};
}

/// The weights of a dense layer that are on one worker, and their momentum.
template <class Exec>
struct DenseWeights {
  std::int64_t first_input, inputs;  ///< inputs on this worker
  int units;
  Vector<float, Exec> weight, velocity, bias, bias_velocity;
  kernels::Precision precision =
      kernels::Precision::single;  ///< of products of more than kernels::dense_rows_batch samples

  kernels::DenseShape shape(int batch) const { return {inputs, units, batch, precision}; }
};

/// The output of Network::backward(): the gradient of part of a batch.
template <class Exec>
struct Gradients {
  struct Dense {
    Vector<float, Exec> bias;
    Vector<float, Exec> weight;  ///< in the layout of the weights; if empty, its factors are stored instead:
    Vector<float, Exec> x, dy;   ///< input and gradient of the output, in the layout of kernels/dense.hpp
  };
  Vector<float, Exec> conv;  ///< weights, then biases
  std::vector<Dense> dense;
  std::function<void(int)> found = {};  ///< if set, called for each layer once its gradient is final: the dense layers
                                        ///< from the last to the first, then -1 if there is a convolution
};

/// A network with its weights, their momentum and buffers for batches of up to `batch` samples.
///
/// Model parallelism (row parallelism of Megatron: Shoeybi et al., arXiv:1909.08053): with an exchange of several
/// workers the weights are split. Worker w has a share (share_of()) of the convolution's channels and of each dense
/// layer's inputs; all workers take the same samples. The forward pass sums each dense layer's outputs over the
/// workers; the backward pass gathers the gradients of hidden outputs. Dense biases are replicated and bitwise
/// identical.
template <class Exec>
class Network {
public:
  using Space = Exec;
  using Samples = nn::Samples<Exec>;

  /// `others`, if given, must outlive the network. Polls while it allocates. Throws the input errors of check_architecture() and
  /// check_split(), and what the allocation throws if memory is short.
  Network(const Exec& exec, const Architecture& architecture, int batch, Exchange<Exec>* others = nullptr,
          const Poll& poll = {});

  const Architecture& architecture() const { return architecture_; }
  int batch() const { return batch_; }

  /// In which numbers the dense layers multiply, where a batch has more than kernels::dense_rows_batch samples.
  void set_precision(kernels::Precision precision) {
    for (Dense& layer : dense_) layer.precision = precision;
  }

  /// Draws weights and biases uniformly from +-1/sqrt(inputs of a unit), as PyTorch does, and clears the momentum. In
  /// tensor t of parameters(), with u units (channels), the weight of unit h for input i comes from number n = i u + h:
  /// word n % 4 of block t << 40 | n / 4 of the stream.
  void initialize(const StreamId& stream, const Poll& poll = {});

  /// Copies to and from host memory, of this worker's part if the weights are split. set_parameters() clears the
  /// momentum and throws a run error for other shapes.
  std::vector<Parameter> parameters() const;
  void set_parameters(const std::vector<Parameter>& parameters);

  /// Saves and restores every number that training changes, including momentum, in a build-specific layout.
  /// read_state() throws a run error for the state of another network.
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

  /// One step of stochastic gradient descent with momentum on samples row[first] ... row[first + count - 1],
  /// 1 <= count <= batch. loss(s) = sample s's loss / count at the weights before the step, which descends on their
  /// sum. Dropout follows kernels::dropout_units(), layer by layer. If params.poll throws Stopped, the step is half done.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  void share_losses(std::span<double>) {}  // this worker computes all of them

  /// Whether a step on `count` samples launches the same kernels each time, and waits for nothing: where launches can be recorded,
  /// without other workers and without products of BLAS.
  bool repeats(int count) const;
  /// What a recorded step needs to know of this one; the step is then called with params.begun.
  void begin_step(const StepParams& params) {
    if (architecture_.dropout > 0) epoch_.set(exec_, params.epoch);
  }

  /// A step without dropout.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count, float rate,
            float momentum, const Vector<double, Exec>& loss);

  /// Contribution of such samples to the gradient of a batch of `whole`, without a step; loss(s) = sample s's loss /
  /// whole.
  void backward(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count, int whole,
                const DropoutStream& dropout, const Gradients<Exec>& gradients, const Vector<double, Exec>& loss);

  /// loss(s) = cross-entropy of such a sample in nats; choice(s) = the class of its largest logit, -1 if one is NaN.
  void evaluate(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
                const Vector<double, Exec>& loss, const Vector<double, Exec>& choice);

  /// Logits of such samples: (class, sample) at class * count + sample, valid until the next call.
  Vector<const float, Exec> logits(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first,
                                   int count);

  const Exec& exec() const { return exec_; }

  /// Weights followed by biases of the convolution, and their momentum; empty if there is none.
  const Vector<float, Exec>& conv_weight() const { return conv_weight_; }
  const Vector<float, Exec>& conv_velocity() const { return conv_velocity_; }
  std::size_t dense_layers() const { return dense_.size(); }
  const DenseWeights<Exec>& dense(std::size_t layer) const { return dense_[layer]; }

private:
  struct Dense : DenseWeights<Exec> {
    Vector<float, Exec> output, gradient;  ///< of the layer, after its activation: (unit, sample)
    Vector<float, Exec> dropped;           ///< the output after dropout, read by the next layer; empty without dropout
  };
  struct Tensor;  ///< where the numbers of a parameter are
  /// Part of a batch.
  struct Part {
    const Samples& samples;
    const Vector<const int, Exec>& row;
    std::int64_t first;
    int count;
    DropoutStream dropout = {};
  };
  struct Descent {
    float rate = 0, momentum = 0;
  };

  /// None where the weights are split: the parts of a layer differ, and so would how often their workers poll, which they do together.
  const Poll* poll_within_step(const Poll* poll) const { return others_ == nullptr ? poll : nullptr; }
  void forward(const Part& part, const Poll* poll = nullptr);
  void backward(const Part& part, int whole, const Descent& descent, const Gradients<Exec>* gradients,
                const Vector<double, Exec>& loss, const Poll* poll = nullptr);
  bool drops(const Part& part, std::size_t layer) const;
  kernels::DropoutParams dropout_of(const Part& part, std::size_t layer) const;
  Vector<const float, Exec> input_of(const Part& part, std::size_t layer) const;
  kernels::Activation activation_of(std::size_t layer) const;
  kernels::ConvShape conv_shape(int count) const;
  Vector<float, Exec> biases(const Vector<float, Exec>& conv) const;
  std::vector<Tensor> tensors() const;
  std::vector<Vector<float, Exec>> state() const;
  void clear_velocity(const Poll& poll = {});

  Exec exec_;
  Architecture architecture_;
  int batch_;
  Exchange<Exec>* others_;  ///< the workers with the rest of the weights; nullptr if there are none
  Share channels_;          ///< of the convolution, on this worker
  std::vector<Dense> dense_;
  Vector<float, Exec> conv_weight_, conv_velocity_, conv_gradient_;  ///< weights followed by biases
  Vector<float, Exec> image_, conv_output_, conv_output_gradient_;
  Vector<float, Exec> partial_, tile_, work_;
  Vector<int, Exec> label_;
  EpochOnDevice<Exec> epoch_;
};

/// Throws an input error if a layer has fewer channels or inputs than there are workers to split it over.
void check_split(const Architecture& architecture, int workers);

/// Names and shapes of the tensors of worker `part` of `parts` in the order of Network::parameters(), without values.
std::vector<Parameter> tensors_of(const Architecture& architecture, int part = 0, int parts = 1);

/// Joins the tensors of all workers into those of the whole network. Throws a run error if the shapes do not match.
std::vector<Parameter> join_parts(const Architecture& architecture, const std::vector<std::vector<Parameter>>& parts);

/// Bytes that Network(exec, architecture, batch) allocates if `parts` workers split the weights.
std::uint64_t network_bytes(const Architecture& architecture, int batch, int parts = 1);

/// Approximate number of bytes that Network::write_state() writes.
std::uint64_t state_bytes(const Architecture& architecture);

/// Class probabilities of samples row[first] ... row[first + count - 1], in rows 0 ... count - 1 of `probability`.
template <class Exec>
void predict(Network<Exec>& network, const Samples<Exec>& samples, const Vector<const int, Exec>& row,
             std::int64_t first, std::int64_t count, const Matrix<float, Exec>& probability);

}  // namespace krossfold::nn
