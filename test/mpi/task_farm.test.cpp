// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/task_farm.hpp"

#include <algorithm>
#include <ctime>
#include <map>

#include "krossfold/core/serialize.hpp"
#include "src/parallel/farm_messages.hpp"
#include "test/mpi/sample_farm.hpp"

namespace krossfold::parallel {
namespace {

using test::index_of;
using test::keys_of;
using test::sample_units;
using test::SampleFarm;
using testing::ElementsAreArray;
using testing::IsEmpty;

std::vector<Record> in_order_of_start(std::vector<Record> records) {
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.started < b.started; });
  return records;
}

/// As of a record of more than 2 GiB, by a limit that is lower.
TEST(Messages, that_exceed_what_mpi_counts_are_sent_in_blocks) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() < 2) GTEST_SKIP() << "needs two ranks";
  for (const std::size_t length : {101, 65'528, 65'529, 500'000}) {
    std::vector<std::byte> bytes(length);
    for (std::size_t k = 0; k < length; ++k) bytes[k] = static_cast<std::byte>(k * 7 + k / 251);
    if (comm.rank() == 1) send(comm, 0, tag_request, bytes, 100);
    if (!comm.is_root()) continue;
    std::optional<Message> message;
    ASSERT_TRUE(test::wait_until([&] { return (message = receive(comm)).has_value(); }));
    EXPECT_EQ(message->rank, 1);
    EXPECT_EQ(message->tag, tag_request);
    EXPECT_EQ(message->bytes, bytes);
  }
}

TEST(TaskFarm, computes_every_unit_exactly_once) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(60);
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(index_of(unit) % 4);
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_THAT(farm.all_computed(comm), ElementsAreArray(keys_of(farm.study.units)));
  if (!comm.is_root()) {
    EXPECT_THAT(outcome.records, IsEmpty());
    return;
  }
  EXPECT_THAT(keys_of(outcome.records), ElementsAreArray(keys_of(farm.study.units)));
  EXPECT_THAT(farm.study.seen, testing::UnorderedElementsAreArray(keys_of(farm.study.units)));
  for (const Record& record : outcome.records) {
    EXPECT_EQ(record.status, Status::done);
    EXPECT_EQ(record.payload, test::sample_payload(record.key));
    EXPECT_GE(record.rank, 0);
    EXPECT_LT(record.rank, comm.size());
    EXPECT_GE(record.started, 0);
    EXPECT_GE(record.seconds, record.key.index[0] % 4 * 1e-3);
    EXPECT_LE(record.started + record.seconds, outcome.seconds);
  }
}

TEST(TaskFarm, results_do_not_depend_on_the_ranks) {
  const auto results = [](const Communicator& comm) {
    SampleFarm farm;
    farm.study.units = sample_units(30);
    farm.executor.compute = [&](const Unit& unit, UnitContext&) {
      test::sleep_ms((comm.rank() + index_of(unit)) % 3);
      if (index_of(unit) % 7 == 3) throw std::runtime_error("index " + std::to_string(index_of(unit)));
      return std::vector<Record>{test::sample_record(unit)};
    };
    std::vector<Record> records = farm.run(comm).records;
    for (Record& record : records) record.rank = 0, record.started = record.seconds = 0;
    std::vector<std::vector<std::byte>> bytes;
    for (const Record& record : records) bytes.push_back(to_bytes(record));
    return bytes;
  };
  const Communicator all(MPI_COMM_WORLD), alone(MPI_COMM_SELF);  // with `alone` each rank runs its own farm
  const auto together = results(all), by_itself = results(alone);
  EXPECT_EQ(by_itself.size(), 30u);
  if (all.is_root()) {
    EXPECT_EQ(together, by_itself);
  }
}

// Pretends that ranks 0 and 2 are on one host, 1 and 3 on another.
TEST(TaskFarm, split_schedules_keep_every_unit_with_its_rank_or_node) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const Schedule schedule : {Schedule::fixed, Schedule::shuffled, Schedule::node_static}) {
    SampleFarm farm;
    farm.study.units = sample_units(24);
    farm.params.schedule = schedule;
    for (int rank = 0; rank < comm.size(); ++rank) farm.params.host.push_back(rank % 2 == 0 ? "even" : "odd");
    const FarmOutcome outcome = farm.run(comm);
    EXPECT_TRUE(outcome.finished);
    EXPECT_THAT(farm.all_computed(comm), ElementsAreArray(keys_of(farm.study.units)));
    if (schedule != Schedule::node_static) {
      EXPECT_EQ(farm.executor.computed.size(), 24u / static_cast<unsigned>(comm.size()));
    }
    const int nodes = std::min(comm.size(), 2);
    for (const Record& record : outcome.records) {
      if (schedule == Schedule::fixed) {
        EXPECT_EQ(record.rank, record.key.index[0] * comm.size() / 24);
      }
      if (schedule == Schedule::node_static) {
        EXPECT_EQ(record.rank % 2, record.key.index[0] * nodes / 24);
      }
    }
  }
}

