// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "dialect/decimal_mark.hpp"
#include "dialect/line_warnings.hpp"
#include "dialect/row_names.hpp"
#include "dialect/table_dialect.hpp"
#include "dialect/table_start.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "missing_fields.hpp"
#include "table_roles.hpp"
#include "table_warnings.hpp"
#include "table_words.hpp"
#include "word_list.hpp"

namespace krossfold::tables {
namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Reads the lines of a file whose dialect and columns are known.
class TableReader {
public:
  TableReader(std::span<const std::byte> bytes, const std::string& file, const Dialect& dialect, ColumnRoles& roles,
              const TableParams& params, bool keep_missing, bool known)
      : bytes_(bytes),
        file_(file),
        dialect_(dialect),
        roles_(roles),
        keep_missing_(keep_missing),
        drop_missing_(params.missing == "drop" && !keep_missing),
        leave_out_(params.missing != "refuse"),
        words_are_gaps_(params.missing == "drop"),
        label_named_(known || !params.label.empty()),
        odd_labels_(!params.labelled),
        known_(known),
        rules_{dialect.delimiter, params.skip_lines, params.labelled, dialect.fields + dialect.trailing} {}

  /// Marks the columns of features that hold a word anywhere; warns of words among numbers.
  void find_text_columns() {
    std::vector<int> numbers(roles_.feature.size(), 0), words(numbers), line(numbers);
    std::vector<std::string> first(numbers.size());
    for (TableLines lines = first_sample(); more_; more_ = lines.next()) {
      TableFields fields = fields_of_line(lines);
      float value = 0;
      std::string_view field;
      for (int j = 0; j < dialect_.fields; ++j) {
        const int role = roles_.of[static_cast<std::size_t>(j)];
        if (fields.next_number(value)) {
          if (role >= 0) ++numbers[static_cast<std::size_t>(role)];
          continue;
        }
        if (!fields.next(field)) break;  // reported by read()
        if (role < 0 || is_missing(field)) continue;
        const auto feature = static_cast<std::size_t>(role);
        if (is_number(field)) {
          ++numbers[feature];
        } else if (words[feature]++ == 0) {
          line[feature] = lines.number();
          first[feature] = field;
        }
      }
    }
    for (std::size_t k = 0; k < words.size(); ++k) {
      FeatureColumn& feature = roles_.feature[k];
      feature.text = words[k] > 0;
      if (words[k] == 0 || numbers[k] == 0) continue;
      roles_.warning.push_back(text(column_text(feature.column, feature.name), " holds ", numbers[k], " numbers and ",
                                    words[k], words[k] == 1 ? " word" : " words", " (the first, ", quoted(first[k]),
                                    ", in line ", line[k], ") and was encoded as text", advice_on_code(first[k])));
    }
  }

  void read(Table& table) {
    const std::size_t features = roles_.feature.size();
    TableLines lines = first_sample();
    // Every field is followed by a delimiter or a line end, except possibly the very last, which bounds the number of
    // samples with that many fields, whatever the lines look like.
    const auto line_ends = static_cast<std::size_t>(std::count(bytes_.begin(), bytes_.end(), std::byte{'\n'}));
    const std::size_t at_most =
        std::min(line_ends + 1, (bytes_.size() + 1) / static_cast<std::size_t>(std::max(1, dialect_.fields)));
    // One more than there can be: a line is found to be too short when its first fields have been stored.
    const Matrix<float> values = data::allocate_samples(more_ ? at_most + 1 : 0, features, file_);
    words_.resize(features);
    vanished_.assign(features, 0);
    rounded_.assign(features, {});
    is_number_.assign(roles_.of.size(), 0);
    for (std::size_t j = 0; j < roles_.of.size(); ++j) {
      const int role = roles_.of[j];
      is_number_[j] = static_cast<char>(role >= 0 && !roles_.feature[static_cast<std::size_t>(role)].text);
    }
    int dropped = 0;
    for (; more_; more_ = lines.next()) {
      if (repeats_names(lines.line(), dialect_.repeated, dialect_.delimiter))
        throw_repeated_names(file_, lines.number(), dialect_.first_line);
      const auto sample = table.line.size();
      if (read_line(lines, values.data() + sample * features, table)) {
        table.line.push_back(lines.number());
        table.row.push_back(static_cast<int>(sample) + dropped);
      } else {
        forget(sample, table);
        ++dropped;
      }
    }
    warn_of_lines(lines, dialect_.header && dialect_.header_lines == 0, table.warning);
    if (dropped == 0) table.row.clear();
    missing_.report(table, dropped, roles_.feature, {drop_missing_, known_, label_named_});
    table.value = data::first_rows(values, static_cast<int>(table.line.size()));
    for (WordList& list : words_) table.words.push_back(std::move(list).words());
    for (std::size_t k = 0; k < features && !known_; ++k) {
      if (table.words[k].word.empty())
        roles_.feature[k].text = false;  // only samples that were left out have words there
    }
    table.vanished = std::move(vanished_);
    for (const RoundedNumbers& one : rounded_) table.rounded.push_back(one.differ ? 1 : 0);
    table.label = std::move(label_).words();
    table.group = spelled_alike(std::move(group_).words(), file_);
  }

private:
  TableLines first_sample() {
    TableLines lines(bytes_, rules_);
    do more_ = lines.next();
    while (more_ && lines.number() < dialect_.first_line);
    for (int i = 0; dialect_.header && i < dialect_.header_lines; ++i) more_ = more_ && lines.next();
    return lines;
  }

