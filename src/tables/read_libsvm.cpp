// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/label_spelling.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/data/text_lines.hpp"
#include "krossfold/tables/readers.hpp"
#include "table_warnings.hpp"

namespace krossfold::tables {
namespace {

constexpr int largest_index = data::most_sparse_features - 1;

struct Entry {
  int index;  ///< as in the file
  float value;
};

/// The samples as written in the file, before the number of features is known.
struct SparseSamples {
  std::vector<Entry> entries;
  std::vector<std::size_t> row_end;         ///< into entries
  std::vector<std::string> label;           ///< one per sample, or none at all
  int first_index = -1;                     ///< 0 or 1; -1 until an index of 0 has been seen
  bool has_zero = false;                    ///< an index of 0 has been seen
  int largest = -1;                         ///< index ...
  std::string where_largest{};              ///< ... and its line
  std::map<int, RoundedNumbers> rounded{};  ///< by index: large numbers with digits that single precision does not hold
};

/// Parses the index before the colon of "index:value"; `previous` is the index before it, -1 at the start of a line.
/// Indices of a file start at 0 if there is one of 0 anywhere in it and `first_index` is -1.
int parse_index(std::string_view word, std::size_t colon, int previous, int& first_index, const std::string& where) {
  if (colon == std::string_view::npos) {
    throw_input_error(text(where, ": ", quoted(word), " is not of the form index:value"), "",
                      "write the label, then index:value pairs, with blanks between them");
  }
  const std::string_view digits = word.substr(0, colon);
  if (digits == "qid") {
    throw_input_error(text(where, ": ", quoted(word), " says which samples are ranked together"),
                      "classes have no order", "remove it, for example with sed 's/ qid:[0-9]*//'");
  }
  int index = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (fault == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    throw_input_error(text(where, ": ", quoted(digits), " in ", quoted(word), " is not an index"),
                      text("indices are whole numbers from ", first_index == 1 ? 1 : 0));
  }
  if (fault == std::errc::result_out_of_range || index > largest_index) {
    throw_input_error(text(where, ": the index ", quoted(digits), " is too large"),
                      text("samples are kept with all their features, at most ", largest_index));
  }
  if (index < 0) {
    throw_input_error(text(where, ": the index ", index, " is negative"), "indices are whole numbers from 0 or 1");
  }
  if (first_index < 0 && index == 0) first_index = 0;
  if (index < first_index) {
    throw_input_error(text(where, ": the index ", index, " is too small"),
                      text("indices start at ", first_index, ", as in the training data"),
                      "Give data of the kind used for training.");
  }
  if (index <= previous) {
    throw_input_error(text(where, ": the index ", index, " follows ", previous), "indices must ascend within a line");
  }
  return index;
}

/// The samples in compressed rows. A positive zero in the file is no entry.
SparseMatrix<float> compressed(const SparseSamples& samples, int first_index, int features) {
  const auto written = [](const Entry& entry) { return entry.value != 0 || std::signbit(entry.value); };
  const std::size_t rows = samples.row_end.size(),
                    count = std::count_if(samples.entries.begin(), samples.entries.end(), written);
  const Vector<std::int64_t> begin(uninitialized("krossfold::tables::sparse_begin"), rows + 1);
  const Vector<int> column(uninitialized("krossfold::tables::sparse_column"), count);
  const Vector<float> value(uninitialized("krossfold::tables::sparse_value"), count);
  std::size_t entry = 0;
  std::int64_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    begin(row) = at;
    for (; entry < samples.row_end[row]; ++entry) {
      const Entry& one = samples.entries[entry];
      if (!written(one)) continue;
      column(at) = one.index - first_index;
      value(at++) = one.value;
    }
  }
  begin(rows) = at;
  return {begin, column, value, features};
}

/// Labels are numbers here, so that 1e+06 and 1000000 are the same.
std::string number_of(std::string_view word) {
  word = data::trimmed(word);
  const std::string_view digits = word.substr(word.starts_with('+') ? 1 : 0);
  double number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return (fault == std::errc{} ? data::plain_digits(number) : std::nullopt).value_or(std::string(word));
}

/// Adds the warning of columns whose numbers lie within few steps of single precision, where they do not show by what was kept: these
/// are whole.
void warn_of_rounded(const SparseSamples& sparse, std::vector<std::string>& warning) {
  constexpr float largest_whole = 1 << 24;
  struct Range {
    float lowest = HUGE_VALF, highest = -HUGE_VALF;
    std::size_t entries = 0;
  };
  std::map<int, Range> range;
  for (const auto& [index, seen] : sparse.rounded) {
    if (seen.differ) range[index] = {};
  }
  for (const Entry& entry : sparse.entries) {
    const auto found = range.empty() ? range.end() : range.find(entry.index);
    if (found == range.end()) continue;
    Range& of = found->second;
    of = {std::min(of.lowest, entry.value), std::max(of.highest, entry.value), of.entries + 1};
  }
  std::vector<std::string> coarse;
  for (const auto& [index, of] : range) {
    const float most = std::max(std::abs(of.lowest), std::abs(of.highest));
    const double step = std::ldexp(1.0, std::ilogb(most) - 23);
    const bool whole =
        most <= largest_whole && std::trunc(of.lowest) == of.lowest && std::trunc(of.highest) == of.highest;
    if (!whole || of.entries < sparse.row_end.size() || of.highest - double{of.lowest} >= 4096 * step) continue;
    coarse.push_back(text(index, " (steps of ", step, ")"));
  }
  if (!coarse.empty()) warning.push_back(precision_warning(coarse));
}

/// Adds a warning where features are known, but not by which number the first of them goes, and both are possible.
void warn_of_first_index(const SparseSamples& sparse, const ReadParams& params, const std::string& name,
                         std::vector<std::string>& warning) {
  if (params.first_index >= 0 || sparse.first_index >= 0 || params.features == 0) return;
  if (sparse.largest < 0 || sparse.largest >= params.features) return;
  warning.push_back(
      text(name, " has neither an index 0 nor ", params.features,
           ", the last one of a file from 1: its indices were taken to count from 1; if they count from 0, "
           "as scikit-learn writes them by default, all values went to the wrong features: write the file "
           "with dump_svmlight_file(..., zero_based=False)"));
}

/// Takes out the entries of features that the training data do not have. Throws an input error where nothing says that the file counts
/// as the training data do, where they may have had these features, or where nobody would see the warning.
void leave_out_unknown(SparseSamples& sparse, const ReadParams& params, const std::string& name,
                       std::vector<std::string>* warning) {
  const int first_index = sparse.first_index == 0 ? 0 : 1, end = first_index + params.features;
  if (params.features == 0 || sparse.largest < end) return;
  if (params.imported) {
    throw_input_error(text(sparse.where_largest, ": there is no feature ", sparse.largest),
                      text("the model was imported with ", params.features, " features, from ", first_index,
                           ", those of its support vectors; if the training data had more, these count, too"),
                      text("import it again with --features ", sparse.largest - first_index + 1,
                           ", or give data of the kind used for training"));
  }
  const bool shifted = params.first_index == 0 && !sparse.has_zero;
  if (shifted || params.first_index < 0 || warning == nullptr) {
    throw_input_error(
        text(sparse.where_largest, ": there is no feature ", sparse.largest),
        text("samples have ", params.features, " features, from ", first_index,
             shifted ? ", and this file may count from 1: it has no index 0" : ""),
        shifted ? "write the file with dump_svmlight_file(..., zero_based=True), or, if it counts from 0, 0:0 in a line"
                : "Give data of the kind used for training.");
  }
  std::set<int> unknown;
  std::size_t entry = 0, kept = 0, samples = 0;
  for (std::size_t& row_end : sparse.row_end) {
    bool has_unknown = false;
    for (; entry < row_end; ++entry) {
      const Entry one = sparse.entries[entry];
      if (one.index < end) {
        sparse.entries[kept++] = one;
      } else if (one.value != 0) {
        unknown.insert(one.index);
        has_unknown = true;
      }
    }
    samples += has_unknown ? 1 : 0;
    row_end = kept;
  }
  sparse.entries.resize(kept);
  sparse.rounded.erase(sparse.rounded.lower_bound(end), sparse.rounded.end());
  if (unknown.empty()) return;  // zeros, which say nothing
  const int first = *unknown.begin(), last = *unknown.rbegin();
  warning->push_back(text(name, " has ", unknown.size(), unknown.size() == 1 ? " feature" : " features",
                          " that the training data do not have, which ", unknown.size() == 1 ? "was" : "were",
                          " ignored: ", first, first == last ? "" : text(" to ", last), ", in ", samples, " of ",
                          sparse.row_end.size(), " samples"));
}

void read_line(std::string_view line, const std::string& where, const ReadParams& params, SparseSamples& samples) {
  std::string_view rest = line;
  std::string_view word = data::next_word(rest);
  const bool labelled = word.find(':') == std::string_view::npos;
  if (!labelled && params.labelled) {
    throw_input_error(text(where, ": the label is missing"), text("it starts with ", quoted(word)),
                      "write the label first");
  }
  const bool others_labelled = !samples.label.empty() || samples.row_end.empty();
  if (!samples.row_end.empty() && labelled != others_labelled) {
    throw_input_error(text(where, labelled ? " has a label" : " has no label"),
                      labelled ? "the lines before it have none" : "the lines before it have one",
                      "give all samples a label, or none");
  }
  if (labelled) {
    float number = 0;
    if (data::parse_feature(word, number) != data::FeatureFault::none) {
      throw_input_error(text(where, ": the label ", quoted(word), " is not a number"), "",
                        "is this a file in LIBSVM's format: label index:value ...? A table is named csv:FILE");
    }
    const bool known = std::find(params.known_classes.begin(), params.known_classes.end(), data::trimmed(word)) !=
                       params.known_classes.end();
    samples.label.push_back(known ? std::string(data::trimmed(word)) : number_of(word));
    word = data::next_word(rest);
  }
  int index = -1;
  for (; !word.empty(); word = data::next_word(rest)) {
    const auto colon = word.find(':');
    index = parse_index(word, colon, index, samples.first_index, where);
    samples.has_zero = samples.has_zero || index == 0;
    float value = 0;
    const std::string_view digits = word.substr(colon + 1);
    if (const data::FeatureFault fault = data::parse_feature(digits, value); fault != data::FeatureFault::none) {
      data::throw_bad_feature(text(where, ", column ", index), digits, fault);
    }
    samples.entries.push_back({index, value});
    if (const auto wide = rounded_from(digits, value)) samples.rounded[index].note(*wide);
  }
  if (index > samples.largest) {
    samples.largest = index;
    samples.where_largest = where;
  }
  samples.row_end.push_back(samples.entries.size());
}

/// Throws if the dense form is out of all proportion to the file: a few indices are far larger than all others, by mistake or on purpose.
void check_proportion(std::size_t bytes, std::size_t samples, std::uint64_t features, const std::string& where,
                      const std::string& name) {
  constexpr double enough = 256e6, most_times = 1e5;  // news20, with 1.4 million words, has 1e3
  const double dense = static_cast<double>(samples) * static_cast<double>(features) * sizeof(float);
  if (dense < enough || dense < most_times * static_cast<double>(bytes)) return;
  throw_input_error(
      text(name, " has ", samples, " samples of ", features, " features, all zeros but for some numbers"),
      where.empty() ? text("with zeros it would take ", dense / 1e9, " GB")
                    : text("the largest index is in ", where, "; with zeros it would take ", dense / 1e9, " GB"),
      "check this index; krossfold svm keeps such samples sparse, with the kernel rbf and without --partition");
}

}  // namespace

