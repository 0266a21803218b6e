// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/tables/table.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

std::vector<std::string> categories_of(const WordColumn& words, const std::vector<int>& training) {
  std::vector<char> seen(words.word.size(), 0);
  for (const int i : training) {
    const int code = words.code[static_cast<std::size_t>(i)];
    if (code >= 0) seen[static_cast<std::size_t>(code)] = 1;
  }
  std::vector<std::string> categories;
  for (std::size_t w = 0; w < seen.size(); ++w) {
    if (seen[w] != 0) categories.push_back(words.word[w]);
  }
  std::sort(categories.begin(), categories.end());
  return categories;
}

/// The mean or the median (of an even number, the mean of the middle two) of the values that are not missing.
double fill_of(const Table& table, std::size_t column, const std::vector<int>& training, bool median) {
  std::vector<double> present;
  for (const int i : training) {
    const float value = table.value(i, column);
    if (!std::isnan(value)) present.push_back(value);
  }
  if (present.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (!median) return std::accumulate(present.begin(), present.end(), 0.0) / static_cast<double>(present.size());
  const auto middle = present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
  std::nth_element(present.begin(), middle, present.end());
  const double upper = *middle;
  return present.size() % 2 == 1 ? upper : (*std::max_element(present.begin(), middle) + upper) / 2;
}

void check_fits(const Table& table, const TableEncoding& encoding) {
  bool fits = table.column.size() == encoding.column.size();
  for (std::size_t k = 0; fits && k < table.column.size(); ++k) fits = table.column[k].text == encoding.column[k].text;
  if (!fits) throw_run_error(text(table.name, " was not read for this encoding"));
}

/// -1 if the word is not there.
int place_of(const std::string& word, const std::vector<std::string>& category) {
  const auto found = std::lower_bound(category.begin(), category.end(), word);
  return found != category.end() && *found == word ? static_cast<int>(found - category.begin()) : -1;
}

/// True for a sign or none and digits without a leading zero, as many as a double holds. 007 is a code.
bool is_plain_whole(std::string_view word) {
  constexpr std::size_t exact = 15;
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  return is_whole(word) && word.size() <= exact && (word[0] != '0' || word.size() == 1);
}

/// The other spelling of a whole number: "1.0", as pandas writes it once a value is missing, for "1", and the reverse; "" for other words.
std::string other_spelling(const std::string& word) {
  const bool decimal = word.ends_with(".0");
  const std::string whole = decimal ? word.substr(0, word.size() - 2) : word;
  if (!is_plain_whole(whole)) return "";
  return decimal ? whole : whole + ".0";
}

/// The values of a text column that are no category.
struct UnknownWords {
  std::size_t column = 0;
  int values = 0, first = 0;  ///< how many, and the sample of the first
};

/// Writes the features of text column `k` to columns `first` ... of `raw`.
UnknownWords encode_words(const Table& table, std::size_t k, const FeatureColumn& column, std::size_t first,
                          Matrix<float>& raw) {
  const WordColumn& words = table.words[k];
  std::vector<int> category(words.word.size(), -1);
  for (std::size_t w = 0; w < category.size(); ++w) {
    category[w] = place_of(words.word[w], column.category);
    if (category[w] >= 0) continue;
    const std::string other = other_spelling(words.word[w]);
    if (!other.empty()) category[w] = place_of(other, column.category);
  }
  UnknownWords unknown{k};
  for (int i = 0; i < table.size(); ++i) {
    std::fill_n(&raw(i, first), column.category.size(), 0.0f);
    const int code = words.code[static_cast<std::size_t>(i)];
    if (code < 0) continue;
    const int number = category[static_cast<std::size_t>(code)];
    if (number >= 0) {
      raw(i, first + static_cast<std::size_t>(number)) = 1;
    } else if (unknown.values++ == 0) {
      unknown.first = i;
    }
  }
  return unknown;
}

/// Appends a sentence for each column that has unknown words, or one for all of them if there are many.
void warn_of_unknown_words(const Table& table, const std::vector<UnknownWords>& unknown,
                           std::vector<std::string>& warning) {
  constexpr std::size_t many = 3;
  const auto name = [&](const UnknownWords& one) {
    return column_text(table.column[one.column].column, table.column[one.column].name);
  };
  const auto example = [&](const UnknownWords& one) {
    const WordColumn& words = table.words[one.column];
    const auto at = static_cast<std::size_t>(one.first);
    return text(quoted(words.word[static_cast<std::size_t>(words.code[at])]), " in ", table.line_word, " ",
                table.line[at]);
  };
  if (unknown.size() > many) {
    std::vector<std::string> columns;
    int values = 0;
    for (const UnknownWords& one : unknown) {
      columns.push_back(text(name(one), " (", one.values, ")"));
      values += one.values;
    }
    warning.push_back(text(unknown.size(), " columns of ", table.name, " have ", values,
                           " values that the training part does not have: ", some_of(columns),
                           "; none of the categories of its column is set there (the first of ", name(unknown[0]),
                           " is ", example(unknown[0]), ")"));
    return;
  }
  for (const UnknownWords& one : unknown) {
    warning.push_back(text(name(one), " of ", table.name, " has ", one.values, one.values == 1 ? " value" : " values",
                           " that the training part does not have (the first is ", example(one),
                           "); none of its categories is set there"));
  }
}

void fill_numbers(const Table& table, std::size_t k, const FeatureColumn& column, std::size_t at, Matrix<float>& raw) {
  const float fill = static_cast<float>(column.fill);
  for (int i = 0; i < table.size(); ++i) {
    const float value = table.value(i, k);
    if (std::isnan(value) && std::isnan(fill)) {
      throw_input_error(text(table.name, ", ", table.line_word, " ", table.line[static_cast<std::size_t>(i)], ", ",
                             column_text(table.column[k].column, column.name), ": the value is missing"),
                        "the training part says nothing about what takes its place",
                        "fill it in, or remove the sample");
    }
    raw(i, at) = std::isnan(value) ? fill : value;
  }
}

Vector<const double> weights_of(const Table& table) {
  const Vector<double> weight(uninitialized("krossfold::tables::weight"), table.weight.size());
  std::copy(table.weight.begin(), table.weight.end(), weight.data());
  return weight;
}

Vector<const int> groups_of(const Table& table) {
  const Vector<int> group(uninitialized("krossfold::tables::group"), table.group.code.size());
  std::copy(table.group.code.begin(), table.group.code.end(), group.data());
  return group;
}

}  // namespace

