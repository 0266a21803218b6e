// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/schedule.hpp"

#include <array>
#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

std::string name_of(Schedule schedule) {
  constexpr std::array name = {"dynamic", "static", "shuffled", "node-static"};
  return name.at(static_cast<std::size_t>(schedule));
}

Schedule parse_schedule(std::string_view word) {
  std::vector<std::string> names;
  for (const Schedule schedule : all_schedules) {
    if (name_of(schedule) == word) return schedule;
    names.push_back(name_of(schedule));
  }
  throw_unknown_word("--schedule", word, names, schedule_names);
}

std::vector<int> nodes_of(const std::vector<std::string>& host, int ranks) {
  std::vector<int> node(static_cast<std::size_t>(ranks), 0);
  std::map<std::string, int> known;
  for (std::size_t rank = 0; rank < host.size() && rank < node.size(); ++rank) {
    node[rank] = known.try_emplace(host[rank], static_cast<int>(known.size())).first->second;
  }
  return node;
}

}  // namespace krossfold::parallel
