// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/layout.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

class TrainLayoutTest : public testing::Test {
protected:
  const training::TrainTask digits = test::digits_task(), names = test::names_task();

  TrainLayout plan(const std::string& network, const std::function<void(TrainParams&)>& change = {},
                   int ranks = 1) const {
    TrainParams params = test::train_params(network);
    if (change) change(params);
    return lay_out_train(params, network == "lstm" ? names : digits, ranks);
  }
};

TEST_F(TrainLayoutTest, workers_and_strategy_follow_the_ranks_unless_they_are_set) {
  EXPECT_EQ(plan("cnn").params.strategy, "single");
  const TrainLayout two = plan("cnn", {}, 2);
  EXPECT_EQ(two.params.strategy, "ddp");
  EXPECT_EQ(two.setup.workers, 2);
  EXPECT_EQ(two.setup.share(), 10);
  const TrainLayout four = plan(
      "lstm", [](TrainParams& p) { p.workers = 4; }, 2);
  EXPECT_EQ(four.setup.workers, 4);
  EXPECT_EQ(four.setup.ranks, 2);
}

TEST_F(TrainLayoutTest, training_has_the_parameters_and_the_sample_order_of_the_seed) {
  const TrainLayout one = plan("mlp", [](TrainParams& p) {
    p.seed = 9;
    p.rate = 0.25;
    p.stop_ratio = 0.75;
  });
  EXPECT_EQ(one.setup.training.epochs, 3);
  EXPECT_EQ(one.setup.training.batch, 20);
  EXPECT_EQ(one.setup.training.rate, 0.25);
  EXPECT_EQ(one.setup.training.momentum, 0.9);
  EXPECT_EQ(one.setup.training.stop_ratio, 0.75);
  EXPECT_EQ(one.setup.training.stream.seed, 9U);
  EXPECT_EQ(one.setup.seed, 9U);
}

TEST_F(TrainLayoutTest, a_batch_has_64_samples_or_all_if_there_are_fewer) {
  const auto by_itself = [](TrainParams& p) { p.batch = 0; };
  const int n = digits.train_size();
  EXPECT_EQ(plan("mlp", by_itself).setup.training.batch, std::min(64, n));
  EXPECT_EQ(plan("mlp", by_itself).params.batch, std::min(64, n));
  training::TrainTask few = digits;
  few.samples.train = data::rows(digits.samples.train, 0, 9);
  TrainParams params = test::train_params("mlp");
  params.batch = 0;
  EXPECT_EQ(lay_out_train(params, few, 1).setup.training.batch, few.train_size());
  EXPECT_EQ(few.train_size(), 9);
}

TEST(ValidationShare, is_a_number_above_0_and_up_to_a_half_or_none) {
  EXPECT_EQ(validation_share("none"), 0);
  EXPECT_EQ(validation_share("0.5"), 0.5);
  EXPECT_EQ(validation_share("1e-3"), 1e-3);
  for (const char* word : {"", "0", "-0.1", "0.51", "nan", "inf", "10%", "None"}) {
    EXPECT_NE(test::message_of(ExitCode::usage, [&] { validation_share(word); }).find("bad --validation"),
              std::string::npos)
        << word;
  }
}

TEST_F(TrainLayoutTest, what_does_not_fit_is_refused_by_the_name_of_its_option) {
  struct Case {
    std::string network, problem;
    std::function<void(TrainParams&)> change;
    int ranks = 1;
  };
  const std::vector<Case> cases = {
      {"cnn", "bad --batch 61", [](TrainParams& p) { p.batch = 61; }},
      {"cnn", "bad --batch -1", [](TrainParams& p) { p.batch = -1; }},
      {"mlp", "bad --rate nan", [](TrainParams& p) { p.rate = std::numeric_limits<double>::quiet_NaN(); }},
      {"mlp", "bad --momentum 1.5", [](TrainParams& p) { p.momentum = 1.5; }},
      {"mlp", "bad --stop-ratio 0", [](TrainParams& p) { p.stop_ratio = 0; }},
      {"mlp", "bad --dropout 1", [](TrainParams& p) { p.dropout = 1; }},
      {"mlp", "bad --dropout 0.999995", [](TrainParams& p) { p.dropout = 0.999995; }},  // 1, once it is rounded
      {"lstm", "bad --dropout 0.999995", [](TrainParams& p) { p.dropout = 0.999995; }},
      {"mlp", "bad --epochs 65537", [](TrainParams& p) { p.epochs = 65537; }},
      {"mlp", "a layer of 40000000 (a layer has at most 2147483647 outputs",
       [](TrainParams& p) {
         p.hidden = {40'000'000};
         p.batch = 1;
       }},
      {"mlp", "unknown --activation 'rely'", [](TrainParams& p) { p.activation = "rely"; }},
      {"mlp", "unknown --precision 'tf23'", [](TrainParams& p) { p.precision = "tf23"; }},
      {"lstm", "bad --window 1", [](TrainParams& p) { p.window = 1; }},
      {"lstm", "bad --hidden 24,24",
       [](TrainParams& p) {
         p.hidden = {24, 24};
       }},
      {"lstm", "strategy model-parallel with lstm", [](TrainParams& p) { p.strategy = "model-parallel"; }, 2},
      {"cnn", "strategy single with 2 workers", [](TrainParams& p) { p.strategy = "single"; }, 2},
      {"cnn", "4 workers on 3 ranks", [](TrainParams& p) { p.workers = 4; }, 3},
      {"cnn", "21 workers for a batch of 20", [](TrainParams& p) { p.workers = 21; }},
      {"cnn", "does not fit into images of 8x8", [](TrainParams& p) { p.kernel = 9; }},
      {"mlp", "model-parallel with 2 workers on 1 rank",
       [](TrainParams& p) {
         p.strategy = "model-parallel";
         p.workers = 2;
       }},
  };
  for (const Case& one : cases) {
    const std::string refusal = test::message_of(ExitCode::usage, [&] { plan(one.network, one.change, one.ranks); });
    EXPECT_NE(refusal.find(one.problem), std::string::npos) << refusal;
  }
}

TEST_F(TrainLayoutTest, names_have_every_combination_once_on_the_ranks_that_can_share_it) {
  NamesParams params;
  params.workers = {1, 4, 6};
  params.batch_per_worker = {5, 10};
  params.rate = {0.01, 0.02};
  std::set<std::array<double, 3>> found;
  for (const TrainLayout& plan : lay_out_names(params, names, 4)) {
    EXPECT_TRUE(found.insert({1.0 * plan.setup.workers, 1.0 * plan.params.batch, *plan.params.rate}).second);
    EXPECT_EQ(plan.setup.ranks, plan.setup.workers == 1 ? 1 : plan.setup.workers == 4 ? 4 : 3);
  }
  EXPECT_EQ(found.size(), 12U);
}

TEST_F(TrainLayoutTest, batches_of_names_are_cut_to_the_names_there_are_and_trained_once) {
  NamesParams params;
  params.workers = {4};
  params.batch_per_worker = {10, 15, 20};
  params.rate = {0.01};
  const std::vector<TrainLayout> plans = lay_out_names(params, names, 1);
  ASSERT_EQ(plans.size(), 2U);
  EXPECT_EQ(plans[0].params.batch, 40);
  EXPECT_EQ(plans[1].params.batch, 60);
  params.workers = {61};
  test::message_of(ExitCode::usage, [&] { lay_out_names(params, names, 1); });
}

}  // namespace
}  // namespace krossfold::studies
