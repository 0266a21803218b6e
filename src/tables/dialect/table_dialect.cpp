// SPDX-License-Identifier: BSD-3-Clause
#include "table_dialect.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "check_text.hpp"
#include "decimal_mark.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "number_header.hpp"
#include "row_names.hpp"
#include "table_start.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

/// How well a delimiter explains the first lines.
struct Fit {
  int fields = 0, equal = 0;  ///< of the first line; lines that have as many
  bool one_more = false;      ///< all others have one more, and count as equal: names of rows have no heading
  double numbers = 0;         ///< share of the fields below the first line that are numbers or missing
};

Fit fit_of(char delimiter, const std::vector<SampleLine>& lines, const std::string& file) {
  Fit fit;
  std::int64_t fields = 0, numbers = 0;
  std::size_t longer = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> field;
    try {
      field = fields_of(lines[i].content, delimiter, file, lines[i].number);
    } catch (const Error&) {
      continue;  // quotes are wrong with this delimiter: the line counts against it
    }
    if (i == 0) fit.fields = static_cast<int>(field.size());
    if (static_cast<int>(field.size()) == fit.fields) ++fit.equal;
    if (static_cast<int>(field.size()) == fit.fields + 1) ++longer;
    if (i == 0 && lines.size() > 1) continue;
    fields += static_cast<std::int64_t>(field.size());
    numbers += std::count_if(field.begin(), field.end(), [&](const std::string& one) {
      return is_number(one) || is_missing(one) || (delimiter != ',' && delimiter != '|' && has_decimal_comma(one));
    });
  }
  fit.one_more = fit.fields > 1 && longer > 1 && longer + 1 == lines.size();
  if (fit.one_more) fit.equal = static_cast<int>(lines.size());
  fit.numbers = fields == 0 ? 0 : static_cast<double>(numbers) / static_cast<double>(fields);
  return fit;
}

