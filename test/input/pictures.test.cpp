// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/pictures.hpp"

#include <cmath>

#include "krossfold/input/read_png.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/png_bytes.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using test::grey_png;
using testing::ElementsAre;
using testing::HasSubstr;

/// One digit as an 8-bit PNG with white strokes on black, or its negative.
std::string digit_png(const data::Dataset& digits, int k, bool negative = false) {
  std::vector<int> sample;
  for (const float value : test::row(digits, k)) {
    const int grey = static_cast<int>(std::lround(value * 255 / 16));
    sample.push_back(negative ? 255 - grey : grey);
  }
  return test::png_bytes(grey_png(8, 8, sample));
}

Picture digit_picture(const data::Dataset& digits, int k, bool negative = false) {
  const std::string bytes = digit_png(digits, k, negative);
  return parse_png(test::bytes_of(bytes), "digit.png");
}

TEST(Pictures, the_png_of_a_training_image_gives_that_image_also_from_its_negative) {
  const data::Dataset digits = tables::embedded_digits();
  const ImageKind kind = kind_of_images(digits);
  EXPECT_EQ(kind.white, 16);
  EXPECT_EQ(kind.border, 0);
  for (int k = 0; k < digits.size(); ++k) {
    const Picture as_is = fit_picture(digit_picture(digits, k), kind);
    const Picture negative = fit_picture(digit_picture(digits, k, true), kind);
    ASSERT_EQ(as_is.pixel, test::row(digits, k)) << k;
    ASSERT_EQ(negative.pixel, test::row(digits, k)) << k;
    ASSERT_THAT(as_is.made, testing::Not(HasSubstr("inverted")));
    ASSERT_THAT(negative.made, HasSubstr("inverted (its border is light, that of the training images dark)"));
  }
}

TEST(Pictures, inverting_can_be_asked_for_and_forbidden) {
  const ImageKind kind{{2, 2, 1}};
  const Picture light{2, 2, {255, 255, 255, 5}}, dark{2, 2, {0, 0, 0, 250}};
  EXPECT_THAT(fit_picture(light, kind).pixel, ElementsAre(0, 0, 0, 250));
  EXPECT_THAT(fit_picture(light, kind, {Invert::no}).pixel, ElementsAre(255, 255, 255, 5));
  EXPECT_THAT(fit_picture(dark, kind, {Invert::yes}).pixel, ElementsAre(255, 255, 255, 5));
  EXPECT_EQ(fit_picture(dark, kind, {Invert::yes}).made, " -> inverted");
}

TEST(Pictures, of_images_on_white_those_on_black_are_inverted_and_of_photographs_none) {
  const Picture light{2, 2, {255, 255, 255, 5}}, dark{2, 2, {0, 0, 0, 250}};
  ImageKind kind{.shape = {2, 2, 1}, .border = 0.9F};
  EXPECT_THAT(fit_picture(light, kind).pixel, ElementsAre(255, 255, 255, 5));
  EXPECT_THAT(fit_picture(dark, kind).pixel, ElementsAre(255, 255, 255, 5));
  kind.border = 0.45F;
  EXPECT_THAT(fit_picture(light, kind).pixel, ElementsAre(255, 255, 255, 5));
  EXPECT_THAT(fit_picture(dark, kind).pixel, ElementsAre(0, 0, 0, 250));
}

TEST(Pictures, are_not_inverted_where_training_images_have_dark_and_light_borders) {
  const auto kind_of = [](int light) {
    const Matrix<float> raw("krossfold::test::raw", 40, 4);
    for (int i = 0; i < 40; ++i) std::fill_n(&raw(i, 0), 4, i < light ? 220.F : 20.F);
    return kind_of_images(
        data::make_dataset("images", raw, Vector<int>("krossfold::test::label", 40), {"a"}, {2, 2, 1}));
  };
  const auto kind_with_rare_class = [](int rare) {
    const Matrix<float> raw("krossfold::test::raw", 104, 4);
    const Vector<int> label("krossfold::test::label", 104);
    for (int i = 0; i < 104; ++i) {
      label(i) = i < rare ? 2 : i % 2;
      std::fill_n(&raw(i, 0), 4, label(i) == 2 ? 220.F : 20.F);
    }
    return kind_of_images(data::make_dataset("images", raw, label, {"a", "b", "c"}, {2, 2, 1}));
  };
  const Picture picture{2, 2, {255, 255, 255, 5}};
  EXPECT_THAT(fit_picture(picture, kind_with_rare_class(0)).made, HasSubstr("inverted"));
  EXPECT_THAT(fit_picture(picture, kind_with_rare_class(2)).made, testing::Not(HasSubstr("inverted")));
  for (const int light : {0, 2}) EXPECT_THAT(fit_picture(picture, kind_of(light)).made, HasSubstr("inverted"));
  for (const int light : {3, 15, 25, 38})
    EXPECT_THAT(fit_picture(picture, kind_of(light)).made, testing::Not(HasSubstr("inverted"))) << light;
}

TEST(Pictures, other_proportions_stand_in_the_middle_on_the_grey_of_their_border) {
  const ImageKind kind{{4, 4, 1}};
  const Picture wide = fit_picture({4, 2, {10, 10, 10, 10, 10, 10, 90, 10}, "x"}, kind);
  EXPECT_THAT(wide.pixel, ElementsAre(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 90, 10, 10, 10, 10, 10));
  EXPECT_EQ(wide.made, "x -> in the middle of 4x4");
  const Picture high = fit_picture({2, 8, std::vector<float>(16, 77), "x"}, kind);
  EXPECT_THAT(high.pixel, testing::Each(77));
  EXPECT_EQ(high.made, "x -> 1x4 (area average) -> in the middle of 4x4");
}

