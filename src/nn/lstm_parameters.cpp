// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "initialize.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/column_sums.hpp"
#include "krossfold/nn/lstm_network.hpp"

namespace krossfold::nn {
namespace {

std::int64_t size_of(const Parameter& parameter) {
  std::int64_t size = 1;
  for (const std::int64_t extent : parameter.shape) size *= extent;
  return size;
}

/// Floating-point operations of the products with weights for one window.
double product_flops(const LstmArchitecture& a) {
  const double hidden = a.hidden, recurrent = 2 * 4 * hidden * hidden;
  // The first layer looks up a row of its input weights, and a window's first step has no recurrent input.
  return a.layers * (a.steps - 1) * recurrent + (a.layers - 1) * a.steps * recurrent + a.steps * 2 * hidden * a.symbols;
}

}  // namespace

std::vector<Parameter> tensors_of(const LstmArchitecture& architecture) {
  const std::int64_t hidden = architecture.hidden, symbols = architecture.symbols;
  std::vector<Parameter> all;
  for (int l = 0; l < architecture.layers; ++l) {
    all.push_back({text("weight_ih_l", l), {4 * hidden, l == 0 ? symbols : hidden}, {}});
    all.push_back({text("weight_hh_l", l), {4 * hidden, hidden}, {}});
    all.push_back({text("bias_ih_l", l), {4 * hidden}, {}});
    all.push_back({text("bias_hh_l", l), {4 * hidden}, {}});
  }
  all.push_back({"dense.weight", {symbols, hidden}, {}});
  all.push_back({"dense.bias", {symbols}, {}});
  return all;
}

std::int64_t LstmArchitecture::parameters() const {
  std::int64_t count = 0;
  for (const Parameter& parameter : tensors_of(*this)) count += size_of(parameter);
  return count;
}

double LstmArchitecture::inference_flops() const { return product_flops(*this); }
double LstmArchitecture::training_flops() const { return 3 * product_flops(*this); }

void check_architecture(const LstmArchitecture& architecture, const std::string& what) {
  const auto check = [&](bool right, const std::string& why) {
    if (!right) throw_input_error(text(what, " is not a valid network"), why);
  };
  check(architecture.symbols >= 2, "its alphabet has fewer than two symbols");
  check(architecture.steps >= 1 && architecture.steps <= 10000, text("windows of ", architecture.steps));
  check(architecture.layers >= 1 && architecture.layers <= 1000, text(architecture.layers, " layers"));
  check(architecture.hidden >= 1 && architecture.hidden <= 100000, text("layers of ", architecture.hidden, " units"));
  check(architecture.dropout >= 0 && architecture.dropout < 1, text("a dropout of ", architecture.dropout));
}

std::string describe(const LstmArchitecture& architecture) {
  return text("LSTM of ", architecture.layers, architecture.layers == 1 ? " layer" : " layers", " with ",
              architecture.hidden, " units, ", architecture.symbols, " symbols, windows of ", architecture.steps);
}

std::uint64_t network_bytes(const LstmArchitecture& a, int batch) {
  const std::int64_t rows = std::int64_t{batch} * a.steps, hidden = a.hidden;
  const std::int64_t activations = rows * hidden * (a.layers * (4 + 3 + (a.dropout > 0 ? 1 : 0)) + 4 + 1);
  const std::int64_t sums = (kernels::sum_blocks(rows) + 1) * 4 * hidden * a.symbols + 4 * hidden * a.layers;
  const std::int64_t panels = 8 * hidden * hidden * (2 * a.layers - 1);  // on hosts; devices have fewer
  return sizeof(float) * static_cast<std::uint64_t>(a.parameters() + activations + sums + panels +
                                                    rows * (a.symbols + 5) + 2 * batch * hidden);
}

template <class Exec>
void LstmNetwork<Exec>::initialize(const StreamId& stream) {
  const double bound = 1 / std::sqrt(static_cast<double>(architecture_.hidden));
  std::int64_t at = 0;
  int number = 0;
  for (const Parameter& tensor : tensors_of(architecture_)) {
    const std::int64_t size = size_of(tensor);
    const Vector<float, Exec> where = Kokkos::subview(weight_, Kokkos::make_pair(at, at + size));
    fill_uniform<Exec>(exec_, where, {1, size, size}, stream, number++, bound);
    at += size;
  }
  fence(exec_, "krossfold::nn::initialize");
}

template <class Exec>
std::vector<Parameter> LstmNetwork<Exec>::parameters() const {
  fence(exec_, "krossfold::nn::parameters");
  const auto from = on_host(weight_);
  const float* at = from.data();
  std::vector<Parameter> all = tensors_of(architecture_);
  for (Parameter& parameter : all) {
    parameter.value.assign(at, at + size_of(parameter));
    at += size_of(parameter);
  }
  return all;
}

template <class Exec>
void LstmNetwork<Exec>::set_parameters(const std::vector<Parameter>& parameters) {
  const std::vector<Parameter> expected = tensors_of(architecture_);
  if (parameters.size() != expected.size()) {
    throw_run_error("weights of another network", text(parameters.size(), " tensors, expected ", expected.size()));
  }
  const auto to = host_mirror(weight_);
  float* at = to.data();
  for (std::size_t t = 0; t < expected.size(); ++t) {
    const auto& [name, shape, value] = parameters[t];
    if (name != expected[t].name || shape != expected[t].shape ||
        static_cast<std::int64_t>(value.size()) != size_of(expected[t])) {
      throw_run_error("weights of another network", text(name, " has ", value.size(), " numbers, expected ",
                                                         expected[t].name, " with ", size_of(expected[t])));
    }
    at = std::copy(value.begin(), value.end(), at);
  }
  Kokkos::deep_copy(weight_, to);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                      \
  template void LstmNetwork<Exec>::initialize(const StreamId&);          \
  template std::vector<Parameter> LstmNetwork<Exec>::parameters() const; \
  template void LstmNetwork<Exec>::set_parameters(const std::vector<Parameter>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
