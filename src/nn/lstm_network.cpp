// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/lstm_network.hpp"

#include <algorithm>
#include <type_traits>

#include "krossfold/kernels/column_sums.hpp"
#include "krossfold/kernels/gemm.hpp"
#include "krossfold/kernels/lstm_steps.hpp"
#include "krossfold/kernels/softmax_cross_entropy.hpp"
#include "lstm_inputs.hpp"

namespace krossfold::nn {
namespace {

using kernels::Transpose;

template <class Exec>
using ConstMatrix = Matrix<const float, Exec>;

/// Rows first ... first + count - 1 of a matrix.
template <class Exec>
Matrix<float, Exec> rows(const Matrix<float, Exec>& matrix, std::int64_t first, std::int64_t count) {
  return Kokkos::subview(matrix, Kokkos::make_pair(first, first + count), Kokkos::ALL);
}

template <class View>
auto part_of(const View& all, std::int64_t first, std::int64_t count) {
  return Kokkos::subview(all, Kokkos::make_pair(first, first + count));
}

}  // namespace

/// Windows that are computed together.
template <class Exec>
struct LstmNetwork<Exec>::Part {
  Vector<const int, Exec> row;
  std::int64_t first;
  int count;
  DropoutStream dropout;
};

template <class Exec>
LstmNetwork<Exec>::LstmNetwork(const Exec& exec, const LstmArchitecture& architecture, int batch)
    : exec_(exec), architecture_(architecture), batch_(batch) {
  check_architecture(architecture, "the network");
  const int hidden = architecture.hidden, symbols = architecture.symbols;
  const std::int64_t all = std::int64_t{batch} * architecture.steps;
  const auto matrix = [](const std::string& label, std::int64_t row_count, int columns) {
    return Matrix<float, Exec>(label, row_count, columns);
  };
  std::int64_t at = 0;
  const auto next_tensor = [&at](std::int64_t size) {
    const std::int64_t first = at;
    at += size;
    return first;
  };
  for (int l = 0; l < architecture.layers; ++l) {
    Layer layer;
    layer.inputs = l == 0 ? symbols : hidden;
    layer.input = next_tensor(std::int64_t{4} * hidden * layer.inputs);
    layer.recurrent = next_tensor(std::int64_t{4} * hidden * hidden);
    layer.bias = next_tensor(std::int64_t{4} * hidden);
    layer.recurrent_bias = next_tensor(std::int64_t{4} * hidden);
    layer.gates = matrix("krossfold::nn::lstm_gates", all, 4 * hidden);
    layer.cell = matrix("krossfold::nn::lstm_cell", all, hidden);
    layer.tanh_cell = matrix("krossfold::nn::lstm_tanh_cell", all, hidden);
    layer.output = matrix("krossfold::nn::lstm_output", all, hidden);
    layer.number = l;
    layer.forward_recurrent = kernels::make_panels<Exec>("krossfold::nn::lstm_panels", hidden, 4 * hidden);
    layer.backward_recurrent = kernels::make_panels<Exec>("krossfold::nn::lstm_panels", 4 * hidden, hidden);
    if (l > 0) {
      layer.forward_input = kernels::make_panels<Exec>("krossfold::nn::lstm_panels", hidden, 4 * hidden);
      layer.backward_input = kernels::make_panels<Exec>("krossfold::nn::lstm_panels", 4 * hidden, hidden);
    }
    layer_.push_back(layer);
  }
  for (int l = 0; architecture.dropout > 0 && l + 1 < architecture.layers; ++l) {
    layer_[l].dropped = matrix("krossfold::nn::lstm_dropped", all, hidden);
  }
  dense_ = next_tensor(std::int64_t{symbols} * hidden);
  dense_bias_ = next_tensor(symbols);
  weight_ = Vector<float, Exec>("krossfold::nn::weight", at);
  symbol_ = Vector<int, Exec>("krossfold::nn::symbol", all);
  next_ = Vector<int, Exec>("krossfold::nn::next", all);
  zero_ = matrix("krossfold::nn::lstm_zero", batch, hidden);
  dgates_ = matrix("krossfold::nn::lstm_dgates", all, 4 * hidden);
  dcell_ = matrix("krossfold::nn::lstm_dcell", batch, hidden);
  dy_ = matrix("krossfold::nn::lstm_dy", all, hidden);
  table_ = Vector<float, Exec>("krossfold::nn::lstm_table", std::int64_t{4} * hidden * symbols);
  bias_ = Vector<float, Exec>("krossfold::nn::lstm_bias", std::int64_t{4} * hidden * architecture.layers);
  if (!std::is_same_v<Exec, Host> && hidden <= kernels::most_hidden_of_teams) {
    turned_ =
        Vector<float, Exec>("krossfold::nn::lstm_turned", std::int64_t{4} * hidden * hidden * architecture.layers);
  }
  partial_ =
      Vector<float, Exec>("krossfold::nn::lstm_partial", kernels::sum_blocks(all) * std::int64_t{4} * hidden * symbols);
  z_ = Vector<float, Exec>("krossfold::nn::logits", all * symbols);
  ones_ = Vector<float, Exec>("krossfold::nn::ones", all);
  Kokkos::deep_copy(ones_, 1.0f);
  step_loss_ = Vector<double, Exec>("krossfold::nn::step_loss", all);
}

template <class Exec>
std::vector<std::int64_t> LstmNetwork<Exec>::layer_begins() const {
  std::vector<std::int64_t> begin;
  for (const Layer& layer : layer_) begin.push_back(layer.input);
  begin.push_back(dense_);
  begin.push_back(static_cast<std::int64_t>(weight_.extent(0)));
  return begin;
}

template <class Exec>
Matrix<float, Exec> LstmNetwork<Exec>::tensor(const Vector<float, Exec>& all, std::int64_t at, int row_count,
                                              int columns) const {
  return Matrix<float, Exec>(all.data() + at, row_count, columns);
}

template <class Exec>
kernels::LstmSteps<Exec> LstmNetwork<Exec>::steps_of(const Layer& layer, int count) const {
  const std::int64_t all = std::int64_t{count} * architecture_.steps;
  return {count,
          rows<Exec>(layer.gates, 0, all),
          rows<Exec>(layer.cell, 0, all),
          rows<Exec>(layer.tanh_cell, 0, all),
          rows<Exec>(layer.output, 0, all),
          rows<Exec>(zero_, 0, count),
          rows<Exec>(dcell_, 0, count)};
}

/// Packs the weights for the matrix products of the following calls.
template <class Exec>
void LstmNetwork<Exec>::pack_weights(bool backward) {
  const int hidden = architecture_.hidden;
  fill_tables<Exec>(exec_, {table_, bias_, turned_}, weight_, architecture_);
  for (Layer& layer : layer_) {
    const ConstMatrix<Exec> recurrent = tensor(weight_, layer.recurrent, 4 * hidden, hidden);
    if (turned_.extent(0) == 0) {
      kernels::pack_panels<Exec>(exec_, layer.forward_recurrent, recurrent, Transpose::yes);
    } else {
      const ConstMatrix<Exec> turned =
          tensor(turned_, std::int64_t{4} * hidden * hidden * layer.number, hidden, 4 * hidden);
      kernels::pack_panels<Exec>(exec_, layer.forward_recurrent, turned, Transpose::no);
    }
    if (backward) kernels::pack_panels<Exec>(exec_, layer.backward_recurrent, recurrent, Transpose::no);
    if (layer.forward_input.k == 0) continue;  // the first layer looks up rows of a table instead
    const ConstMatrix<Exec> input = tensor(weight_, layer.input, 4 * hidden, layer.inputs);
    kernels::pack_panels<Exec>(exec_, layer.forward_input, input, Transpose::yes, precision_);
    if (backward) kernels::pack_panels<Exec>(exec_, layer.backward_input, input, Transpose::no, precision_);
  }
}

template <class Exec>
void LstmNetwork<Exec>::gather(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first,
                               int count) {
  gather_steps<Exec>(exec_, symbol_, next_, windows, row, first, count, architecture_.steps);
}

/// Computes the logits of the part in z_.
template <class Exec>
void LstmNetwork<Exec>::forward(const Part& part) {
  const int hidden = architecture_.hidden, symbols = architecture_.symbols, steps = architecture_.steps;
  const std::int64_t count = part.count, all = count * steps;
  ConstMatrix<Exec> input;
  for (std::size_t l = 0; l < layer_.size(); ++l) {
    const Layer& layer = layer_[l];
    const auto gates = rows<Exec>(layer.gates, 0, all);
    if (l == 0) {
      gather_rows<Exec>(exec_, gates, table_, symbol_);
    } else {
      kernels::panel_gemm<Exec>(exec_, gates, input, layer.forward_input, false);
    }
    const auto dropout = dropout_of(part, layer);
    kernels::lstm_steps<Exec>(exec_, steps_of(layer, part.count), layer.forward_recurrent,
                              part_of(bias_, std::int64_t{4} * hidden * layer.number, 4 * hidden), dropout);
    input = dropout.on() ? dropout.dropped : rows<Exec>(layer.output, 0, all);
  }
  const Matrix<float, Exec> z(z_.data(), symbols, all);
  repeat_columns<Exec>(exec_, z, part_of(weight_, dense_bias_, symbols));
  const ConstMatrix<Exec> dense = tensor(weight_, dense_, symbols, hidden);
  kernels::gemm<Exec, float>(exec_, z, dense, Transpose::no, input, Transpose::yes, 1, 1, precision_);
}

/// None after the last layer.
template <class Exec>
kernels::LstmDropout<Exec> LstmNetwork<Exec>::dropout_of(const Part& part, const Layer& layer) const {
  if (!part.dropout.on || layer.number + 1 == architecture_.layers) return {};
  return {part.row,
          {part.dropout.of(layer.number), architecture_.dropout, static_cast<int>(part.first),
           part.dropout.epoch_on_device},
          rows<Exec>(layer.dropped, 0, std::int64_t{part.count} * architecture_.steps)};
}

/// Follows forward(): computes the gradient of one part of a batch of `whole` windows.
template <class Exec>
void LstmNetwork<Exec>::backward(const Part& part, int whole, bool add, const Vector<float, Exec>& gradient,
                                 const Vector<double, Exec>& loss, const std::function<void(std::int64_t)>& found) {
  const int hidden = architecture_.hidden, symbols = architecture_.symbols, steps = architecture_.steps;
  const std::int64_t count = part.count, all = count * steps;
  const float beta = add ? 1 : 0;
  const Vector<const int, Exec> label = part_of(next_, 0, all);
  kernels::softmax_cross_entropy<Exec>(exec_, step_loss_, z_, z_, label, symbols, static_cast<double>(whole) * steps);
  sum_over_steps<Exec>(exec_, loss, step_loss_, part.count, steps);

  const ConstMatrix<Exec> dz = Matrix<float, Exec>(z_.data(), symbols, all);
  const ConstMatrix<Exec> last = rows<Exec>(layer_.back().output, 0, all);
  const ConstMatrix<Exec> dense = tensor(weight_, dense_, symbols, hidden);
  const ConstMatrix<Exec> ones = Matrix<float, Exec>(ones_.data(), all, 1);
  const auto dy = rows<Exec>(dy_, 0, all), dgates = rows<Exec>(dgates_, 0, all);
  kernels::gemm<Exec, float>(exec_, tensor(gradient, dense_, symbols, hidden), dz, Transpose::no, last, Transpose::no,
                             1, beta, precision_);
  kernels::gemm<Exec, float>(exec_, tensor(gradient, dense_bias_, symbols, 1), dz, Transpose::no, ones, Transpose::no,
                             1, beta);
  kernels::gemm<Exec, float>(exec_, dy, dz, Transpose::yes, dense, Transpose::no, 1, 0, precision_);
  if (found) found(dense_);

  for (std::size_t l = layer_.size(); l-- > 0;) {
    const Layer& layer = layer_[l];
    const ConstMatrix<Exec> d = dgates;
    kernels::lstm_steps_backward<Exec>(exec_, dgates, dy, steps_of(layer, part.count), layer.backward_recurrent,
                                       dropout_of(part, layer));
    if (steps > 1) {
      const ConstMatrix<Exec> later = rows<Exec>(dgates_, count, all - count),
                              before = rows<Exec>(layer.output, 0, all - count);
      kernels::transposed_gemm<Exec>(exec_, tensor(gradient, layer.recurrent, 4 * hidden, hidden), later, before, add,
                                     precision_);
    }
    kernels::column_sums<Exec>(exec_, part_of(gradient, layer.bias, 4 * hidden), d, add, partial_,
                               part_of(gradient, layer.recurrent_bias, 4 * hidden));
    if (l == 0) {
      kernels::symbol_sums<Exec>(exec_, part_of(gradient, layer.input, std::int64_t{4} * hidden * symbols), d, symbol_,
                                 symbols, add, partial_);
      if (found) found(layer.input);
      continue;
    }
    const Layer& below = layer_[l - 1];
    const ConstMatrix<Exec> input = rows<Exec>(part.dropout.on ? below.dropped : below.output, 0, all);
    kernels::transposed_gemm<Exec>(exec_, tensor(gradient, layer.input, 4 * hidden, layer.inputs), d, input, add,
                                   precision_);
    if (found) found(layer.input);
    kernels::panel_gemm<Exec>(exec_, dy, d, layer.backward_input, false);
  }
}

template <class Exec>
void LstmNetwork<Exec>::backward(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first,
                                 int count, int whole, const DropoutStream& dropout,
                                 const Vector<float, Exec>& gradient, const Vector<double, Exec>& loss,
                                 const std::function<void(std::int64_t)>& found) {
  if (count == 0) {
    Kokkos::deep_copy(exec_, gradient, 0.0f);
    if (found) found(0);
  }
  DropoutStream used = dropout;
  used.on = dropout.on && architecture_.dropout > 0;
  pack_weights(true);
  for (int done = 0; done < count; done += batch_) {
    const Part part{row, first + done, std::min(batch_, count - done), used};
    gather(windows, row, part.first, part.count);
    forward(part);
    const bool last = done + batch_ >= count;
    backward(part, whole, done > 0, gradient, part_of(loss, done, part.count),
             last ? found : std::function<void(std::int64_t)>());
  }
}

template <class Exec>
void LstmNetwork<Exec>::losses(const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first,
                               int count, const Vector<double, Exec>& loss) {
  pack_weights(false);
  for (int done = 0; done < count; done += batch_) {
    const Part part{row, first + done, std::min(batch_, count - done), {}};
    gather(windows, row, part.first, part.count);
    forward(part);
    const Vector<const int, Exec> label = part_of(next_, 0, std::int64_t{part.count} * architecture_.steps);
    kernels::softmax_cross_entropy<Exec>(exec_, step_loss_, z_, z_, label, architecture_.symbols, architecture_.steps);
    sum_over_steps<Exec>(exec_, part_of(loss, done, part.count), step_loss_, part.count, architecture_.steps);
  }
}

template <class Exec>
Vector<const float, Exec> LstmNetwork<Exec>::logits(const Windows<Exec>& windows, const Vector<const int, Exec>& row,
                                                    std::int64_t first, int count) {
  pack_weights(false);
  gather(windows, row, first, count);
  forward({row, first, count, {}});
  return z_;
}

#define KROSSFOLD_INSTANTIATE(Exec) template class LstmNetwork<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
