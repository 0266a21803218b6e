// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/other_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string> named{"column 1", "column 2", "column 3", "column 4", "column 5", "column 6"};

/// Samples whose value of feature j is value(i, j).
template <class Value>
Dataset samples(int count, int features, ImageShape image, const Value& value) {
  const Matrix<float> raw("krossfold::test::raw", count, features);
  std::vector<int> label(count, 0);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < features; ++j) raw(i, j) = static_cast<float>(value(i, j));
  }
  const Vector<int> labels("krossfold::test::label", count);
  return make_dataset("new.csv", raw, labels, {"a"}, image);
}

double wave(int i, int j) { return std::sin(0.7 * i + 1.3 * j); }

TEST(OtherUnits, of_pixels_are_told_by_their_range) {
  const ImageShape image{3, 2, 1};
  const auto of = [&](double low, double high, const Scale& scale) {
    return other_units(samples(20, 6, image, [&](int i, int j) { return low + (high - low) * ((i + j) % 2); }), scale,
                       named, image);
  };
  const Scale bytes = fit_scale(samples(9, 6, image, [](int i, int j) { return (40 * i + j) % 256; }), "");
  ASSERT_EQ(bytes.offset_of(0), 127.5);
  EXPECT_THAT(of(0, 255, bytes), IsEmpty());
  EXPECT_THAT(of(90, 130, bytes), IsEmpty());
  EXPECT_THAT(of(0, 1, bytes),
              ElementsAre(HasSubstr("lie between 0 and 1, and the model learnt pixels from 0 to 255")));
  EXPECT_THAT(of(-128, 127, bytes), SizeIs(1));
  EXPECT_THAT(of(0, 65535, bytes), SizeIs(1));
  const Scale fractions = fit_scale(samples(9, 6, image, [](int i, int j) { return (i + j) / 16.0; }), "");
  ASSERT_EQ(fractions.offset_of(0), 0.5);
  EXPECT_THAT(of(0, 1, fractions), IsEmpty());
  EXPECT_THAT(of(0, 255, fractions), SizeIs(1));
  EXPECT_THAT(of(0, 255, {{0}, {1}}), IsEmpty()) << "no scale of pixels";
}

TEST(OtherUnits, of_few_pixels_are_told_too) {
  const ImageShape image{3, 2, 1};
  const auto of = [&](double low, double high, double range) {
    return other_units(samples(1, 6, image, [&](int, int j) { return j % 2 == 0 ? low : high; }),
                       {{range / 2}, {range / std::sqrt(12.0)}}, named, image);
  };
  EXPECT_THAT(of(0, 1, 255), SizeIs(1));
  EXPECT_THAT(of(0, 1, 16), SizeIs(1));
  EXPECT_THAT(of(0, 255, 1), SizeIs(1));
  EXPECT_THAT(of(0, 200, 255), IsEmpty());
  EXPECT_THAT(of(0, 0, 255), IsEmpty()) << "blank";
}

TEST(OtherUnits, of_pixels_with_scales_of_their_own_are_told_by_the_spread_of_all) {
  const ImageShape image{3, 2, 1};
  const auto picture = [](int i, int j) { return 2000 + 300 * j + 900 * wave(i, j); };
  const Scale scale = fit_scale(samples(60, 6, image, picture), "standard");
  const auto of = [&](int count, double factor, double shift) {
    return other_units(samples(count, 6, image, [&](int i, int j) { return factor * picture(i, j) + shift; }), scale,
                       named, image);
  };
  for (const int count : {1, 40}) {
    EXPECT_THAT(of(count, 1, 0), IsEmpty());
    EXPECT_THAT(of(count, 0.5, 0), IsEmpty());
    EXPECT_THAT(of(count, 1.0 / 16, 0), ElementsAre(HasSubstr("the model learnt pixels of ")));
    EXPECT_THAT(of(count, 16, 0), SizeIs(1));
    EXPECT_THAT(of(count, 1.0 / 4096, 0), SizeIs(1));
    EXPECT_THAT(of(count, 1, -32768), SizeIs(1));
  }
  EXPECT_THAT(of(1, 0, 2000.3), IsEmpty()) << "blank";
}

TEST(OtherUnits, of_a_sensor_are_told_though_others_vary_far_more) {
  const ImageShape times_of_two{2, 3, 1};  // (time, sensor)
  const auto value = [](int i, int j) { return j % 2 == 0 ? 1e5 * wave(i, j) : 5 + wave(i, j); };
  const Scale scale = fit_scale(samples(60, 6, times_of_two, value), "standard");
  const auto of = [&](double factor) {
    return other_units(
        samples(30, 6, times_of_two, [&](int i, int j) { return value(i, j) * (j % 2 == 0 ? 1 : factor); }), scale,
        named, times_of_two);
  };
  EXPECT_THAT(of(1), IsEmpty());
  EXPECT_THAT(of(100), SizeIs(3));
}

TEST(OtherUnits, of_features_are_told_by_their_distance_from_the_mean) {
  const double mean[] = {40, 0, 1e6, -3, 7}, spread[] = {9, 1, 1e4, 0.1, 0};
  const auto usual = [&](int i, int j) { return mean[j] + spread[j] * wave(i, j); };
  const Scale scale = fit_scale(samples(200, 5, {}, usual), "");
  const auto of = [&](double factor, int feature, int count = 30) {
    return other_units(samples(count, 5, {}, [&](int i, int j) { return usual(i, j) * (j == feature ? factor : 1); }),
                       scale, named, {});
  };
  EXPECT_THAT(of(1, 0), IsEmpty());
  EXPECT_THAT(of(100, 0), ElementsAre(HasSubstr("column 1 of new.csv has values such as 4000, and the model learnt ")));
  EXPECT_THAT(of(0.01, 0), SizeIs(1));
  EXPECT_THAT(of(1.1, 2), SizeIs(1));
  EXPECT_THAT(of(100, 1), SizeIs(1)) << "on both sides of a mean of 0";
  EXPECT_THAT(of(100, 0, 9), IsEmpty()) << "too few to tell";
  const auto all = other_units(samples(30, 5, {}, [&](int i, int j) { return 1e9 + usual(i, j); }), scale, named, {});
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_THAT(all.back(), HasSubstr("So is 1 more."));
  std::vector<std::string> nameless = named;
  nameless[0].clear();
  EXPECT_THAT(other_units(samples(30, 5, {}, [&](int i, int j) { return usual(i, j) * (j == 0 ? 100 : 1); }), scale,
                          nameless, {}),
              IsEmpty());
}

}  // namespace
}  // namespace krossfold::data