TEST(Pictures, values_become_those_of_the_training_images) {
  const Picture ramp{2, 2, {0, 255, 100, 3}};
  EXPECT_THAT(fit_picture(ramp, {.shape = {2, 2, 1}, .white = 16}).pixel, ElementsAre(0, 16, 6, 0));
  const Picture real = fit_picture(ramp, {.shape = {2, 2, 1}, .black = -1, .white = 1, .integer = false});
  EXPECT_THAT(real.pixel,
              testing::Pointwise(testing::FloatNear(1e-6F), {-1.0F, 1.0F, 200 / 255.0F - 1, 6 / 255.0F - 1}));
  EXPECT_THAT(real.made, HasSubstr("-> values -1 to 1"));
}

TEST(Pictures, the_range_of_training_images_is_that_of_their_kind) {
  const auto white = [](float highest) {
    return kind_of_images(data::make_dataset("d", test::matrix({{0, highest, 0, 0}}), {}, {}, {2, 2, 1})).white;
  };
  EXPECT_EQ(white(255), 255);
  EXPECT_EQ(white(250), 255);
  EXPECT_EQ(white(16), 16);
  EXPECT_EQ(white(15), 16);
  EXPECT_EQ(white(1), 1);
  EXPECT_EQ(white(0.5F), 0.5F);
}

TEST(Pictures, models_of_coloured_images_get_red_green_and_blue) {
  const ImageKind kind{{2, 2, 3}};
  const Picture red{1, 2, {200, 100, 0, 0, 0, 0}, "", 3};  // in the middle of a wider one, on the colour of its border
  const Picture fitted = fit_picture(red, kind, {Invert::no});
  EXPECT_EQ(fitted.channels, 3);
  EXPECT_THAT(fitted.pixel, ElementsAre(200, 200, 100, 200, 0, 0, 0, 0, 0, 0, 0, 0));
  const Picture grey = fit_picture({2, 2, {1, 2, 3, 4}}, kind, {Invert::no});
  EXPECT_THAT(grey.pixel, ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(grey.made, HasSubstr("3 equal channels"));
}

TEST(Pictures, models_of_other_samples_take_none) {
  const auto with_shape = [](data::ImageShape shape) {
    return [shape] { kind_of_images(data::make_dataset("table.h5", test::matrix({{0, 1, 2, 3}}), {}, {}, shape)); };
  };
  for (const data::ImageShape shape :
       {data::ImageShape{}, data::ImageShape{3, 2, 1}, data::ImageShape{2, 2, 3}, data::ImageShape{-2, -2, 1}}) {
    expect_input_error(with_shape(shape), {"table.h5 takes no pictures", "not trained on images in grey or colour"});
  }
}

TEST(Pictures, several_files_are_one_data_set_in_their_order) {
  const test::SampleFolder folder;
  const std::string a = folder.write("a.png", test::png_bytes(grey_png(2, 1, {1, 2})));
  const std::string b = folder.write("b.png", test::png_bytes(grey_png(2, 1, {3, 3})));
  const Pictures pictures = load_pictures({b, a}, {{2, 1, 1}});
  EXPECT_THAT(test::row(pictures.samples, 0), ElementsAre(3, 3));
  EXPECT_THAT(test::row(pictures.samples, 1), ElementsAre(1, 2));
  EXPECT_FALSE(pictures.samples.labelled());
  EXPECT_THAT(pictures.flat, ElementsAre(b));
  EXPECT_EQ(pictures.made[1], "2x1, 8-bit grey");
}

TEST(Pictures, inputs_that_mean_pictures_are_known_by_their_names) {
  const test::SampleFolder folder;
  for (const std::string name : {"b.png", "a.PNG", ".hidden.png", "notes.txt", "folder.png/c.png"})
    folder.write(name, "x");
  EXPECT_THAT(picture_files(folder.path()), ElementsAre(folder.path("a.PNG"), folder.path("b.png")));
  EXPECT_THAT(picture_files("png:" + folder.path("folder.png")), ElementsAre(folder.path("folder.png/c.png")));
  EXPECT_THAT(picture_files("x/y.png"), ElementsAre("x/y.png"));
  const test::SampleFolder mixed;
  for (const char* name : {"a.png", "b.bmp", "c.tiff", ".hidden.gif"}) mixed.write(name, "x");
  std::vector<std::string> warning;
  EXPECT_THAT(picture_files(mixed.path(), &warning), ElementsAre(mixed.path("a.png")));
  ASSERT_THAT(warning, testing::SizeIs(1));
  EXPECT_THAT(warning[0], testing::AllOf(testing::StartsWith("2 files of "), testing::HasSubstr("b.bmp")));
  EXPECT_THAT(picture_files("png:scan.0001"), ElementsAre("scan.0001"));
  for (const std::string& other : {std::string("digits"), std::string("csv:a.png"), "idx:" + folder.path()}) {
    EXPECT_THAT(picture_files(other), ElementsAre()) << other;
  }
  const test::SampleFolder empty;
  expect_input_error([&] { picture_files(empty.path()); }, {empty.path(), "no pictures"});
  expect_input_error([] { picture_files("png:"); }, {"names no file"});
}

TEST(Pictures, options_are_words) {
  EXPECT_EQ(parse_invert("auto"), Invert::automatic);
  EXPECT_EQ(parse_invert("yes"), Invert::yes);
  EXPECT_EQ(parse_invert("no"), Invert::no);
  EXPECT_EQ(parse_background("white"), 255);
  EXPECT_EQ(parse_background("black"), 0);
  expect_input_error([] { parse_invert("aut"); }, {"unknown invert 'aut'", "Did you mean auto?"});
  expect_input_error([] { parse_background("blak"); }, {"unknown background 'blak'", "Did you mean black?"});
}

}  // namespace
}  // namespace krossfold::input
