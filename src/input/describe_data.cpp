// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/data_source.hpp"
#include "krossfold/input/spec.hpp"
#include "whole_source.hpp"

namespace krossfold::input {
namespace {

constexpr int most_features = 100'000;  ///< that are described one by one

void describe(DataDescription& made, const tables::Table& table, const tables::TableParams& params) {
  made.content = tables::describe(table, tables::fit_encoding(table, {}, params), true);
  made.lowest = std::numeric_limits<double>::quiet_NaN();
  made.highest = made.lowest;
  for (const tables::ColumnSummary& column : made.content.columns) {
    made.lowest = std::fmin(made.lowest, column.lowest);
    made.highest = std::fmax(made.highest, column.highest);
  }
}

/// The same of samples that have too many features to look at one by one: each takes a kilobyte and more.
void describe_as_whole(DataDescription& made, const data::Dataset& samples, const std::string& format) {
  made.content = tables::describe_samples(samples, format);
  made.lowest = samples.lowest;
  made.highest = samples.highest;
  made.content.warning.push_back(text("the ", samples.features(), " features of ", samples.name,
                                      " are not described one by one, and equal samples not counted, as there are more "
                                      "than ",
                                      most_features));
}

void add_image(DataDescription& made, const data::ImageShape& image) {
  if (image.width == 0) return;
  made.width = image.width;
  made.height = image.height;
  made.channels = image.channels;
}

}  // namespace

DataDescription describe_data(const TaskParams& params, std::uint64_t seed) {
  const Source source = known_source(params.train);
  DataDescription made;
  if (source.is_table()) {
    const tables::Table table = read_whole_table(source, params.table);
    describe(made, table, {.categorical = "onehot"});
    add_image(made, table.image);
  } else {
    const data::Dataset samples = read_whole_samples(source, params.table);
    const auto forms = spec_forms();
    const auto form =
        std::find_if(forms.begin(), forms.end(), [&](const SpecForm& one) { return one.kind == source.kind; });
    if (samples.features() <= most_features) {
      describe(made, tables::table_of(samples, form->meaning), {});
    } else {
      describe_as_whole(made, samples, form->meaning);
    }
    add_image(made, samples.image);
  }
  try {
    TaskParams taken = params;
    taken.sparse = true;  // a study that needs the dense form makes it
    const data::Task task = load_task(taken, seed);
    made.study.train = task.train.size();
    made.study.test = task.test.size();
    made.study.warning = task.warning;
  } catch (const Error& refusal) {
    if (refusal.code() != ExitCode::usage) throw;
    made.study.refusal = refusal.what();
  }
  return made;
}

}  // namespace krossfold::input
