// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/gang.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stop_token>
#include <string>

#include "krossfold/core/error.hpp"

namespace krossfold::parallel {
namespace {

struct Numbers : Study {
  int units;
  explicit Numbers(int n) : units(n) {}
  std::vector<Unit> initial() override {
    std::vector<Unit> all(static_cast<std::size_t>(units));
    for (int k = 0; k < units; ++k) all[static_cast<std::size_t>(k)].key = {1, {k, 0, 0}};
    return all;
  }
  std::vector<Unit> on_record(const Record&) override { return {}; }
};

struct KeepNothing : RecordLog, CheckpointSink {
  void append(const Record&) override {}
  void sync() override {}
  void store(const std::string&, std::span<const std::byte>) override {}
};

/// Sums the ranks of the gang; every third unit throws on all of them.
struct SumRanks : Executor {
  int world_rank;
  explicit SumRanks(int rank) : world_rank(rank) {}
  std::vector<Record> run(const Unit& unit, UnitContext& context) override {
    const Communicator& gang = *context.gang;
    on_all(gang, [&] {
      if (unit.key.index[0] % 3 == 2) throw_run_error("no luck", "it is a third unit");
    });
    int sum = 0;
    check(MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, gang.handle()), "MPI_Allreduce");
    Record record;
    record.key = unit.key;
    record.status = Status::done;
    record.payload = {static_cast<std::byte>(sum), static_cast<std::byte>(gang.size())};
    return {record};
  }
};

TEST(Gang, computes_units_on_neighbouring_ranks_together) {
  const Communicator comm(MPI_COMM_WORLD);
  for (int width = 1; width <= comm.size(); ++width) {
    Numbers study(12);
    KeepNothing nothing;
    const std::vector<Record> none;
    FarmRoot root{study, nothing, none};
    SumRanks executor(comm.rank());
    const FarmOutcome outcome =
        run_gangs(comm, width, comm.is_root() ? &root : nullptr, executor, nothing, FarmParams());
    EXPECT_TRUE(outcome.finished);
    if (!comm.is_root()) continue;
    std::set<int> sums;
    for (int gang = 0; gang < comm.size() / width; ++gang) sums.insert(width * width * gang + width * (width - 1) / 2);
    ASSERT_EQ(outcome.records.size(), 12u);
    for (const Record& record : outcome.records) {
      if (record.key.index[0] % 3 == 2) {
        EXPECT_EQ(record.status, Status::failed);
        EXPECT_NE(record.reason.find("no luck"), std::string::npos);
        continue;
      }
      EXPECT_EQ(record.payload.at(1), static_cast<std::byte>(width));
      EXPECT_TRUE(sums.contains(static_cast<int>(record.payload.at(0))));
    }
  }
}

struct FullDisk : CheckpointSink {
  void store(const std::string&, std::span<const std::byte>) override { throw_system_error("cannot write model", 28); }
};

/// The last rank of the gang stores something.
struct StoreOnLast : Executor {
  std::vector<Record> run(const Unit&, UnitContext& context) override {
    const Communicator& gang = *context.gang;
    on_all(gang, [&] {
      if (gang.rank() + 1 == gang.size()) context.checkpoint.store("model", {});
    });
    return {};
  }
};

TEST(Gang, error_of_the_sink_of_any_rank_is_thrown_on_every_rank_and_is_no_failure_of_the_unit) {
  struct NoRecord : KeepNothing {
    void append(const Record&) override { ADD_FAILURE() << "a unit that could not store was recorded"; }
  };
  const Communicator comm(MPI_COMM_WORLD);
  for (int width = 1; width <= comm.size(); ++width) {
    Numbers study(3);
    NoRecord log;
    FullDisk full;
    const std::vector<Record> none;
    FarmRoot root{study, log, none};
    StoreOnLast executor;
    try {
      run_gangs(comm, width, comm.is_root() ? &root : nullptr, executor, full, FarmParams());
      ADD_FAILURE() << "no error with width " << width;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), "cannot write model (No space left on device)");
    }
  }
}

/// Runs until the first rank sees the stop signal.
struct UntilStopped : Executor {
  int rounds = 0;
  std::vector<Record> run(const Unit&, UnitContext& context) override {
    const Communicator& gang = *context.gang;
    while (!agree(gang, context.stop.stop_requested())) ++rounds;
    return {};
  }
};

TEST(Gang, stop_reaches_all_of_its_ranks_in_the_same_round) {
  const Communicator comm(MPI_COMM_WORLD);
  Numbers study(1);
  KeepNothing nothing;
  const std::vector<Record> none;
  FarmRoot root{study, nothing, none};
  UntilStopped executor;
  FarmParams params;
  params.max_time = 0.05;
  params.grace = 0.05;
  const FarmOutcome outcome = run_gangs(comm, comm.size(), comm.is_root() ? &root : nullptr, executor, nothing, params);
  EXPECT_FALSE(outcome.finished);
  int least = executor.rounds, most = executor.rounds;
  check(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm.handle()), "MPI_Allreduce");
  check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm.handle()), "MPI_Allreduce");
  EXPECT_EQ(least, most);
  EXPECT_GT(least, 0);
}

}  // namespace
}  // namespace krossfold::parallel
