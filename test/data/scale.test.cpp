// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/scale.hpp"

#include <cmath>
#include <random>

#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;
using test::matrix;

Dataset dataset(const std::vector<std::vector<float>>& values, ImageShape image = {}) {
  return make_dataset("values", matrix(values), {}, {}, image);
}

TEST(Scale, of_images_is_that_of_the_studies) {
  const Scale digits = fit_scale(tables::embedded_digits(), "");
  EXPECT_TRUE(digits.uniform());
  EXPECT_EQ(digits.offset_of(63), 8);
  EXPECT_NEAR(digits.divisor_of(63), 4.618802, 1e-6);
  const Scale grey = fit_scale(dataset({{0, 17, 0, 0}}, {2, 2, 1}), "");
  EXPECT_EQ(grey.offset_of(0), 127.5);
  EXPECT_NEAR(grey.divisor_of(0), 73.612159, 1e-6);
  EXPECT_EQ(fit_scale(dataset({{0, 16, 0, 0}}, {2, 2, 1}), "").offset_of(0), 8);
  const Scale fractions = fit_scale(dataset({{0, 0.25F, 0.75F, 1}}, {2, 2, 1}), "");
  EXPECT_TRUE(fractions.uniform());
  EXPECT_EQ(fractions.offset_of(0), 0.5);
  EXPECT_NEAR(fractions.divisor_of(0), 0.288675, 1e-6);
  EXPECT_FALSE(fit_scale(dataset({{0, 0.25F, 1.5F, 0}, {1, 1, 1, 1}}, {2, 2, 1}), "").uniform());
  EXPECT_FALSE(fit_scale(dataset({{-1, 0.25F, 0.5F, 0}, {1, 1, 1, 1}}, {2, 2, 1}), "").uniform());
  EXPECT_FALSE(are_fractions(dataset({{0, 0.01F, 0.5F, 0.6F}}, {2, 2, 1}))) << "another unit, perhaps";
  EXPECT_FALSE(are_fractions(dataset({{0.5F, 0.55F, 0.76F, 0.8F}}, {2, 2, 1})));
  EXPECT_FALSE(are_fractions(dataset({{0, 0.25F, 0.75F, 1}}))) << "no images";
  std::vector<float> dark(1000, 0.001F);
  dark[0] = 0.9F;
  EXPECT_FALSE(are_fractions(dataset({dark}, {100, 10, 1}))) << "a bright pixel on black";
  const Scale masks = fit_scale(dataset({{0, 1, 0, 0}}, {2, 2, 1}), "");
  EXPECT_EQ(masks.offset_of(0), 0.5);
  EXPECT_NEAR(masks.divisor_of(0), 0.288675, 1e-6);
}

TEST(Scale, of_anything_but_whole_images_is_standard) {
  for (const Dataset& values : {dataset({{0, 17}, {3, 4}}), dataset({{0, 17.5}, {3, 4}}, {2, 1, 1}),
                                dataset({{0, -1}, {3, 4}}, {2, 1, 1}), dataset({{0, 256}, {3, 4}}, {2, 1, 1})}) {
    const Scale standard = fit_scale(values, "standard"), chosen = fit_scale(values, "");
    EXPECT_FALSE(chosen.uniform());
    EXPECT_EQ(chosen.offset, standard.offset);
    EXPECT_EQ(chosen.divisor, standard.divisor);
  }
}

TEST(Scale, standard_gives_every_feature_mean_zero_and_variance_one) {
  const unsigned seed = 5;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(1000, 3);
  std::vector<std::vector<float>> values(500, std::vector<float>(7));
  for (auto& row : values) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = normal(random) * std::pow(10.0f, static_cast<float>(j) - 3);
  }
  const Dataset train = dataset(values);
  const Matrix<double> scaled = apply_scale(fit_scale(train, "standard"), train.raw);
  for (int j = 0; j < 7; ++j) {
    double mean = 0, square = 0;
    for (int i = 0; i < 500; ++i) mean += scaled(i, j) / 500;
    for (int i = 0; i < 500; ++i) square += scaled(i, j) * scaled(i, j) / 500;
    EXPECT_NEAR(mean, 0, 1e-10) << "seed " << seed << ", feature " << j;
    EXPECT_NEAR(square, 1, 1e-10) << "seed " << seed << ", feature " << j;
  }
}

TEST(Scale, standard_uses_the_population_form) {
  const Scale scale = fit_scale(dataset({{1}, {2}, {3}, {6}}), "standard");
  EXPECT_DOUBLE_EQ(scale.offset_of(0), 3);
  EXPECT_DOUBLE_EQ(scale.divisor_of(0), std::sqrt(14.0 / 4));
}

TEST(Scale, standard_maps_a_constant_feature_to_zero) {
  const Dataset train = dataset(std::vector<std::vector<float>>(3, {0.1f, 1e-30f}));
  const Matrix<double> scaled = apply_scale(fit_scale(train, "standard"), train.raw);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(scaled(i, 0), 0);
    EXPECT_EQ(scaled(i, 1), 0);
  }
  EXPECT_EQ(fit_scale(train, "standard").divisor_of(0), 1);
}

TEST(Scale, can_be_none_or_given) {
  const Dataset train = dataset({{3, 5}});
  EXPECT_EQ(apply_scale(fit_scale(train, "none"), train.raw)(0, 1), 5);
  const Scale given = fit_scale(train, "-1.5:0.25");
  EXPECT_TRUE(given.uniform());
  EXPECT_EQ(apply_scale(given, train.raw)(0, 0), 18);
}

TEST(Scale, gives_floats_that_are_the_doubles_rounded) {
  const Dataset train = dataset({{3, 5.25f}, {-1e7f, 7}, {0.1f, 1e-3f}});
  const Scale scale = fit_scale(train, "standard");
  const auto exact = apply_scale(scale, train.raw);
  const auto rounded = apply_scale<float>(scale, train.raw);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) EXPECT_EQ(rounded(i, j), static_cast<float>(exact(i, j)));
  }
}

TEST(Scale, names_its_option_when_it_cannot_be_read) {
  const Dataset train = dataset({{3, 5}});
  expect_input_error([&] { fit_scale(train, "standart"); }, {"unknown --scale 'standart'", "Did you mean standard?"});
  expect_input_error([&] { fit_scale(train, "127.5"); }, {"unknown --scale '127.5'", "OFFSET:DIVISOR"});
  for (const std::string bad : {"1:0", "1:-2", "x:1", "1:x", ":1", "1:", "1:nan", "inf:1", "1:2:3"}) {
    expect_input_error([&] { fit_scale(train, bad); }, {"scale"});
  }
}

}  // namespace
}  // namespace krossfold::data
