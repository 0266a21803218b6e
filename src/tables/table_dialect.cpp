// SPDX-License-Identifier: BSD-3-Clause
#include "table_dialect.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_set>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "number_header.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

struct SampleLine {
  std::string_view content;
  int number;
};

/// The first byte that is not UTF-8 (RFC 3629, without its rules on surrogates), or npos.
std::size_t find_other_than_utf8(std::string_view content) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(content[i]); };
  const auto follows = [&](std::size_t i) { return i < content.size() && (byte(i) & 0xC0) == 0x80; };
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::uint64_t eight = 0;
    while (i + 8 <= content.size()) {  // plain ASCII
      std::memcpy(&eight, content.data() + i, 8);
      if ((eight & 0x8080808080808080U) != 0) break;
      i += 8;
    }
    if (i == content.size() || byte(i) < 0x80) continue;
    const std::size_t more = byte(i) >= 0xF0 ? 3 : byte(i) >= 0xE0 ? 2 : 1;
    if (byte(i) < 0xC2 || byte(i) > 0xF4) return i;
    for (std::size_t k = 1; k <= more; ++k) {
      if (!follows(i + k)) return i;
    }
    i += more;
  }
  return std::string_view::npos;
}

void check_text(std::span<const std::byte> bytes, const std::string& file) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) {
    throw_input_error(text(file, " is text in UTF-16"), "tables are read in UTF-8", "save it as UTF-8");
  }
  using namespace std::string_view_literals;
  for (const auto& [begin, what, hint] :
       {std::array{"PK\x03\x04"sv, "an Excel workbook or another ZIP archive"sv, "save it as CSV"sv},
        std::array{"PAR1"sv, "a Parquet file"sv, "save it as CSV, as pandas does with DataFrame.to_csv"sv},
        std::array{"\x93NUMPY"sv, "an array of NumPy"sv, "name it as npy:FILE"sv},
        std::array{"\x89HDF"sv, "an HDF5 file"sv, "name it as hdf5:FILE"sv},
        std::array{"\xD0\xCF\x11\xE0"sv, "an old Excel workbook"sv, "save it as CSV"sv},
        std::array{"SQLite format 3"sv, "an SQLite database"sv, "save the table as CSV"sv},
        std::array{"\x80\x04\x95"sv, "a pickle of Python"sv, "save it as CSV or .npy"sv},
        std::array{"\x80\x05\x95"sv, "a pickle of Python"sv, "save it as CSV or .npy"sv}}) {
    if (!content.starts_with(begin) || (begin == "PAR1" && !content.ends_with(begin))) continue;
    throw_input_error(text(file, " is no table of text"), text("it begins like ", what), std::string(hint));
  }
  const std::string_view start = content.substr(0, 1 << 16);
  if (const auto zero = start.find('\0'); zero != std::string_view::npos) {
    throw_input_error(text(file, " is no table of text"), text("byte ", zero, " is zero"), "");
  }
  if (const std::size_t other = find_other_than_utf8(content); other != std::string_view::npos) {
    const auto line = 1 + std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(other), '\n');
    throw_input_error(text(file, ", line ", line, " is not in UTF-8"), text("byte ", other, " is part of no letter"),
                      text("Convert it, for example with iconv -f WINDOWS-1252 -t UTF-8 ", file, "."));
  }
  const auto line_end = start.find('\n'), carriage_return = start.find('\r');
  if (carriage_return != std::string_view::npos && carriage_return + 1 < content.size() &&
      (line_end == std::string_view::npos || carriage_return + 1 < line_end)) {
    throw_input_error(text(file, " ends its lines with CR alone"), text("the first is byte ", carriage_return),
                      "save it with line ends LF or CRLF");
  }
}

/// How well a delimiter explains the first lines.
struct Fit {
  int fields = 0, equal = 0;  ///< of the first line; lines that have as many
  double numbers = 0;         ///< share of the fields below the first line that are numbers or missing
};

