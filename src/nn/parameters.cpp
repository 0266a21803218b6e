// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "initialize.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/huge_pages.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/network.hpp"
#include "layer_split.hpp"
#include "part_of.hpp"
#include "state.hpp"

namespace krossfold::nn {
template <class Exec>
struct Network<Exec>::Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  Vector<float, Exec> where;
  ParameterLayout layout;
  std::int64_t inputs;  ///< of a unit, on all workers: they bound its initial values
};

template <class Exec>
std::vector<typename Network<Exec>::Tensor> Network<Exec>::tensors() const {
  std::vector<Tensor> all;
  std::int64_t inputs = architecture_.dense_inputs();
  if (architecture_.channels > 0) {
    const auto shape = conv_shape(1);
    const auto [first, channels] = channels_;
    all.push_back({"conv.weight",
                   {channels, shape.input_channels, shape.kernel, shape.kernel},
                   part_of<Exec>(conv_weight_, 0, std::int64_t{shape.taps()} * channels),
                   {shape.taps(), channels, channels, 0, first, architecture_.channels},
                   shape.taps()});
    all.push_back({"conv.bias",
                   {channels},
                   biases(conv_weight_),
                   {1, channels, channels, 0, first, architecture_.channels},
                   shape.taps()});
  }
  for (std::size_t l = 0; l < dense_.size(); ++l) {
    const Dense& layer = dense_[l];
    all.push_back({text("dense.", l, ".weight"),
                   {layer.units, layer.inputs},
                   layer.weight,
                   {layer.inputs, layer.units, layer.shape(1).stride(), layer.first_input},
                   inputs});
    all.push_back({text("dense.", l, ".bias"), {layer.units}, layer.bias, {1, layer.units, layer.units}, inputs});
    inputs = layer.units;
  }
  return all;
}

template <class Exec>
void Network<Exec>::clear_velocity(const Poll& poll) {
  if (conv_velocity_.extent(0) > 0) Kokkos::deep_copy(conv_velocity_, 0.0f);
  for (const Dense& layer : dense_) {
    set_zero<Exec>(layer.velocity, poll);
    Kokkos::deep_copy(layer.bias_velocity, 0.0f);
  }
}

/// The arrays that write_state() writes, in order.
template <class Exec>
std::vector<Vector<float, Exec>> Network<Exec>::state() const {
  std::vector<Vector<float, Exec>> all{conv_weight_, conv_velocity_};
  for (const Dense& layer : dense_) {
    all.insert(all.end(), {layer.weight, layer.velocity, layer.bias, layer.bias_velocity});
  }
  return all;
}

std::vector<Parameter> tensors_of(const Architecture& architecture, int part, int parts) {
  std::vector<Parameter> all;
  if (architecture.channels > 0) {
    const auto shape = architecture.conv(1);
    const int channels = channels_of(architecture, part, parts).count;
    all.push_back({"conv.weight", {channels, shape.input_channels, shape.kernel, shape.kernel}, {}});
    all.push_back({"conv.bias", {channels}, {}});
  }
  const std::vector<int> units = architecture.dense_units();
  const std::vector<InputRange> inputs = input_ranges(architecture, part, parts);
  for (std::size_t l = 0; l < units.size(); ++l) {
    all.push_back({text("dense.", l, ".weight"), {units[l], inputs[l].count}, {}});
    all.push_back({text("dense.", l, ".bias"), {units[l]}, {}});
  }
  return all;
}

std::vector<Parameter> join_parts(const Architecture& architecture, const std::vector<std::vector<Parameter>>& parts) {
  const int count = static_cast<int>(parts.size());
  for (int p = 0; p < count; ++p) {
    const auto expected = tensors_of(architecture, p, count);
    const bool fits = std::equal(expected.begin(), expected.end(), parts[p].begin(), parts[p].end(),
                                 [](const Parameter& a, const Parameter& b) { return a.shape == b.shape; });
    if (!fits) throw_run_error(text("part ", p, " of ", count, " is of another network"), "");
  }
  std::vector<Parameter> whole = tensors_of(architecture);
  for (std::size_t t = 0; t < whole.size(); ++t) {
    std::vector<float>& value = whole[t].value;
    const bool rows = whole[t].name.starts_with("conv"), is_bias = whole[t].shape.size() == 1;
    const std::int64_t units = whole[t].shape[0];
    if (rows) {  // channels are concatenated
      for (const auto& part : parts) value.insert(value.end(), part[t].value.begin(), part[t].value.end());
    } else if (is_bias) {
      value = parts.front()[t].value;
    } else {  // each unit's inputs are concatenated
      for (std::int64_t u = 0; u < units; ++u) {
        for (const auto& part : parts) {
          const std::int64_t inputs = part[t].shape[1];
          value.insert(value.end(), part[t].value.begin() + u * inputs, part[t].value.begin() + (u + 1) * inputs);
        }
      }
    }
  }
  return whole;
}

template <class Exec>
void Network<Exec>::initialize(const StreamId& stream, const Poll& poll) {
  int number = 0;
  for (const Tensor& tensor : tensors()) {
    fill_uniform<Exec>(exec_, tensor.where, tensor.layout, stream, number++,
                       1 / std::sqrt(static_cast<double>(tensor.inputs)), poll);
  }
  fence(exec_, "krossfold::nn::initialize");
  clear_velocity(poll);
}

template <class Exec>
std::vector<Parameter> Network<Exec>::parameters() const {
  fence(exec_, "krossfold::nn::parameters");
  std::vector<Parameter> all;
  for (const Tensor& tensor : tensors()) {
    Parameter parameter{tensor.name, tensor.shape, std::vector<float>(static_cast<std::size_t>(tensor.layout.size()))};
    const auto from = on_host(tensor.where);
    for (std::int64_t i = 0; i < tensor.layout.size(); ++i) parameter.value[i] = from(tensor.layout.at(i));
    all.push_back(std::move(parameter));
  }
  return all;
}

template <class Exec>
void Network<Exec>::set_parameters(const std::vector<Parameter>& parameters) {
  const std::vector<Tensor> tensors = this->tensors();
  if (parameters.size() != tensors.size()) {
    throw_run_error("weights of another network", text(parameters.size(), " tensors, expected ", tensors.size()));
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const auto& [name, shape, value] = parameters[t];
    if (name != tensors[t].name || shape != tensors[t].shape ||
        static_cast<std::int64_t>(value.size()) != tensors[t].layout.size()) {
      throw_run_error("weights of another network", text(name, " has ", value.size(), " numbers, expected ",
                                                         tensors[t].name, " with ", tensors[t].layout.size()));
    }
    const auto to = host_mirror(tensors[t].where);
    Kokkos::deep_copy(to, 0.0f);
    for (std::size_t i = 0; i < value.size(); ++i) to(tensors[t].layout.at(static_cast<std::int64_t>(i))) = value[i];
    Kokkos::deep_copy(tensors[t].where, to);
  }
  clear_velocity();
}

template <class Exec>
void Network<Exec>::write_state(ByteWriter& writer) const {
  write_arrays<Exec>(writer, exec_, state());
}

template <class Exec>
void Network<Exec>::read_state(ByteReader& reader) {
  read_arrays<Exec>(reader, state());
}

#define KROSSFOLD_INSTANTIATE(Exec)                                      \
  template void Network<Exec>::initialize(const StreamId&, const Poll&); \
  template std::vector<Parameter> Network<Exec>::parameters() const;     \
  template void Network<Exec>::write_state(ByteWriter&) const;           \
  template void Network<Exec>::read_state(ByteReader&);                  \
  template void Network<Exec>::set_parameters(const std::vector<Parameter>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
