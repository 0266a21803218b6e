// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/shifted_images.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/input/spec.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

constexpr ImageShift shifts[] = {ImageShift::noise, ImageShift::inverted, ImageShift::shuffled, ImageShift::photograph};

/// 40 of the embedded digits, with integer values from 0 to 16.
Dataset digits() { return rows(input::load_task({"digits", "", 0}).train, 0, 40); }

/// Images of 5 x 4 pixels with fractional values in [-1.5, 2].
Dataset fractions() {
  std::vector<std::vector<float>> values(12, std::vector<float>(20));
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 20; ++j) values[i][j] = static_cast<float>(-1.5 + 3.5 * ((37 * i + 11 * j) % 101) / 100.0);
  }
  return make_dataset("fractions", test::matrix(values), {}, {"a", "b"}, {5, 4, 1});
}

/// The mean of |value - value of the right neighbour| over an image.
double roughness(const float* image, int width, int height) {
  double sum = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x + 1 < width; ++x) {
      sum += std::abs(static_cast<double>(image[y * width + x]) - static_cast<double>(image[y * width + x + 1]));
    }
  }
  return sum / (height * (width - 1));
}

TEST(ShiftedImages, have_the_shape_and_range_of_the_data_and_no_labels) {
  for (const Dataset& images : {digits(), fractions()}) {
    for (const ImageShift shift : shifts) {
      const Dataset shifted = shifted_images(shift, images, pixel_range(images), 5);
      SCOPED_TRACE(shifted.name);
      EXPECT_EQ(shifted.name, images.name + " (" + name_of(shift) + ")");
      EXPECT_EQ(shifted.size(), images.size());
      EXPECT_EQ(shifted.features(), images.features());
      EXPECT_EQ(shifted.image.width, images.image.width);
      EXPECT_EQ(shifted.image.height, images.image.height);
      EXPECT_EQ(shifted.class_name, images.class_name);
      EXPECT_FALSE(shifted.labelled());
      EXPECT_EQ(shifted.integer, images.integer);
      EXPECT_GE(shifted.lowest, images.lowest);
      EXPECT_LE(shifted.highest, images.highest);
      EXPECT_NE(shifted.digest, images.digest);
    }
  }
}

TEST(ShiftedImages, are_keyed_by_seed_and_image_alone) {
  const Dataset images = digits();
  const Dataset few = rows(images, 0, 3);
  for (const ImageShift shift : shifts) {
    SCOPED_TRACE(name_of(shift));
    const PixelRange range = pixel_range(images);
    const Dataset all = shifted_images(shift, images, range, 5), first = shifted_images(shift, few, range, 5);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(test::row(first, i), test::row(all, i));
    EXPECT_NE(test::row(all, 0), test::row(all, 1));
    if (shift != ImageShift::inverted) {
      EXPECT_NE(test::row(shifted_images(shift, few, range, 6), 0), test::row(all, 0));
    }
  }
}

TEST(ShiftedImages, noise_takes_each_value_equally_often) {
  const Dataset images = digits();
  const Dataset noise = shifted_images(ImageShift::noise, images, pixel_range(images), 7);
  std::vector<double> times(17);
  const int values = noise.size() * noise.features();
  for (int i = 0; i < noise.size(); ++i) {
    for (const float value : test::row(noise, i)) ++times.at(static_cast<std::size_t>(value));
  }
  double chi_squared = 0;
  for (const double t : times) chi_squared += (t - values / 17.0) * (t - values / 17.0) / (values / 17.0);
  EXPECT_LT(chi_squared, 39.3) << "seed 7";  // the 0.1 % point for 16 degrees of freedom
}

TEST(ShiftedImages, noise_of_fractions_is_uniform_in_their_range) {
  const Dataset noise = shifted_images(ImageShift::noise, fractions(), {-1.5f, 2, false}, 7);
  double sum = 0, squares = 0;
  const int values = noise.size() * noise.features();
  for (int i = 0; i < noise.size(); ++i) {
    for (const float value : test::row(noise, i)) {
      const double share = (static_cast<double>(value) + 1.5) / 3.5;
      sum += share;
      squares += share * share;
    }
  }
  // Each tolerance is four standard deviations.
  EXPECT_NEAR(sum / values, 0.5, 4 * std::sqrt(1.0 / 12 / values)) << "seed 7";
  EXPECT_NEAR(squares / values, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / values)) << "seed 7";
}

TEST(ShiftedImages, inverted_twice_is_the_image_itself) {
  const Dataset images = digits();
  const PixelRange range = pixel_range(images);
  const Dataset once = shifted_images(ImageShift::inverted, images, range, 0);
  const Dataset twice = shifted_images(ImageShift::inverted, once, range, 0);
  for (int i = 0; i < once.size(); ++i) {
    EXPECT_EQ(test::row(twice, i), test::row(images, i));
    for (int j = 0; j < once.features(); ++j) EXPECT_EQ(once.raw(i, j) + images.raw(i, j), 16);
  }
}

