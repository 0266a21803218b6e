// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/text_lines.hpp"
#include "krossfold/tables/csv_fields.hpp"
#include "krossfold/tables/readers.hpp"

namespace krossfold::tables {
namespace {

int count_fields(std::string_view line, const std::string& name, int line_number) {
  CsvFields fields(line, name, line_number);
  std::string_view field;
  while (fields.next(field)) {
  }
  return fields.column();
}

/// The line format of a file, determined from its first line.
struct Columns {
  int first_line = 0, fields = 0, features = 0;
  bool labelled = false, header = false;
};

bool holds_number(std::string_view line, int features, const std::string& name, int line_number) {
  CsvFields fields(line, name, line_number);
  std::string_view field;
  float value = 0;
  while (fields.column() < features && fields.next(field)) {
    if (data::parse_feature(field, value) != data::FeatureFault::no_number) return true;
  }
  return false;
}

Columns look_at_first_line(const data::TextLines& lines, const std::string& name, const ReadParams& params) {
  Columns columns;
  columns.first_line = lines.number();
  columns.fields = count_fields(lines.line(), name, lines.number());
  columns.labelled = params.labelled || (params.features != 0 && columns.fields == params.features + 1);
  columns.features = columns.fields - (columns.labelled ? 1 : 0);
  if (columns.features == 0) {
    throw_input_error(text(name, ", line ", lines.number(), " holds nothing but a label"),
                      "a line needs its features and then its label", "separate the fields with commas");
  }
  if (!params.labelled && params.features != 0 && columns.features != params.features) {
    throw_input_error(text(name, " has ", columns.fields, " fields a line"),
                      text(params.features, " features are needed, and a label may follow them"),
                      "give data of the kind used for training");
  }
  data::check_features(columns.features, params.features, name);
  columns.header = !holds_number(lines.line(), columns.features, name, lines.number());
  return columns;
}

[[noreturn]] void throw_other_length(const data::TextLines& lines, const std::string& name, const Columns& columns) {
  throw_input_error(
      text(name, ", line ", lines.number(), " has ", count_fields(lines.line(), name, lines.number()), " fields"),
      text("line ", columns.first_line, " has ", columns.fields), "give all lines the same fields");
}

/// Reads one line into `values` and appends its label, if any, to `written`.
void read_line(const data::TextLines& lines, const std::string& name, const Columns& columns, float* values,
               std::vector<std::string>& written) {
  CsvFields fields(lines.line(), name, lines.number());
  std::string_view field;
  for (int j = 0; j < columns.features; ++j) {
    if (fields.next_whole(values[j])) continue;
    if (!fields.next(field)) throw_other_length(lines, name, columns);
    if (const data::FeatureFault fault = data::parse_feature(field, values[j]); fault != data::FeatureFault::none) {
      // If the line also has the wrong length, a word in it is most likely the label: report the length.
      if (count_fields(lines.line(), name, lines.number()) != columns.fields) throw_other_length(lines, name, columns);
      data::throw_bad_feature(fields.where(), field, fault);
    }
  }
  if (columns.labelled) {
    if (!fields.next(field)) throw_other_length(lines, name, columns);
    if (field.empty())
      throw_input_error(text(fields.where(), ": the label is missing"), "", "remove unlabelled samples");
    written.emplace_back(field);
  }
  if (fields.next(field)) throw_other_length(lines, name, columns);
}

}  // namespace

data::Dataset read_csv(const std::string& path, const ReadParams& params) {
  return parse_csv(data::read_file(path), path, params);
}

data::Dataset parse_csv(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params) {
  data::TextLines lines(bytes);
  if (!lines.next()) throw_input_error(text(name, " holds no samples"), "it is empty");
  const Columns columns = look_at_first_line(lines, name, params);
  bool more = !columns.header || lines.next();

  // Every field is followed by a comma or a line end, except possibly the very last, which bounds the number of samples
  // with that many fields, whatever the lines look like.
  const std::size_t line_ends = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), std::byte{'\n'}));
  const std::size_t at_most = std::min(line_ends + 1, (bytes.size() + 1) / static_cast<std::size_t>(columns.fields));
  const Matrix<float> values =
      data::allocate_samples(more ? at_most : 0, static_cast<std::uint64_t>(columns.features), name);
  std::vector<std::string> written;
  int samples = 0;
  for (; more; more = lines.next()) {
    read_line(lines, name, columns, values.data() + std::size_t(samples) * columns.features, written);
    ++samples;
  }

  const data::Labels labels =
      columns.labelled ? data::index_labels(written, params.known_classes, name) : data::Labels{};
  data::Dataset dataset = data::make_dataset(name, data::first_rows(values, samples), labels.label, labels.class_name);
  dataset.image = data::square_image(dataset);
  return dataset;
}

}  // namespace krossfold::tables
