// SPDX-License-Identifier: BSD-3-Clause
#include "number_header.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table_fields.hpp"

namespace krossfold::tables {
namespace {

using Fields = std::vector<std::string>;

/// NaN for what is no number.
double number_of(const std::string& field) {
  double value = std::numeric_limits<double>::quiet_NaN();
  if (!is_number(field)) return value;
  const char* begin = field.data() + (field.starts_with('+') ? 1 : 0);
  const auto [end, fault] = std::from_chars(begin, field.data() + field.size(), value);
  return fault == std::errc{} ? value : std::numeric_limits<double>::quiet_NaN();
}

/// The numbers of a line in these columns; the others are left out.
std::vector<double> numbers_of(const Fields& line, const std::vector<std::size_t>& column) {
  std::vector<double> numbers;
  for (const std::size_t j : column) {
    if (const double value = number_of(line[j]); !std::isnan(value)) numbers.push_back(value);
  }
  return numbers;
}

/// Whether the numbers of a line ascend, with up to two left out at the ends: ten or more with few exceptions, or three or more
/// without any.
struct Order {
  bool many = false, all = false;
};

Order ascent_of(const std::vector<double>& x, double sign) {
  Order order;
  for (std::size_t front = 0; front <= 2; ++front) {
    for (std::size_t back = 0; front + back <= 2; ++back) {
      if (x.size() < front + back + 3) continue;
      const std::size_t d = x.size() - front - back;
      int ascents = 0;
      for (std::size_t j = front + 1; j < front + d; ++j) ascents += sign * (x[j] - x[j - 1]) > 0 ? 1 : 0;
      order.all = order.all || ascents == static_cast<int>(d) - 1;
      order.many = order.many || (d >= 10 && 10 * ascents >= 9 * (static_cast<int>(d) - 1));
    }
  }
  return order;
}

/// True if at least `enough` steps, and two thirds of all, are equal (within 0.6 % of the step) and not 0.
bool has_equal_steps(const std::vector<double>& x, std::size_t enough) {
  std::vector<double> step;
  for (std::size_t j = 1; j < x.size(); ++j) {
    if (x[j] != x[j - 1]) step.push_back(x[j] - x[j - 1]);
  }
  if (step.size() < enough) return false;
  std::sort(step.begin(), step.end());
  const double middle = step[step.size() / 2];  // the value of most of them, if it is that of more than half
  const auto equal = std::count_if(step.begin(), step.end(),
                                   [&](double one) { return std::abs(one - middle) <= 0.006 * std::abs(middle); });
  return equal >= static_cast<std::ptrdiff_t>(enough) && 3 * equal >= 2 * static_cast<std::ptrdiff_t>(x.size() - 1);
}

/// What the lines below the candidate have in one column.
struct Column {
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  int numbers = 0, points = 0;

