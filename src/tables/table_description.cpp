// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

/// A column that tells nothing has a type of its own.
void mark_poor(ColumnSummary& summary) {
  if (summary.distinct == 0) summary.type = "missing";
  if (summary.distinct == 1 && summary.missing == 0) summary.type = "one value";
}

ColumnSummary summary_of(const Table& table, std::size_t k) {
  const FeatureColumn& column = table.column[k];
  ColumnSummary summary;
  summary.name = column.name;
  summary.column = column.column;
  summary.lowest = summary.highest = summary.mean = std::numeric_limits<double>::quiet_NaN();
  if (column.text) {
    summary.type = "text";
    summary.missing = std::count(table.words[k].code.begin(), table.words[k].code.end(), -1);
    summary.distinct = static_cast<std::int64_t>(table.words[k].word.size());
    mark_poor(summary);
    return summary;
  }
  std::vector<float> present;
  if (table.is_sparse()) {
    const float* entry = table.across.value.data();
    present.assign(entry + table.across.begin(k), entry + table.across.begin(k + 1));
    present.resize(static_cast<std::size_t>(table.size()), 0.0f);
  }
  for (int i = 0; i < table.size() && !table.is_sparse(); ++i) {
    if (const float value = table.value(i, k); !std::isnan(value)) present.push_back(value);
  }
  std::sort(present.begin(), present.end());
  summary.missing = table.size() - static_cast<std::int64_t>(present.size());
  if (!present.empty()) {
    summary.lowest = present.front();
    summary.highest = present.back();
    summary.mean = std::accumulate(present.begin(), present.end(), 0.0) / static_cast<double>(present.size());
  }
  const bool whole =
      std::all_of(present.begin(), present.end(), [](float value) { return std::trunc(value) == value; });
  summary.type = whole ? "whole number" : "number";
  summary.distinct = std::unique(present.begin(), present.end()) - present.begin();
  mark_poor(summary);
  return summary;
}

std::vector<ClassShare> classes_of(const Table& table) {
  const data::Labels labels = table_labels(table);
  std::vector<ClassShare> classes;
  for (const std::string& name : labels.class_name) classes.push_back({name, 0, 0});
  for (std::size_t i = 0; i < labels.label.extent(0); ++i) ++classes[static_cast<std::size_t>(labels.label(i))].samples;
  for (ClassShare& one : classes) one.share = static_cast<double>(one.samples) / table.size();
  return classes;
}

}  // namespace

TableDescription describe(const Table& table, const TableEncoding& encoding, bool per_column) {
  constexpr std::size_t first_few = 5;
  TableDescription description;
  description.file = table.name;
  description.format = table.format;
  description.named = table.named;
  description.samples = table.size();
  description.features = encoding.features();
  if (table.labelled()) description.label = label_text(table);
  description.label_by_default = table.label_by_default;
  description.classes = classes_of(table);
  description.groups = static_cast<std::int64_t>(table.group.word.size());
  description.weighted = !table.weight.empty();
  description.feature = encoding.feature_names();
  if (description.feature.size() > first_few) description.feature.resize(first_few);
  description.dropped = table.dropped;
  description.warning = table.warning;
  for (std::size_t k = 0; per_column && k < table.column.size(); ++k)
    description.columns.push_back(summary_of(table, k));
  if (per_column) {
    const EqualSamples equal = find_equal_samples(table);
    description.repeated = equal.repeated;
    description.contradicting = equal.contradicting;
  }
  return description;
}

TableDescription describe_samples(const data::Dataset& dataset, const std::string& format) {
  TableDescription description;
  description.file = dataset.name;
  description.format = format;
  description.samples = dataset.size();
  description.features = dataset.features();
  description.image = dataset.image;
  if (!dataset.labelled()) return description;
  description.label = "given by the file";
  for (const std::string& name : dataset.class_name) description.classes.push_back({name, 0, 0});
  for (int i = 0; i < dataset.size(); ++i) {
    ++description.classes[static_cast<std::size_t>(dataset.label(i))].samples;
  }
  for (ClassShare& one : description.classes) one.share = static_cast<double>(one.samples) / dataset.size();
  return description;
}

Table table_of(const data::Dataset& dataset, const std::string& format) {
  Table table;
  table.name = dataset.name;
  table.format = format;
  table.line_word = "sample";
  table.columns = dataset.features();
  table.value = dataset.raw;
  table.sparse = dataset.sparse;
  if (dataset.is_sparse()) table.across = transposed(dataset.sparse);
  table.column.resize(static_cast<std::size_t>(dataset.features()));
  table.words.resize(table.column.size());
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    table.column[j].column = static_cast<int>(j) + (dataset.first_index == 0 ? 0 : 1);  // as the file counts
  }
  table.line.resize(static_cast<std::size_t>(dataset.size()));
  std::iota(table.line.begin(), table.line.end(), 1);
  if (dataset.labelled()) {
    table.label.word = dataset.class_name;
    table.label.code.assign(dataset.label.data(), dataset.label.data() + dataset.label.extent(0));
    table.indexed = true;
    table.label_column = -1;
    table.label_name = "given by the file";
  }
  add_warnings(table);
  return table;
}

std::vector<std::string> lines(const TableDescription& description) {
  const TableDescription& d = description;
  std::vector<std::string> lines;
  lines.push_back(text(d.file, ": ", d.format));
  std::string names;
  for (const std::string& name : d.feature) names += (names.empty() ? " (" : ", ") + (name.empty() ? "no name" : name);
  if (!names.empty()) names += d.features > static_cast<std::int64_t>(d.feature.size()) ? ", ...)" : ")";
  const auto& image = d.image;
  const std::string colour = image.channels > 1 ? text("x", image.channels) : "";
  lines.push_back(image.is_image() ? text(d.samples, " images of ", image.width, "x", image.height, colour, " pixels")
                                   : text(d.samples, " samples of ", d.features, " features", names));
  if (d.label.empty()) {
    lines.emplace_back("no labels");
  } else {
    constexpr std::size_t most = 20;
    std::string shares;
    for (std::size_t c = 0; c < std::min(most, d.classes.size()); ++c) {
      const ClassShare& one = d.classes[c];
      shares += text(c == 0 ? "" : ", ", one.name, " ", one.samples, " (", fixed(100 * one.share, 1), " %)");
    }
    if (d.classes.size() > most) shares += ", ...";
    lines.push_back(text("label: ", d.label, d.label_by_default ? text(default_label_text, ",") : "", " with ",
                         d.classes.size(), " classes: ", shares));
  }
  if (d.groups != 0) lines.push_back(text(d.groups, " groups"));
  if (d.weighted) lines.emplace_back("samples have weights");
  std::string dropped;
  for (const std::string& one : d.dropped) dropped += (dropped.empty() ? "" : ", ") + one;
  if (!dropped.empty()) lines.push_back(text("left out: ", dropped));
  for (std::string& line : lines) line = printable(line);
  return lines;
}

}  // namespace krossfold::tables
