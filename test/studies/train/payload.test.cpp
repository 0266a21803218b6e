// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/payload.hpp"

#include <gtest/gtest.h>

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
