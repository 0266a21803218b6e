// SPDX-License-Identifier: BSD-3-Clause
#include "table_warnings.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "drop_advice.hpp"
#include "krossfold/core/text.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

/// An odd factor for element `i` of a sum that tells rows or columns apart (the finaliser of SplitMix64). It has 32 bits, like the
/// cells, because processors multiply several pairs of those at once.
std::uint32_t factor(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32) | 1u;
}

/// Sums that differ for most rows and for most columns that differ, and which columns are constant.
struct Sums {
  std::vector<std::uint64_t> row, column;
  std::vector<char> varies;
};

/// The bits of a number; -0 is 0.
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value + 0.0f); }

/// What tells the values of a cell apart: the bits of a number, the number of a word.
std::uint32_t cell(const Table& table, std::size_t i, std::size_t j) {
  if (table.column[j].text) return static_cast<std::uint32_t>(table.words[j].code[i] + 1);
  return bits_of(table.value(i, j));
}

/// The same of sparse samples: a zero adds nothing.
Sums sums_of_sparse(const Table& table) {
  const auto samples = static_cast<std::size_t>(table.size()), columns = table.column.size();
  Sums sums{std::vector<std::uint64_t>(samples, 0), std::vector<std::uint64_t>(columns, 0),
            std::vector<char>(columns, 0)};
  for (std::size_t j = 0; j < columns; ++j) {
    const std::int64_t first = table.across.begin(j), last = table.across.begin(j + 1);
    const std::uint32_t of_column = factor(j);
    bool varies = first != last && static_cast<std::size_t>(last - first) < samples;
    for (std::int64_t e = first; e < last; ++e) {
      const auto bits = std::bit_cast<std::uint32_t>(table.across.value(e));
      const auto i = static_cast<std::size_t>(table.across.column(e));
      sums.row[i] += std::uint64_t{bits} * of_column;
      sums.column[j] += std::uint64_t{bits} * factor(i);
      varies = varies || bits != std::bit_cast<std::uint32_t>(table.across.value(first));
    }
    sums.varies[j] = static_cast<char>(varies);
  }
  return sums;
}

Sums sums_of(const Table& table) {
  if (table.is_sparse()) return sums_of_sparse(table);
  const auto samples = static_cast<std::size_t>(table.size()), columns = table.column.size();
  const bool texts =
      std::any_of(table.column.begin(), table.column.end(), [](const FeatureColumn& one) { return one.text; });
  Sums sums{std::vector<std::uint64_t>(samples, 0), std::vector<std::uint64_t>(columns, 0),
            std::vector<char>(columns, 0)};
  std::vector<std::uint32_t> of_column(columns), first(columns), row(columns), varies(columns, 0);
  for (std::size_t j = 0; j < columns; ++j) {
    of_column[j] = factor(j);
    first[j] = cell(table, 0, j);
  }
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      row[j] = texts ? cell(table, i, j) : bits_of(table.value(i, j));
    }
    const std::uint64_t of_row = factor(i);
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      sum += std::uint64_t{row[j]} * of_column[j];
      sums.column[j] += row[j] * of_row;
      varies[j] |= row[j] ^ first[j];
    }
    sums.row[i] = sum;
  }
  for (std::size_t j = 0; j < columns; ++j) {
    sums.varies[j] = static_cast<char>(varies[j] != 0);
    for (const std::string& word : table.words[j].word) sums.column[j] += std::hash<std::string>()(word);
  }
  return sums;
}

/// Whether two rows of a sparse matrix have the same entries.
bool equal_entries(const SparseMatrix<float>& rows, std::size_t a, std::size_t b) {
  const std::int64_t first = rows.begin(a), other = rows.begin(b), count = rows.begin(a + 1) - first;
  if (rows.begin(b + 1) - other != count) return false;
  for (std::int64_t e = 0; e < count; ++e) {
    if (rows.column(first + e) != rows.column(other + e) ||
        std::bit_cast<std::uint32_t>(rows.value(first + e)) != std::bit_cast<std::uint32_t>(rows.value(other + e))) {
      return false;
    }
  }
  return true;
}

bool equal_rows(const Table& table, std::size_t a, std::size_t b) {
  if (table.is_sparse()) return equal_entries(table.sparse, a, b);
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    if (cell(table, a, j) != cell(table, b, j)) return false;
  }
  return true;
}

bool equal_columns(const Table& table, std::size_t a, std::size_t b) {
  if (table.is_sparse()) return equal_entries(table.across, a, b);
  if (table.column[a].text != table.column[b].text || table.words[a].word != table.words[b].word) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.size()); ++i) {
    if (cell(table, i, a) != cell(table, i, b)) return false;
  }
  return true;
}

/// The indices of `sum` ordered by its values, equal ones in ascending order.
std::vector<std::size_t> order_of(const std::vector<std::uint64_t>& sum) {
  std::vector<std::pair<std::uint64_t, std::size_t>> pairs(sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i) pairs[i] = {sum[i], i};
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::size_t> order(sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i) order[i] = pairs[i].second;
  return order;
}