/// The lines of the sample again with a delimiter, with which fields may go over several lines.
void join_lines_of_quotes(std::span<const std::byte> bytes, const LineRules& rules, std::vector<SampleLine>& sample) {
  const auto has_quote = [](const SampleLine& one) { return one.content.find('"') != std::string_view::npos; };
  if (std::none_of(sample.begin(), sample.end(), has_quote)) return;
  const std::size_t most = sample.size();
  sample.clear();
  TableLines lines(bytes, rules);
  while (sample.size() < most && lines.next()) sample.push_back({lines.line(), lines.number()});
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

/// The best delimiter; a comma if none divides the first line.
char find_delimiter(std::span<const std::byte> bytes, LineRules rules, std::vector<SampleLine> lines,
                    const std::string& file) {
  constexpr std::size_t looked_at = 30;
  const auto tabs_alone = [](const SampleLine& one) { return is_blank_line(one.content); };
  if (!std::all_of(lines.begin(), lines.end(), tabs_alone)) std::erase_if(lines, tabs_alone);
  if (lines.size() > looked_at) lines.resize(looked_at);
  char best = ',';
  Fit best_fit;
  for (const char delimiter : {'\t', ';', ',', '|', ' '}) {
    // Blanks in the fields of such a table separate nothing.
    if (delimiter == ' ' && best_fit.equal == static_cast<int>(lines.size()) && (best == '\t' || best == ';')) continue;
    std::vector<SampleLine> joined = lines;
    rules.delimiter = delimiter;
    join_lines_of_quotes(bytes, rules, joined);
    const Fit fit = fit_of(delimiter, joined, file);
    if (fit.fields < 2) continue;
    const auto rank = [](const Fit& one) { return std::tuple(one.equal, !one.one_more, one.numbers); };
    if (best_fit.fields >= 2 && rank(fit) <= rank(best_fit)) continue;
    best = delimiter;
    best_fit = fit;
  }
  return best;
}

/// The names of columns in one line each.
void join_lines_of_names(std::vector<std::string>& names) {
  for (std::string& name : names) std::replace(name.begin(), name.end(), '\n', ' ');
}

/// "sep=;" in the first line, as Excel writes it: the delimiter, or 0.
char given_delimiter(std::string_view line) {
  if (!line.starts_with("sep=") || line.size() != 5) return 0;
  return line[4] == ',' || line[4] == ';' || line[4] == '|' || line[4] == '\t' ? line[4] : '\0';
}

/// Names of several lines: what these have in a column, with blanks between.
void join_names(Dialect& dialect, const std::vector<SampleLine>& lines, const std::string& file) {
  const auto wanted = static_cast<std::size_t>(dialect.header_lines);
  for (std::size_t i = 1; i < wanted; ++i) {
    if (i >= lines.size()) {
      throw_input_error(text(file, " has ", lines.size(), " lines"),
                        text("--header gives it ", wanted, " lines of names"), "give fewer");
    }
    const auto more = fields_of(lines[i].content, dialect.delimiter, file, lines[i].number);
    if (more.size() < dialect.name.size()) {
      throw_input_error(
          text(file, ", line ", lines[i].number, " has ", more.size(), more.size() == 1 ? " field" : " fields"),
          text("line ", dialect.first_line, ", with the names above, has ", dialect.name.size()),
          "give all lines of the header the same fields");
    }
    for (std::size_t j = 0; j < dialect.name.size(); ++j) {
      if (!more[j].empty()) dialect.name[j] += (dialect.name[j].empty() ? "" : " ") + more[j];
    }
  }
  join_lines_of_names(dialect.name);
}

/// The names in the last comment above the samples if it has a word for each column, as numpy.savetxt writes them; otherwise none.
std::vector<std::string> names_in_comment(std::string_view comment, int number, const Dialect& dialect,
                                          const std::string& file) {
  comment.remove_prefix(std::min(comment.find_first_not_of('#'), comment.size()));
  std::vector<std::string> name;
  try {
    name = fields_of(comment, dialect.delimiter, file, number);
  } catch (const Error&) {
    return {};  // a quote in a remark
  }
  if (name.size() == dialect.name.size() + 1 && name.back().empty()) name.pop_back();
  const auto is_name = [](const std::string& field) { return !is_number(field) && !is_missing(field); };
  const bool fits =
      name.size() > 1 && name.size() == dialect.name.size() && std::all_of(name.begin(), name.end(), is_name);
  return fits ? name : std::vector<std::string>();
}

/// True if these names are those that parameters or a model ask for, and the fields of the first line are not.
bool asked_for(const std::vector<std::string>& name, const std::vector<std::string>& first, const TableParams& params,
               const TableEncoding* encoding) {
  if (name.empty()) return false;
  if (encoding != nullptr) return holds_all_names(name, *encoding) && !holds_all_names(first, *encoding);
  std::vector<std::string> asked{params.label, params.group, params.weight};
  asked.insert(asked.end(), params.drop.begin(), params.drop.end());
  std::erase_if(asked, [](const std::string& one) { return !must_be_name(one); });
  const auto all_in = [&](const std::vector<std::string>& names) {
    return std::all_of(asked.begin(), asked.end(), [&](const std::string& one) {
      return std::find(names.begin(), names.end(), one) != names.end();
    });
  };
  return !asked.empty() && all_in(name) && !all_in(first);
}

void take_comment(Dialect& dialect, std::vector<std::string> name, int number, const std::string& file) {
  dialect.name = std::move(name);
  dialect.header = true;
  dialect.header_lines = 0;
  dialect.repeated.clear();
  dialect.warning.push_back(text(file, ", line ", number,
                                 ", which starts with #, has a word for each column and was taken for the header "
                                 "(if it is none, say --header no)"));
}

/// How many lines give the names that a model knows, if it learnt from a header of several; otherwise 1.
int known_header_lines(const Dialect& dialect, const std::vector<SampleLine>& lines, const std::string& file,
                       const TableEncoding& encoding) {
  if (holds_all_names(dialect.name, encoding)) return 1;
  for (int count = 2; count <= 5 && count < static_cast<int>(lines.size()); ++count) {
    Dialect tried = dialect;
    tried.header_lines = count;
    try {
      join_names(tried, lines, file);
    } catch (const Error&) {
      return 1;
    }
    if (holds_all_names(tried.name, encoding)) return count;
  }
  return 1;
}

/// Whether a file of so many columns, without names, has those of the training file, with or without its label, or its features.
bool is_form_of(const TableEncoding& encoding, std::size_t columns) {
  const auto trained = static_cast<std::size_t>(encoding.columns);
  return columns == trained || columns == encoding.column.size() ||
         (encoding.label_column > 0 && columns + 1 == trained);
}

/// Whether most lines below the first have one field more than it.
bool mostly_longer(const std::vector<Fields>& split) {
  const auto is_longer = [&](const Fields& one) { return one.size() == split[0].size() + 1; };
  return 2 * static_cast<std::size_t>(std::count_if(split.begin() + 1, split.end(), is_longer)) >= split.size();
}

std::size_t empty_at_end(const std::vector<std::string>& fields) {
  const auto last = std::find_if(fields.rbegin(), fields.rend(), [](const std::string& one) { return !one.empty(); });
  return static_cast<std::size_t>(last - fields.rbegin());
}

}  // namespace

