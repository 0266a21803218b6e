// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/schedule.hpp"

#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

std::string name_of(Schedule schedule) {
  switch (schedule) {
    case Schedule::dynamic:
      return "dynamic";
    case Schedule::fixed:
      return "static";
    case Schedule::shuffled:
      return "shuffled";
    case Schedule::node_static:
      return "node-static";
  }
  return "unknown";
}

Schedule parse_schedule(std::string_view word) {
  std::vector<std::string> names;
  for (const Schedule schedule : all_schedules) {
    if (name_of(schedule) == word) return schedule;
    names.push_back(name_of(schedule));
  }
  const std::string nearest = nearest_word(std::string(word), names);
  throw_input_error(text("unknown --schedule '", word, "'"), text("it is ", schedule_names),
                    nearest.empty() ? "" : text("Did you mean ", nearest, "?"));
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
