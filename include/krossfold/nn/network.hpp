// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "krossfold/core/random.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/nn/architecture.hpp"
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

/// A network with its weights, their momentum and room for batches of up to `batch` samples.
template <class Exec>
class Network {
public:
  using Space = Exec;
  using Samples = nn::Samples<Exec>;

  /// Throws an input error if check_architecture() does, and what the allocation throws if memory is short.
  Network(const Exec& exec, const Architecture& architecture, int batch);

  const Architecture& architecture() const { return architecture_; }
  int batch() const { return batch_; }

  /// Weights and biases uniform in +-1/sqrt(inputs of a unit), as PyTorch's layers begin; the momentum 0. In tensor t of
  /// parameters(), with u units (channels), the weight of unit h for input i comes from number n = i u + h: word n % 4 of block
  /// t << 40 | n / 4 of the stream.
  void initialize(const StreamId& stream);

  /// Copies to and from host memory. set_parameters() clears the momentum and throws a run error for other shapes.
  std::vector<Parameter> parameters() const;
  void set_parameters(const std::vector<Parameter>& parameters);

  /// Every number that training changes, momentum included, in an order of this build's own. read_state() throws a run error for
  /// those of another network.
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

  /// The same with what it takes of a training.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count,
            const StepParams& params, const Vector<double, Exec>& loss) {
    step(samples, row, first, count, static_cast<float>(params.rate), static_cast<float>(params.momentum), loss);
  }
  void share_losses(std::span<double>) {}  // all of them are its own

  /// One step of stochastic gradient descent with momentum on samples row[first] ... row[first + count - 1], 1 <= count <= batch.
  /// loss(s) = the loss of sample s / count with the weights from before; their sum is what the step descends.
  void step(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count, float rate,
            float momentum, const Vector<double, Exec>& loss);

  /// Logits of such samples: (class, sample) at class * count + sample, valid until the next call.
  Vector<const float, Exec> logits(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first,
                                   int count);

  const Exec& exec() const { return exec_; }

private:
  friend struct Tensors<Exec>;
  struct Dense {
    std::int64_t inputs;
    int units;
    Vector<float, Exec> weight, velocity, bias, bias_velocity;
    Vector<float, Exec> output, gradient;  ///< of the layer, after its activation: (unit, sample)

    kernels::DenseShape shape(int batch) const { return {inputs, units, batch}; }
  };

  void forward(const Samples& samples, const Vector<const int, Exec>& row, std::int64_t first, int count);
  kernels::Activation activation_of(std::size_t layer) const;

  Exec exec_;
  Architecture architecture_;
  int batch_;
  std::vector<Dense> dense_;
  Vector<float, Exec> conv_weight_, conv_velocity_, conv_gradient_;  ///< the biases behind the weights
  Vector<float, Exec> image_, conv_output_, conv_output_gradient_;
  Vector<float, Exec> partial_, tile_, work_;
  Vector<int, Exec> label_;
};

/// Bytes that Network(exec, architecture, batch) allocates.
std::uint64_t network_bytes(const Architecture& architecture, int batch);

/// Bytes that Network::write_state() writes, nearly.
std::uint64_t state_bytes(const Architecture& architecture);

/// Probability of each class for samples row[first] ... row[first + count - 1], in rows 0 ... count - 1 of `probability`.
template <class Exec>
void predict(Network<Exec>& network, const Samples<Exec>& samples, const Vector<const int, Exec>& row,
             std::int64_t first, std::int64_t count, const Matrix<float, Exec>& probability);

}  // namespace krossfold::nn