Fit fit_of(char delimiter, const std::vector<SampleLine>& lines, const std::string& file) {
  Fit fit;
  std::int64_t fields = 0, numbers = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> field;
    try {
      field = fields_of(lines[i].content, delimiter, file, lines[i].number);
    } catch (const Error&) {
      continue;  // quotes are wrong with this delimiter: the line counts against it
    }
    if (i == 0) fit.fields = static_cast<int>(field.size());
    if (static_cast<int>(field.size()) == fit.fields) ++fit.equal;
    if (i == 0 && lines.size() > 1) continue;
    fields += static_cast<std::int64_t>(field.size());
    numbers += std::count_if(field.begin(), field.end(), [&](const std::string& one) {
      return is_number(one) || is_missing(one) || (delimiter != ',' && delimiter != '|' && has_decimal_comma(one));
    });
  }
  fit.numbers = fields == 0 ? 0 : static_cast<double>(numbers) / static_cast<double>(fields);
  return fit;
}

/// The lines of the sample again with a delimiter, with which fields may go over several lines.
void join_lines_of_quotes(std::span<const std::byte> bytes, char delimiter, int first_line,
                          std::vector<SampleLine>& sample) {
  const auto has_quote = [](const SampleLine& one) { return one.content.find('"') != std::string_view::npos; };
  if (std::none_of(sample.begin(), sample.end(), has_quote)) return;
  const std::size_t most = sample.size();
  sample.clear();
  TableLines lines(bytes, delimiter);
  while (sample.size() < most && lines.next()) {
    if (lines.number() >= first_line) sample.push_back({lines.line(), lines.number()});
  }
}

