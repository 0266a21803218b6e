// SPDX-License-Identifier: BSD-3-Clause
// Tests how a farm stops early: on request, or because its time is up.
#include <stdexcept>

#include "test/mpi/sample_farm.hpp"

namespace krossfold::parallel {
namespace {

using test::index_of;
using test::keys_of;
using test::sample_units;
using test::SampleFarm;
using testing::ElementsAreArray;
using testing::IsEmpty;
using Clock = std::chrono::steady_clock;

TEST(FarmStop, request_lets_units_in_flight_finish_and_hands_out_no_more) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(100);
  farm.params.grace = 60;
  farm.params.stop_requested = [&] { return !farm.log.events.empty(); };
  farm.executor.compute = [](const Unit& unit, UnitContext& context) {
    test::sleep_ms(20 + 10 * (index_of(unit) % 5));
    EXPECT_FALSE(context.stop.stop_requested());
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  const auto computed = farm.all_computed(comm);
  EXPECT_GE(computed.size(), 1u);
  EXPECT_LE(farm.executor.computed.size(), 1u);
  if (comm.is_root()) {
    EXPECT_THAT(keys_of(outcome.records), ElementsAreArray(computed));
    EXPECT_TRUE(farm.log.events.back().sync);
  }
}

TEST(FarmStop, request_of_any_rank_stops_the_farm_and_a_second_one_drops_its_units) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const bool drops : {false, true}) {
    test::SharedCounter begun(comm);
    SampleFarm farm;
    farm.study.units = sample_units(100);
    farm.params.grace = 1000;
    const bool asks = comm.rank() == comm.size() - 1;
    farm.params.stop_requested = [&] { return asks && begun.value() >= comm.size(); };
    if (drops) farm.params.drop_requested = farm.params.stop_requested;
    bool stopped = false;
    farm.executor.compute = [&](const Unit& unit, UnitContext& context) {
      begun.add();
      if (drops) {
        stopped = test::wait_for_stop(context);
        return std::vector<Record>();
      }
      test::sleep_ms(50);
      return std::vector<Record>{test::sample_record(unit)};
    };
    const FarmOutcome outcome = farm.run(comm);
    EXPECT_FALSE(outcome.finished);
    EXPECT_EQ(stopped, drops);
    EXPECT_LT(farm.all_computed(comm).size(), 50u);
  }
}

TEST(FarmStop, request_from_the_start_hands_out_nothing) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(5);
  farm.params.stop_requested = [] { return true; };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  EXPECT_THAT(farm.all_computed(comm), IsEmpty());
}

TEST(FarmStop, request_after_the_last_unit_leaves_the_farm_finished) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(8);
  farm.params.stop_requested = [&] { return farm.log.appended().size() == 8; };
  EXPECT_TRUE(farm.run(comm).finished);
}

TEST(FarmStop, units_in_flight_are_dropped_on_every_rank_when_their_grace_is_over) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter begun(comm);
  SampleFarm farm;
  farm.study.units = sample_units(comm.size());  // one per rank: only dropped units will be missing
  farm.params.grace = .2;
  farm.params.stop_requested = [&] { return begun.value() == comm.size(); };
  bool stopped = false;
  double seconds = 0;
  farm.executor.compute = [&](const Unit&, UnitContext& context) {
    // Rank 0 counts itself last, so that its clock starts before the farm can be stopped.
    if (comm.is_root()) test::wait_until([&] { return begun.value() == comm.size() - 1; });
    const auto began = Clock::now();
    begun.add();
    stopped = test::wait_for_stop(context);
    seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return std::vector<Record>();
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  EXPECT_TRUE(stopped);
  EXPECT_THAT(outcome.records, IsEmpty());
  EXPECT_THAT(farm.log.events, IsEmpty());
  EXPECT_EQ(farm.all_computed(comm).size(), static_cast<std::size_t>(comm.size()));
  if (comm.is_root()) {
    EXPECT_GE(seconds, farm.params.grace);
  }
  EXPECT_LT(outcome.seconds, 5);
}

TEST(FarmStop, second_request_drops_units_in_flight_whatever_their_grace) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter begun(comm);
  SampleFarm farm;
  farm.study.units = sample_units(comm.size());
  farm.params.grace = 1000;
  bool first = false;
  farm.params.stop_requested = [&] { return first = begun.value() == comm.size(); };
  farm.params.drop_requested = [&] { return first; };
  bool stopped = false;
  farm.executor.compute = [&](const Unit&, UnitContext& context) {
    begun.add();
    stopped = test::wait_for_stop(context);
    return std::vector<Record>();
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  EXPECT_TRUE(stopped);
  EXPECT_THAT(outcome.records, IsEmpty());
  EXPECT_EQ(farm.all_computed(comm).size(), static_cast<std::size_t>(comm.size()));
}