  TableFields fields_of_line(const TableLines& lines) const {
    return {lines.line(), dialect_.delimiter, file_, lines.number(), dialect_.decimal};
  }

  /// Appends a sample; returns false if it is to be left out.
  bool read_line(const TableLines& lines, float* values, Table& table) {
    TableFields fields = fields_of_line(lines);
    bool complete = true, usable = true;
    std::vector<std::pair<int, std::string>> gaps;  // of features of words
    for (int j = 0; j < dialect_.fields; ++j) {
      const int role = roles_.of[static_cast<std::size_t>(j)];
      const bool is_feature = role >= 0, number = is_number_[static_cast<std::size_t>(j)] != 0;
      if (number && fields.next_number(values[role])) continue;
      std::string_view field;
      if (!fields.next(field)) throw_other_length(lines);
      if (role == ColumnRoles::dropped) continue;
      if (is_missing(field)) {
        if (role == ColumnRoles::label && odd_labels_) {
          label_.add_missing();
          continue;
        }
        if (role == ColumnRoles::weight && known_ && !drop_missing_) {
          table.weight.push_back(0);  // nothing uses the weight of a sample to judge by
          continue;
        }
        const bool is_gap = leave_out_ && (words_are_gaps_ || !may_be_category(role, field));
        if (!drop_missing_ && !(is_feature ? keep_missing_ : is_gap)) throw_missing(lines, fields, role, field);
        if (is_feature) {
          complete = false;
          values[role] = not_a_number;
          if (!number) {
            words_[static_cast<std::size_t>(role)].add_missing();
            gaps.emplace_back(role, field);
          }
        } else {
          usable = false;
          missing_.note_left_out(role, field, lines.number());
        }
      } else if (number) {
        values[role] = parsed(lines, fields, role, field);
      } else {
        add_word(lines, fields, role, field, table);
      }
      if (is_feature && !number) values[role] = not_a_number;
    }
    std::string_view field;
    for (int k = 0; k < dialect_.trailing && fields.next(field); ++k) {
      if (field.empty()) continue;
      throw_input_error(text(fields.where(), ": ", quoted(field), " stands in a column without a name"),
                        "it is empty in the lines above, and was ignored", "give the column a name, or empty it");
    }
    if (fields.next(field)) throw_other_length(lines);
    if (!usable) return false;
    for (const auto& [role, word] : gaps) missing_.note_of_words(role, word);
    if (drop_missing_ && !complete) return false;
    table.incomplete = table.incomplete || !complete;
    return true;
  }

  void add_word(const TableLines& lines, const TableFields& fields, int role, std::string_view field, Table& table) {
    if (has_decimal_comma(field)) throw_no_number(lines, fields, role, field);
    if (dialect_.decimal == ',' && role < 0 && is_number(field)) check_one_mark(fields, role);
    if (role == ColumnRoles::weight) {
      if (!is_number(field)) throw_no_number(lines, fields, role, fields.written());
      if (dialect_.decimal == ',' && fields.written().find('.') != std::string_view::npos) {
        check_length(lines);
        check_mark(fields, role, fields.written());
      }
      const double weight = parse_weight(field);
      if (!std::isfinite(weight) || weight < 0) {
        check_length(lines);
        throw_input_error(text(where(fields, role), ": the weight ", quoted(fields.written()),
                               weight < 0 ? " is negative" : " is not finite"),
                          "weights are 0 or more, at most 1.8e308");
      }
      table.weight.push_back(weight);
    } else {
      if (role >= 0) return words_[static_cast<std::size_t>(role)].add(fields.written());
      float value = 0;
      if (role == ColumnRoles::label && !odd_labels_ &&
          data::parse_feature(field, value) == data::FeatureFault::not_finite) {
        throw_input_error(text(where(fields, role), ": ", quoted(fields.written()), " is no label"), "it is not finite",
                          "leave the sample out; if it is a class, give it another name");
      }
      (role == ColumnRoles::label ? label_ : group_).add(field);
    }
  }

