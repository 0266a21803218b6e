// SPDX-License-Identifier: BSD-3-Clause
// Tests when the farm appends to its log and when it syncs it.
#include <algorithm>

#include "test/mpi/sample_farm.hpp"

namespace krossfold::parallel {
namespace {

using test::index_of;
using test::keys_of;
using test::sample_units;
using test::SampleFarm;

void sleep_a_little(SampleFarm& farm) {
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(5);
    return std::vector<Record>{test::sample_record(unit)};
  };
}

TEST(FarmLog, holds_every_record_once_and_is_synced_after_the_last) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(40);
  farm.params.sync_every = 0;
  sleep_a_little(farm);
  EXPECT_TRUE(farm.run(comm).finished);
  if (!comm.is_root()) return;
  EXPECT_THAT(farm.log.appended(), testing::UnorderedElementsAreArray(keys_of(farm.study.units)));
  EXPECT_TRUE(farm.log.events.back().sync);
  bool before_is_sync = true;
  for (const auto& event : farm.log.events) {
    EXPECT_FALSE(before_is_sync && event.sync) << "a sync without a new record since the last";
    before_is_sync = event.sync;
  }
}

TEST(FarmLog, keeps_the_first_of_two_records_of_a_key) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(1);
  farm.replayed = {test::sample_record({test::key(5)})};
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    std::vector<Record> records{test::sample_record(unit), test::sample_record(unit), test::sample_record(unit)};
    records[0].key = test::key(5);
    records[1].key = test::key(6);
    return records;
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  if (!comm.is_root()) return;
  EXPECT_EQ(farm.log.appended(), (std::vector<UnitKey>{test::key(6), test::key(0)}));
  ASSERT_EQ(outcome.records.size(), 3u);
  for (const Record& record : outcome.records) {
    if (record.key == test::key(5)) {
      EXPECT_EQ(record.payload, test::sample_payload(test::key(5))) << "that of the earlier run";
    }
  }
}

TEST(FarmLog, syncs_are_at_least_the_given_time_apart_but_the_last) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(60);
  farm.params.sync_every = .05;
  farm.log.on_sync = [] { test::sleep_ms(3); };
  sleep_a_little(farm);
  EXPECT_TRUE(farm.run(comm).finished);
  std::vector<double> syncs;
  for (const auto& event : farm.log.events) {
    if (event.sync) syncs.push_back(event.seconds);
  }
  if (!syncs.empty()) syncs.pop_back();
  EXPECT_EQ(syncs.empty(), !comm.is_root());
  for (std::size_t k = 1; k < syncs.size(); ++k) EXPECT_GE(syncs[k] - syncs[k - 1], .05);
}

TEST(FarmLog, is_synced_once_at_the_end_of_a_farm_shorter_than_the_interval) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(20);
  farm.params.sync_every = 1000;
  EXPECT_TRUE(farm.run(comm).finished);
  EXPECT_EQ(farm.log.syncs(), comm.is_root() ? 1 : 0);
}

// Each rank runs a farm of its own, so that the next unit is known.
TEST(FarmLog, claims_are_answered_before_the_sync) {
  const Communicator alone(MPI_COMM_SELF);
  std::atomic<int> begun = 0;
  SampleFarm farm;
  farm.study.units = sample_units(10);
  farm.params.sync_every = 0;
  farm.executor.compute = [&](const Unit& unit, UnitContext&) {
    ++begun;
    return std::vector<Record>{test::sample_record(unit)};
  };
  farm.log.on_sync = [&] {
    const int done = static_cast<int>(farm.log.appended().size());
    if (done < 10) {
      EXPECT_TRUE(test::wait_until([&] { return begun > done; })) << "unit " << done << " waits for the sync";
    }
  };
  EXPECT_TRUE(farm.run(alone).finished);
  EXPECT_EQ(farm.log.syncs(), 10);
}

TEST(FarmLog, record_is_synced_while_other_units_compute) {
  const Communicator alone(MPI_COMM_SELF);
  std::atomic<bool> synced = false;
  SampleFarm farm;
  farm.study.units = sample_units(2);
  farm.params.sync_every = .02;
  farm.log.on_sync = [&] { synced = true; };
  farm.executor.compute = [&](const Unit& unit, UnitContext&) {
    EXPECT_TRUE(index_of(unit) == 0 || test::wait_until([&] { return synced.load(); }));
    return std::vector<Record>{test::sample_record(unit)};
  };
  EXPECT_TRUE(farm.run(alone).finished);
}

TEST(FarmLog, records_of_failed_and_stopped_farms_are_synced_too) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(20);
  farm.params.sync_every = 1000;
  farm.study.then = [&](const Record&) -> std::vector<Unit> {
    if (farm.study.seen.size() == 5) throw_run_error("the fifth");
    return {};
  };
  EXPECT_EQ(std::string(farm.error(comm).what()), "the fifth");
  if (!comm.is_root()) return;
  EXPECT_GE(farm.log.appended().size(), 4u) << "all before the one that the study refused";
  EXPECT_TRUE(farm.log.events.back().sync);
}

TEST(FarmLog, snapshots_come_at_intervals_and_hold_all_records_so_far) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(60);
  farm.replayed = {test::sample_record(farm.study.units[7])};
  farm.snapshot_every = .02;
  sleep_a_little(farm);
  std::vector<std::size_t> sizes;
  farm.snapshot = [&](const std::vector<Record>& records) {
    sizes.push_back(records.size());
    for (const Record& record : records) EXPECT_EQ(record.payload, test::sample_payload(record.key));
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  if (!comm.is_root()) return;
  EXPECT_GE(sizes.size(), 2u);
  EXPECT_LE(static_cast<double>(sizes.size()), outcome.seconds / farm.snapshot_every);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_GT(sizes.back(), sizes.front());
}

TEST(FarmLog, error_of_a_snapshot_ends_the_farm_and_costs_no_record) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(60);
  farm.snapshot_every = .02;
  sleep_a_little(farm);
  farm.snapshot = [](const std::vector<Record>&) { throw_run_error("no space left"); };
  EXPECT_EQ(std::string(farm.error(comm).what()), "no space left");
  if (!comm.is_root()) return;
  EXPECT_GE(farm.log.appended().size(), 1u);
  EXPECT_TRUE(farm.log.events.back().sync);
}

}  // namespace
}  // namespace krossfold::parallel
