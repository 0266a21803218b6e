// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/onnx_model.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "pair_machine.hpp"
#include "protobuf_reader.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::interchange {
namespace {

using test::ProtobufFields;
using test::read_protobuf;

// Numbers of fields, from onnx.proto.
constexpr int model_ir = 1, model_graph = 7, model_opset = 8, model_metadata = 14;
constexpr int graph_node = 1, graph_constant = 5, graph_input = 11, graph_output = 12;
constexpr int node_input = 1, node_output = 2, node_type = 4;
constexpr int tensor_dims = 1, tensor_type = 2, tensor_string = 6, tensor_name = 8, tensor_raw = 9;

/// A file of ONNX, decoded.
struct Graph {
  ProtobufFields model, content;
  std::map<std::string, ProtobufFields> constant;
  std::vector<ProtobufFields> node;

  explicit Graph(const std::vector<std::byte>& file)
      : model(read_protobuf({reinterpret_cast<const char*>(file.data()), file.size()})),
        content(read_protobuf(model.one(model_graph))) {
    for (const std::string& one : content.bytes[graph_constant]) {
      const ProtobufFields tensor = read_protobuf(one);
      EXPECT_TRUE(constant.emplace(tensor.one(tensor_name), tensor).second)
          << "two constants are " << tensor.one(tensor_name);
    }
    for (const std::string& one : content.bytes[graph_node]) node.push_back(read_protobuf(one));
  }
};

/// "NAME TYPE DIM,DIM," of a ValueInfoProto.
std::string shown(const std::string& value) {
  const ProtobufFields info = read_protobuf(value), tensor = read_protobuf(read_protobuf(info.one(2)).one(1));
  std::string words = text(info.one(1), ' ', tensor.number.at(1).at(0), ' ');
  const std::vector<std::string> dimensions = read_protobuf(tensor.one(2)).bytes[1];
  for (const std::string& dimension : dimensions) {
    const ProtobufFields extent = read_protobuf(dimension);
    words += extent.number.contains(1) ? text(extent.number.at(1).at(0), ',') : extent.one(2) + ",";
  }
  return words;
}

std::vector<std::string> shown(const std::vector<std::string>& values) {
  std::vector<std::string> all;
  for (const std::string& one : values) all.push_back(shown(one));
  return all;
}

/// What every file must be: versions, names that are there before they are used, constants of the size of their shape.
void expect_valid(const Graph& graph) {
  EXPECT_EQ(graph.model.number.at(model_ir).at(0), 8u);
  const ProtobufFields operators = read_protobuf(graph.model.one(model_opset));
  EXPECT_EQ(operators.one(1), "");
  EXPECT_EQ(operators.number.at(2).at(0), 17u);
  std::set<std::string> known;
  for (const std::string& value : graph.content.bytes.at(graph_input)) known.insert(read_protobuf(value).one(1));
  for (const auto& [name, tensor] : graph.constant) {
    EXPECT_TRUE(known.insert(name).second) << name;
    std::uint64_t count = 1;
    if (tensor.number.contains(tensor_dims)) {
      for (const std::uint64_t extent : tensor.number.at(tensor_dims)) count *= extent;
    }
    const std::map<std::uint64_t, std::size_t> bytes = {{1, 4}, {7, 8}, {11, 8}};
    const std::uint64_t type = tensor.number.at(tensor_type).at(0);
    if (type == 8) {
      EXPECT_EQ(tensor.bytes.at(tensor_string).size(), count) << name;
    } else {
      EXPECT_EQ(tensor.one(tensor_raw).size(), count * bytes.at(type)) << name;
    }
  }
  const std::set<std::string> standard = {
      "Abs",     "Add",     "ArgMax", "Cast", "Clip",      "Concat",    "Conv",     "Div",     "Equal",
      "Exp",     "Flatten", "Gather", "Gemm", "Greater",   "LSTM",      "Log",      "MatMul",  "Max",
      "Mul",     "Neg",     "OneHot", "Pow",  "ReduceSum", "Relu",      "Reshape",  "Sigmoid", "Slice",
      "Softmax", "Squeeze", "Sub",    "Sum",  "Tanh",      "Transpose", "Unsqueeze"};
  for (const ProtobufFields& node : graph.node) {
    EXPECT_TRUE(standard.contains(node.one(node_type))) << node.one(node_type);
    for (const std::string& input : node.bytes.at(node_input)) EXPECT_TRUE(known.contains(input)) << input;
    EXPECT_TRUE(known.insert(node.one(node_output)).second) << node.one(node_output);
  }
  for (const std::string& value : graph.content.bytes.at(graph_output))
    EXPECT_TRUE(known.contains(read_protobuf(value).one(1)));
}

std::vector<float> floats_of(const ProtobufFields& tensor) {
  std::vector<float> values(tensor.one(tensor_raw).size() / sizeof(float));
  std::memcpy(values.data(), tensor.one(tensor_raw).data(), values.size() * sizeof(float));
  return values;
}

using Words = std::vector<std::string>;

TEST(OnnxModel, svms_take_raw_samples_and_give_label_decision_and_probability) {
  const svm::KernelFunction kernels[] = {
      {svm::KernelKind::rbf, 0.02}, {svm::KernelKind::linear}, {svm::KernelKind::polynomial, 0.1, 2, 1}};
  for (const svm::KernelFunction& kernel : kernels) {
    svm::Machine machine = test::pair_machine(4, kernel, {{8}, {4.6}}, 3);
    const Graph graph(onnx_of(machine, "m.h5"));
    expect_valid(graph);
    EXPECT_EQ(shown(graph.content.bytes.at(graph_input)), (Words{"X 1 N,6,"}));
    EXPECT_EQ(shown(graph.content.bytes.at(graph_output)),
              (Words{"decision 11 N,6,", "label 8 N,", "probability 11 N,4,"}));
    EXPECT_EQ(graph.constant.at("classes").bytes.at(tensor_string), machine.class_name);
    if (kernel.kind != svm::KernelKind::linear) {
      EXPECT_EQ(floats_of(graph.constant.at("support_vectors")), list_of(machine.support.raw));
    }
  }
  svm::Machine rest = test::sample_machine();
  rest.class_name = {"1", "2", "-3"};
  rest.image = {3, 2, 1};
  const Graph graph(onnx_of(rest, "m.h5"));
  expect_valid(graph);
  EXPECT_EQ(shown(graph.content.bytes.at(graph_input)), (Words{"X 1 N,1,2,3,"}));
  EXPECT_EQ(shown(graph.content.bytes.at(graph_output)), (Words{"decision 11 N,3,", "label 7 N,"}));
}

TEST(OnnxModel, networks_have_their_parameters_and_the_outputs_of_their_number) {
  const model::NetworkModel one = test::sample_network(3), other = test::sample_network(4, 3);
  const Graph single(onnx_of(model::Networks{{one}, {"a.h5"}, {}}, "m.h5"));
  expect_valid(single);
  EXPECT_EQ(shown(single.content.bytes.at(graph_input)), (Words{"X 1 N,1,2,3,"}));
  EXPECT_EQ(shown(single.content.bytes.at(graph_output)), (Words{"label 8 N,", "probability 1 N,3,"}));
  for (const nn::Parameter& parameter : one.parameters) {
    const ProtobufFields& tensor = single.constant.at(parameter.name);
    EXPECT_EQ(floats_of(tensor), parameter.value);
    const std::vector<std::uint64_t> shape(parameter.shape.begin(), parameter.shape.end());
    EXPECT_EQ(tensor.number.at(tensor_dims), shape);
  }
  const Graph both(onnx_of(model::Networks{{one, other}, {"a.h5", "b.h5"}, {}}, "m.h5"));
  expect_valid(both);
  EXPECT_EQ(shown(both.content.bytes.at(graph_output)),
            (Words{"member_probability 1 2,N,3,", "votes 7 N,3,", "label 8 N,", "probability 1 N,3,"}));
  EXPECT_EQ(floats_of(both.constant.at("1.conv.weight")), other.parameters[0].value);
}

TEST(OnnxModel, gates_of_lstms_are_in_the_order_of_onnx) {
  model::LstmModel model = test::constant_model({{'a', 1.0F}});
  float next = 0;
  for (nn::Parameter& parameter : model.parameters) {
    for (float& value : parameter.value) value = next++;
  }
  const Graph graph(onnx_of(model, "m.h5"));
  expect_valid(graph);
  EXPECT_EQ(shown(graph.content.bytes.at(graph_input)), (Words{"symbols 7 N,step,"}));
  EXPECT_EQ(shown(graph.content.bytes.at(graph_output)), (Words{"logits 1 N,step,31,", "probability 1 N,step,31,"}));
  const std::vector<float>&given = model.parameters[0].value, found = floats_of(graph.constant.at("W_l0"));
  const std::size_t gate = 2 * 31;  // hidden units times symbols; PyTorch: input, forget, cell, output
  const std::size_t from[] = {0, 3, 1, 2};
  ASSERT_EQ(found.size(), given.size());
  for (std::size_t g = 0; g < 4; ++g) {
    for (std::size_t k = 0; k < gate; ++k) EXPECT_EQ(found[g * gate + k], given[from[g] * gate + k]);
  }
}

TEST(OnnxModel, metadata_are_json_and_names_may_hold_quotes) {
  svm::Machine machine = test::sample_machine();
  machine.class_name = {"a \"b\"", "back\\slash", "line\nbreak"};
  const Graph graph(onnx_of(machine, "m.h5"));
  std::map<std::string, std::string> metadata;
  for (const std::string& one : graph.model.bytes.at(model_metadata)) {
    metadata[read_protobuf(one).one(1)] = read_protobuf(one).one(2);
  }
  EXPECT_EQ(metadata["classes"], R"(["a \"b\"", "back\\slash", "line\u000abreak"])");
}

}  // namespace
}  // namespace krossfold::interchange
