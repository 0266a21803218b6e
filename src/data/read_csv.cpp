// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/readers.hpp"
#include "sample_matrix.hpp"
#include "text_lines.hpp"

namespace krossfold::data {
namespace {

/// The fields of one line. A field in double quotes may hold commas, and "" for a quote.
class Fields {
public:
  Fields(std::string_view line, const std::string& name, int line_number)
      : at_(line.data()), end_(at_ + line.size()), name_(name), line_number_(line_number) {}

  int column() const { return column_; }  ///< of the field read last, from 1
  std::string where() const { return text(name_, ", line ", line_number_, ", column ", column_); }

  bool next(std::string_view& field) {
    if (at_ == nullptr) return false;
    ++column_;
    const char* first = at_;
    while (first != end_ && is_blank(*first)) ++first;
    if (first != end_ && *first == '"') return next_quoted(first + 1, field);
    const char* comma = std::find(at_, end_, ',');
    field = trimmed({at_, static_cast<std::size_t>(comma - at_)});
    at_ = comma == end_ ? nullptr : comma + 1;
    return true;
  }

  /// Reads the next field if it is a plain whole number of at most seven digits, which a float holds exactly: pixels,
  /// mostly. Else false, with nothing read.
  bool next_whole(float& value) {
    if (at_ == nullptr) return false;
    const char* digit = at_;
    int number = 0;
    while (digit != end_ && *digit >= '0' && *digit <= '9' && digit - at_ < 7) number = 10 * number + (*digit++ - '0');
    if (digit == at_ || (digit != end_ && *digit != ',')) return false;
    at_ = digit == end_ ? nullptr : digit + 1;
    ++column_;
    value = static_cast<float>(number);
    return true;
  }

private:
  bool next_quoted(const char* at, std::string_view& field) {
    unquoted_.clear();
    while (true) {
      const char* quote = std::find(at, end_, '"');
      if (quote == end_) throw_input_error(text(where(), ": a quote is opened and not closed"), "", "close it with \"");
      unquoted_.append(at, quote);
      at = quote + 1;
      if (at == end_ || *at != '"') break;
      unquoted_ += *at++;
    }
    while (at != end_ && is_blank(*at)) ++at;
    if (at != end_ && *at != ',') {
      throw_input_error(text(where(), ": text follows a closing quote"), "", "write a quote within quotes as \"\"");
    }
    at_ = at == end_ ? nullptr : at + 1;
    field = unquoted_;
    return true;
  }

  const char *at_, *end_;  ///< at_ is null behind the last field
  const std::string& name_;
  int line_number_, column_ = 0;
  std::string unquoted_;
};

int count_fields(std::string_view line, const std::string& name, int line_number) {
  Fields fields(line, name, line_number);
  std::string_view field;
  while (fields.next(field)) {
  }
  return fields.column();
}

/// How the lines of a file look, found out from the first.
struct Columns {
  int first_line = 0, fields = 0, features = 0;
  bool labelled = false, header = false;
};

bool holds_number(std::string_view line, int features, const std::string& name, int line_number) {
  Fields fields(line, name, line_number);
  std::string_view field;
  float value = 0;
  while (fields.column() < features && fields.next(field)) {
    if (parse_feature(field, value) != FeatureFault::no_number) return true;
  }
  return false;
}

Columns look_at_first_line(const TextLines& lines, const std::string& name, const ReadParams& params) {
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
                      "give data of the kind that was trained on");
  }
  check_features(columns.features, params.features, name);
  columns.header = !holds_number(lines.line(), columns.features, name, lines.number());
  return columns;
}

[[noreturn]] void throw_other_length(const TextLines& lines, const std::string& name, const Columns& columns) {
  throw_input_error(
      text(name, ", line ", lines.number(), " has ", count_fields(lines.line(), name, lines.number()), " fields"),
      text("line ", columns.first_line, " has ", columns.fields), "give all lines the same fields");
}

/// Reads one line into `values`, and its label, if there is one.
void read_line(const TextLines& lines, const std::string& name, const Columns& columns, float* values,
               std::vector<std::string>& written) {
  Fields fields(lines.line(), name, lines.number());
  std::string_view field;
  for (int j = 0; j < columns.features; ++j) {
    if (fields.next_whole(values[j])) continue;
    if (!fields.next(field)) throw_other_length(lines, name, columns);
    if (const FeatureFault fault = parse_feature(field, values[j]); fault != FeatureFault::none) {
      // A word in a line of another length is most likely a label: the length is what to tell.
      if (count_fields(lines.line(), name, lines.number()) != columns.fields) throw_other_length(lines, name, columns);
      throw_bad_feature(fields.where(), field, fault);
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

Dataset read_csv(const std::string& path, const ReadParams& params) { return parse_csv(read_file(path), path, params); }

Dataset parse_csv(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params) {
  TextLines lines(bytes);
  if (!lines.next()) throw_input_error(text(name, " holds no samples"), "it is empty");
  const Columns columns = look_at_first_line(lines, name, params);
  bool more = !columns.header || lines.next();

  // Every field is followed by a comma or the end of its line, and only the last line may lack that: so there are no
  // more samples of that many fields than this, whatever the lines look like.
  const std::size_t line_ends = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), std::byte{'\n'}));
  const std::size_t at_most = std::min(line_ends + 1, (bytes.size() + 1) / static_cast<std::size_t>(columns.fields));
  const Matrix<float> values = allocate_samples(more ? at_most : 0, static_cast<std::uint64_t>(columns.features), name);
  std::vector<std::string> written;
  int samples = 0;
  for (; more; more = lines.next()) {
    read_line(lines, name, columns, values.data() + std::size_t(samples) * columns.features, written);
    ++samples;
  }

  const Labels labels = columns.labelled ? index_labels(written, params.known_classes, name) : Labels{};
  Dataset dataset = make_dataset(name, first_rows(values, samples), labels.label, labels.class_name);
  dataset.image = square_image(dataset);
  return dataset;
}

}  // namespace krossfold::data
