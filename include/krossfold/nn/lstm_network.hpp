// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/dropout.hpp"
#include "krossfold/kernels/lstm_steps.hpp"
#include "krossfold/kernels/panel_gemm.hpp"
#include "krossfold/nn/parameter.hpp"
#include "krossfold/nn/step_params.hpp"

namespace krossfold::nn {

/// A character model with one-hot input, layers of LSTM cells, dropout between them, and a dense layer at each step:
/// torch.nn.LSTM(symbols, hidden, layers, dropout=dropout) and torch.nn.Linear(hidden, symbols).
struct LstmArchitecture {
  int symbols = 31, steps = 8;  ///< size of the alphabet; length of a window
  int layers = 4, hidden = 128;
  double dropout = 0.1;

  bool operator==(const LstmArchitecture&) const = default;

  /// Number of trainable parameters: 482,719 with the defaults.
  std::int64_t parameters() const;
  /// Floating-point operations of the matrix products for one window: forward pass, and forward plus backward pass.
  double inference_flops() const;
  double training_flops() const;
};

/// Throws an input error for an invalid network; `what` names it in the message.
void check_architecture(const LstmArchitecture& architecture, const std::string& what);

/// Names and shapes of a network's tensors in the order of LstmNetwork::parameters(), without values.
std::vector<Parameter> tensors_of(const LstmArchitecture& architecture);

/// "LSTM of 4 layers with 128 units, 31 symbols, windows of 8".
std::string describe(const LstmArchitecture& architecture);

/// The training windows of a character model, in device memory.
template <class Exec>
struct Windows {
  Vector<const int, Exec> symbol, next;  ///< (window, step) at window * steps + step
  int steps = 0;

  int size() const { return steps == 0 ? 0 : static_cast<int>(symbol.extent(0)) / steps; }
};

/// A character model with its weights and buffers for `batch` windows; larger batches are processed in parts, whose
/// gradients are added in order.
template <class Exec>
class LstmNetwork {
public:
  LstmNetwork(const Exec& exec, const LstmArchitecture& architecture, int batch);

  const LstmArchitecture& architecture() const { return architecture_; }
  const Exec& exec() const { return exec_; }
  int batch() const { return batch_; }

  /// In which numbers the products with weights multiply; those within a step of lstm_steps() stay in single precision.
  void set_precision(kernels::Precision precision) { precision_ = precision; }

  /// Draws all weights and biases uniformly from +-1/sqrt(hidden), as PyTorch does. Number k of tensor t of
  /// parameters() is word k % 4 of block t << 40 | k / 4 of the stream.
  void initialize(const StreamId& stream);

  /// Copies to and from host memory under PyTorch's names: weight_ih_l0 (4 hidden, symbols), weight_hh_l0, bias_ih_l0,
  /// bias_hh_l0, ..., dense.weight, dense.bias. set_parameters() throws a run error for other names or shapes.
  std::vector<Parameter> parameters() const;
  void set_parameters(const std::vector<Parameter>& parameters);

  /// All weights in one array, in the order of parameters().
  const Vector<float, Exec>& weight() const { return weight_; }

  /// Offset of each layer in weight(), followed by its length.
  std::vector<std::int64_t> layer_begins() const;

  /// Contribution of the windows row[first] ... row[first + count - 1] to the gradient of the mean cross-entropy over
  /// all symbols of a batch of `whole` windows, in the order of weight(). loss(w) = the sum of window w's losses /
  /// (whole steps), so that the losses of a batch sum to the mean. found(k), if given, is called as soon as numbers
  /// from k on are final: for each of layer_begins() but the last, backwards, or only for 0 if count is 0.
  void backward(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
                int whole, const DropoutStream& dropout, const Vector<float, Exec>& gradient,
                const Vector<double, Exec>& loss, const std::function<void(std::int64_t)>& found = {});

  /// Losses without dropout: loss(w) = the mean over the window's steps.
  void losses(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
              const Vector<double, Exec>& loss);

  /// Logits of such windows without dropout, count <= batch: (symbol, step, window) at (symbol * steps + step) * count
  /// + window, valid until the next call.
  Vector<const float, Exec> logits(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first,
                                   int count);

private:
  struct Layer {
    std::int64_t input, recurrent, bias, recurrent_bias;  ///< offsets of its tensors in weight_
    int number, inputs;
    kernels::Panels<Exec> forward_input, forward_recurrent, backward_input, backward_recurrent;  ///< of its weights
    Matrix<float, Exec> gates, cell, tanh_cell, output,
        dropped;  ///< one row per (step, window); `dropped` is the input of the next layer
  };
  struct Part;

  Matrix<float, Exec> tensor(const Vector<float, Exec>& all, std::int64_t at, int row_count, int columns) const;
  kernels::LstmSteps<Exec> steps_of(const Layer& layer, int count) const;
  void pack_weights(bool backward);
  void gather(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count);
  void forward(const Part& part);
  void backward(const Part& part, int whole, bool add, const Vector<float, Exec>& gradient,
                const Vector<double, Exec>& loss, const std::function<void(std::int64_t)>& found);
  kernels::LstmDropout<Exec> dropout_of(const Part& part, const Layer& layer) const;

  Exec exec_;
  LstmArchitecture architecture_;
  int batch_;
  kernels::Precision precision_ = kernels::Precision::single;
  std::vector<Layer> layer_;
  std::int64_t dense_, dense_bias_;  ///< offsets in weight_
  Vector<float, Exec> weight_;
  Vector<int, Exec> symbol_, next_;  ///< of a part: (step, window)
  Matrix<float, Exec> zero_, dgates_, dcell_, dy_;
  Vector<float, Exec> table_, bias_, turned_;  ///< LstmTables
  Vector<float, Exec> partial_;
  Vector<float, Exec> z_, ones_;
  Vector<double, Exec> step_loss_;
};

/// Approximate number of bytes that LstmNetwork(exec, architecture, batch) allocates.
std::uint64_t network_bytes(const LstmArchitecture& architecture, int batch);

}  // namespace krossfold::nn