std::string delimiter_text(char delimiter) {
  return delimiter == ','    ? "commas"
         : delimiter == ';'  ? "semicolons"
         : delimiter == '\t' ? "tabs"
         : delimiter == '|'  ? "bars"
                             : "blanks";
}

std::string decimal_text(char decimal) { return decimal == ',' ? ", decimal commas" : ""; }

Dialect find_dialect(std::span<const std::byte> bytes, const std::string& file, const TableParams& params,
                     const TableEncoding* encoding) {
  constexpr std::size_t most_lines = 1000, most_bytes = 1 << 24;
  check_text(bytes, file);
  Dialect dialect;
  TableLines lines(bytes, {0, params.skip_lines, params.labelled});
  if (!lines.next()) {
    throw_input_error(text(file, " holds no samples"),
                      lines.comments() != 0    ? "all lines start with #"
                      : params.skip_lines == 0 ? "it is empty"
                                               : text("--skip-lines ", params.skip_lines, " passes over all of it"));
  }
  dialect.delimiter = delimiter_of(params.delimiter);
  bool more = true;
  if (const char given = given_delimiter(lines.line()); given != 0) {
    if (dialect.delimiter == 0) dialect.delimiter = given;
    more = lines.next();
    if (!more) throw_input_error(text(file, " holds no samples"), "it has nothing but the delimiter");
  }
  dialect.first_line = lines.number();
  const std::string_view comment = lines.comment();
  const int comment_number = lines.comment_number();
  std::vector<SampleLine> sample;
  std::size_t looked_at = 0;
  for (; more && sample.size() <= most_lines && looked_at < most_bytes; more = lines.next()) {
    sample.push_back({lines.line(), lines.number()});
    looked_at += lines.line().size();
  }
  LineRules rules{dialect.delimiter, dialect.first_line - 1, params.labelled};
  if (dialect.delimiter == 0) rules.delimiter = dialect.delimiter = find_delimiter(bytes, rules, sample, file);
  join_lines_of_quotes(bytes, rules, sample);
  // Between tabs, a line of these alone is a sample where it has the fields of the others, though not above the names that a model knows.
  const auto tabs_alone = [](const SampleLine& one) { return is_blank_line(one.content); };
  const auto other = std::find_if_not(sample.begin(), sample.end(), tabs_alone);
  const int fields_of_other =
      other == sample.end() ? 0 : count_fields(other->content, dialect.delimiter, file, other->number);
  std::erase_if(sample, [&](const SampleLine& one) {
    return tabs_alone(one) &&
           (dialect.delimiter != '\t' ||
            (fields_of_other != 0 && fields_of_other != 1 + std::count(one.content.begin(), one.content.end(), '\t')));
  });
  const auto first = std::find_if_not(sample.begin(), sample.end(), tabs_alone);
  const bool names_first =
      encoding != nullptr && first != sample.end() && first != sample.begin() &&
      holds_all_names(fields_of(first->content, dialect.delimiter, file, first->number), *encoding);
  if (names_first) sample.erase(sample.begin(), first);
  if (sample.empty()) throw_input_error(text(file, " holds no samples"), "it has nothing but tabs");
  dialect.first_line = sample[0].number;

  dialect.name = fields_of(sample[0].content, dialect.delimiter, file, sample[0].number);
  join_lines_of_names(dialect.name);
  std::vector<Fields> split = split_lines(sample, dialect.delimiter, file);
  const int repeated = params.header == "no" ? 0 : leave_out_repeated(sample, split, dialect.delimiter);
  if (repeated != 0 && mostly_longer(split)) throw_repeated_names(file, repeated, dialect.first_line);
  if (may_be_names(split[0])) dialect.repeated = split[0];
  RowNames rows = params.header == "no" ? RowNames() : find_row_names(sample, split, dialect.delimiter, encoding);
  dialect.row_names = rows.kind;
  const bool row_names = dialect.row_names != RowNameKind::none;
  dialect.length_advice = std::move(rows.advice);
  if (row_names) {
    dialect.name.insert(dialect.name.begin(), "");
  }
  // Lines of another length, and broken quotes below, are reported when the samples are read.
  if (encoding == nullptr && !row_names) {
    check_start(sample, split, dialect.delimiter, !params.delimiter.empty(), file);
  }
  std::vector<Fields> fields{dialect.name};
  // Without names, columns that are empty so far may hold values below, or belong to a model.
  const bool words = std::none_of(dialect.name.begin(), dialect.name.end(), is_number_of_any_mark);
  std::size_t trailing =
      sample.size() > 1 ? std::min(words ? dialect.name.size() - 1 : 1, empty_at_end(dialect.name)) : 0;
  bool second_fits = false;
  for (std::size_t i = 1; i < split.size(); ++i) {
    if (split[i].size() != dialect.name.size()) continue;
    trailing = std::min(trailing, empty_at_end(split[i]));
    fields.push_back(std::move(split[i]));
    second_fits = second_fits || i == 1;
  }
  if (fields.size() == 1) trailing = 0;  // all other lines have other lengths
  const bool may_head = words && params.header != "no";
  const bool may_be_column = trailing > 0 && encoding != nullptr && !may_head && keeps_missing(params, encoding) &&
                             is_form_of(*encoding, dialect.name.size());
  const bool fits_without = may_be_column && is_form_of(*encoding, dialect.name.size() - trailing);
  const bool is_label = may_be_column && dialect.name.size() == static_cast<std::size_t>(encoding->label_column);
  if (fits_without && !is_label) {
    dialect.warning.push_back(text(
        file, " can be read in two ways: with the empty field at the end of each line it has ", dialect.name.size(),
        " columns, and without it ", dialect.name.size() - trailing,
        ", both of which the model knows; the field was ignored (if it is a column without values, write NA there)"));
  } else if (may_be_column && !fits_without) {
    trailing = 0;
    dialect.warning.push_back(text("the last field of each line of ", file,
                                   " is empty, and was taken for a column, with which there are as many as the model "
                                   "knows (if it is none, remove the delimiter at the end of the lines)"));
  }
  dialect.trailing = static_cast<int>(trailing);
  if (trailing > 0) {
    for (auto& line : fields) line.resize(line.size() - trailing);
    dialect.name.resize(dialect.name.size() - trailing);
    dialect.warning.push_back(trailing == 1
                                  ? "the delimiter at the end of every line was ignored"
                                  : text("the ", trailing, " delimiters at the end of every line were ignored"));
  }
  dialect.fields = static_cast<int>(dialect.name.size());
  dialect.marks = find_marks(fields, header_lines_of(params.header));
  use_points(fields);
  const std::vector<std::string> commented = params.header == "find" && !comment.empty()
                                                 ? names_in_comment(comment, comment_number, dialect, file)
                                                 : std::vector<std::string>();
  if (asked_for(commented, dialect.name, params, encoding)) {
    take_comment(dialect, commented, comment_number, file);
    return dialect;
  }
  const bool known = params.header == "find" && encoding != nullptr && holds_all_names(dialect.name, *encoding);
  dialect.header = row_names || known ||
                   find_header(fields, text(file, ", line ", dialect.first_line), params, encoding, dialect.warning);
  dialect.header_lines = params.header == "find" && encoding != nullptr
                             ? known_header_lines(dialect, sample, file, *encoding)
                             : header_lines_of(params.header);
  dialect.header = dialect.header || dialect.header_lines > 1;
  if (dialect.header && params.header == "find" && sample.size() == 1 && !more) {
    throw_input_error(text(file, " holds no samples"), "its only line was taken for the names of columns",
                      known ? "" : "if it is a sample, say --header no");
  }
  // Words between blanks may be a sentence; those that a model does not know are one.
  if (!dialect.header && !commented.empty() && encoding == nullptr && dialect.delimiter != ' ') {
    take_comment(dialect, commented, comment_number, file);
    return dialect;
  }
  if (!dialect.header) {
    dialect.repeated.clear();
    dialect.name.assign(dialect.name.size(), "");
    if (params.header == "find" && encoding == nullptr) dialect.doubtful_line = dialect.first_line;
    if (repeated != 0 && encoding == nullptr) {
      dialect.warning.push_back(text(file, ", line ", repeated, " repeats line ", dialect.first_line,
                                     " (if that is the header of files that were joined, remove line ", repeated,
                                     " and say --header yes)"));
    }
    return dialect;
  }
  if (dialect.header_lines > 1) {
    join_names(dialect, sample, file);
  } else if (params.header == "find" && second_fits && encoding == nullptr) {
    const std::string why =
        continues_header(fields) ? "its numbers tell columns of the same name apart" : header_of_numbers(fields, 1);
    const auto is_of_words = [](const Fields& line) { return std::none_of(line.begin(), line.end(), is_number); };
    const bool words_alone = fields.size() > 2 && is_of_words(fields[1]) && !is_of_words(fields[2]);
    if (words_alone || !why.empty()) dialect.doubtful_line = sample[1].number;
    if (!why.empty()) {
      dialect.warning.push_back(text(file, ", line ", sample[1].number,
                                     " was taken for a sample, but looks like a second line of the header, because ",
                                     why, " (if it is one, say --header 2; if it is a sample, --header yes)"));
    }
  }
  return dialect;
}

}  // namespace krossfold::tables
