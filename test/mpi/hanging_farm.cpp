// SPDX-License-Identifier: BSD-3-Clause
// hanging_farm unit|process RANK: on that rank the third unit never ends and never checks its stop signal, or the whole
// process is suspended. All others check every 10 ms. No rank may wait forever: the job must end and name the rank.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "krossfold/parallel/task_farm.hpp"

namespace {

struct Hang : krossfold::Study, krossfold::RecordLog, krossfold::Executor, krossfold::CheckpointSink {
  bool in_unit = false, as_process = false;
  int begun = 0;

  std::vector<krossfold::Unit> initial() override {
    std::vector<krossfold::Unit> units;
    for (int k = 0; k < 1000; ++k) units.push_back({{1, {k, 0, 0}}, 1});
    return units;
  }
  std::vector<krossfold::Unit> on_record(const krossfold::Record&) override { return {}; }
  void append(const krossfold::Record&) override {}
  void sync() override {}
  std::vector<krossfold::Record> run(const krossfold::Unit& unit, krossfold::UnitContext& context) override {
    if (++begun == 3) {
      if (as_process) std::raise(SIGSTOP);
      while (in_unit) std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    for (int k = 0; k < 5 && !context.stop.stop_requested(); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    krossfold::Record record;
    record.key = unit.key;
    record.status = krossfold::Status::done;
    return {record};
  }
  void store(const std::string&, std::span<const std::byte>) override {}
};

}  // namespace

int main(int argc, char** argv) {
  namespace parallel = krossfold::parallel;
  const parallel::MpiRuntime mpi(&argc, &argv);
  const parallel::Communicator comm(MPI_COMM_WORLD);
  Hang all;
  const bool hangs = comm.rank() == std::atoi(argv[2]);
  all.in_unit = hangs && std::string(argv[1]) == "unit";
  all.as_process = hangs && std::string(argv[1]) == "process";
  const std::vector<krossfold::Record> replayed;
  parallel::FarmRoot root{all, all, replayed};
  parallel::FarmParams params;
  params.stall_timeout = 5;
  params.host = {"host0", "host1", "host2"};
  parallel::run_farm(comm, comm.is_root() ? &root : nullptr, all, all, params);
  return 0;
}
