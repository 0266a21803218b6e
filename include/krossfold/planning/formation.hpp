// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold::planning {

/// Ranks, their nodes and their speeds.
struct Formation {
  std::string name;           ///< as written by the user
  std::vector<int> node;      ///< (rank): 0 ... nodes - 1
  std::vector<double> speed;  ///< (rank): 1 is a rank of the study whose times are known
  std::vector<int> nodes;     ///< (group): nodes of each of the groups joined by +

  int ranks() const { return static_cast<int>(node.size()); }
  /// The sum of the speeds.
  double power() const;
  double fastest() const;
  int node_count() const;
};

/// The most ranks that a formation may have.
inline constexpr int max_ranks = 16384;

/// Reads groups `NODESxRANKS[@SPEED]` joined by +: "2x4" is 2 nodes of 4 ranks each, "1x2+1x4@0.5" a node of 2 ranks and
/// one of 4 ranks of half the speed. Throws an input error that names the option `formation`.
Formation parse_formation(std::string_view word);

/// Reads several formations, separated by commas.
std::vector<Formation> parse_formations(std::string_view list);

/// What an hour of a node costs, in any currency: one value for all nodes, or one for each group of a formation; empty if not known.
using NodePrices = std::vector<double>;

/// Reads prices above 0, joined by +: "2.5", "0.9+2.5". Throws an input error that names the option `price`.
NodePrices parse_prices(std::string_view word);

/// seconds / 3600 * sum over groups of nodes * price, as whole nodes are paid for whatever their ranks do; nothing without prices.
/// Throws an input error if the groups are not as many as the prices.
std::optional<double> price_of(const Formation& formation, double seconds, const NodePrices& prices);

/// The formations that a plan tries by default: 1x1, 1x2, 1x4, 2x4, 4x4, ... for k = 0, 1, 2, ...
Formation default_formation(int k);

/// True if the ranks of a study had GPUs; `formation` as in its result file: "2x4xCUDA", "3+2xSerial".
bool has_devices(std::string_view formation);

}  // namespace krossfold::planning
