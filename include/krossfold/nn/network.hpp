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
#include "krossfold/nn/exchange.hpp"
#include "krossfold/nn/parameter.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// The samples that a network is trained on or asked about, in device memory.
template <class Exec>
struct Samples {
  Matrix<const float, Exec> value;  ///< (sample, feature), scaled
  Vector<const int, Exec> label;    ///< (sample): class

  int size() const { return static_cast<int>(value.extent(0)); }
};

/// Samples from host memory, copied where Exec cannot read that.
template <class Exec>
Samples<Exec> samples_on(const Matrix<const float>& value, const Vector<const int>& label) {
  return {on_device<Exec>(value), on_device<Exec>(label)};
}

template <class Exec>
struct Tensors;

/// Where Network::backward() leaves the gradient of a part of a batch.
template <class Exec>
struct Gradients {
  struct Dense {
    Vector<float, Exec> bias;
    Vector<float, Exec> weight;  ///< laid out as the weights; empty for its factors instead:
    Vector<float, Exec> x, dy;   ///< input and gradient of the output, laid out as in kernels/dense.hpp
  };
  Vector<float, Exec> conv;  ///< of the weights, then of the biases
  std::vector<Dense> dense;
  std::function<void(int)> found =
      {};  ///< if given, called with each layer whose gradients will not change any more: the dense ones
           ///< from the last to the first, then -1 if there is a convolution
};

/// A network with its weights, their momentum and room for batches of up to `batch` samples.
///
/// Model parallel (Megatron's rows: Shoeybi et al., arXiv:1909.08053): with an exchange of several workers the weights are split.
/// Worker w has a share (share_of()) of the convolution's channels and of the inputs of each dense layer, which are those channels'
/// outputs; all workers take the same samples. Forward, a dense layer's sums over its inputs are added over the workers; backward, they
/// gather the gradients of a hidden layer's outputs. Biases of dense layers are on all of them, with the same bits.
template <class Exec>
class Network {
public:
  using Space = Exec;
  using Samples = nn::Samples<Exec>;

  /// `others`, if given, must outlive it. Throws an input error if check_architecture() does or a layer has fewer inputs than there are
  /// workers, and what the allocation throws if memory is short.
  Network(const Exec& exec, const Architecture& architecture, int batch, Exchange<Exec>* others = nullptr);

  const Architecture& architecture() const { return architecture_; }
  int batch() const { return batch_; }

  /// Weights and biases uniform in +-1/sqrt(inputs of a unit), as PyTorch's layers begin; the momentum 0. In tensor t of
  /// parameters(), with u units (channels), the weight of unit h for input i comes from number n = i u + h: word n % 4 of block
  /// t << 40 | n / 4 of the stream.
  void initialize(const StreamId& stream);

  /// Copies to and from host memory, of this worker's part if the weights are split. set_parameters() clears the momentum and throws a
  /// run error for other shapes.
  std::vector<Parameter> parameters() const;
  void set_parameters(const std::vector<Parameter>& parameters);

  /// Every number that training changes, momentum included, in an order of this build's own. read_state() throws a run error for
  /// those of another network.
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

  /// One step of stochastic gradient descent with momentum on samples row[first] ... row[first + count - 1], 1 <= count <= batch.
  /// loss(s) = the loss of sample s / count with the weights from before; their sum is what the step descends. Dropout as
  /// kernels::dropout_units() has it, layer by layer.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss);
  void share_losses(std::span<double>) {}  // all of them are its own

  /// The same without dropout.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count, float rate,
            float momentum, const Vector<double, Exec>& loss);

  /// The part that such samples have in the gradient of a batch of `whole`, without a step; loss(s) = that of sample s / whole.
  void backward(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count, int whole,
                const DropoutStream& dropout, const Gradients<Exec>& gradients, const Vector<double, Exec>& loss);

  /// loss(s) = the cross-entropy of such a sample, in nats, wrong(s) = 1 if its largest logit is not that of its label, else 0.
  void judge(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
             const Vector<double, Exec>& loss, const Vector<double, Exec>& wrong);

  /// Logits of such samples: (class, sample) at class * count + sample, valid until the next call.
  Vector<const float, Exec> logits(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first,
                                   int count);

  const Exec& exec() const { return exec_; }

private:
  friend struct Tensors<Exec>;
  template <class>
  friend class ShardedNetwork;
  struct Dense {
    std::int64_t first_input, inputs;  ///< that this worker has
    int units;
    Vector<float, Exec> weight, velocity, bias, bias_velocity;
    Vector<float, Exec> output, gradient;  ///< of the layer, after its activation: (unit, sample)
    Vector<float, Exec> dropped;           ///< the output as the next layer reads it in training; empty without dropout

    kernels::DenseShape shape(int batch) const { return {inputs, units, batch}; }
  };
  /// A part of a batch.
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

  void forward(const Part& part);
  void backward(const Part& part, int whole, const Descent& descent, const Gradients<Exec>* gradients,
                const Vector<double, Exec>& loss);
  bool drops(const Part& part, std::size_t layer) const;
  kernels::DropoutParams dropout_of(const Part& part, std::size_t layer) const;
  Vector<const float, Exec> input_of(const Part& part, std::size_t layer) const;
  kernels::Activation activation_of(std::size_t layer) const;
  kernels::ConvShape conv_shape(int count) const;
  Vector<float, Exec> biases(const Vector<float, Exec>& conv) const;

  Exec exec_;
  Architecture architecture_;
  int batch_;
  Exchange<Exec>* others_;  ///< with the workers that have the rest of the weights; nullptr if there are none
  Share channels_;          ///< of the convolution, on this worker
  std::vector<Dense> dense_;
  Vector<float, Exec> conv_weight_, conv_velocity_, conv_gradient_;  ///< the biases behind the weights
  Vector<float, Exec> image_, conv_output_, conv_output_gradient_;
  Vector<float, Exec> partial_, tile_, work_;
  Vector<int, Exec> label_;
};

/// Throws an input error if a layer has fewer channels or inputs than there are workers to split them over.
void check_split(const Architecture& architecture, int workers);

/// The tensors of a network in the order of Network::parameters(), without their numbers; those of worker `part` of `parts`.
std::vector<Parameter> tensors_of(const Architecture& architecture, int part = 0, int parts = 1);

/// The tensors of the whole network from those of each worker. Throws a run error if they do not fit.
std::vector<Parameter> join_parts(const Architecture& architecture, const std::vector<std::vector<Parameter>>& parts);

/// Bytes that Network(exec, architecture, batch) allocates where `parts` workers split the weights.
std::uint64_t network_bytes(const Architecture& architecture, int batch, int parts = 1);

/// Bytes that Network::write_state() writes, nearly.
std::uint64_t state_bytes(const Architecture& architecture);

/// Probability of each class for samples row[first] ... row[first + count - 1], in rows 0 ... count - 1 of `probability`.
template <class Exec>
void predict(Network<Exec>& network, const Samples<Exec>& samples, const Vector<const int, Exec>& row,
             std::int64_t first, std::int64_t count, const Matrix<float, Exec>& probability);

}  // namespace krossfold::nn
