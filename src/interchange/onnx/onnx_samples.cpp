// SPDX-License-Identifier: BSD-3-Clause
#include "onnx_samples.hpp"

#include <algorithm>
#include <cstdio>

#include "interchange/whole_labels.hpp"

namespace krossfold::interchange {

namespace {

std::string json_list(const std::vector<std::string>& words) {
  std::string list = "[";
  for (const std::string& word : words) {
    if (list.size() > 1) list += ", ";
    list += '"';
    for (const char letter : word) {
      const auto byte = static_cast<unsigned char>(letter);
      if (letter == '"' || letter == '\\') list += '\\';
      if (byte < 0x20) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
        list += escaped;
      } else {
        list += letter;
      }
    }
    list += '"';
  }
  return list + "]";
}

}  // namespace

std::string add_samples(OnnxGraph& graph, const data::ImageShape& image, int features) {
  const std::string samples = "N";
  if (!image.is_image()) {
    graph.input("X", OnnxType::float32, {samples, features});
    return "X";
  }
  graph.input("X", OnnxType::float32, {samples, image.channels, image.height, image.width});
  return graph.node("Reshape", {"X", graph.whole("rows_of_features", {-1, features})}, "features");
}

std::string add_scale(OnnxGraph& graph, const std::string& values, const data::Scale& scale,
                      const std::string& output) {
  std::string scaled = graph.cast(values, OnnxType::float64, output + "_raw");
  const auto list = [&](const char* name, const std::vector<double>& of) {
    return graph.constant(name, {static_cast<std::int64_t>(of.size())}, of);
  };
  const auto all_are = [](const std::vector<double>& of, double value) {
    return std::all_of(of.begin(), of.end(), [value](double one) { return one == value; });
  };
  if (!all_are(scale.offset, 0))
    scaled = graph.node("Sub", {scaled, list("offset", scale.offset)}, output + "_centred");
  if (!all_are(scale.divisor, 1)) scaled = graph.node("Div", {scaled, list("divisor", scale.divisor)}, output);
  return scaled;
}

void add_label(OnnxGraph& graph, const std::string& score, const std::vector<std::string>& class_name) {
  const auto whole = whole_labels(class_name);
  const OnnxGraph::Shape shape{static_cast<std::int64_t>(class_name.size())};
  const std::string names =
      whole ? graph.constant("classes", shape, *whole) : graph.constant("classes", shape, class_name);
  const std::string index =
      graph.node("ArgMax", {score}, "class_index", {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  graph.node("Gather", {names, index}, "label", {{"axis", std::int64_t{0}}});
  graph.output("label", whole ? OnnxType::int64 : OnnxType::text, {"N"});
}

void describe_list(OnnxGraph& graph, const std::string& key, const std::vector<std::string>& words) {
  graph.describe(key, json_list(words));
}

void describe_samples(OnnxGraph& graph, const std::vector<std::string>& class_name,
                      const std::shared_ptr<const data::TableEncoding>& encoding) {
  graph.describe("classes", json_list(class_name));
  if (encoding && encoding->named) graph.describe("features", json_list(encoding->feature_names()));
}

}  // namespace krossfold::interchange
