// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the graphs of all classifiers share: the raw samples that they take, and the labels that they give.

#include <memory>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "onnx_graph.hpp"

namespace krossfold::interchange {

/// Declares the input X, float (N, features), or (N, channels, height, width) of images; returns the name of its features, (N, features).
std::string add_samples(OnnxGraph& graph, const data::ImageShape& image, int features);

/// Adds (values - offset) / divisor of values (N, features); returns the name of the result, which is double.
std::string add_scale(OnnxGraph& graph, const std::string& values, const data::Scale& scale, const std::string& output);

/// Adds the output `label`: the name of the class with the largest score (N, class), the first one of several. Whole numbers are
/// labels of type int64.
void add_label(OnnxGraph& graph, const std::string& score, const std::vector<std::string>& class_name);

/// Adds a list of names to the metadata, as JSON.
void describe_list(OnnxGraph& graph, const std::string& key, const std::vector<std::string>& words);

/// Describes what the model takes and gives in the metadata: classes and features, JSON lists of their names.
void describe_samples(OnnxGraph& graph, const std::vector<std::string>& class_name,
                      const std::shared_ptr<const data::TableEncoding>& encoding);

}  // namespace krossfold::interchange