EqualSamples equal_samples(const Table& table, const std::vector<std::uint64_t>& sum) {
  EqualSamples found;
  const std::vector<std::size_t> order = order_of(sum);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::size_t other = begin;
    for (end = begin + 1; end < order.size() && sum[order[end]] == sum[order[begin]]; ++end) {
      if (!equal_rows(table, order[begin], order[end])) break;
      if (table.labelled() && table.label.code[order[end]] != table.label.code[order[begin]]) other = end;
    }
    found.repeated += static_cast<std::int64_t>(end - begin) - 1;
    if (other == begin) continue;
    if (found.contradicting == 0) {
      found.first = static_cast<int>(order[begin]);
      found.second = static_cast<int>(order[other]);
    }
    found.contradicting += static_cast<std::int64_t>(end - begin);
  }
  return found;
}

/// Warns of columns that are constant, empty or equal, but for equal ones that are all warned of as an index.
void warn_of_columns(Table& table, const Sums& sums, const std::vector<char>& index) {
  std::vector<std::string> constant, missing, twice;
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    if (sums.varies[j] != 0) continue;
    const bool empty = !table.is_sparse() && !table.column[j].text && std::isnan(table.value(0, static_cast<int>(j)));
    (empty ? missing : constant).push_back(name_of(table, table.column[j]));
  }
  const std::vector<std::size_t> order = order_of(sums.column);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t a = order[k - 1], b = order[k];
    if (sums.varies[a] == 0 || (index[a] != 0 && index[b] != 0) || sums.column[a] != sums.column[b]) continue;
    if (equal_columns(table, a, b))
      twice.push_back(text(name_of(table, table.column[a]), " = ", name_of(table, table.column[b])));
  }
  if (!constant.empty())
    table.warning.push_back(text("columns with the same value in every sample: ", some_of(constant)));
  if (!missing.empty()) table.warning.push_back(text("columns without a value in any sample: ", some_of(missing)));
  if (!twice.empty()) table.warning.push_back(text("columns that are equal: ", some_of(twice)));
}

/// Whether each value of a column stands for one class of the label, and each class for one value.
bool tells_label(const Table& table, std::size_t j) {
  std::unordered_map<std::uint32_t, int> label_of;
  std::vector<char> taken(table.label.word.size(), 0);
  const bool words = table.column[j].text;
  for (std::size_t i = 0; i < static_cast<std::size_t>(table.size()); ++i) {
    const int label = table.label.code[i];
    if (label < 0 || (words ? table.words[j].code[i] < 0 : std::isnan(table.value(i, j)))) return false;
    const auto [found, is_new] = label_of.emplace(cell(table, i, j), label);
    char& one = taken[static_cast<std::size_t>(label)];
    if (found->second != label || (is_new && one != 0)) return false;
    one = 1;
  }
  return true;
}

/// Warns of columns that are the label once more, in the same words or in others, where that is no chance.
void warn_of_copies_of_the_label(Table& table) {
  constexpr int enough = 20, others = 5;  // a random column agrees so in one of C(20, 5) = 15,504 cases at most
  const std::size_t classes = table.label.word.size();
  if (table.size() < enough || table.is_sparse() || table.image.is_image() || classes < 2) return;
  std::vector<int> count(classes, 0);
  for (const int label : table.label.code) {
    if (label >= 0) ++count[static_cast<std::size_t>(label)];
  }
  if (table.size() - *std::max_element(count.begin(), count.end()) < others) return;
  if (2 * classes > static_cast<std::size_t>(table.size())) return;  // numbers that all differ tell such labels
  std::vector<std::string> copies;
  std::vector<std::size_t> copy;
  for (std::size_t j = 0; j < table.column.size(); ++j) {
    if (!tells_label(table, j)) continue;
    copies.push_back(column_text(table.column[j].column, table.column[j].name));
    copy.push_back(j);
  }
  if (copies.empty()) return;
  const bool several = copies.size() > 1;
  table.warning.push_back(
      text(some_of(copies), several ? " have" : " has", " one value for each class of the label, ", label_text(table),
           ", like a copy of it, and ",
           several ? "are used as features: " : "is used as a feature: ", leave_out(table, copy),
           several ? " unless they are known before the class" : " unless it is known before the class"));
}

}  // namespace

EqualSamples find_equal_samples(const Table& table) { return equal_samples(table, sums_of(table).row); }

void add_warnings(Table& table) {
  if (table.size() < 2) return;
  const std::vector<char> index = warn_of_index(table);
  warn_of_numbers(table);
  const Sums sums = sums_of(table);
  warn_of_columns(table, sums, index);
  if (!table.labelled()) return;
  warn_of_words(table);
  warn_of_copies_of_the_label(table);
  const EqualSamples equal = equal_samples(table, sums.row);
  if (equal.contradicting == 0) return;
  table.warning.push_back(text(equal.contradicting,
                               " samples have a twin with the same features but another label, such as ",
                               table.line_word, "s ", table.line[static_cast<std::size_t>(equal.first)], " and ",
                               table.line[static_cast<std::size_t>(equal.second)]));
}

}  // namespace krossfold::tables
