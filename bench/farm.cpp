// SPDX-License-Identifier: BSD-3-Clause
// The task farm with sleeping units: how the schedules perform in the formations (nodes x ranks) of the reproduced
// study, and how fast claims are answered. Start it with mpirun; "nodes" are simulated as groups of ranks.
//
//   mpirun -n 12 farm grid [SCALE]      the 120 (gamma, fold) units of a search, with times of recorded/svm_units.csv
//   mpirun -n 12 farm bagging [SCALE]   12 bootstraps x 12 trials x 5 folds of CNNs and 12 final fits, timed by shape
//   mpirun -n 64 farm claims [UNITS]    empty units, with a journal: claims per second
//   mpirun -n 2 farm latency [UNITS]    how long a rank waits for its next unit while rank 0 computes
//   mpirun -n 64 farm rest [SECONDS]    units of a second for all ranks: processor time of rank 0, which answers them, and of the others
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

#include "bench/recorded_units.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/farm_simulation.hpp"
#include "krossfold/parallel/task_farm.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::parallel;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// Units and their durations; a final fit is ready once all units of its bootstrap (key index 0) have records.
struct SleepStudy : Study {
  std::vector<Unit> units;
  std::map<UnitKey, double> seconds;
  std::map<std::int32_t, int> left;
  std::map<std::int32_t, Unit> final_fit;

  void add(const Unit& unit, double length) {
    units.push_back(unit);
    seconds[unit.key] = length;
    ++left[unit.key.index[0]];
  }
  void add_final_fit(const Unit& unit, double length) {
    final_fit[unit.key.index[0]] = unit;
    seconds[unit.key] = length;
  }
  double total() const {
    return std::accumulate(seconds.begin(), seconds.end(), 0.0,
                           [](double sum, const auto& s) { return sum + s.second; });
  }
  /// The length of the longest chain of dependent units.
  double critical_path() const {
    double longest = 0;
    for (const Unit& unit : units) {
      const auto fit = final_fit.find(unit.key.index[0]);
      const double after = fit == final_fit.end() ? 0 : seconds.at(fit->second.key);
      longest = std::max(longest, seconds.at(unit.key) + after);
    }
    return longest;
  }
  std::vector<Unit> initial() override { return units; }
  std::vector<Unit> on_record(const Record& record) override {
    const std::int32_t b = record.key.index[0];
    if (final_fit.count(b) == 0 || final_fit[b].key == record.key || --left[b] > 0) return {};
    return {final_fit[b]};
  }
};

struct SleepExecutor : Executor {
  const SleepStudy& study;
  bool compute = false;        ///< spin instead of sleeping
  std::vector<double> waited;  ///< seconds between two units
  Clock::time_point ended{};

  explicit SleepExecutor(const SleepStudy& sleepers) : study(sleepers) {}
  std::vector<Record> run(const Unit& unit, UnitContext&) override {
    if (ended != Clock::time_point{}) waited.push_back(seconds_since(ended));
    const double length = study.seconds.at(unit.key);
    const auto began = Clock::now();
    if (compute) {
      while (seconds_since(began) < length) {
      }
    } else if (length > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(length));
    }
    Record record;
    record.key = unit.key;
    record.status = Status::done;
    ended = Clock::now();
    return {record};
  }
};

struct NoLog : RecordLog {
  void append(const Record&) override {}
  void sync() override {}
};

struct NoSink : CheckpointSink {
  void store(const std::string&, std::span<const std::byte>) override {}
};

struct Formation {
  int nodes = 1, ranks = 1;  ///< ranks of each node
  int size() const { return nodes * ranks; }
  std::vector<std::string> hosts() const {
    std::vector<std::string> host;
    for (int r = 0; r < size(); ++r) host.push_back("node" + std::to_string(r / ranks));
    return host;
  }
};

/// Runs the farm on the first ranks of the world; returns its seconds on rank 0 and 0 elsewhere.
/// Writes the records to a journal in the working directory if `journal` is given.
double run(const Communicator& world, const Formation& formation, Schedule schedule, SleepStudy study,
           const std::string& journal = "") {
  const bool takes_part = world.rank() < formation.size();
  const Communicator comm(world, takes_part ? 0 : 1);
  double seconds = 0;
  if (takes_part) {
    SleepExecutor executor(study);
    NoLog no_log;
    std::unique_ptr<storage::Journal> file;
    if (comm.is_root() && !journal.empty()) file = std::make_unique<storage::Journal>(journal, storage::Fingerprint{});
    NoSink sink;
    const std::vector<Record> none;
    FarmRoot root{study, file ? static_cast<RecordLog&>(*file) : no_log, none};
    FarmParams params;
    params.schedule = schedule;
    params.host = formation.hosts();
    patient_barrier(comm);
    const FarmOutcome outcome = run_farm(comm, comm.is_root() ? &root : nullptr, executor, sink, params);
    if (comm.is_root()) seconds = outcome.seconds;
    if (file) file->remove();
  }
  patient_barrier(world);
  return seconds;
}

