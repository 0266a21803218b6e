// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/formation.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::planning {

namespace {

[[noreturn]] void refuse(std::string_view word, const std::string& why) {
  throw_input_error(text("bad value '", word, "' for --formation"), why,
                    "For example 1x4,2x3, or 1x2+1x4@0.5 for nodes that differ.");
}

constexpr const char* syntax = "expected NODESxRANKS, groups joined by +, each with @SPEED if it is not 1";

std::vector<std::string_view> split(std::string_view all, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = all.find(at); end != std::string_view::npos; end = all.find(at)) {
    parts.push_back(all.substr(0, end));
    all.remove_prefix(end + 1);
  }
  parts.push_back(all);
  return parts;
}

/// The number that the digits spell if it lies in [low, high], else 0.
template <class T>
T number_in(std::string_view digits, T low, T high) {
  T number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end && number >= low && number <= high ? number : 0;
}

}  // namespace

double Formation::power() const { return std::accumulate(speed.begin(), speed.end(), 0.0); }

int Formation::node_count() const { return std::accumulate(nodes.begin(), nodes.end(), 0); }

double Formation::fastest() const { return speed.empty() ? 1 : *std::max_element(speed.begin(), speed.end()); }

Formation parse_formation(std::string_view word) {
  Formation formation;
  formation.name = word;
  int node = 0;
  for (const std::string_view group : split(word, '+')) {
    const auto at = group.find('@');
    const std::string_view size = group.substr(0, at);
    const auto x = size.find('x');
    if (x == std::string_view::npos) refuse(word, syntax);
    const int nodes = number_in(size.substr(0, x), 1, max_ranks), ranks = number_in(size.substr(x + 1), 1, max_ranks);
    if (nodes == 0 || ranks == 0) refuse(word, text("nodes and ranks are whole numbers from 1 to ", max_ranks));
    const double speed = at == std::string_view::npos ? 1 : number_in(group.substr(at + 1), 1e-3, 1e3);
    if (speed == 0) refuse(word, "a speed is a number from 0.001 to 1000, relative to the ranks of the study");
    if (nodes > (max_ranks - formation.ranks()) / ranks) refuse(word, text("it has more than ", max_ranks, " ranks"));
    formation.nodes.push_back(nodes);
    for (int k = 0; k < nodes; ++k, ++node) {
      formation.node.insert(formation.node.end(), static_cast<std::size_t>(ranks), node);
      formation.speed.insert(formation.speed.end(), static_cast<std::size_t>(ranks), speed);
    }
  }
  return formation;
}

Formation default_formation(int k) { return parse_formation(k < 3 ? text("1x", 1 << k) : text(1 << (k - 2), "x4")); }

std::vector<Formation> parse_formations(std::string_view list) {
  std::vector<Formation> formations;
  for (const std::string_view word : split(list, ',')) formations.push_back(parse_formation(word));
  return formations;
}

NodePrices parse_prices(std::string_view word) {
  NodePrices prices;
  for (const std::string_view part : split(word, '+')) {
    prices.push_back(number_in(part, std::numeric_limits<double>::min(), 1e12));
    require(prices.back() > 0, text("bad value '", word, "' for --price"),
            "a price is a number above 0: of an hour of a node, or of a node of each group of a formation, joined by +",
            "For example 2.5, or 0.9+2.5.");
  }
  return prices;
}

std::optional<double> price_of(const Formation& formation, double seconds, const NodePrices& prices) {
  if (prices.empty()) return std::nullopt;
  const std::size_t groups = formation.nodes.size();
  require(prices.size() == 1 || prices.size() == groups,
          text("--price has ", prices.size(), " values, and formation ", formation.name, " has ", groups,
               groups == 1 ? " group" : " groups"),
          "each group has a price of its own, or all the same", "Give one price, or one for each group.");
  double hour = 0;
  for (std::size_t g = 0; g < groups; ++g) hour += formation.nodes[g] * prices[prices.size() == 1 ? 0 : g];
  return seconds / 3600 * hour;
}

bool has_devices(std::string_view formation) {
  const std::string_view backend = formation.substr(formation.rfind('x') + 1);
  return backend == "CUDA" || backend == "HIP" || backend == "SYCL";
}

}  // namespace krossfold::planning
