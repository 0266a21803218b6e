// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/choose_cell.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "sample_sums.hpp"

namespace krossfold::measures {
namespace {

constexpr double twelve_digits = 5e-13;

std::vector<int> order_of(std::span<const int> preference, int cells) {
  std::vector<int> order(preference.begin(), preference.end());
  if (order.empty()) {
    order.resize(cells);
    std::iota(order.begin(), order.end(), 0);
  }
  check_length("the order of preference", order.size(), cells);
  std::vector<bool> seen(cells, false);
  for (const int cell : order) {
    if (cell < 0 || cell >= cells || seen[cell]) {
      throw_run_error(text("the order of preference of ", cells, " cells lists ", cell), "each cell must occur once");
    }
    seen[cell] = true;
  }
  return order;
}

/// In the order of the folds, plainly added: the mean that studies record.
double mean(std::span<const double> value) {
  double sum = 0;
  for (const double v : value) sum += v;
  return sum / static_cast<double>(value.size());
}

double standard_error(std::span<const double> value, double mean) {
  const auto n = static_cast<double>(value.size());
  if (value.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  CompensatedSum squares;
  for (const double v : value) squares.add((v - mean) * (v - mean));
  return std::sqrt(squares.value() / (n - 1) / n);
}

}  // namespace

std::optional<CellChoice> choose_cell(std::span<const double> value, int folds, Better better,
                                      std::span<const int> preference) {
  if (folds < 1 || value.size() % static_cast<std::size_t>(folds) != 0) {
    throw_run_error(text(value.size(), " values are no whole number of cells with ", folds, " folds each"));
  }
  const std::size_t cells = value.size() / static_cast<std::size_t>(folds);
  const auto of = [&](int cell) { return value.subspan(static_cast<std::size_t>(cell) * folds, folds); };
  const std::vector<int> order = order_of(preference, static_cast<int>(cells));
  std::vector<double> cost;  // (cell): lower is better
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double m = mean(of(static_cast<int>(cell)));
    cost.push_back(better == Better::lower ? m : -m);
  }
  std::optional<CellChoice> choice;
  for (const int cell : order) {
    if (!std::isfinite(cost[cell]) || (choice && !(cost[cell] < cost[choice->best]))) continue;
    choice = CellChoice{};
    choice->best = cell;
  }
  if (!choice) return choice;
  const double least = cost[choice->best], slack = twelve_digits * std::abs(least);
  choice->mean = mean(of(choice->best));
  choice->standard_error = standard_error(of(choice->best), choice->mean);
  const double tie = least + slack, band = tie + (folds < 2 ? 0 : choice->standard_error * (1 + twelve_digits));
  for (const int cell : order) {
    if (!std::isfinite(cost[cell])) continue;
    if (cost[cell] <= tie && choice->tied++ == 0) choice->first_tied = cell;
    if (cost[cell] <= band && choice->within++ == 0) choice->simplest = cell;
  }
  return choice;
}

SelectionRule parse_selection_rule(const std::string& word) {
  const std::size_t comma = word.find(',');
  SelectionRule rule{&parse_measure(word.substr(0, comma)), comma != std::string::npos};
  if (rule.one_standard_error && word.substr(comma) != ",1se") {
    throw_input_error(text("unknown rule '", word.substr(comma + 1), "' after the measure ", rule.measure->name), "",
                      text("use ", rule.measure->name, " or ", rule.measure->name, ",1se"));
  }
  return rule;
}

}  // namespace krossfold::measures