void print_header(const SleepStudy& study) {
  std::printf("%zu units and %zu final fits, %.2f s in all, critical path %.2f s\n", study.units.size(),
              study.final_fit.size(), study.total(), study.critical_path());
  std::printf("%-10s %5s %-18s %9s %9s %9s %11s\n", "formation", "ranks", "schedule", "seconds", "simulated", "/ bound",
              "utilisation");
}

void measure(const Communicator& world, const Formation& formation, const std::string& name, Schedule schedule,
             const SleepStudy& study, double critical_path) {
  const double seconds = run(world, formation, schedule, study);
  if (!world.is_root()) return;
  SleepStudy again = study;
  SimulatedFarm farm;
  farm.queue = {schedule, nodes_of(formation.hosts(), formation.size()), 0};
  const Simulation simulation = simulate(
      again, [&](const Unit& unit) { return study.seconds.at(unit.key); }, farm);
  const double bound = std::max(study.total() / formation.size(), critical_path);
  std::printf("%-10s %5d %-18s %9.3f %9.3f %9.3f %10.1f%%\n", text(formation.nodes, "x", formation.ranks).c_str(),
              formation.size(), name.c_str(), seconds, simulation.makespan, seconds / bound,
              100 * study.total() / (seconds * formation.size()));
  std::fflush(stdout);
}

SleepStudy grid_study(double scale) {
  SleepStudy study;
  for (const auto& [gamma, fold, seconds] : bench::recorded_units()) {
    study.add({{1, {gamma, fold, 0}}, studies::relative_cost(gamma / 23.0), gamma}, scale * seconds);
  }
  return study;
}

/// Shapes are drawn as in the random search; costs count operations, and times vary around them with the number of
/// epochs. `whole`: a bootstrap is one unit. `known_costs`: the queue may use the costs; otherwise it takes units in
/// order.
SleepStudy bagging_study(double scale, bool whole, bool known_costs) {
  constexpr int bootstraps = 12, trials = 12, folds = 5;
  SleepStudy study;
  std::vector<double> fit_cost;
  for (int b = 0; b < bootstraps; ++b) {
    const StreamId stream{.seed = 12, .bootstrap = static_cast<std::uint16_t>(b)};
    std::uint64_t draw = 0;
    const auto epochs = [&] {  // roughly lognormal: 0.3 to 3 times the mean
      double sum = 0;
      for (int k = 0; k < 12; ++k) sum += random_uniform(stream, draw++);
      return std::exp(0.4 * (sum - 6));
    };
    std::vector<double> cost(trials);
    double whole_seconds = 0;
    for (int t = 0; t < trials; ++t) {
      const double channels = 1 + 998 * random_uniform(stream, draw++),
                   hidden = 1 + 1998 * random_uniform(stream, draw++);
      const double kernel = 2 + std::floor(9 * random_uniform(stream, draw++));
      const double pixels = (29 - kernel) * (29 - kernel);
      cost[t] = 3e-9 * channels * pixels * (3 * kernel * kernel + hidden);  // mean about 1
      for (int f = 0; f < folds; ++f) {
        Unit unit{{1, {b, t, f}}, known_costs ? cost[t] : 1};
        const double seconds = scale * cost[t] * epochs();
        whole_seconds += seconds;
        if (!whole) study.add(unit, seconds);
      }
    }
    std::sort(cost.begin(), cost.end());
    const double best = 1.25 * cost[4 + static_cast<std::size_t>(random_below(stream, draw++, 8))];
    const double seconds = scale * best * epochs();
    Unit fit{{2, {b, 0, 0}}, known_costs ? best : 1};
    if (whole) {
      study.add({{1, {b, 0, 0}}, 1}, whole_seconds + seconds);
    } else {
      study.add_final_fit(fit, seconds);
    }
    fit_cost.push_back(cost.back());
  }
  if (!known_costs) return study;
  // Bootstraps run one after another, the longest possible final fit first, and final fits as soon as they can start.
  for (Unit& unit : study.units) {
    const double own = fit_cost[static_cast<std::size_t>(unit.key.index[0])];
    unit.priority =
        -static_cast<int>(std::count_if(fit_cost.begin(), fit_cost.end(), [&](double c) { return c > own; }));
  }
  for (auto& [b, fit] : study.final_fit) fit.priority = 1;
  return study;
}