TableEncoding fit_encoding(const Table& table, const std::vector<int>& training, const TableParams& params) {
  check_table_params(params);
  std::vector<int> samples = training;
  if (samples.empty()) {
    samples.resize(static_cast<std::size_t>(table.size()));
    std::iota(samples.begin(), samples.end(), 0);
  }
  TableEncoding encoding;
  encoding.column = table.column;
  encoding.named = table.named;
  encoding.columns = table.columns;
  encoding.label = table.label_name;
  encoding.label_column = table.label_column;
  encoding.dropped = table.dropped_name;
  const bool fill = params.missing == "mean" || params.missing == "median";
  std::vector<std::string> empty;
  for (std::size_t k = 0; k < table.column.size(); ++k) {
    FeatureColumn& column = encoding.column[k];
    if (column.text) {
      column.category = categories_of(table.words[k], samples);
    } else if (fill) {
      column.fill = fill_of(table, k, samples, params.missing == "median");
    }
    if (column.text ? column.category.empty() : fill && std::isnan(column.fill))
      empty.push_back(column_text(column.column, column.name));
  }
  if (!empty.empty()) {
    const bool one = empty.size() == 1;
    throw_input_error(text(some_of(empty), " of ", table.name, one ? " has no value" : " have no value"),
                      text(one ? "it is" : "they are", " missing in every sample of the training part"),
                      one ? "leave the column out with --drop" : "leave the columns out with --drop");
  }
  return encoding;
}

