// SPDX-License-Identifier: BSD-3-Clause
// Where one manager saturates: the farm in virtual time on up to 4,096 ranks, with the unit times of a real search
// (recorded/svm_units.csv), and the time that the queue itself takes.
//
//   many_nodes MANAGER_SECONDS     seconds that the manager takes to answer a claim, as `farm claims` measures
//
// To these, what the queue takes for a claim with so many ranks and groups is added: it is measured first, in a run of its own.
// A study has 30 units for each rank: the recorded times in turn, scaled to a mean. Claims of different ranks wait for one another at
// the manager; a rank loses 1 ms in each claim besides, as in docs/scheduling.md. Units share an affinity (a gamma, or a part of the
// training set) with every GROUPS-th other one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "bench/recorded_units.hpp"
#include "krossfold/parallel/farm_simulation.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::parallel;

constexpr int units_per_rank = 30, ranks_per_node = 4;
constexpr double message_seconds = 1e-3;

struct Units : Study {
  std::vector<Unit> all;
  std::vector<double> seconds;  ///< by index[0]
  std::vector<Unit> initial() override { return all; }
  std::vector<Unit> on_record(const Record&) override { return {}; }
};

Units study_of(const std::vector<bench::RecordedUnit>& recorded, int count, double mean, int groups) {
  double sum = 0;
  for (const bench::RecordedUnit& unit : recorded) sum += unit.seconds;
  const double scale = mean * static_cast<double>(recorded.size()) / sum;
  Units study;
  for (int k = 0; k < count; ++k) {
    study.seconds.push_back(scale * recorded[static_cast<std::size_t>(k) % recorded.size()].seconds);
    study.all.push_back({{1, {k, 0, 0}}, study.seconds.back(), k % groups});
  }
  return study;
}

void simulate_row(const std::vector<bench::RecordedUnit>& recorded, int ranks, double mean, int groups,
                  double manager_seconds) {
  Units study = study_of(recorded, ranks * units_per_rank, mean, groups);
  SimulatedFarm farm;
  farm.queue.schedule = Schedule::dynamic;
  farm.queue.node.clear();
  for (int rank = 0; rank < ranks; ++rank) farm.queue.node.push_back(rank / ranks_per_node);
  farm.claim_seconds = message_seconds;
  const double total = std::accumulate(study.seconds.begin(), study.seconds.end(), 0.0);
  const double longest = *std::max_element(study.seconds.begin(), study.seconds.end());
  const auto count = static_cast<double>(study.all.size());
  const auto seconds = [&](const Unit& unit) { return study.seconds[static_cast<std::size_t>(unit.key.index[0])]; };
  const auto began = std::chrono::steady_clock::now();
  simulate(study, seconds, farm);
  const double queue = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / count;
  farm.manager_seconds = manager_seconds + queue;
  const Simulation run = simulate(study, seconds, farm);
  std::printf("%6d %8d %7d %9.3f %12.2f %10.1f%% %8.3f %10.0f %12.1f\n", ranks, ranks * units_per_rank, groups, mean,
              run.makespan, 100 * run.utilisation, run.makespan / std::max(total / ranks, longest),
              count / run.makespan, 1e6 * queue);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const double manager_seconds = argc == 2 ? std::atof(argv[1]) : 0;
  if (manager_seconds <= 0) {
    std::fprintf(stderr, "usage: many_nodes MANAGER_SECONDS (as 1 / claims a second of mpirun -n 64 farm claims)\n");
    return 2;
  }
  try {
    const auto recorded = bench::recorded_units();
    std::printf("%6s %8s %7s %9s %12s %11s %8s %10s %12s\n", "ranks", "units", "groups", "mean, s", "makespan, s",
                "utilisation", "/ bound", "claims/s", "queue, us");
    for (const double mean : {0.01, 0.1, 1.0, 10.0}) {
      for (const int ranks : {64, 256, 1024, 4096}) simulate_row(recorded, ranks, mean, 100, manager_seconds);
    }
    for (const int groups : {24, 250, 1000}) simulate_row(recorded, 1024, 1.0, groups, manager_seconds);
  } catch (const Error& error) {
    std::fprintf(stderr, "many_nodes: error: %s\n", error.what());
    return 2;
  }
  return 0;
}
