// SPDX-License-Identifier: BSD-3-Clause
#include "onnx_graph.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::interchange {

namespace {

// Numbers of fields in onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
namespace model_field {
constexpr int ir_version = 1, producer_name = 2, producer_version = 3, graph = 7, opset_import = 8, metadata = 14;
}
namespace graph_field {
constexpr int node = 1, name = 2, initializer = 5, input = 11, output = 12;
}
namespace node_field {
constexpr int input = 1, output = 2, name = 3, type = 4, attribute = 5;
}
namespace attribute_field {
constexpr int name = 1, whole = 3, text = 4, wholes = 8, type = 20;
constexpr int whole_type = 2, text_type = 3, wholes_type = 7;
}  // namespace attribute_field
namespace tensor_field {
constexpr int dims = 1, data_type = 2, string_data = 6, name = 8, raw_data = 9;
}
constexpr std::int64_t ir_version = 8, operator_set = 17;

ProtobufMessage attribute_of(const std::string& name, const OnnxGraph::Attribute& value) {
  namespace field = attribute_field;
  ProtobufMessage attribute;
  attribute.text(field::name, name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    attribute.whole(field::whole, *whole);
    attribute.whole(field::type, field::whole_type);
  } else if (const auto* word = std::get_if<std::string>(&value)) {
    attribute.text(field::text, *word);
    attribute.whole(field::type, field::text_type);
  } else {
    for (const std::int64_t one : std::get<std::vector<std::int64_t>>(value)) attribute.whole(field::wholes, one);
    attribute.whole(field::type, field::wholes_type);
  }
  return attribute;
}

/// ValueInfoProto {name = 1, type = 2 {tensor_type = 1 {elem_type = 1, shape = 2 {dim = 1 {dim_value = 1, dim_param = 2}}}}}.
ProtobufMessage value_of(const std::string& name, OnnxType type, const OnnxGraph::Extents& extents) {
  ProtobufMessage shape, tensor, holder, value;
  for (const auto& extent : extents) {
    ProtobufMessage dimension;
    if (const auto* number = std::get_if<std::int64_t>(&extent)) {
      dimension.whole(1, *number);
    } else {
      dimension.text(2, std::get<std::string>(extent));
    }
    shape.message(1, dimension);
  }
  tensor.whole(1, static_cast<std::int64_t>(type));
  tensor.message(2, shape);
  holder.message(1, tensor);
  value.text(1, name);
  value.message(2, holder);
  return value;
}

ProtobufMessage tensor_header(const std::string& name, OnnxType type, const OnnxGraph::Shape& shape) {
  ProtobufMessage tensor;
  for (const std::int64_t extent : shape) tensor.whole(tensor_field::dims, extent);
  tensor.whole(tensor_field::data_type, static_cast<std::int64_t>(type));
  tensor.text(tensor_field::name, name);
  return tensor;
}

}  // namespace

std::string OnnxGraph::fresh(const std::string& name) {
  std::string found = name;
  for (int k = 2; !names_.insert(found).second; ++k) found = text(name, '_', k);
  return found;
}

std::string OnnxGraph::tensor(const std::string& name, OnnxType type, const Shape& shape,
                              std::span<const std::byte> bytes) {
  const std::string own = fresh(name);
  ProtobufMessage tensor = tensor_header(own, type, shape);
  tensor.text(tensor_field::raw_data, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  graph_.message(graph_field::initializer, tensor);
  return own;
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape, std::span<const float> values) {
  return tensor(name, OnnxType::float32, shape, std::as_bytes(values));
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape, std::span<const double> values) {
  return tensor(name, OnnxType::float64, shape, std::as_bytes(values));
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape, std::span<const std::int64_t> values) {
  return tensor(name, OnnxType::int64, shape, std::as_bytes(values));
}

std::string OnnxGraph::constant(const std::string& name, const Shape& shape, const std::vector<std::string>& values) {
  const std::string own = fresh(name);
  ProtobufMessage tensor = tensor_header(own, OnnxType::text, shape);
  for (const std::string& value : values) tensor.text(tensor_field::string_data, value);
  graph_.message(graph_field::initializer, tensor);
  return own;
}

std::string OnnxGraph::whole(const std::string& name, std::vector<std::int64_t> values) {
  return constant(name, {static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values));
}

std::string OnnxGraph::node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                            const Attributes& attributes) {
  const std::string own = fresh(output);
  ProtobufMessage node;
  for (const std::string& input : inputs) node.text(node_field::input, input);
  node.text(node_field::output, own);
  node.text(node_field::name, own);
  node.text(node_field::type, type);
  for (const auto& [name, value] : attributes) node.message(node_field::attribute, attribute_of(name, value));
  graph_.message(graph_field::node, node);
  return own;
}

std::string OnnxGraph::cast(const std::string& input, OnnxType type, const std::string& output) {
  return node("Cast", {input}, output, {{"to", static_cast<std::int64_t>(type)}});
}

void OnnxGraph::input(const std::string& name, OnnxType type, const Extents& extents) {
  names_.insert(name);
  graph_.message(graph_field::input, value_of(name, type, extents));
}

void OnnxGraph::output(const std::string& name, OnnxType type, const Extents& extents) {
  graph_.message(graph_field::output, value_of(name, type, extents));
}

void OnnxGraph::describe(const std::string& key, const std::string& value) { metadata_.emplace_back(key, value); }

std::vector<std::byte> OnnxGraph::finish(const std::string& model) const {
  ProtobufMessage file, graph = graph_, operators;
  graph.text(graph_field::name, "krossfold");
  require(graph.bytes().size() < std::size_t{std::numeric_limits<std::int32_t>::max()} - (1u << 20),
          text(model, " is too large for ONNX"),
          text("it has ", size_text(graph.bytes().size()), ", and a file at most 2 GiB"), "Export FILE.npz.");
  operators.text(1, "");  // the domain of the standard operators
  operators.whole(2, operator_set);
  file.whole(model_field::ir_version, ir_version);
  file.text(model_field::producer_name, "krossfold");
  file.text(model_field::producer_version, build_info().version);
  file.message(model_field::graph, graph);
  file.message(model_field::opset_import, operators);
  for (const auto& [key, value] : metadata_) {
    ProtobufMessage pair;
    pair.text(1, key);
    pair.text(2, value);
    file.message(model_field::metadata, pair);
  }
  const auto bytes = std::as_bytes(std::span(file.bytes()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace krossfold::interchange