/// The best delimiter; a comma if none divides the first line.
char find_delimiter(std::span<const std::byte> bytes, int first_line, std::vector<SampleLine> lines,
                    const std::string& file) {
  constexpr std::size_t looked_at = 30;
  if (lines.size() > looked_at) lines.resize(looked_at);
  char best = ',';
  Fit best_fit;
  for (const char delimiter : {'\t', ';', ',', '|', ' '}) {
    std::vector<SampleLine> joined = lines;
    join_lines_of_quotes(bytes, delimiter, first_line, joined);
    const Fit fit = fit_of(delimiter, joined, file);
    if (fit.fields < 2) continue;
    const bool better = best_fit.fields < 2 || fit.equal > best_fit.equal ||
                        (fit.equal == best_fit.equal && fit.numbers > best_fit.numbers);
    if (!better) continue;
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

/// Whether every line has one field more than the first and begins with another name, as R writes tables whose rows have names.
/// R puts blanks or tabs between the fields; with commas, it is more likely that a number has a decimal comma.
bool names_rows(const std::vector<SampleLine>& lines, char delimiter, const std::string& file) {
  if (lines.size() < 2 || (delimiter != ' ' && delimiter != '\t')) return false;
  const auto first = fields_of(lines[0].content, delimiter, file, lines[0].number);
  if (std::any_of(first.begin(), first.end(), is_number)) return false;
  bool all_trail = true;
  int numbers = 0;
  std::unordered_set<std::string> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    try {
      const auto line = fields_of(lines[i].content, delimiter, file, lines[i].number);
      if (line.size() != first.size() + 1 || !rows.insert(line[0]).second) return false;
      all_trail = all_trail && line.back().empty();
      const bool whole = line[0].find_first_not_of("0123456789") == std::string::npos;
      if (!whole && is_number(line[0])) return false;
      numbers += whole ? 1 : 0;
    } catch (const Error&) {
      return false;
    }
  }
  return !all_trail && (numbers == 0 || numbers == static_cast<int>(rows.size()));
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

}  // namespace

std::string delimiter_text(char delimiter) {
  return delimiter == ','    ? "commas"
         : delimiter == ';'  ? "semicolons"
         : delimiter == '\t' ? "tabs"
         : delimiter == '|'  ? "bars"
                             : "blanks";
}

Dialect find_dialect(std::span<const std::byte> bytes, const std::string& file, const TableParams& params,
                     const TableEncoding* encoding) {
  constexpr std::size_t most_lines = 1000, most_bytes = 1 << 24;
  check_text(bytes, file);
  TableLines lines(bytes);
  if (!lines.next()) {
    throw_input_error(text(file, " holds no samples"),
                      lines.comments() == 0 ? "it is empty" : "all lines start with #");
  }
  Dialect dialect;
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
  if (dialect.delimiter == 0) dialect.delimiter = find_delimiter(bytes, dialect.first_line, sample, file);
  join_lines_of_quotes(bytes, dialect.delimiter, dialect.first_line, sample);

  dialect.name = fields_of(sample[0].content, dialect.delimiter, file, sample[0].number);
  join_lines_of_names(dialect.name);
  dialect.row_names = params.header != "no" && names_rows(sample, dialect.delimiter, file);
  if (dialect.row_names) {
    dialect.name.insert(dialect.name.begin(), "");
    dialect.warning.push_back(
        text(file, ", line ", dialect.first_line,
             " has one name fewer than the other lines have fields: the first column was taken "
             "for the names of the rows, which have no heading, as R writes tables, and left out"));
  }
  // Lines of another length, and broken quotes below, are reported when the samples are read.
  std::vector<std::vector<std::string>> fields{dialect.name};
  bool trailing = dialect.name.size() > 1 && dialect.name.back().empty();
  bool all_trail = sample.size() > 1, second_fits = false;
  for (std::size_t i = 1; i < sample.size(); ++i) {
    try {
      auto line = fields_of(sample[i].content, dialect.delimiter, file, sample[i].number);
      if (line.size() != dialect.name.size()) continue;
      all_trail = all_trail && line.back().empty();
      fields.push_back(std::move(line));
      second_fits = second_fits || i == 1;
    } catch (const Error&) {
      continue;
    }
  }
  dialect.trailing = trailing && all_trail;
  if (dialect.trailing) {
    for (auto& line : fields) line.pop_back();
    dialect.name.pop_back();
    dialect.warning.push_back(text("the delimiter at the end of every line was ignored"));
  }
  dialect.fields = static_cast<int>(dialect.name.size());
  const std::vector<std::string> commented = params.header == "find" && !comment.empty()
                                                 ? names_in_comment(comment, comment_number, dialect, file)
                                                 : std::vector<std::string>();
  if (asked_for(commented, dialect.name, params, encoding)) {
    take_comment(dialect, commented, comment_number, file);
    return dialect;
  }
  dialect.header = dialect.row_names ||
                   find_header(fields, text(file, ", line ", dialect.first_line), params, encoding, dialect.warning);
  dialect.header_lines = params.header == "find" && encoding != nullptr
                             ? known_header_lines(dialect, sample, file, *encoding)
                             : header_lines_of(params.header);
  dialect.header = dialect.header || dialect.header_lines > 1;
  // Words between blanks may be a sentence; those that a model does not know are one.
  if (!dialect.header && !commented.empty() && encoding == nullptr && dialect.delimiter != ' ') {
    take_comment(dialect, commented, comment_number, file);
    return dialect;
  }
  if (!dialect.header) {
    dialect.name.assign(dialect.name.size(), "");
    if (params.header == "find" && encoding == nullptr) dialect.doubtful_line = dialect.first_line;
    return dialect;
  }
  if (dialect.header_lines > 1) {
    join_names(dialect, sample, file);
  } else if (params.header == "find" && second_fits && encoding == nullptr) {
    const std::string why =
        continues_header(fields) ? "its numbers tell columns of the same name apart" : header_of_numbers(fields, 1);
    const auto no_number = [](const std::string& field) { return !is_number(field); };
    const bool all_words = fields.size() > 2 && std::all_of(fields[1].begin(), fields[1].end(), no_number);
    if (all_words || !why.empty()) dialect.doubtful_line = sample[1].number;
    if (!why.empty()) {
      dialect.warning.push_back(text(file, ", line ", sample[1].number,
                                     " was taken for a sample, but looks like a second line of the header, because ",
                                     why, " (if it is one, say --header 2; if it is a sample, --header yes)"));
    }
  }
  return dialect;
}

}  // namespace krossfold::tables
