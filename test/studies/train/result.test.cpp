// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/result.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

TEST(TrainResult, has_each_epoch_of_a_training_and_nan_for_those_that_did_not_come) {
  const storage::Container content = test::train_result("cnn", {test::record_of(0, test::done_training({2, 1}, 4, 2))});
  const auto& loss = content.values<double>("/training/loss");
  ASSERT_EQ(loss.size(), 3U);
  EXPECT_EQ(loss[0], 2.5);
  EXPECT_EQ(loss[1], 1.5);
  EXPECT_TRUE(std::isnan(loss[2]));
  EXPECT_EQ(content.values<double>("/training/held_out_error")[1], 0.25);
  EXPECT_EQ(content.values<std::int32_t>("/training/ranks"), (std::vector<std::int32_t>{2, 2, 0}));
  EXPECT_EQ(content.values<std::int32_t>("/run/status"), std::vector<std::int32_t>{1});
  EXPECT_EQ(content.values<std::int32_t>("/run/workers"), std::vector<std::int32_t>{2});
  EXPECT_EQ(content.values<std::string>("/run/strategy"), std::vector<std::string>{"ddp"});
  EXPECT_EQ(content.values<std::string>("/run/model_checksum"), std::vector<std::string>{"abc"});
  EXPECT_EQ(content.attribute("network"), "cnn");
}

TEST(TrainResult, has_the_validation_and_the_epoch_of_the_model) {
  TrainRecord training = test::done_training({2, 1}, 4, 2);
  training.validation_loss = {0.5, 0.75};
  training.validation_error = {0.125, 0.25};
  training.kept_epoch = 1;
  const storage::Container content = test::train_result("cnn", {test::record_of(0, training)}, 2, 0.2);
  EXPECT_EQ(content.values<std::int32_t>("/run/kept_epoch"), std::vector<std::int32_t>{1});
  EXPECT_EQ(content.values<double>("/training/validation_error")[1], 0.25);
  EXPECT_TRUE(std::isnan(content.values<double>("/training/validation_loss")[2]));
  EXPECT_EQ(std::get<std::int64_t>(content.attributes.at("n_train")), 48);
  EXPECT_EQ(std::get<std::int64_t>(content.attributes.at("n_validation")), 12);
}

TEST(TrainResult, of_names_has_no_errors_and_counts_the_letters_of_a_window) {
  const storage::Container content = test::train_result("lstm", {});
  EXPECT_FALSE(content.has("/training/held_out_error"));
  EXPECT_EQ(std::get<std::int64_t>(content.attributes.at("n_features")), 8);
}

TEST(TrainResult, says_why_a_run_failed_or_diverged) {
  TrainRecord diverged = test::done_training({2}, 4, 1);
  diverged.diverged = true;
  diverged.reason = "loss nan in step 1 of epoch 2";
  diverged.model.clear();
  const storage::Container content =
      test::names_result({test::record_of(1, diverged), test::failed_record(3, "out of memory")});
  EXPECT_EQ(content.values<std::string>("/run/reason"),
            (std::vector<std::string>{"", "loss nan in step 1 of epoch 2", "", "out of memory", "", ""}));
  EXPECT_EQ(content.values<std::int32_t>("/run/status"), (std::vector<std::int32_t>{0, 1, 0, 2, 0, 0}));
  EXPECT_EQ(content.attributes.count("model"), 0U);
}

TEST(TrainResult, names_the_model_of_the_run_with_the_lowest_loss_in_the_end) {
  std::vector<Record> records;
  for (int run = 0; run < 4; ++run) {
    TrainRecord training = test::done_training({1, run == 0 ? std::nan("") : run == 2 ? 0.5 : 0.75}, 4, 1);
    training.model = {{"lstm_0" + std::to_string(run) + ".h5", std::uint64_t{16} + run}};
    records.push_back(test::record_of(run, training));
  }
  const storage::Container content = test::names_result(records);
  EXPECT_EQ(content.attribute("model"), "lstm_02.h5");
  EXPECT_EQ(content.attribute("model_checksum"), "12");
}

TEST(TrainResult, lists_the_parts_of_split_weights_with_blanks_between) {
  TrainRecord training = test::done_training({1}, 4, 2);
  training.model = {{"network-0of2.h5", 10}, {"network-1of2.h5", 11}};
  const storage::Container content = test::train_result("mlp", {test::record_of(0, training)});
  EXPECT_EQ(content.attribute("model"), "network-0of2.h5 network-1of2.h5");
  EXPECT_EQ(content.values<std::string>("/run/model_checksum"), std::vector<std::string>{"a b"});
}

}  // namespace
}  // namespace krossfold::studies