data::ImageShape image_shape(const std::string& image, const data::Dataset& dataset) {
  const int features = dataset.features();
  if (image == "auto") {
    const int side = static_cast<int>(std::lround(std::sqrt(features)));
    const bool pixels = dataset.integer && dataset.lowest >= 0 && dataset.highest >= 15 && dataset.highest <= 255;
    if (!pixels || side < 4 || side * side != features) return {};
    return {side, side, 1};
  }
  const data::ImageShape shape = parse_image_shape(image);
  if (shape.width != 0 && std::int64_t{shape.width} * shape.height * shape.channels != features) {
    throw_input_error(text("the image shape ", image, " does not fit ", dataset.name),
                      text("samples have ", features, " features"));
  }
  return shape;
}

data::Labels table_labels(const Table& table, const std::vector<std::string>& known, data::OddLabel odd) {
  if (!table.labelled()) return {};
  if (table.indexed && known.empty()) {
    const Vector<int> label(uninitialized("krossfold::tables::label"), table.label.code.size());
    std::copy(table.label.code.begin(), table.label.code.end(), label.data());
    return {label, table.label.word};
  }
  std::vector<std::string> written;
  written.reserve(table.label.code.size());
  for (const int code : table.label.code) {
    written.push_back(code < 0 ? std::string() : table.label.word[static_cast<std::size_t>(code)]);
  }
  return data::index_labels(written, known, table.name, odd);
}

data::Dataset encode(const Table& table, const TableEncoding& encoding, const TableParams& params,
                     const std::vector<std::string>& known, std::vector<std::string>* warning) {
  check_fits(table, encoding);
  const int features = encoding.features();
  const bool texts =
      std::any_of(encoding.column.begin(), encoding.column.end(), [](const FeatureColumn& one) { return one.text; });
  Matrix<const float> raw = table.value;
  if (texts || table.incomplete) {
    Matrix<float> made = data::allocate_samples(static_cast<std::uint64_t>(table.size()),
                                                static_cast<std::uint64_t>(features), table.name);
    std::vector<UnknownWords> unknown;
    std::size_t at = 0;
    for (std::size_t k = 0; k < encoding.column.size(); ++k) {
      const FeatureColumn& column = encoding.column[k];
      if (column.text) {
        const UnknownWords words = encode_words(table, k, column, at, made);
        if (words.values > 0) unknown.push_back(words);
      } else {
        fill_numbers(table, k, column, at, made);
      }
      at += column.text ? column.category.size() : 1;
    }
    if (warning != nullptr) warn_of_unknown_words(table, unknown, *warning);
    raw = made;
  }
  // Weights count in training alone.
  if (known.empty() && !table.weight.empty() && *std::max_element(table.weight.begin(), table.weight.end()) <= 0) {
    throw_input_error(text("all weights of ", table.name, " are 0"), "", "give at least one sample a weight");
  }
  const data::OddLabel odd = params.labelled ? data::OddLabel::refused : data::OddLabel::no_class;
  const data::Labels labels = table_labels(table, known, odd);
  data::Dataset dataset = data::make_dataset(table.name, raw, labels.label, labels.class_name);
  const bool by_array = params.image.empty() || (params.image == "auto" && table.image.is_image());
  dataset.image = by_array ? table.image : image_shape(params.image, dataset);
  if (!table.row.empty()) {
    const Vector<int> row(uninitialized("krossfold::tables::row"), table.row.size());
    std::copy(table.row.begin(), table.row.end(), row.data());
    dataset.row = row;
  }
  return data::with_columns(std::move(dataset), std::make_shared<const TableEncoding>(encoding), groups_of(table),
                            weights_of(table));
}

data::Dataset table_dataset(const Table& table, const TableParams& params) {
  return encode(table, fit_encoding(table, {}, params), params);
}

}  // namespace krossfold::tables
