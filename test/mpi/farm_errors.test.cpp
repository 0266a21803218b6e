// SPDX-License-Identifier: BSD-3-Clause
// A failing unit affects only itself; an error of study, log or caller ends the farm on every rank.
#include <new>
#include <stdexcept>

#include "test/mpi/sample_farm.hpp"

namespace krossfold::parallel {
namespace {

using test::index_of;
using test::key;
using test::keys_of;
using test::sample_units;
using test::SampleFarm;
using testing::ElementsAreArray;

TEST(FarmErrors, unit_that_throws_is_recorded_with_its_reason_and_the_others_go_on) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(20);
  farm.executor.compute = [](const Unit& unit, UnitContext&) {
    switch (index_of(unit)) {
      case 3:
        throw_run_error("the loss is not finite", "epoch 2", "Lower the rate.");
      case 4:
        throw std::runtime_error("bad allocation of 7 GiB");
      case 5:
        throw 5;
      case 6:
        return std::vector<Record>();
      default:
        return std::vector<Record>{test::sample_record(unit)};
    }
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_THAT(farm.all_computed(comm), ElementsAreArray(keys_of(farm.study.units)));
  if (!comm.is_root()) return;
  ASSERT_THAT(keys_of(outcome.records), ElementsAreArray(keys_of(farm.study.units)));
  EXPECT_THAT(farm.log.appended(), testing::UnorderedElementsAreArray(keys_of(farm.study.units)));
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(outcome.records[k].status, k >= 3 && k <= 6 ? Status::failed : Status::done) << k;
    EXPECT_EQ(outcome.records[k].payload.empty(), k >= 3 && k <= 6) << k;
  }
  EXPECT_EQ(outcome.records[2].reason, "");
  EXPECT_EQ(outcome.records[3].reason, "the loss is not finite (epoch 2) Lower the rate.");
  EXPECT_EQ(outcome.records[4].reason, "bad allocation of 7 GiB");
  EXPECT_EQ(outcome.records[5].reason, "unknown exception");
  EXPECT_EQ(outcome.records[6].reason, "the unit returned no result");
}

TEST(FarmErrors, record_that_the_study_refuses_ends_the_farm_and_is_not_logged) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(9);
  farm.study.then = [](const Record& record) -> std::vector<Unit> {
    if (record.key == key(4)) throw_run_error("a record has 24 values", "the study has 3");
    return {};
  };
  const Error error = farm.error(comm);
  EXPECT_THAT(error.what(), testing::HasSubstr("a record has 24 values"));
  EXPECT_THAT(farm.log.appended(), testing::Not(testing::Contains(key(4))));
}

TEST(FarmErrors, unit_out_of_memory_is_tried_again_alone_and_kept_if_that_is_enough) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter computing(comm);
  SampleFarm farm;
  farm.study.units = sample_units(20);
  farm.executor.compute = [&](const Unit& unit, UnitContext&) {
    const test::Presence presence(computing);
    test::sleep_ms(2);
    const bool large = index_of(unit) == 2 || index_of(unit) == 5;
    if (large && farm.executor.released == 0) throw std::bad_alloc();
    if (large) {
      EXPECT_EQ(computing.value(), 1);
    }
    if (index_of(unit) == 7) throw std::bad_alloc();
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(farm.executor.released, 1) << "on every rank, before the first of them is retried";
  auto twice = keys_of(farm.study.units);
  for (const int k : {2, 5, 7}) twice.push_back(key(k));
  EXPECT_THAT(farm.all_computed(comm), testing::UnorderedElementsAreArray(twice));
  if (!comm.is_root()) return;
  EXPECT_THAT(farm.log.appended(), testing::UnorderedElementsAreArray(keys_of(farm.study.units)));
  ASSERT_THAT(keys_of(outcome.records), ElementsAreArray(keys_of(farm.study.units)));
  for (const Record& record : outcome.records) {
    EXPECT_EQ(record.status, record.key == key(7) ? Status::failed : Status::done) << record.key.index[0];
  }
  EXPECT_EQ(outcome.records[7].reason, "out of memory, even when run alone (std::bad_alloc)");
}

TEST(FarmErrors, what_waits_for_a_unit_out_of_memory_starts_after_its_second_try) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(6);
  farm.study.then = [seen = 0](const Record& record) mutable -> std::vector<Unit> {
    if (record.key.kind != 1 || ++seen < 6) return {};
    return {{{2, {0, 0, 0}}, 1}};
  };
  farm.executor.compute = [&](const Unit& unit, UnitContext&) {
    if (unit.key == key(4) && farm.executor.released == 0) throw std::bad_alloc();
    return std::vector<Record>{test::sample_record(unit)};
  };
  const FarmOutcome outcome = farm.run(comm);
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.records.size(), comm.is_root() ? 7u : 0u);
}

/// Runs a farm of 30 units with `arrange` and expects its error on every rank.
void expect_error(const std::function<void(SampleFarm&)>& arrange, ExitCode code, const std::string& message) {
  const Communicator comm(MPI_COMM_WORLD);
  SampleFarm farm;
  farm.study.units = sample_units(30);
  arrange(farm);
  const Error error = farm.error(comm);
  EXPECT_EQ(error.code(), code);
  EXPECT_EQ(std::string(error.what()), message);

  SampleFarm next;  // the communicator is still usable
  next.study.units = sample_units(5);
  EXPECT_TRUE(next.run(comm).finished);
}

TEST(FarmErrors, error_of_on_record_is_thrown_on_every_rank) {
  expect_error(
      [](SampleFarm& farm) {
        farm.study.then = [](const Record& record) -> std::vector<Unit> {
          if (record.key == key(7)) throw_input_error("a record names unit 7", "there is none");
          return {};
        };
      },
      ExitCode::usage, "a record names unit 7 (there is none)");
}