  void add(const std::string& field) {
    const double value = number_of(field);
    if (std::isnan(value)) return;
    ++numbers;
    points += field.find('.') != std::string::npos ? 1 : 0;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  /// 1 or -1 for a value far above or below the range; 0 otherwise, or if the values are all the same.
  int side_of(double value) const {
    if (numbers < 2 || lowest == highest) return 0;
    const double far = (1 + 60.0 / numbers) * (highest - lowest);
    return value > highest + far ? 1 : value < lowest - far ? -1 : 0;
  }
};

/// True if the field of the candidate in this column, a number, has another value than all below, of which there are few, ten times
/// each on average: by chance, this happens once in exp(10) tables.
bool is_alone(const std::vector<Fields>& line, std::size_t candidate, std::size_t column) {
  std::set<double> seen;
  for (std::size_t i = candidate + 1; i < line.size(); ++i) {
    const double value = number_of(line[i][column]);
    if (!std::isnan(value)) seen.insert(value);
  }
  return seen.size() > 1 && 10 * seen.size() < line.size() - candidate &&
         !seen.contains(number_of(line[candidate][column]));
}

/// True if the field of the candidate is a number above words alone, some of which come again: classes.
bool stands_above_classes(const std::vector<Fields>& line, std::size_t candidate, std::size_t column) {
  std::set<std::string> seen;
  for (std::size_t i = candidate + 1; i < line.size(); ++i) {
    const std::string& field = line[i][column];
    if (is_missing(field)) continue;
    if (is_number(field)) return false;
    seen.insert(field);
  }
  return seen.size() > 1 && 2 * seen.size() < line.size() - candidate;
}

}  // namespace

std::string header_of_numbers(const std::vector<Fields>& line, std::size_t candidate) {
  const Fields& first = line[candidate];
  std::vector<std::size_t> column;
  for (std::size_t j = 0; j < first.size(); ++j) {
    if (!std::isnan(number_of(first[j]))) column.push_back(j);
  }
  const std::size_t below = line.size() - candidate - 1;
  if (column.size() < 2 || below < 2) return "";
  for (const std::size_t end : {column.front(), column.back()}) {
    if (column.size() == first.size() && stands_above_classes(line, candidate, end))
      return text("it is of numbers alone, where the lines below have a class in column ", end + 1);
  }
  const std::vector<double> x = numbers_of(first, column);

  std::vector<Column> of(column.size());
  int like_ascent = 0, like_steps = 0, like_all = 0;
  int ascents = 0;
  for (std::size_t k = 1; k < x.size(); ++k) ascents += x[k] > x[k - 1] ? 1 : x[k] < x[k - 1] ? -1 : 0;
  const bool up = ascents >= 0;
  const double sign = up ? 1 : -1;
  const Order order = ascent_of(x, sign);
  const std::size_t enough = below >= 30 ? 4 : 5;
  const bool steps = has_equal_steps(x, enough);
  const bool alone = order.all && (is_alone(line, candidate, column.back()) || is_alone(line, candidate, column[0]));
  const bool ordered = order.many && below >= 30;
  for (std::size_t i = candidate + 1; i < line.size(); ++i) {
    for (std::size_t k = 0; k < column.size(); ++k) of[k].add(line[i][column[k]]);
    if (!ordered && !steps && !alone) continue;
    const std::vector<double> numbers = numbers_of(line[i], column);
    const Order other = ascent_of(numbers, sign);
    like_ascent += other.many ? 1 : 0;
    like_all += other.all ? 1 : 0;
    like_steps += steps && has_equal_steps(numbers, enough) ? 1 : 0;
  }
  std::size_t above = 0, beneath = 0, varied = 0, whole = 0, decimal = 0;
  for (std::size_t k = 0; k < column.size(); ++k) {
    varied += of[k].lowest < of[k].highest ? 1 : 0;
    above += of[k].side_of(x[k]) > 0 ? 1 : 0;
    beneath += of[k].side_of(x[k]) < 0 ? 1 : 0;
    if (of[k].numbers < 10 || of[k].points != of[k].numbers) continue;
    ++decimal;
    whole += first[column[k]].find_first_of(".eE") == std::string::npos ? 1 : 0;
  }
  const std::size_t others = varied >= 6 ? 2 : varied >= 3 ? 1 : 0;
  const std::string from_to = text(" from ", first[column[0]], " to ", first[column.back()]);
  if ((ordered && like_ascent == 0) || (alone && 2 * static_cast<std::size_t>(like_all) <= below)) {
    return text("its numbers ", up ? "ascend" : "descend", from_to, ", as those below do not");
  }
  if (steps && like_steps == 0) return text("its numbers", from_to, " have equal steps, as those below do not");
  const std::size_t far = std::max(above, beneath);
  if (far >= 2 && far + others >= varied) return text("its numbers lie far outside the ranges of their columns");
  if (whole >= 2 && whole == decimal && std::set<double>(x.begin(), x.end()).size() == x.size()) {
    return "it holds whole numbers, and those below have decimal points";
  }
  return "";
}

bool continues_header(const std::vector<Fields>& line) {
  if (line.size() < 4) return false;
  const Fields& names = line[0];
  const auto ascends = [&](const Fields& fields) {
    bool any = false;
    for (std::size_t j = 1; j < names.size(); ++j) {
      if (names[j] != names[j - 1] || names[j].empty()) continue;
      any = true;
      if (!(number_of(fields[j]) > number_of(fields[j - 1]))) return false;  // nor if one is no number
    }
    return any;
  };
  if (!ascends(line[1])) return false;
  const auto alike = std::count_if(line.begin() + 2, line.end(), ascends);
  return 10 * static_cast<std::size_t>(alike) <= line.size() - 2;
}

}  // namespace krossfold::tables
