// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/resize_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace krossfold::input {
namespace {

Picture random_picture(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> grey(0, 255);
  Picture picture{width, height};
  for (int k = 0; k < width * height; ++k) picture.pixel.push_back(grey(random));
  return picture;
}

double mean(const Picture& picture) {
  return std::accumulate(picture.pixel.begin(), picture.pixel.end(), 0.0) / static_cast<double>(picture.pixel.size());
}

TEST(ResizePicture, equal_size_changes_no_bit) {
  const Picture picture = random_picture(7, 5, 1);
  EXPECT_EQ(resize_picture(picture, 7, 5).pixel, picture.pixel);
}

TEST(ResizePicture, shrinking_by_whole_numbers_takes_the_mean_of_each_block) {
  const Picture picture = random_picture(12, 15, 2), small = resize_picture(picture, 4, 3);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int k = 0; k < 5; ++k) {
        for (int l = 0; l < 3; ++l) sum += picture.at(5 * i + k, 3 * j + l);
      }
      EXPECT_NEAR(small.at(i, j), sum / 15, 1e-4);
    }
  }
}

TEST(ResizePicture, shrinking_keeps_the_mean_whatever_the_sizes) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int width = 1 + static_cast<int>(random() % 60), height = 1 + static_cast<int>(random() % 60);
    const Picture picture = random_picture(width, height, random());
    const int new_width = 1 + static_cast<int>(random() % static_cast<unsigned>(width));
    const int new_height = 1 + static_cast<int>(random() % static_cast<unsigned>(height));
    EXPECT_NEAR(mean(resize_picture(picture, new_width, new_height)), mean(picture), 1e-3)
        << width << "x" << height << " -> " << new_width << "x" << new_height;
  }
}

TEST(ResizePicture, shrinking_shares_pixels_between_the_new_ones_that_they_lie_in) {
  EXPECT_THAT(resize_picture({3, 1, {0, 90, 240}}, 2, 1).pixel,
              testing::ElementsAre(testing::FloatNear(30, 1e-4F), testing::FloatNear(190, 1e-4F)));
}

TEST(ResizePicture, enlarging_is_linear_between_pixel_centres_and_even_beyond_them) {
  EXPECT_THAT(resize_picture({2, 1, {0, 100}}, 4, 1).pixel, testing::ElementsAre(0, 25, 75, 100));
  Picture slope{9, 6};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 9; ++j) slope.pixel.push_back(static_cast<float>(20 * i + 3 * j));
  }
  const Picture large = resize_picture(slope, 27, 24);
  for (int i = 2; i < 22; ++i) {
    for (int j = 2; j < 25; ++j) {
      EXPECT_NEAR(large.at(i, j), 20 * ((i + 0.5) / 4 - 0.5) + 3 * ((j + 0.5) / 3 - 0.5), 1e-3);
    }
  }
}

TEST(ResizePicture, commutes_with_mirroring_and_turning) {
  const auto mirrored = [](Picture picture) {
    for (int i = 0; i < picture.height; ++i) {
      std::reverse(picture.pixel.begin() + i * picture.width, picture.pixel.begin() + (i + 1) * picture.width);
    }
    return picture;
  };
  const auto turned = [](const Picture& picture) {
    Picture other{picture.height, picture.width};
    for (int j = 0; j < picture.width; ++j) {
      for (int i = 0; i < picture.height; ++i) other.pixel.push_back(picture.at(i, j));
    }
    return other;
  };
  for (const auto& [width, height] : {std::pair{5, 7}, {29, 4}, {3, 31}, {40, 40}}) {
    const Picture picture = random_picture(13, 17, 4);
    const Picture resized = resize_picture(picture, width, height);
    const Picture a = mirrored(resize_picture(mirrored(picture), width, height));
    const Picture b = turned(resize_picture(turned(picture), height, width));
    for (std::size_t k = 0; k < resized.pixel.size(); ++k) {
      EXPECT_NEAR(resized.pixel[k], a.pixel[k], 1e-3);
      EXPECT_NEAR(resized.pixel[k], b.pixel[k], 1e-3);
    }
  }
}

TEST(ResizePicture, says_what_it_did) {
  const Picture picture{2, 4, std::vector<float>(8, 1), "x"};
  EXPECT_EQ(resize_picture(picture, 2, 4).made, "x");
  EXPECT_EQ(resize_picture(picture, 1, 3).made, "x -> 1x3 (area average)");
  EXPECT_EQ(resize_picture(picture, 4, 4).made, "x -> 4x4 (bilinear)");
  EXPECT_EQ(resize_picture(picture, 4, 3).made, "x -> 4x3 (area average and bilinear)");
}

TEST(ResizePicture, the_fitting_size_keeps_proportions_within_half_a_pixel) {
  const auto size = [](int width, int height) {
    const data::ImageShape shape = fitting_size({width, height}, {28, 28});
    return std::pair(shape.width, shape.height);
  };
  EXPECT_EQ(size(28, 28), std::pair(28, 28));
  EXPECT_EQ(size(640, 480), std::pair(28, 21));
  EXPECT_EQ(size(480, 640), std::pair(21, 28));
  EXPECT_EQ(size(5, 5), std::pair(28, 28));
  EXPECT_EQ(size(1, 60000), std::pair(1, 28));
  EXPECT_EQ(size(60000, 1), std::pair(28, 1));
}

TEST(ResizePicture, the_border_grey_is_the_median_of_the_outermost_pixels) {
  EXPECT_EQ(border_grey({3, 3, {1, 1, 1, 5, 200, 5, 1, 1, 9}}), 1);
  EXPECT_EQ(border_grey({1, 3, {4, 6, 5}}), 5);
  EXPECT_EQ(border_grey({3, 1, {4, 6, 5}}), 5);
  EXPECT_EQ(border_grey({1, 1, {4}}), 4);
}

}  // namespace
}  // namespace krossfold::input
