// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/studies/bag/units.hpp"
#include "test/run/memory_sink.hpp"

namespace krossfold {
namespace {

class BagExecutor : public ::testing::Test {
protected:
  const data::Task task = input::load_task({.limit = 600});
  const studies::OodImages ood = studies::gather_ood(task, 7, {});
  studies::BagLayout search;
  test::MemorySink sink;

  BagExecutor() {
    studies::BagParams params;
    params.bootstraps = 2;
    params.trials = 3;
    params.folds = 3;
    params.epochs = 6;
    params.channels = run::WholeRange{4, 8};
    params.kernel = run::WholeRange{2, 4};
    params.hidden = run::WholeRange{10, 30};
    params.log10_rate = {-2, -1.5};
    params.log10_momentum = {-1, -0.5};
    params.seed = 7;
    search = studies::lay_out_bag(params, task);
  }
  static Unit unit_of(std::uint32_t kind, int bootstrap, int trial, int fold) {
    Unit unit;
    unit.key = {kind, {bootstrap, trial, fold}};
    return unit;
  }
  std::vector<Record> run(studies::BagExecutor& executor, const Unit& unit, const StopSignal& stop = {}) {
    UnitContext context{stop, sink};
    return executor.run(unit, context);
  }
};

TEST_F(BagExecutor, trial_learns_and_is_validated_on_the_draws_of_its_fold) {
  studies::BagExecutor executor(search, task, ood);
  const auto records = run(executor, unit_of(studies::bag_unit_trial, 1, 2, 0));
  ASSERT_EQ(records.size(), 1u);
  const auto result = studies::TrialResult::from_bytes(records[0].payload);
  EXPECT_FALSE(result.training.diverged);
  EXPECT_EQ(result.held, 200);
  EXPECT_LT(result.error(), 0.4);
  EXPECT_LT(result.training.epoch_loss.back(), result.training.epoch_loss.front());
}

TEST_F(BagExecutor, result_of_a_unit_depends_on_nothing_that_was_computed_before) {
  studies::BagExecutor one(search, task, ood), two(search, task, ood);
  const Unit unit = unit_of(studies::bag_unit_trial, 0, 1, 2);
  run(one, unit_of(studies::bag_unit_trial, 1, 0, 1));
  const auto a = run(one, unit), b = run(two, unit), other = run(two, unit_of(studies::bag_unit_trial, 0, 1, 1));
  EXPECT_EQ(a[0].payload, b[0].payload);
  EXPECT_NE(a[0].payload, other[0].payload);
}

TEST_F(BagExecutor, final_fit_is_tested_on_what_it_never_saw_and_stored_as_it_was_tested) {
  studies::BagExecutor executor(search, task, ood);
  const auto records = run(executor, unit_of(studies::bag_unit_final, 1, 2, 0));
  ASSERT_EQ(records.size(), 1u);
  const auto result = studies::FinalResult::from_bytes(records[0].payload);
  const auto unseen = data::draw_bootstrap(search.folds, 7, 1).out_of_bag(600);
  EXPECT_EQ(result.out_of_bag, static_cast<int>(unseen.size()));
  EXPECT_LT(result.out_of_bag_wrong, 0.4 * result.out_of_bag);
  ASSERT_EQ(result.probability.size(), static_cast<std::size_t>(task.test.size()) * 10);
  EXPECT_EQ(result.ood_probability.size(), static_cast<std::size_t>(ood.images.size()) * 10);

  ASSERT_EQ(result.model_name, "bootstrap_01.h5");
  const auto& bytes = sink.stored.at(result.model_name);
  EXPECT_EQ(result.model_size, bytes.size());
  EXPECT_EQ(result.model_checksum, crc64(bytes));
  const auto model = model::network_from_container(storage::container_from_bytes(bytes, "m.h5"), "m.h5");
  nn::Network<Device> network(Device(), model.architecture, 1);
  network.set_parameters(model.parameters);
  const auto scaled = data::apply_scale(model.scale, task.test.raw);
  const Matrix<float> value("krossfold::test::value", 1, 64);
  for (int j = 0; j < 64; ++j) value(0, j) = static_cast<float>(scaled(5, j));
  const Vector<int> label("krossfold::test::label", 1);
  const auto sample = nn::samples_on<Device>(value, label);
  const Matrix<float, Device> probability("krossfold::test::probability", 1, 10);
  nn::predict<Device>(network, sample, list_on<Device>("krossfold::test::row", std::vector<int>{0}), 0, 1, probability);
  for (int c = 0; c < 10; ++c) EXPECT_NEAR(on_host(probability)(0, c), result.probability[5 * 10 + c], 1e-5);
}

TEST_F(BagExecutor, training_that_diverges_is_a_result_with_its_reason) {
  search.params.log10_rate = {8, 9};
  studies::BagExecutor executor(search, task, ood);
  const auto trial =
      studies::TrialResult::from_bytes(run(executor, unit_of(studies::bag_unit_trial, 0, 0, 0))[0].payload);
  EXPECT_TRUE(trial.training.diverged);
  EXPECT_THAT(trial.training.reason, testing::HasSubstr("in step"));
  EXPECT_EQ(trial.wrong, trial.held);
  const auto last =
      studies::FinalResult::from_bytes(run(executor, unit_of(studies::bag_unit_final, 0, 0, 0))[0].payload);
  EXPECT_TRUE(last.training.diverged);
  EXPECT_THAT(last.probability, testing::IsEmpty());
  EXPECT_THAT(sink.stored, testing::IsEmpty());
}

TEST_F(BagExecutor, network_that_does_not_fit_is_refused_with_both_sizes) {
  studies::BagExecutor executor(search, task, ood, {1000, "1.0 kB are left"});
  try {
    run(executor, unit_of(studies::bag_unit_trial, 0, 0, 0));
    FAIL() << "it was computed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("it needs"), testing::HasSubstr("1.0 kB are left")));
  }
}

TEST_F(BagExecutor, stopped_unit_leaves_no_record) {
  studies::BagExecutor executor(search, task, ood);
  std::stop_source source;
  source.request_stop();
  EXPECT_THAT(run(executor, unit_of(studies::bag_unit_trial, 0, 0, 0), StopSignal(source.get_token())),
              testing::IsEmpty());
}

TEST_F(BagExecutor, unit_that_was_killed_goes_on_where_it_was_and_ends_with_the_same_bytes) {
  search.params.stop_ratio = 10;  // all epochs
  studies::BagExecutor calm(search, task, ood);
  for (const Unit& unit : {unit_of(studies::bag_unit_trial, 1, 2, 0), unit_of(studies::bag_unit_final, 1, 2, 0)}) {
    const auto expected = run(calm, unit);
    test::DyingSink dying;
    UnitContext context{{}, dying};
    int deaths = 0;
    std::vector<Record> records;
    while (records.empty()) {
      dying.stores = 0;
      dying.dies_at = 1;  // each life stores one part
      studies::BagExecutor executor(search, task, ood, {}, {7, 0});
      try {
        records = executor.run(unit, context);
      } catch (const std::runtime_error&) {
        ASSERT_LE(++deaths, 20);
      }
    }
    EXPECT_GE(deaths, 4);  // an epoch has one or two parts
    EXPECT_EQ(records.at(0).payload, expected.at(0).payload);
  }
}

TEST_F(BagExecutor, unit_that_was_stopped_keeps_what_it_has_reached) {
  search.params.epochs = 100000;
  search.params.stop_ratio = 1e9;
  std::stop_source source;
  struct StoppingSink : test::MemorySink {
    std::stop_source& source;
    explicit StoppingSink(std::stop_source& s) : source(s) {}
    void store(const std::string& name, std::span<const std::byte> bytes) override {
      MemorySink::store(name, bytes);
      if (stored.size() == 1 && ++parts == 3) source.request_stop();
    }
    int parts = 0;
  } stopping(source);
  UnitContext context{StopSignal(source.get_token()), stopping};
  studies::BagExecutor executor(search, task, ood, {}, {7, 0});
  const Unit unit = unit_of(studies::bag_unit_trial, 0, 0, 0);
  EXPECT_THAT(executor.run(unit, context), testing::IsEmpty());
  EXPECT_EQ(stopping.parts, 4);  // the last when it was stopped
  EXPECT_EQ(stopping.stored.count(run::checkpoint_name(unit.key)), 1u);
}

TEST_F(BagExecutor, folds_side_by_side_give_the_bytes_that_each_gives_alone) {
  studies::BagExecutor executor(search, task, ood);
  Unit together = unit_of(studies::bag_unit_trial, 1, 2, 2);
  together.input = studies::input_of_folds({0, 1, 2});
  std::vector<Record> alone;
  for (int f = 0; f < 3; ++f) alone.push_back(run(executor, unit_of(studies::bag_unit_trial, 1, 2, f)).at(0));
  const auto network = search.architecture(studies::draw_trial(search, 1, 2));
  const std::uint64_t room_for_two = 2 * studies::training_bytes(search, network) + 1;
  studies::BagExecutor tight(search, task, ood, {room_for_two, "that is all"});
  for (studies::BagExecutor* one : {&executor, &tight}) {
    const auto records = run(*one, together);
    ASSERT_EQ(records.size(), 3u);
    for (int f = 0; f < 3; ++f) {
      EXPECT_EQ(records[f].key, alone[f].key);
      EXPECT_EQ(records[f].payload, alone[f].payload);
    }
  }
}

TEST_F(BagExecutor, unit_of_several_folds_that_was_stopped_keeps_those_that_are_done) {
  Unit together = unit_of(studies::bag_unit_trial, 1, 2, 2);
  together.input = studies::input_of_folds({0, 1, 2});
  std::vector<Record> alone;
  {
    studies::BagExecutor executor(search, task, ood);
    for (int f = 0; f < 3; ++f) alone.push_back(run(executor, unit_of(studies::bag_unit_trial, 1, 2, f)).at(0));
  }
  struct FoldsDone : test::MemorySink {
    std::vector<std::size_t> folds;  ///< that were done, in each part that was kept
    std::stop_source source;
    void store(const std::string& name, std::span<const std::byte> bytes) override {
      MemorySink::store(name, bytes);
      folds.push_back(ByteReader(bytes, name).get_all<int>().size());
      if (folds.back() == 2 && folds.size() > 1) source.request_stop();
    }
  } keeping;
  const auto network = search.architecture(studies::draw_trial(search, 1, 2));
  const run::MemoryBound room_for_two{2 * studies::training_bytes(search, network) + 1, "that is all"};
  {
    UnitContext context{StopSignal(keeping.source.get_token()), keeping};
    studies::BagExecutor executor(search, task, ood, room_for_two, {7, 0});
    EXPECT_THAT(executor.run(together, context), testing::IsEmpty());
    EXPECT_EQ(keeping.folds.front(), 0u);
    EXPECT_EQ(keeping.folds.back(), 2u);
  }
  keeping.folds.clear();
  keeping.source = std::stop_source();
  UnitContext context{StopSignal(), keeping};
  studies::BagExecutor executor(search, task, ood, room_for_two, {7, 0});
  const auto records = executor.run(together, context);
  ASSERT_EQ(records.size(), 3u);
  for (int f = 0; f < 3; ++f) {
    EXPECT_EQ(records[f].key, alone[f].key);
    EXPECT_EQ(records[f].payload, alone[f].payload);
  }
  for (const std::size_t done : keeping.folds) EXPECT_EQ(done, 2u);
}

TEST_F(BagExecutor, damaged_network_models_are_refused) {
  studies::BagExecutor executor(search, task, ood);
  run(executor, unit_of(studies::bag_unit_final, 0, 0, 0));
  const auto good = storage::container_from_bytes(sink.stored.at("bootstrap_00.h5"), "m.h5");
  EXPECT_NO_THROW(model::network_from_container(good, "m.h5"));
  const auto refused = [&](const std::function<void(storage::Container&)>& damage) -> std::string {
    storage::Container bad = good;
    damage(bad);
    try {
      model::network_from_container(bad, "m.h5");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto array = [](storage::Container& c, const std::string& path) -> storage::Array& {
    return *std::find_if(c.arrays.begin(), c.arrays.end(), [&](const auto& a) { return a.path == path; });
  };
  EXPECT_THAT(refused([](auto& c) { c.attributes["kind"] = std::string("svm-model"); }),
              testing::HasSubstr("svm-model"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["kernel"] = std::int64_t{40}; }),
              testing::HasSubstr("does not fit into images"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["channels"] = std::int64_t{1} << 40; }),
              testing::HasSubstr("out of range"));
  EXPECT_THAT(refused([](auto& c) { c.attributes.erase("image_width"); }),
              testing::HasSubstr("image_width is missing"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["activation"] = std::string("cosine"); }),
              testing::HasSubstr("cosine"));
  EXPECT_THAT(refused([&](auto& c) { array(c, "/parameter/conv/bias").shape = {1}; }),
              testing::HasSubstr("another shape"));
  EXPECT_THAT(
      refused([&](auto& c) { std::get<std::vector<float>>(array(c, "/parameter/dense/0/weight").values)[3] = NAN; }),
      testing::HasSubstr("not finite"));
  EXPECT_THAT(refused([&](auto& c) { std::get<std::vector<double>>(array(c, "/scale/divisor").values)[0] = 0; }),
              testing::HasSubstr("divisor is 0"));
}

}  // namespace
}  // namespace krossfold