void run_grid(const Communicator& world, double scale) {
  const SleepStudy study = grid_study(scale);
  if (world.is_root()) print_header(study);
  for (const Formation formation : {Formation{1, 1}, {1, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 3}, {4, 3}}) {
    if (formation.size() > world.size()) continue;
    for (const Schedule schedule : all_schedules) {
      measure(world, formation, name_of(schedule), schedule, study, study.critical_path());
    }
  }
}

void run_bagging(const Communicator& world, double scale) {
  const SleepStudy units = bagging_study(scale, false, true), in_order = bagging_study(scale, false, false);
  const SleepStudy bootstraps = bagging_study(scale, true, false);
  const double path = units.critical_path();
  if (world.is_root()) print_header(units);
  for (const Formation formation : {Formation{1, 4}, {2, 3}, {3, 2}, {3, 3}, {4, 3}}) {
    if (formation.size() > world.size()) continue;
    measure(world, formation, "dynamic", Schedule::dynamic, units, path);
    measure(world, formation, "first in first out", Schedule::dynamic, in_order, path);
    measure(world, formation, "static", Schedule::fixed, units, path);
    measure(world, formation, "node-static", Schedule::node_static, units, path);
    measure(world, formation, "whole bootstraps", Schedule::node_static, bootstraps, path);
  }
}

void run_claims(const Communicator& world, int count) {
  SleepStudy study;
  for (int k = 0; k < count; ++k) study.add({{1, {k, 0, 0}}, 1.0 + k % 7, k % 100}, 0);
  const double seconds = run(world, {1, world.size()}, Schedule::dynamic, study, "farm.journal");
  if (world.is_root()) {
    std::printf("%d ranks: %d claims in %.3f s: %.0f a second\n", world.size(), count, seconds, count / seconds);
  }
}

void run_latency(const Communicator& world, int count) {
  SleepStudy study;
  // Rank 0 takes the single long unit and spins in it; all other units are short.
  study.add({{1, {0, 0, 0}}, 1e9}, 0.006 * count + 1);
  for (int k = 1; k <= count; ++k) study.add({{1, {k, 0, 0}}, 1}, 0.002);
  SleepExecutor executor(study);
  executor.compute = world.is_root();
  NoLog log;
  NoSink sink;
  const std::vector<Record> none;
  FarmRoot root{study, log, none};
  run_farm(world, world.is_root() ? &root : nullptr, executor, sink, {});
  std::sort(executor.waited.begin(), executor.waited.end());
  const auto at = [&](double part) {
    return 1e3 * executor.waited[static_cast<std::size_t>(part * (executor.waited.size() - 1.0))];
  };
  if (world.rank() == 1 && !executor.waited.empty()) {
    std::printf("%zu claims of rank 1 while rank 0 computes: median %.2f ms, 99 %% %.2f ms, longest %.2f ms\n",
                executor.waited.size(), at(.5), at(.99), at(1));
  }
}

/// Seconds of processor time of this process, in user and system mode.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void run_rest(const Communicator& world, int rounds) {
  SleepStudy study;
  for (int k = 0; k < rounds * world.size(); ++k) study.add({{1, {k, 0, 0}}, 1}, 1);
  patient_barrier(world);
  const double before = processor_seconds();
  const double seconds = run(world, {1, world.size()}, Schedule::dynamic, study);
  const double used = processor_seconds() - before;
  double others = 0;
  for (const std::string& one : all_gather(world, shortest(used))) others += std::stod(one);
  others -= used;
  if (world.is_root()) {
    std::printf("%d ranks, %d units of 1 s: %.2f s; of a processor, rank 0 took %.2f %%, the others %.2f %% each\n",
                world.size(), rounds * world.size(), seconds, 100 * used / seconds,
                100 * others / seconds / std::max(1, world.size() - 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const MpiRuntime mpi(&argc, &argv);
  const Communicator world(MPI_COMM_WORLD);
  const std::string scenario = argc > 1 ? argv[1] : "";
  const double number = argc > 2 ? std::atof(argv[2]) : 0;
  try {
    if (scenario == "grid") {
      run_grid(world, number > 0 ? number : .25);
    } else if (scenario == "bagging") {
      run_bagging(world, number > 0 ? number : .04);
    } else if (scenario == "claims") {
      run_claims(world, number > 0 ? static_cast<int>(number) : 20000);
    } else if (scenario == "latency") {
      run_latency(world, number > 0 ? static_cast<int>(number) : 1000);
    } else if (scenario == "rest") {
      run_rest(world, number > 0 ? static_cast<int>(number) : 20);
    } else {
      throw_input_error("nothing to measure", "", "mpirun -n RANKS farm grid|bagging|claims|latency|rest [NUMBER]");
    }
  } catch (const Error& error) {
    if (world.is_root()) std::fprintf(stderr, "farm: error: %s\n", error.what());
    return 2;
  }
  return 0;
}
