// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/ood_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "krossfold/data/shifted_images.hpp"
#include "test/data/sample_dataset.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::studies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Images of 3 x 2 pixels.
data::Dataset images_of(int n, std::uint32_t seed) {
  data::Dataset images = test::sample_dataset(n, 6, 2, seed);
  images.image = {3, 2, 1};
  return images;
}

TEST(OodImages, are_four_sets_made_of_the_test_images_and_those_given) {
  const data::Task task{images_of(20, 1), images_of(7, 2)};
  data::Dataset given = images_of(5, 3);
  given.name = "letters";
  const OodImages ood = gather_ood(task, 9, given);
  EXPECT_THAT(ood.name, ElementsAre("noise", "inverted", "shuffled pixels", "photograph-like", "letters"));
  EXPECT_THAT(ood.count, ElementsAre(7, 7, 7, 7, 5));
  EXPECT_EQ(ood.images.size(), 33);
  EXPECT_EQ(ood.images.image, task.train.image);
  const data::PixelRange range = data::pixel_range(task.train);
  for (int i = 0; i < 7; ++i) {
    std::vector<float> before, after;
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(ood.images.raw(7 + i, j), range.lowest + range.highest - task.test.raw(i, j)) << "inverted";
      before.push_back(task.test.raw(i, j));
      after.push_back(ood.images.raw(14 + i, j));
    }
    EXPECT_THAT(after, testing::UnorderedElementsAreArray(before)) << "shuffled";
  }
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 6; ++j) EXPECT_EQ(ood.images.raw(28 + i, j), given.raw(i, j));
  }
}

TEST(OodImages, are_made_of_the_first_thousand_test_images) {
  const data::Task task{images_of(10, 1), images_of(1003, 2)};
  const OodImages ood = gather_ood(task, 1, {});
  EXPECT_THAT(ood.count, ElementsAre(1000, 1000, 1000, 1000));
  EXPECT_EQ(ood.images.size(), 4000);
}

TEST(OodImages, follow_from_the_seed) {
  const data::Task task{images_of(10, 1), images_of(5, 2)};
  const auto values = [&](std::uint64_t seed) {
    const OodImages ood = gather_ood(task, seed, {});
    return std::vector<float>(ood.images.raw.data(), ood.images.raw.data() + ood.images.raw.size());
  };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST(OodImages, without_a_test_part_are_none_and_none_may_be_given) {
  const data::Task task{images_of(10, 1), {}};
  EXPECT_TRUE(gather_ood(task, 1, {}).name.empty());
  EXPECT_EQ(gather_ood(task, 1, {}).images.size(), 0);
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { gather_ood(task, 1, images_of(3, 2)); }),
              HasSubstr("without a test part"));
}

TEST(OodImages, given_of_another_size_are_refused) {
  const data::Task task{images_of(10, 1), images_of(5, 2)};
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { gather_ood(task, 1, test::sample_dataset(3, 4, 2, 3)); }),
              testing::AllOf(HasSubstr("ood sample has 4 features"), HasSubstr("the training images have 6")));
}

}  // namespace
}  // namespace krossfold::studies
