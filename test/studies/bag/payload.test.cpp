// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/payload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/storage/temporary_folder.hpp"

namespace krossfold::studies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TrialResult sample_trial() { return {{{2.5, 0.1}, true, "loss inf in step 7"}, 40, 10}; }

FinalResult sample_final() {
  FinalResult fit;
  fit.training.epoch_loss = {2, 1, 0.5};
  fit.out_of_bag = 37;
  fit.out_of_bag_wrong = 4;
  fit.probability = {0.25F, 0.75F, 1e-30F, 1};
  fit.ood_probability = {0.5F, 0.5F};
  fit.model_name = "bootstrap_00.h5";
  fit.model_size = 0xFEDCBA9876543210;
  fit.model_checksum = 0x0123456789ABCDEF;
  return fit;
}

TEST(FoldsOfUnit, are_that_of_its_key_or_those_of_its_input) {
  Unit unit;
  unit.key = {bag_unit_trial, {1, 2, 4}};
  EXPECT_THAT(folds_of(unit), ElementsAre(4));
  unit.input = input_of_folds({0, 2, 4});
  EXPECT_THAT(folds_of(unit), ElementsAre(0, 2, 4));
  unit.input.push_back(std::byte{0});
  EXPECT_THAT(test::message_of(ExitCode::failed, [&] { folds_of(unit); }), HasSubstr("folds of a unit"));
}

TEST(TrialResult, comes_back_from_its_bytes) {
  const TrialResult read = TrialResult::from_bytes(sample_trial().to_bytes());
  EXPECT_THAT(read.training.epoch_loss, ElementsAre(2.5, 0.1));
  EXPECT_TRUE(read.training.diverged);
  EXPECT_EQ(read.training.reason, "loss inf in step 7");
  EXPECT_EQ(read.held, 40);
  EXPECT_EQ(read.wrong, 10);
  EXPECT_EQ(read.error(), 0.25);
}

TEST(FinalResult, comes_back_from_its_bytes) {
  const FinalResult fit = sample_final(), read = FinalResult::from_bytes(fit.to_bytes());
  EXPECT_EQ(read.training.epoch_loss, fit.training.epoch_loss);
  EXPECT_FALSE(read.training.diverged);
  EXPECT_EQ(read.out_of_bag, 37);
  EXPECT_EQ(read.out_of_bag_wrong, 4);
  EXPECT_EQ(read.probability, fit.probability);
  EXPECT_EQ(read.ood_probability, fit.ood_probability);
  EXPECT_EQ(read.model_name, "bootstrap_00.h5");
  EXPECT_EQ(read.model_size, 0xFEDCBA9876543210);
  EXPECT_EQ(read.model_checksum, 0x0123456789ABCDEFu);
}

TEST(BagPayloads, cut_off_anywhere_or_with_more_behind_them_are_refused) {
  const std::vector<std::byte> trial = sample_trial().to_bytes(), fit = sample_final().to_bytes();
  for (std::size_t length = 0; length <= trial.size(); ++length) {
    std::vector<std::byte> bytes(trial.begin(), trial.begin() + static_cast<std::ptrdiff_t>(length));
    if (length == trial.size()) bytes.push_back(std::byte{0});
    EXPECT_THAT(test::message_of(ExitCode::failed, [&] { TrialResult::from_bytes(bytes); }),
                HasSubstr("damaged result of a trial"));
  }
  for (std::size_t length = 0; length <= fit.size(); ++length) {
    std::vector<std::byte> bytes(fit.begin(), fit.begin() + static_cast<std::ptrdiff_t>(length));
    if (length == fit.size()) bytes.push_back(std::byte{0});
    EXPECT_THAT(test::message_of(ExitCode::failed, [&] { FinalResult::from_bytes(bytes); }),
                HasSubstr("damaged result of a final fit"));
  }
}

}  // namespace
}  // namespace krossfold::studies
