// SPDX-License-Identifier: BSD-3-Clause
// JPEG files against the pixels that Pillow decodes from them (record_jpeg.py).
#include "krossfold/input/read_jpeg.hpp"

#include <random>
#include <sstream>

#include "krossfold/data/read_file.hpp"
#include "test/data/sample_files.hpp"
#include "test/source_folder.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using testing::HasSubstr;

std::string jpeg_file(const std::string& name) {
  return test::source_path(KROSSFOLD_OWN_DATA, "test/own_data") + "/jpeg/" + name;
}

struct Recorded {
  std::string name{};
  int width = 0, height = 0, channels = 0;
  std::vector<int> value{};  ///< (row, column, channel)
};

std::vector<Recorded> recorded() {
  std::ifstream file(jpeg_file("pixels.txt"));
  std::vector<Recorded> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Recorded one;
    words >> one.name >> one.width >> one.height >> one.channels;
    for (int value = 0; words >> value;) one.value.push_back(value);
    all.push_back(one);
  }
  return all;
}

TEST(ReadJpeg, gives_the_pixels_of_pillow) {
  const std::vector<Recorded> cases = recorded();
  ASSERT_EQ(cases.size(), 6);
  for (const Recorded& one : cases) {
    SCOPED_TRACE(one.name);
    const Picture picture = read_picture(jpeg_file(one.name), {.colour = Colour::kept});
    ASSERT_EQ(picture.width, one.width);
    ASSERT_EQ(picture.height, one.height);
    ASSERT_EQ(picture.channels, one.channels);
    ASSERT_EQ(picture.pixel.size(), one.value.size());
    const Picture grey = read_picture(jpeg_file(one.name));
    ASSERT_EQ(grey.channels, 1);
    for (int k = 0; k < one.width * one.height; ++k) {
      const int* value = &one.value[static_cast<std::size_t>(k * one.channels)];
      for (int c = 0; c < one.channels; ++c) {
        ASSERT_EQ(picture.at(k / one.width, k % one.width, c), value[c]) << k << " " << c;
      }
      const double luma = one.channels == 1 ? value[0] : 0.299 * value[0] + 0.587 * value[1] + 0.114 * value[2];
      ASSERT_NEAR(grey.pixel[static_cast<std::size_t>(k)], luma, 1e-4) << k;
    }
  }
}

TEST(ReadJpeg, says_how_a_picture_was_converted) {
  EXPECT_EQ(read_picture(jpeg_file("grey.jpg")).made, "13x9, JPEG, grey");
  EXPECT_EQ(read_picture(jpeg_file("colour.jpg")).made, "13x9, JPEG -> grey (BT.601)");
  EXPECT_EQ(read_picture(jpeg_file("colour.jpg"), {.colour = Colour::kept}).made, "13x9, JPEG");
}

TEST(ReadJpeg, refuses_the_colours_of_print) {
  expect_input_error([] { read_picture(jpeg_file("print.jpg")); }, {"print.jpg", "(CMYK)", "Convert it to RGB"});
}

TEST(ReadJpeg, every_beginning_of_a_file_is_refused) {
  for (const char* name : {"grey.jpg", "colour.jpg", "progressive.jpg", "restarts.jpg"}) {
    const std::vector<std::byte> whole = data::read_file(jpeg_file(name));
    for (std::size_t size = 3; size + 2 < whole.size(); ++size) {  // the last two bytes only mark the end
      SCOPED_TRACE(testing::Message() << name << ", " << size << " of " << whole.size() << " bytes");
      expect_input_error([&] { parse_jpeg({whole.data(), size}, "some.jpg"); }, {"some.jpg", "damaged or cut off"});
    }
  }
}

TEST(ReadJpeg, random_damage_gives_a_picture_or_an_error_that_names_the_file) {
  constexpr unsigned seed = 15;
  std::mt19937 random(seed);
  std::vector<std::vector<std::byte>> good;
  for (const Recorded& one : recorded()) good.push_back(data::read_file(jpeg_file(one.name)));
  int read_well = 0, refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::byte> bytes = good[random() % good.size()];
    for (int change = 1 + static_cast<int>(random() % 3); change > 0; --change) {
      bytes[3 + random() % (bytes.size() - 3)] = static_cast<std::byte>(random() % 256);
    }
    try {
      const Picture picture = parse_jpeg(bytes, "some.jpg", {.colour = Colour::kept});
      ASSERT_EQ(picture.pixel.size(), picture.pixels() * picture.channels);
      for (const float value : picture.pixel) ASSERT_TRUE(value >= 0 && value <= 255) << "round " << round;
      ++read_well;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
      ASSERT_THAT(error.what(), HasSubstr("some.jpg")) << "seed " << seed << ", round " << round;
      ++refused;
    }
  }
  EXPECT_GT(read_well, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace krossfold::input