// Four groups of three units, a final fit (kind 2) for each group, and one (kind 3) of all final fits.
struct GroupedStudy {
  std::set<UnitKey> seen = {};

  static std::vector<Unit> units() {
    std::vector<Unit> units;
    for (int g = 0; g < 4; ++g) {
      for (int k = 0; k < 3; ++k) units.push_back({{1, {g, k, 0}}, 1, g});
    }
    return units;
  }
  int count(std::uint32_t kind, int g) const {
    return static_cast<int>(std::count_if(seen.begin(), seen.end(), [&](const UnitKey& one) {
      return one.kind == kind && (g < 0 || one.index[0] == g);
    }));
  }
  std::vector<Unit> operator()(const Record& record) {
    seen.insert(record.key);
    if (record.key.kind == 1 && count(1, record.key.index[0]) == 3) return {{{2, {record.key.index[0], 0, 0}}, 1}};
    if (record.key.kind == 2 && count(2, -1) == 4) return {{{3, {0, 0, 0}}, 1}};
    return {};
  }
};

bool needs(const Record& later, const Record& earlier) {
  return later.key.kind == earlier.key.kind + 1 && (later.key.kind == 3 || later.key.index[0] == earlier.key.index[0]);
}

TEST(TaskFarm, final_fits_run_after_what_they_depend_on) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = GroupedStudy::units();
  farm.study.then = GroupedStudy();
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(1 + (unit.key.index[0] + unit.key.index[1]) % 3);
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(farm.all_computed(comm).size(), 17u);
  int pairs = 0;
  for (const Record& later : outcome.records) {
    for (const Record& earlier : outcome.records) {
      if (!needs(later, earlier)) continue;
      EXPECT_GE(later.started, earlier.started + earlier.seconds);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, comm.is_root() ? 12 + 4 : 0);
}

TEST(TaskFarm, replayed_records_are_not_computed_again) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<Record> before;  // group 0 with its final fit, two units of group 1, one of them failed
  for (const UnitKey& one : {UnitKey{1, {0, 0, 0}}, UnitKey{1, {0, 1, 0}}, UnitKey{1, {0, 2, 0}}, UnitKey{2, {0, 0, 0}},
                             UnitKey{1, {1, 0, 0}}, UnitKey{1, {1, 2, 0}}}) {
    Record record;
    record.key = one;
    record.status = one.index[1] == 2 ? Status::failed : Status::done;
    record.started = 100 + one.index[1];
    record.seconds = 3;
    record.rank = 41;
    before.push_back(record);
  }
  SampleFarm farm;
  farm.replayed = before;
  farm.study.units = GroupedStudy::units();
  farm.study.then = GroupedStudy();
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  const auto computed = farm.all_computed(comm);
  EXPECT_EQ(computed.size(), 11u);
  for (const Record& record : before) EXPECT_THAT(computed, testing::Not(testing::Contains(record.key)));
  if (!comm.is_root()) return;
  EXPECT_THAT(farm.log.appended(), testing::UnorderedElementsAreArray(computed));
  ASSERT_EQ(outcome.records.size(), 17u);
  EXPECT_TRUE(std::is_sorted(outcome.records.begin(), outcome.records.end(),
                             [](const Record& a, const Record& b) { return a.key < b.key; }));
  int old = 0;
  for (const Record& record : outcome.records) {
    old += record.rank == 41 ? 1 : 0;
    // The clock of the study continues where the earlier run ended.
    EXPECT_EQ(record.started >= 105, record.rank != 41);
  }
  EXPECT_EQ(old, 6);
}

TEST(TaskFarm, ends_at_once_when_all_is_replayed_or_nothing_is_to_do) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm nothing;
  nothing.executor.compute = [](const Unit&, UnitContext&) -> std::vector<Record> {
    throw std::logic_error("no unit");
  };
  const FarmOutcome outcome = nothing.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_THAT(outcome.records, IsEmpty());
  EXPECT_THAT(nothing.log.events, IsEmpty());
  EXPECT_LT(outcome.seconds, 2);

  SampleFarm all;
  all.study.units = sample_units(5);
  for (const Unit& unit : all.study.units) all.replayed.push_back(test::sample_record(unit));
  EXPECT_TRUE(all.run(comm).finished);
  EXPECT_THAT(all.all_computed(comm), IsEmpty());
  EXPECT_THAT(all.log.events, IsEmpty());
}