TEST(FarmStop, second_request_keeps_what_was_computed_before_it) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(100);
  farm.params.grace = 1000;
  farm.params.sync_every = 1000;                                                 // syncs only at the end
  farm.params.drop_requested = [&] { return farm.log.appended().size() >= 5; };  // no stop request comes first
  farm.executor.compute = [](const Unit& unit, UnitContext& context) {
    test::sleep_ms(5);
    if (context.stop.stop_requested()) return std::vector<Record>();
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  if (comm.is_root()) {
    EXPECT_GE(outcome.records.size(), 5u);
    EXPECT_LT(outcome.records.size(), 100u);
    EXPECT_EQ(outcome.records.size(), farm.log.appended().size());
    EXPECT_TRUE(farm.log.events.back().sync);
  }
}

TEST(FarmStop, error_of_the_question_whether_to_drop_is_thrown_on_every_rank) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(3);
  farm.params.drop_requested = []() -> bool { throw std::runtime_error("no answer"); };
  EXPECT_STREQ(farm.error(comm).what(), "no answer");
}

TEST(FarmStop, time_limit_stops_the_farm) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(2000);
  farm.params.max_time = .2;
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    test::sleep_ms(5);
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  const auto computed = farm.all_computed(comm);
  EXPECT_LT(computed.size(), 2000u);
  if (comm.is_root()) {
    EXPECT_GE(outcome.seconds, .2);
    EXPECT_THAT(keys_of(outcome.records), ElementsAreArray(computed));
  }
}

TEST(FarmStop, time_limit_drops_units_that_outlast_it_and_the_grace) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(10);
  farm.params.max_time = .2;
  farm.params.grace = .1;
  farm.executor.compute = [](const Unit&, UnitContext& context) {
    EXPECT_TRUE(test::wait_for_stop(context));
    return std::vector<Record>();
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  EXPECT_THAT(outcome.records, IsEmpty());
}

TEST(FarmStop, time_limit_that_is_over_at_once_lets_one_unit_through) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(100);
  farm.params.max_time = 1e-9;
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  if (comm.is_root()) {
    EXPECT_GE(outcome.records.size(), 1u);
    EXPECT_LT(outcome.records.size(), 100u);
  }
}

TEST(FarmStop, time_limit_far_away_changes_nothing) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(10);
  farm.params.max_time = 1000;
  EXPECT_TRUE(farm.run(comm).finished);
}

TEST(FarmStop, what_an_interrupted_unit_throws_is_not_recorded) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(10);
  farm.params.grace = 0;
  std::atomic<bool> begun = false;
  farm.params.stop_requested = [&] { return begun.load(); };
  farm.executor.compute = [&](const Unit&, UnitContext& context) -> std::vector<Record> {
    begun = true;
    EXPECT_TRUE(test::wait_for_stop(context));
    throw std::runtime_error("interrupted");
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_FALSE(outcome.finished);
  EXPECT_THAT(outcome.records, IsEmpty());
}

TEST(FarmStop, unit_that_is_complete_all_the_same_is_kept) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter begun(comm);
  SampleFarm farm;
  farm.study.units = sample_units(comm.size());
  farm.params.grace = 0;
  farm.params.stop_requested = [&] { return begun.value() == comm.size(); };
  farm.executor.compute = [&](const Unit& unit, UnitContext& context) {
    begun.add();
    EXPECT_TRUE(test::wait_for_stop(context));
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.records.size(), comm.is_root() ? static_cast<std::size_t>(comm.size()) : 0u);
}

TEST(FarmStop, units_that_become_ready_after_the_stop_are_left_to_the_next_run) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto final_fit = [seen = 0](const Record&) mutable -> std::vector<Unit> {
    return ++seen == 12 ? std::vector<Unit>{{{2, {0, 0, 0}}, 1}} : std::vector<Unit>();
  };
  std::vector<Record> records;
  std::vector<UnitKey> computed;
  for (const std::size_t stop_at : {5u, 12u, 100u}) {
    SampleFarm farm;
    farm.replayed = records;
    farm.study.units = sample_units(12);
    farm.study.then = final_fit;
    farm.params.stop_requested = [&] { return records.size() + farm.log.appended().size() >= stop_at; };
    const FarmOutcome outcome = farm.run(comm);
    EXPECT_EQ(outcome.finished, stop_at == 100) << stop_at;
    records = outcome.records;
    for (const UnitKey& one : farm.all_computed(comm)) computed.push_back(one);
  }
  EXPECT_EQ(records.size(), comm.is_root() ? 13u : 0u);
  std::vector<UnitKey> all = keys_of(sample_units(12));
  all.push_back({2, {0, 0, 0}});
  EXPECT_THAT(computed, testing::UnorderedElementsAreArray(all));  // each unit in exactly one run
}

}  // namespace
}  // namespace krossfold::parallel