TEST(ShiftedImages, shuffled_keeps_every_value_and_moves_them) {
  const Dataset images = digits();
  const Dataset shuffled = shifted_images(ImageShift::shuffled, images, pixel_range(images), 9);
  for (int i = 0; i < shuffled.size(); ++i) {
    auto before = test::row(images, i), after = test::row(shuffled, i);
    EXPECT_NE(before, after) << "seed 9, image " << i;
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after) << "seed 9, image " << i;
  }
}

TEST(ShiftedImages, shuffled_has_one_permutation_an_image_not_one_for_all) {
  std::vector<float> ramp(100);
  for (int j = 0; j < 100; ++j) ramp[j] = static_cast<float>(j);
  const Dataset images = make_dataset("ramps", test::matrix({ramp, ramp}), {}, {}, {10, 10, 1});
  const Dataset shuffled = shifted_images(ImageShift::shuffled, images, pixel_range(images), 9);
  EXPECT_NE(test::row(shuffled, 0), test::row(shuffled, 1));
}

TEST(ShiftedImages, need_images) {
  const Dataset table = make_dataset("table", test::matrix({{1, 2}, {3, 4}}), {}, {});
  for (const ImageShift shift : shifts) {
    test::expect_input_error([&] { shifted_images(shift, table, pixel_range(table), 0); }, {"table holds no images"});
  }
}

TEST(PhotographLike, is_smooth_and_uses_the_whole_range) {
  const PixelRange range{0, 255, true};
  const ImageShape shape{28, 28, 1};
  for (std::uint32_t trial = 0; trial < 50; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const auto image = photograph_like(shape, range, {.seed = 3, .trial = trial});
    ASSERT_EQ(image.extent(0), 784u);
    const float* first = image.data();
    EXPECT_EQ(*std::min_element(first, first + 784), 0);
    EXPECT_EQ(*std::max_element(first, first + 784), 255);
    for (int j = 0; j < 784; ++j) ASSERT_EQ(image(j), std::nearbyint(image(j)));
    // Neighbours of uniform noise differ by 85 on average.
    EXPECT_LT(roughness(first, 28, 28), 34);
    // The values are spread out: neither a flat picture with a spot nor only black and white.
    double mean = 0, variance = 0;
    for (int j = 0; j < 784; ++j) mean += static_cast<double>(image(j)) / 784;
    for (int j = 0; j < 784; ++j) variance += std::pow(static_cast<double>(image(j)) - mean, 2) / 784;
    EXPECT_GT(std::sqrt(variance), 25);
    EXPECT_LT(std::sqrt(variance), 110);
  }
}

TEST(PhotographLike, shows_the_same_scene_at_every_size) {
  const PixelRange range{0, 1, false};
  const StreamId stream{.seed = 4};
  const auto small = photograph_like({20, 20, 1}, range, stream), large = photograph_like({100, 100, 1}, range, stream);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      // The pixel centres coincide, but each image is stretched to slightly different extremes.
      EXPECT_NEAR(small(y * 20 + x), large((5 * y + 2) * 100 + 5 * x + 2), 0.05);
    }
  }
}

TEST(PhotographLike, colours_differ_but_belong_together) {
  const int pixels = 32 * 24;
  const auto image = photograph_like({32, 24, 3}, {0, 1, false}, {.seed = 5});
  ASSERT_EQ(image.extent(0), static_cast<std::size_t>(3 * pixels));
  double difference = 0;
  std::vector<double> mean(3), variance(3);
  double covariance = 0;
  for (int k = 0; k < pixels; ++k) {
    for (int c = 0; c < 3; ++c) mean[c] += static_cast<double>(image(c * pixels + k)) / pixels;
  }
  for (int k = 0; k < pixels; ++k) {
    const double red = static_cast<double>(image(k)) - mean[0],
                 green = static_cast<double>(image(pixels + k)) - mean[1];
    difference += std::abs(static_cast<double>(image(k)) - static_cast<double>(image(pixels + k))) / pixels;
    variance[0] += red * red;
    variance[1] += green * green;
    covariance += red * green;
  }
  EXPECT_GT(difference, 0.01);
  EXPECT_GT(covariance / std::sqrt(variance[0] * variance[1]), 0.5);
}

TEST(PhotographLike, of_one_pixel_is_of_middle_brightness) {
  EXPECT_EQ(photograph_like({1, 1, 1}, {0, 255, true}, {})(0), 128);
  EXPECT_EQ(photograph_like({1, 1, 1}, {0, 1, false}, {})(0), 0.5f);
  EXPECT_EQ(photograph_like({3, 3, 1}, {7, 7, true}, {})(4), 7);
}

}  // namespace
}  // namespace krossfold::data