data::Dataset read_libsvm(const std::string& path, const ReadParams& params, std::vector<std::string>* warning) {
  return parse_libsvm(data::read_file(path), path, params, warning);
}

data::Dataset parse_libsvm(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params,
                           std::vector<std::string>* warning) {
  SparseSamples sparse;
  sparse.first_index = params.first_index;
  int previous = 0, empty = 0, empties = 0;  // lines: the last one, the first empty one since a sample, and how many
  data::TextLines lines(bytes);
  for (; lines.next(); previous = lines.number()) {
    const int passed = lines.number() - previous - 1;
    if (empties == 0) empty = previous + 1;
    empties += passed;
    const std::string_view line = data::trimmed(lines.line().substr(0, lines.line().find('#')));
    if (line.empty()) continue;
    const bool between = !sparse.row_end.empty() && empties > 0;  // samples
    read_line(line, text(name, ", line ", lines.number()), params, sparse);
    if (between && sparse.label.empty()) {
      throw_input_error(text(name, ", line ", empty, " is empty"),
                        "the samples have no labels, so that it may be a sample whose features are all 0",
                        "write 1:0 for such a sample, or remove the line");
    }
    empties = 0;
  }
  empties += lines.number() - previous;
  if (warning != nullptr && empties > 0 && !sparse.row_end.empty() && sparse.label.empty()) {
    warning->push_back(text(name, " has no labels and ends with ", empties,
                            empties == 1 ? " empty line" : " empty lines", ", which ", empties == 1 ? "was" : "were",
                            " taken for no samples (if their features are all 0, write 1:0 for each)"));
  }

  leave_out_unknown(sparse, params, name, warning);
  if (warning != nullptr) warn_of_rounded(sparse, *warning);
  if (warning != nullptr) warn_of_first_index(sparse, params, name, *warning);
  const int first_index = sparse.first_index == 0 ? 0 : 1;
  const int features = params.features != 0 ? params.features : std::max(0, sparse.largest - first_index + 1);
  const std::size_t samples = sparse.row_end.size();
  const data::Labels labels = sparse.label.empty()
                                  ? data::Labels{}
                                  : data::index_labels(sparse.label, params.known_classes, name, params.odd_label());
  if (params.sparse && samples <= std::numeric_limits<int>::max() &&
      data::stays_sparse(samples, static_cast<std::uint64_t>(features), sparse.entries.size())) {
    data::Dataset dataset =
        data::make_sparse_dataset(name, compressed(sparse, first_index, features), labels.label, labels.class_name);
    dataset.first_index = first_index;
    return dataset;
  }
  if (params.features == 0)
    check_proportion(bytes.size(), samples, static_cast<std::uint64_t>(features), sparse.where_largest, name);
  const Matrix<float> values = data::allocate_samples(samples, static_cast<std::uint64_t>(features), name);
  std::fill_n(values.data(), values.size(), 0.0f);
  std::size_t entry = 0;
  for (std::size_t row = 0; row < samples; ++row) {
    for (; entry < sparse.row_end[row]; ++entry)
      values(row, sparse.entries[entry].index - first_index) = sparse.entries[entry].value;
  }
  data::Dataset dataset = data::make_dataset(name, values, labels.label, labels.class_name);
  dataset.first_index = first_index;
  return dataset;
}

}  // namespace krossfold::tables