  /// Of labels and groups with both marks, `1,000` and `1.000` would be the same.
  void check_one_mark(const TableFields& fields, int role) {
    const char mark = fields.written().find(',') != std::string_view::npos   ? ','
                      : fields.written().find('.') != std::string_view::npos ? '.'
                                                                             : '\0';
    char& seen = role == ColumnRoles::label ? mark_of_label_ : mark_of_group_;
    if (mark == 0 || seen == mark) return;
    if (seen != 0) {
      throw_input_error(
          text(where(fields, role), ": ", quoted(fields.written()), " has another decimal mark than those above"), "",
          "write them alike; --decimal says which mark stands before decimals");
    }
    seen = mark;
  }

  float parsed(const TableLines& lines, const TableFields& fields, int role, std::string_view field) {
    float value = 0;
    const data::FeatureFault fault = data::parse_feature(field, value);
    if (dialect_.decimal == ',' && fault == data::FeatureFault::none &&
        fields.written().find('.') != std::string_view::npos) {
      check_length(lines);
      check_mark(fields, role, fields.written());
    }
    if (fault == data::FeatureFault::none) {
      if (value == 0 && role >= 0 &&
          field.substr(0, field.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos)
        vanished_[static_cast<std::size_t>(role)] = 1;
      if (role < 0) return value;
      if (const auto wide = rounded_from(data::trimmed(field), value))
        rounded_[static_cast<std::size_t>(role)].note(*wide);
      return value;
    }
    if (fault == data::FeatureFault::no_number) throw_no_number(lines, fields, role, fields.written());
    check_length(lines);
    data::throw_bad_feature(where(fields, role), fields.written(), fault);
  }

  /// Takes back what read_line() added of a sample.
  void forget(std::size_t sample, Table& table) {
    for (WordList& list : words_) list.keep(sample);
    label_.keep(sample);
    group_.keep(sample);
    if (table.weight.size() > sample) table.weight.resize(sample);
  }

  std::string where(const TableFields& fields, int role) const {
    const std::string& name = role >= 0 ? roles_.feature[static_cast<std::size_t>(role)].name
                                        : dialect_.name[static_cast<std::size_t>(fields.column() - 1)];
    return name.empty() ? fields.where() : text(fields.where(), " (", name, ")");
  }

  void check_mark(const TableFields& fields, int role, std::string_view field) const {
    const DecimalMarks& marks = dialect_.marks[static_cast<std::size_t>(fields.column() - 1)];
    tables::check_mark(where(fields, role), field, dialect_.decimal, marks);
  }

  int length(const TableLines& lines) const {
    return count_fields(lines.line(), dialect_.delimiter, file_, lines.number());
  }

  /// If a line has the wrong length, its words most likely stand in the wrong columns: report the length.
  void check_length(const TableLines& lines) const {
    if (length(lines) != dialect_.fields + dialect_.trailing) throw_other_length(lines);
  }

  [[noreturn]] void throw_other_length(const TableLines& lines) const {
    const int wanted = dialect_.fields + dialect_.trailing, more = length(lines) - wanted;
    const bool escaped = has_escaped_quotes(lines.line(), dialect_.delimiter, static_cast<std::size_t>(wanted));
    throw_input_error(
        text(file_, ", line ", lines.number(), " has ", length(lines), length(lines) == 1 ? " field" : " fields"),
        text(dialect_.row_names != RowNameKind::none ? "other lines below the first have "
                                                     : text("line ", dialect_.first_line, " has "),
             wanted, ", separated by ", delimiter_text(dialect_.delimiter)),
        escaped ? advice_on_escapes(lines.number())
        : more == 1 && !dialect_.length_advice.empty()
            ? dialect_.length_advice
            : "give all lines the same fields, and quotes to text with a delimiter in it");
  }

  [[noreturn]] void throw_missing(const TableLines& lines, const TableFields& fields, int role,
                                  std::string_view field) const {
    check_length(lines);
    const std::string why = field.empty() ? "it is empty" : text("it says ", quoted(field));
    const bool unnamed = role == ColumnRoles::label && !label_named_;
    const std::string advice = text(advice_on_missing(role, field), second_header_hint(lines));
    throw_input_error(text(where(fields, role), ": the ", name_of_role(role), " is missing"),
                      unnamed ? text(why, "; the last column was taken for the label, as --label names none") : why,
                      role >= 0 && known_ ? learnt_complete
                      : unnamed ? text("name the column of the label with --label NAME; for this one, ", advice)
                                : advice);
  }

  [[noreturn]] void throw_no_number(const TableLines& lines, const TableFields& fields, int role,
                                    std::string_view field) const {
    check_length(lines);
    check_mark(fields, role, field);
    const bool own_name = dialect_.header && field == dialect_.name[static_cast<std::size_t>(fields.column() - 1)];
    throw_input_error(text(where(fields, role), ": ", quoted(field), " is not a number"),
                      own_name ? "it is the name of its column"
                      : known_ ? "the column held numbers in training"
                               : "",
                      own_name                      ? "remove lines that repeat the header"
                      : role == ColumnRoles::weight ? "weights must be numbers"
                      : known_                      ? "give data of the kind used for training"
                               : text("give the label column with --label, leave a column out with --drop, "
                                      "or encode text with --categorical onehot",
                                      advice_on_code(field), second_header_hint(lines)));
  }

  std::string second_header_hint(const TableLines& lines) const {
    if (lines.number() != dialect_.doubtful_line) return "";
    return dialect_.header ? "; if this line belongs to the header, say --header 2"
                           : "; if this line holds names, say --header yes";
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  const Dialect& dialect_;
  ColumnRoles& roles_;
  bool keep_missing_, drop_missing_, leave_out_, words_are_gaps_, label_named_, odd_labels_, known_, more_ = false;
  char mark_of_label_ = 0, mark_of_group_ = 0;
  LineRules rules_;
  std::vector<char> vanished_;           ///< (feature): see Table
  std::vector<RoundedNumbers> rounded_;  ///< (feature)
  std::vector<char> is_number_;          ///< (field): a feature of numbers
  std::vector<WordList> words_;
  WordList label_, group_;
  MissingFields missing_;
};

}  // namespace

Table read_table(const std::string& path, const TableParams& params, const TableEncoding* encoding) {
  return parse_table(data::read_file(path), path, params, encoding);
}

Table parse_table(std::span<const std::byte> bytes, const std::string& name, const TableParams& params,
                  const TableEncoding* encoding) {
  check_table_params(params);
  Dialect dialect = find_dialect(bytes, name, params, encoding);
  ColumnRoles roles = find_roles(dialect.name, dialect.header, params, encoding, name, false, dialect.row_names);
  dialect.decimal =
      params.decimal.empty() ? find_decimal(dialect.marks, roles, dialect.delimiter) : decimal_of(params.decimal);
  TableReader reader(bytes, name, dialect, roles, params, keeps_missing(params, encoding), encoding != nullptr);
  if (encoding == nullptr && params.categorical == "onehot") reader.find_text_columns();

  Table table;
  table.name = name;
  table.format = text("text with ", delimiter_text(dialect.delimiter), decimal_text(dialect.decimal),
                      !dialect.header            ? ", no header"
                      : dialect.header_lines > 1 ? text(" and a header of ", dialect.header_lines, " lines")
                                                 : " and a header");
  table.named = dialect.header;
  table.columns = dialect.fields;
  store_roles(table, roles);
  if (dialect.row_names != RowNameKind::none)
    table.warning.push_back(row_names_text(name, dialect.first_line, roles.of[0] == ColumnRoles::dropped));
  table.warning.insert(table.warning.end(), dialect.warning.begin(), dialect.warning.end());
  table.warning.insert(table.warning.end(), roles.warning.begin(), roles.warning.end());
  warn_of_marks(dialect.marks, roles, dialect.delimiter, dialect.decimal, !params.decimal.empty(), table.warning);
  if (encoding == nullptr) warn_of_leading_zeros(dialect.marks, roles, table.warning);
  if (const int skipped = params.skip_lines; skipped > 0) {
    table.warning.push_back(text(name, ": the first ", skipped == 1 ? "line was" : text(skipped, " lines were"),
                                 " passed over, as --skip-lines says"));
  }
  reader.read(table);
  table.column = std::move(roles.feature);
  if (encoding == nullptr) add_warnings(table);
  return table;
}

}  // namespace krossfold::tables
