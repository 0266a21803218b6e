// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/interchange/onnx_model.hpp"
#include "onnx_samples.hpp"

namespace krossfold::interchange {

namespace {

using Names = std::vector<std::string>;

const nn::Parameter& parameter(const std::vector<nn::Parameter>& all, const std::string& name) {
  for (const nn::Parameter& one : all) {
    if (one.name == name) return one;
  }
  throw_run_error(text("the network has no parameter ", name));
}

std::string add_parameter(OnnxGraph& graph, const std::vector<nn::Parameter>& all, const std::string& name,
                          const std::string& prefix) {
  const nn::Parameter& one = parameter(all, name);
  return graph.constant(prefix + name, one.shape, one.value);
}

std::string activated(OnnxGraph& graph, const std::string& input, kernels::Activation activation,
                      const std::string& output) {
  switch (activation) {
    case kernels::Activation::relu:
      return graph.node("Relu", {input}, output);
    case kernels::Activation::tanh:
      return graph.node("Tanh", {input}, output);
    case kernels::Activation::sigmoid:
      return graph.node("Sigmoid", {input}, output);
    case kernels::Activation::none:
      break;
  }
  return input;
}

/// Adds a network; its constants and nodes begin with `prefix`. Returns the name of its probabilities, float (N, class), which is
/// `output`.
std::string add_network(OnnxGraph& graph, const std::string& features, const model::NetworkModel& model,
                        const std::string& prefix, const std::string& output) {
  const nn::Architecture& form = model.architecture;
  const std::string scaled = add_scale(graph, features, model.scale, prefix + "scaled");
  std::string x = graph.cast(scaled, OnnxType::float32, prefix + "samples");
  if (form.channels > 0) {
    const std::vector<std::int64_t> image{-1, form.image.channels, form.image.height, form.image.width};
    x = graph.node("Reshape", {x, graph.whole(prefix + "image_shape", image)}, prefix + "image");
    const std::string weight = add_parameter(graph, model.parameters, "conv.weight", prefix);
    const std::string bias = add_parameter(graph, model.parameters, "conv.bias", prefix);
    x = graph.node("Conv", {x, weight, bias}, prefix + "conv");
    x = graph.node("Flatten", {graph.node("Relu", {x}, prefix + "conv_relu")}, prefix + "flat",
                   {{"axis", std::int64_t{1}}});
  }
  const std::size_t layers = form.dense_units().size();
  for (std::size_t l = 0; l < layers; ++l) {
    const std::string layer = text("dense.", l);
    const std::string weight = add_parameter(graph, model.parameters, layer + ".weight", prefix);
    const std::string bias = add_parameter(graph, model.parameters, layer + ".bias", prefix);
    x = graph.node("Gemm", {x, weight, bias}, text(prefix, layer), {{"transB", std::int64_t{1}}});
    if (l + 1 < layers) x = activated(graph, x, form.activation, text(prefix, layer, ".active"));
  }
  return graph.node("Softmax", {x}, output, {{"axis", std::int64_t{1}}});
}

/// Adds the mean probability, the votes, and the label: the class with the most votes, then with the largest mean, then the first.
void add_vote(OnnxGraph& graph, const Names& member, int classes) {
  const auto count = static_cast<std::int64_t>(member.size());
  const std::string axis = graph.whole("network_axis", {0});
  std::vector<std::int64_t> number;
  for (int c = 0; c < classes; ++c) number.push_back(c);
  const std::string numbers = graph.whole("class_numbers", number);
  Names rows, values, votes;
  for (const std::string& one : member) {
    rows.push_back(graph.node("Unsqueeze", {one, axis}, one + ".row"));
    values.push_back(graph.cast(one, OnnxType::float64, one + ".double"));
    const std::string choice =
        graph.node("ArgMax", {one}, one + ".choice", {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{1}}});
    votes.push_back(
        graph.cast(graph.node("Equal", {choice, numbers}, one + ".chosen"), OnnxType::float64, one + ".vote"));
  }
  graph.node("Concat", rows, "member_probability", {{"axis", std::int64_t{0}}});
  const std::string sum = graph.node("Sum", values, "sum");
  const std::string mean = graph.node("Div", {sum, graph.constant("networks", static_cast<double>(count))}, "mean");
  graph.cast(mean, OnnxType::float32, "probability");
  const std::string all_votes = graph.node("Sum", votes, "vote_sum");
  graph.cast(all_votes, OnnxType::int64, "votes");
  const std::string twice = graph.node("Mul", {all_votes, graph.constant("two", 2)}, "twice_votes");
  graph.node("Add", {twice, mean}, "score");
  graph.output("member_probability", OnnxType::float32, {count, "N", classes});
  graph.output("votes", OnnxType::int64, {"N", classes});
}

/// LSTM weights of 4 gates in the order of ONNX (input, output, forget, cell) from that of PyTorch (input, forget, cell, output).
std::vector<float> reordered(const std::vector<float>& value) {
  const std::size_t gate = value.size() / 4;
  std::vector<float> all;
  for (const std::size_t from : {0, 3, 1, 2}) {
    const auto begin = value.begin() + static_cast<std::ptrdiff_t>(from * gate);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(gate));
  }
  return all;
}

}  // namespace

