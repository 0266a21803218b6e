// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos and no MPI here: the command line names schedules.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold::parallel {

/// Who computes which unit. Results do not depend on it, times do.
enum class Schedule {
  dynamic,      ///< a rank asks when it is free; long units first
  fixed,        ///< "static": units in the order of their keys, split into one equal run for every rank
  shuffled,     ///< as fixed, in random order
  node_static,  ///< split into one equal run for every node; the ranks of a node ask for the next of it
};

/// "dynamic, static, shuffled or node-static".
inline constexpr const char* schedule_names = "dynamic, static, shuffled or node-static";

/// Throws an input error for another word, with the nearest that exists.
Schedule parse_schedule(std::string_view word);
std::string name_of(Schedule schedule);
inline constexpr Schedule all_schedules[] = {Schedule::dynamic, Schedule::fixed, Schedule::shuffled,
                                             Schedule::node_static};

/// How the units of a farm are handed out.
struct QueueParams {
  Schedule schedule = Schedule::dynamic;
  std::vector<int> node{0};  ///< (rank): which node it is on, 0 ... nodes - 1
  std::uint64_t seed = 0;    ///< of Schedule::shuffled
};

/// The nodes of ranks on these hosts, numbered by their first rank; all 0 if `host` is empty.
std::vector<int> nodes_of(const std::vector<std::string>& host, int ranks);

}  // namespace krossfold::parallel