TEST(FarmErrors, error_of_on_record_for_a_replayed_record_is_thrown_on_every_rank) {
  expect_error(
      [](SampleFarm& farm) {
        farm.replayed = {test::sample_record(farm.study.units[0])};
        farm.study.then = [](const Record&) -> std::vector<Unit> { throw_run_error("a strange record"); };
      },
      ExitCode::failed, "a strange record");
}

TEST(FarmErrors, error_of_append_is_thrown_on_every_rank) {
  expect_error(
      [](SampleFarm& farm) {
        farm.log.on_append = [](const Record&) { throw_system_error("cannot write the journal j", 28); };
      },
      ExitCode::failed, "cannot write the journal j (No space left on device)");
}

TEST(FarmErrors, error_of_sync_is_thrown_on_every_rank_even_if_it_is_the_last) {
  for (const double every : {0., 60.}) {
    expect_error(
        [&](SampleFarm& farm) {
          farm.params.sync_every = every;
          farm.log.on_sync = [] { throw_run_error("cannot sync"); };
        },
        ExitCode::failed, "cannot sync");
  }
}

TEST(FarmErrors, error_of_stop_requested_is_thrown_on_every_rank) {
  expect_error(
      [](SampleFarm& farm) { farm.params.stop_requested = []() -> bool { throw std::runtime_error("no such job"); }; },
      ExitCode::failed, "no such job");
}

TEST(FarmErrors, error_of_the_sink_is_thrown_on_every_rank_and_is_no_failure_of_the_unit) {
  const auto store_at_7 = [](const Unit& unit, UnitContext& context) {
    if (index_of(unit) == 7) context.checkpoint.store("model", {});
    return std::vector<Record>{test::sample_record(unit)};
  };
  expect_error(
      [&](SampleFarm& farm) {
        farm.executor.compute = store_at_7;
        farm.store = [](const std::string&) { throw_system_error("cannot write model", 28); };
        farm.log.on_append = [](const Record& record) { EXPECT_NE(record.key, key(7)); };
      },
      ExitCode::failed, "cannot write model (No space left on device)");
}

TEST(FarmErrors, checkpoint_that_may_not_be_read_is_no_failure_of_the_unit_either) {
  expect_error(
      [](SampleFarm& farm) {
        farm.executor.compute = [](const Unit& unit, UnitContext& context) {
          if (index_of(unit) == 7) context.checkpoint.load("part");
          return std::vector<Record>{test::sample_record(unit)};
        };
        farm.load = [](const std::string&) { throw_run_error("cannot read part", "it is a symbolic link"); };
        farm.log.on_append = [](const Record& record) { EXPECT_NE(record.key, key(7)); };
      },
      ExitCode::failed, "cannot read part (it is a symbolic link)");
}

TEST(FarmErrors, any_exception_is_an_error_also_one_without_words) {
  expect_error([](SampleFarm& farm) { farm.log.on_append = [](const Record&) { throw std::runtime_error(""); }; },
               ExitCode::failed, "");
  expect_error([](SampleFarm& farm) { farm.log.on_append = [](const Record&) { throw 1; }; }, ExitCode::failed,
               "unknown exception in the manager of the farm");
}

TEST(FarmErrors, long_message_arrives_whole) {
  const std::string message(200'000, 'x');  // exceeds MPI's eager limit
  expect_error([&](SampleFarm& farm) { farm.log.on_append = [&](const Record&) { throw_run_error(message); }; },
               ExitCode::failed, message);
}

TEST(FarmErrors, first_error_is_the_one_thrown) {
  expect_error(
      [](SampleFarm& farm) {
        farm.study.then = [](const Record&) -> std::vector<Unit> { throw_run_error("first"); };
        farm.log.on_sync = [] { throw_run_error("second"); };
      },
      ExitCode::failed, "first");
}

TEST(FarmErrors, error_of_initial_is_thrown_on_every_rank) {
  struct NoUnits : Study {
    std::vector<Unit> initial() override { throw_input_error("no units"); }
    std::vector<Unit> on_record(const Record&) override { return {}; }
  };
  struct NoSink : CheckpointSink {
    void store(const std::string&, std::span<const std::byte>) override {}
  };
  const Communicator comm(MPI_COMM_WORLD);
  NoUnits study;
  NoSink sink;
  SampleFarm farm;
  const std::vector<Record> replayed;
  FarmRoot root{study, farm.log, replayed};
  try {
    run_farm(comm, comm.is_root() ? &root : nullptr, farm.executor, sink, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()), "no units");
  }
}

TEST(FarmErrors, error_drops_the_units_in_flight_without_grace) {
  const Communicator comm(MPI_COMM_WORLD);
  test::SharedCounter begun(comm);
  SampleFarm farm;
  farm.params.grace = 60;
  farm.study.units = sample_units(30);
  farm.study.units[0].cost = 9;  // is handed out first
  bool stopped = true;
  farm.executor.compute = [&](const Unit& unit, UnitContext& context) -> std::vector<Record> {
    begun.add();
    if (index_of(unit) == 0) {
      EXPECT_TRUE(test::wait_until([&] { return begun.value() == comm.size(); }));
      return {test::sample_record(unit)};
    }
    stopped = test::wait_for_stop(context);
    return {};
  };
  farm.study.then = [](const Record&) -> std::vector<Unit> { throw_run_error("no"); };
  EXPECT_EQ(std::string(farm.error(comm).what()), "no");
  EXPECT_TRUE(stopped);
  EXPECT_EQ(farm.all_computed(comm).size(), static_cast<std::size_t>(comm.size()));
}

}  // namespace
}  // namespace krossfold::parallel
