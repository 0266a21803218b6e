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
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <vector>

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

std::vector<double> recorded_times() {
  std::ifstream file(KROSSFOLD_RECORDED "/svm_units.csv");
  std::string line;
  std::vector<double> times;
  int gamma = 0, fold = 0;
  double seconds = 0;
  std::getline(file, line);
  while (std::getline(file, line) && std::sscanf(line.c_str(), "%d,%d,%lf", &gamma, &fold, &seconds) == 3) {
    times.push_back(seconds);
  }
  return times;
}

Units study_of(const std::vector<double>& times, int count, double mean, int groups) {
  const double scale = mean * static_cast<double>(times.size()) / std::accumulate(times.begin(), times.end(), 0.0);
  Units study;
  for (int k = 0; k < count; ++k) {
    study.seconds.push_back(scale * times[static_cast<std::size_t>(k) % times.size()]);
    study.all.push_back({{1, {k, 0, 0}}, study.seconds.back(), k % groups});
  }
  return study;
}

void simulate_row(const std::vector<double>& times, int ranks, double mean, int groups, double manager_seconds) {
  Units study = study_of(times, ranks * units_per_rank, mean, groups);
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
  const std::vector<double> times = recorded_times();
  if (manager_seconds <= 0 || times.empty()) {
    std::fprintf(stderr, "usage: many_nodes MANAGER_SECONDS (as 1 / claims a second of mpirun -n 64 farm claims)\n");
    return 2;
  }
  std::printf("%6s %8s %7s %9s %12s %11s %8s %10s %12s\n", "ranks", "units", "groups", "mean, s", "makespan, s",
              "utilisation", "/ bound", "claims/s", "queue, us");
  for (const double mean : {0.01, 0.1, 1.0, 10.0}) {
    for (const int ranks : {64, 256, 1024, 4096}) simulate_row(times, ranks, mean, 100, manager_seconds);
  }
  for (const int groups : {24, 250, 1000}) simulate_row(times, 1024, 1.0, groups, manager_seconds);
  return 0;
}
