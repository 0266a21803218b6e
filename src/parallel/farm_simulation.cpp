// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/farm_simulation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace krossfold::parallel {

Simulation simulate(Study& study, const std::function<double(const Unit&)>& seconds, const SimulatedFarm& farm) {
  const int ranks = static_cast<int>(farm.queue.node.size());
  UnitQueue queue(farm.queue);
  queue.add(study.initial());
  Simulation result;
  std::set<std::pair<double, int>> ends;  // end time of each rank's unit
  std::map<int, SimulatedUnit> in_flight;
  std::set<int> idle;
  for (int rank = 0; rank < ranks; ++rank) idle.insert(rank);
  double now = 0, manager_free = 0;
  for (;;) {
    for (auto rank = idle.begin(); rank != idle.end();) {
      auto unit = queue.take(*rank);
      if (!unit) {
        ++rank;
        continue;
      }
      const double speed = farm.speed.empty() ? 1 : farm.speed[static_cast<std::size_t>(*rank)];
      const double claim = *rank == 0 ? farm.root_claim_seconds.value_or(farm.claim_seconds) : farm.claim_seconds;
      manager_free = std::max(now, manager_free) + farm.manager_seconds;
      const double started = manager_free + claim, taken = seconds(*unit) / speed;
      in_flight[*rank] = {std::move(*unit), *rank, started, taken};
      ends.insert({started + taken, *rank});
      rank = idle.erase(rank);
    }
    if (ends.empty()) break;
    const auto [end, rank] = *ends.begin();
    ends.erase(ends.begin());
    now = end;
    SimulatedUnit done = std::move(in_flight.extract(rank).mapped());
    queue.measured(done.unit, done.seconds);
    Record record;
    record.key = done.unit.key;
    record.status = Status::done;
    record.started = done.started;
    record.seconds = done.seconds;
    record.rank = rank;
    queue.add(study.on_record(record), rank);
    result.makespan = std::max(result.makespan, end);
    result.busy += done.seconds;
    result.units.push_back(std::move(done));
    idle.insert(rank);
  }
  std::stable_sort(result.units.begin(), result.units.end(),
                   [](const auto& a, const auto& b) { return a.started < b.started; });
  if (result.makespan > 0) result.utilisation = result.busy / (result.makespan * ranks);
  return result;
}

}  // namespace krossfold::parallel