std::vector<std::byte> onnx_of(const model::Networks& networks, const std::string& name) {
  const std::vector<model::NetworkModel>& network = networks.network;
  model::check_together(network, networks.file);
  const model::NetworkModel& first = network.front();
  const int classes = first.architecture.classes;
  const data::ImageShape& shape = first.architecture.image;
  OnnxGraph graph;
  // A network of samples that were no images has a row of pixels.
  const std::string features = add_samples(graph, shape.height > 1 ? shape : data::ImageShape(),
                                           static_cast<int>(first.architecture.features()));
  if (network.size() == 1) {
    add_label(graph, add_network(graph, features, first, "", "probability"), first.class_name);
  } else {
    Names member;
    for (std::size_t m = 0; m < network.size(); ++m) {
      member.push_back(add_network(graph, features, network[m], text(m, '.'), text("member.", m)));
    }
    add_vote(graph, member, classes);
    add_label(graph, "score", first.class_name);
  }
  graph.output("probability", OnnxType::float32, {"N", classes});
  describe_samples(graph, first.class_name, first.encoding);
  return graph.finish(name);
}

std::vector<std::byte> onnx_of(const model::LstmModel& model, const std::string& name) {
  const nn::LstmArchitecture& form = model.architecture;
  OnnxGraph graph;
  graph.input("symbols", OnnxType::int64, {"N", "step"});
  const std::string depth = graph.constant("alphabet_size", {}, std::vector<std::int64_t>{form.symbols});
  const std::string values = graph.constant("off_on", {2}, std::vector<float>{0, 1});
  std::string x = graph.node("OneHot", {"symbols", depth, values}, "one_hot");
  x = graph.node("Transpose", {x}, "steps_first", {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
  const std::int64_t hidden = form.hidden;
  const std::string direction = graph.whole("direction_axis", {1});
  for (int l = 0; l < form.layers; ++l) {
    const auto value = [&](const char* kind) {
      return reordered(parameter(model.parameters, text(kind, "_l", l)).value);
    };
    std::vector<float> bias = value("bias_ih");
    const std::vector<float> recurrent_bias = value("bias_hh");
    bias.insert(bias.end(), recurrent_bias.begin(), recurrent_bias.end());
    const std::int64_t inputs = l == 0 ? form.symbols : hidden;
    const Names weights{graph.constant(text("W_l", l), {1, 4 * hidden, inputs}, value("weight_ih")),
                        graph.constant(text("R_l", l), {1, 4 * hidden, hidden}, value("weight_hh")),
                        graph.constant(text("B_l", l), {1, 8 * hidden}, bias)};
    const std::string y =
        graph.node("LSTM", {x, weights[0], weights[1], weights[2]}, text("lstm_l", l), {{"hidden_size", hidden}});
    x = graph.node("Squeeze", {y, direction}, text("layer_", l));
  }
  x = graph.node("Transpose", {x}, "samples_first", {{"perm", std::vector<std::int64_t>{1, 0, 2}}});
  const std::string weight = graph.node("Transpose", {add_parameter(graph, model.parameters, "dense.weight", "")},
                                        "dense.transposed", {{"perm", std::vector<std::int64_t>{1, 0}}});
  const std::string bias = add_parameter(graph, model.parameters, "dense.bias", "");
  const std::string logits = graph.node("Add", {graph.node("MatMul", {x, weight}, "dense"), bias}, "logits");
  graph.node("Softmax", {logits}, "probability", {{"axis", std::int64_t{2}}});
  for (const char* output : {"logits", "probability"})
    graph.output(output, OnnxType::float32, {"N", "step", form.symbols});
  graph.describe("alphabet", std::string(input::name_alphabet));
  graph.describe("window", text(form.steps));
  return graph.finish(name);
}

}  // namespace krossfold::interchange
