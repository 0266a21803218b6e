// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos and MPI, so that the command line can use it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold::parallel {

/// How units are assigned to ranks. Affects times, never results.
enum class Schedule {
  dynamic,      ///< a rank asks when it is free; long units first
  fixed,        ///< "static": units in key order, split into equal contiguous runs, one per rank
  shuffled,     ///< as fixed, in random order
  node_static,  ///< equal contiguous runs, one per node, served dynamically to the ranks of the node
};

/// "dynamic, static, shuffled or node-static".
inline constexpr const char* schedule_names = "dynamic, static, shuffled or node-static";

/// Throws an input error for other words, suggesting the nearest valid one.
Schedule parse_schedule(std::string_view word);
std::string name_of(Schedule schedule);
inline constexpr Schedule all_schedules[] = {Schedule::dynamic, Schedule::fixed, Schedule::shuffled,
                                             Schedule::node_static};

/// Parameters of the queue of a farm.
struct QueueParams {
  Schedule schedule = Schedule::dynamic;
  std::vector<int> node{0};  ///< (rank): which node it is on, 0 ... nodes - 1
  std::uint64_t seed = 0;    ///< of Schedule::shuffled
};

/// The node of each rank, given the ranks' hosts, numbered by first rank; all 0 if `host` is empty.
std::vector<int> nodes_of(const std::vector<std::string>& host, int ranks);

}  // namespace krossfold::parallel