TEST(TaskFarm, unit_named_twice_is_computed_once) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(4);
  farm.study.units.push_back(farm.study.units[2]);
  farm.study.then = [&](const Record&) { return sample_units(6); };
  EXPECT_TRUE(farm.run(comm).finished);
  EXPECT_THAT(farm.all_computed(comm), ElementsAreArray(keys_of(sample_units(6))));
}

TEST(TaskFarm, unit_may_give_several_records_that_share_its_time) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(6);
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    std::vector<Record> records(4, test::sample_record(unit));
    for (int k = 0; k < 4; ++k) records[k].key.index[1] = k;
    test::sleep_ms(40);
    return records;
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.records.size(), comm.is_root() ? 24u : 0u);
  std::map<int, double> seconds;
  for (const Record& record : outcome.records) {
    seconds[record.key.index[0]] += record.seconds;
    EXPECT_GE(record.seconds, .01);
  }
  for (const auto& [index, sum] : seconds) EXPECT_LE(sum, outcome.seconds) << index;
}

TEST(TaskFarm, longest_expected_unit_is_handed_out_first) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(20);
  for (Unit& unit : farm.study.units) unit.cost = 1 + 7 * index_of(unit) % 20;
  const std::vector<Record> records = in_order_of_start(farm.run(comm).records);
  for (std::size_t k = 1; k < records.size(); ++k) {
    EXPECT_GT(7 * records[k - 1].key.index[0] % 20, 7 * records[k].key.index[0] % 20) << "place " << k;
  }
}

TEST(TaskFarm, rank_leaves_its_group_only_when_no_unit_of_it_waits) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(30);
  for (Unit& unit : farm.study.units) unit.affinity = index_of(unit) % 5;
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(1 + index_of(unit) % 3);
    return std::vector<Record>{test::sample_record(unit)};
  };
  const std::vector<Record> records = in_order_of_start(farm.run(comm).records);
  std::map<int, int> group_of_rank;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const int group = records[k].key.index[0] % 5;
    const auto before = group_of_rank.find(records[k].rank);
    if (before != group_of_rank.end() && before->second != group) {
      for (std::size_t later = k + 1; later < records.size(); ++later) {
        EXPECT_NE(records[later].key.index[0] % 5, before->second) << "rank " << records[k].rank << ", place " << k;
      }
    }
    group_of_rank[records[k].rank] = group;
  }
}

TEST(TaskFarm, large_records_of_all_ranks_arrive_whole) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(12);
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    Record record = test::sample_record(unit);
    record.payload.assign(3'000'000 + index_of(unit), static_cast<std::byte>(index_of(unit)));
    return std::vector<Record>{record};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  for (const Record& record : outcome.records) {
    const int index = record.key.index[0];
    EXPECT_TRUE(record.payload == std::vector<std::byte>(3'000'000 + index, static_cast<std::byte>(index))) << index;
  }
}

TEST(TaskFarm, many_farms_follow_one_another_on_one_communicator) {
  const Communicator comm(MPI_COMM_WORLD);
  for (int round = 0; round < 30; ++round) {
    SampleFarm farm;
    farm.study.units = sample_units(round % 7);
    EXPECT_TRUE(farm.run(comm).finished) << "round " << round;
    ASSERT_EQ(farm.all_computed(comm).size(), static_cast<std::size_t>(round % 7)) << "round " << round;
  }
}

TEST(TaskFarm, rank_that_comes_late_does_not_hold_up_the_others) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter done(comm);
  SampleFarm farm;
  farm.study.units = sample_units(10);
  farm.executor.compute = [&](const Unit& unit, UnitContext&) {
    done.add();
    return std::vector<Record>{test::sample_record(unit)};
  };
  if (comm.rank() > 0) {
    EXPECT_TRUE(test::wait_until([&] { return done.value() == 10; }));
  }
  EXPECT_TRUE(farm.run(comm).finished);
  EXPECT_EQ(farm.executor.computed.size(), comm.is_root() ? 10u : 0u);
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(TaskFarm, ranks_that_wait_leave_their_core_to_others) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(1);
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(600);
    return std::vector<Record>{test::sample_record(unit)};
  };
  const double before = cpu_seconds();
  EXPECT_TRUE(farm.run(comm).finished);
  EXPECT_LT(cpu_seconds() - before, .3);
}

}  // namespace
}  // namespace krossfold::parallel
