// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/payload.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "krossfold/core/serialize.hpp"
#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

TEST(TrainPayload, reads_back_what_was_written) {
  TrainRecord training = test::done_training({2, 1.5}, 4, 2);
  training.epoch_ranks = {2, 0};
  training.diverged = true;
  training.reason = "loss nan in step 3 of epoch 3";
  training.model = {{"network-0of2.h5", 7}, {"network-1of2.h5", ~std::uint64_t{0}}};
  const TrainRecord found = TrainRecord::from_bytes(training.to_bytes());
  EXPECT_EQ(found.loss, training.loss);
  EXPECT_EQ(found.held_out_loss, training.held_out_loss);
  EXPECT_EQ(found.held_out_error, training.held_out_error);
  EXPECT_EQ(found.seconds, training.seconds);
  EXPECT_EQ(found.comm_seconds, training.comm_seconds);
  EXPECT_EQ(found.epoch_ranks, training.epoch_ranks);
  EXPECT_TRUE(found.diverged);
  EXPECT_EQ(found.reason, training.reason);
  EXPECT_EQ(found.ranks, 2);
  ASSERT_EQ(found.model.size(), 2U);
  EXPECT_EQ(found.model[1].name, "network-1of2.h5");
  EXPECT_EQ(found.model[1].checksum, ~std::uint64_t{0});
}

TEST(TrainPayload, has_the_validation_and_the_kept_epoch) {
  TrainRecord training = test::done_training({2, 1.5}, 4, 2);
  training.validation_loss = {0.5, 0.75};
  training.validation_error = {0.125, 0.25};
  training.kept_epoch = 1;
  const TrainRecord found = TrainRecord::from_bytes(training.to_bytes());
  EXPECT_EQ(found.validation_loss, training.validation_loss);
  EXPECT_EQ(found.validation_error, training.validation_error);
  EXPECT_EQ(found.kept_epoch, 1);
  EXPECT_EQ(found.ranks, 2);
  EXPECT_EQ(found.model.size(), 1U);
}

TEST(TrainPayload, has_the_predictions_of_the_model) {
  TrainRecord training = test::done_training({2, 1.5}, 4, 2);
  training.prediction = {1, 0, -1};
  const TrainRecord found = TrainRecord::from_bytes(training.to_bytes());
  EXPECT_EQ(found.prediction, training.prediction);
  EXPECT_EQ(found.ranks, 2);
  EXPECT_EQ(found.model.size(), 1U);
}

TEST(TrainPayload, reads_records_from_before_there_was_a_validation) {
  ByteWriter writer;
  for (int list = 0; list < 6; ++list) writer.put_all(std::span<const double>(std::vector<double>{2, 1.5}));
  writer.put<std::int32_t>(0);
  writer.put_string("");
  writer.put<std::int32_t>(3);
  writer.put_string("network.h5");
  writer.put<std::uint64_t>(7);
  const TrainRecord found = TrainRecord::from_bytes(writer.take());
  EXPECT_EQ(found.ranks, 3);
  EXPECT_EQ(found.kept_epoch, 0);
  EXPECT_TRUE(found.validation_error.empty());
  ASSERT_EQ(found.model.size(), 1U);
  EXPECT_EQ(found.model[0].checksum, 7U);
}

TEST(TrainPayload, an_epoch_is_best_by_errors_then_by_loss_and_the_first_of_equals) {
  TrainRecord training;
  const auto next = [&](double error, double loss) {
    training.validation_error.push_back(error);
    training.validation_loss.push_back(loss);
    const bool best = training.last_is_best();
    if (best) training.kept_epoch = static_cast<int>(training.validation_error.size());
    return best;
  };
  EXPECT_FALSE(training.last_is_best());
  EXPECT_FALSE(next(0.0, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(next(0.5, 1));
  EXPECT_TRUE(next(0.5, 0.75));
  EXPECT_FALSE(next(0.5, 0.75));
  EXPECT_FALSE(next(0.75, 0.5));
  EXPECT_TRUE(next(0.25, 2));
  EXPECT_FALSE(next(0.125, std::numeric_limits<double>::quiet_NaN()));
}

TEST(TrainPayload, refuses_bytes_that_are_cut_off) {
  const auto bytes = test::done_training({2, 1.5}, 4, 2).to_bytes();
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_THROW(TrainRecord::from_bytes(std::span(bytes).first(length)), Error) << length;
  }
}

TEST(TrainPayload, logs_the_epochs_that_were_evaluated_numbered_from_1) {
  TrainRecord training = test::done_training({2, 1.5}, 4, 2);
  training.loss.push_back(1.75);  // not evaluated yet
  const std::vector<run::LoggedEpoch> epochs = training.epochs();
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[0].epoch, 1);
  EXPECT_EQ(epochs[1].epoch, 2);
  EXPECT_EQ(epochs[1].loss, 2);
  EXPECT_EQ(epochs[1].held_out_loss, 1.5);
}

}  // namespace
}  // namespace krossfold::studies
