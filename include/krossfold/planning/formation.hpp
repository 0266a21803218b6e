// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace krossfold::planning {

/// Ranks on nodes, and how fast they are.
struct Formation {
  std::string name;           ///< as it was written
  std::vector<int> node;      ///< (rank): 0 ... nodes - 1
  std::vector<double> speed;  ///< (rank): 1 is a rank of the study whose times are known

  int ranks() const { return static_cast<int>(node.size()); }
  /// Sum over the ranks of their speed.
  double power() const;
  double fastest() const;
};

/// The most ranks that a formation may have.
inline constexpr int max_ranks = 16384;

/// Reads groups `NODESxRANKS[@SPEED]` joined by +: "2x4" is 2 nodes of 4 ranks each, "1x2+1x4@0.5" a node of 2 ranks and
/// one of 4 ranks of half the speed. Throws an input error that names `--formation`.
Formation parse_formation(std::string_view word);

/// The same for several, separated by commas.
std::vector<Formation> parse_formations(std::string_view list);

/// What is looked at where no formation is named: 1x1, 1x2, 1x4, 2x4, 4x4, ... for k = 0, 1, 2, ...
Formation step_of_ladder(int k);

}  // namespace krossfold::planning
