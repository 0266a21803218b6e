// SPDX-License-Identifier: BSD-3-Clause
#include "whole_source.hpp"

#include <algorithm>

#include "krossfold/input/spec.hpp"
#include "read_samples.hpp"

namespace krossfold::input {

tables::Table read_whole_table(const Source& source, tables::TableParams params) {
  if (params.missing == "refuse" && !params.kept) params.missing = "mean";
  params.categorical = "onehot";
  tables::Table table = read_source(source, params);
  if (params.image.empty()) return table;
  const bool numbers = !table.incomplete && std::none_of(table.column.begin(), table.column.end(),
                                                         [](const tables::FeatureColumn& one) { return one.text; });
  data::Dataset samples;
  if (numbers) {
    samples = data::make_dataset(table.name, table.value, {}, {});
  } else {  // whether they look like images cannot be told
    samples.name = table.name;
    samples.raw = table.value;
  }
  table.image = tables::image_shape(params.image, samples);
  return table;
}

data::Dataset read_whole_samples(const Source& source, const tables::TableParams& params, Notes* notes) {
  check_no_columns(source.kind, params);
  return in_two_parts(source) ? read_training_part(source, {.sparse = true})
                              : read_samples(source, {.sparse = true}, params.image, notes);
}

}  // namespace krossfold::input
