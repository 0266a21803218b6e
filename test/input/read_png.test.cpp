// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/read_png.hpp"

#include "test/data/sample_files.hpp"
#include "test/input/png_bytes.hpp"

namespace krossfold::input {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::png_bytes;
using test::random_png;
using test::SamplePng;
using testing::HasSubstr;

Picture parse(const std::string& bytes, float background = 255) {
  return parse_png(bytes_of(bytes), "some.png", {.background = background});
}

/// Channels and opacity of a pixel in [0, 1], by the specification; `palette` has 3 bytes per entry.
struct Expected {
  std::vector<double> channel{};
  double opaque = 1;

  double grey() const {
    return channel.size() == 1 ? channel[0] : 0.299 * channel[0] + 0.587 * channel[1] + 0.114 * channel[2];
  }
};
double luma(double r, double g, double b) { return Expected{{r, g, b}}.grey(); }
Expected expected_of(const SamplePng& png, int row, int column, const std::string& palette = "") {
  const int* s = png.at(row, column);
  const double most = (1 << png.depth) - 1;
  const auto entry = [&](int c) {
    return static_cast<unsigned char>(palette[static_cast<std::size_t>(3 * s[0] + c)]) / 255.0;
  };
  switch (png.colour_type) {
    case test::png_grey:
      return {{s[0] / most}};
    case test::png_grey_alpha:
      return {{s[0] / most}, s[1] / most};
    case test::png_palette:
      return {{entry(0), entry(1), entry(2)}};
    case test::png_rgb:
      return {{s[0] / most, s[1] / most, s[2] / most}};
    default:
      return {{s[0] / most, s[1] / most, s[2] / most}, s[3] / most};
  }
}

std::string random_palette(int colours, std::mt19937& random) {
  std::string palette;
  for (int k = 0; k < 3 * colours; ++k) palette += static_cast<char>(random());
  return palette;
}

struct Kind {
  int colour_type;
  std::vector<int> depths;
};
const std::vector<Kind> kinds = {{test::png_grey, {1, 2, 4, 8, 16}},
                                 {test::png_rgb, {8, 16}},
                                 {test::png_palette, {1, 2, 4, 8}},
                                 {test::png_grey_alpha, {8, 16}},
                                 {test::png_rgba, {8, 16}}};

/// Calls check(png, palette) for random pictures of all colour types, depths and interlacings in several sizes.
void for_all_formats(const std::function<void(SamplePng&, const std::string&)>& check) {
  std::mt19937 random(5);
  for (const Kind& kind : kinds) {
    for (const int depth : kind.depths) {
      for (const bool interlaced : {false, true}) {
        for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {1, 9}, {9, 1}, {8, 8}, {17, 13}}) {
          SamplePng png = random_png(width, height, depth, kind.colour_type, interlaced, random);
          std::string palette;
          if (kind.colour_type == test::png_palette) {
            palette = random_palette(1 << depth, random);
            png.before.emplace_back("PLTE", palette);
          }
          SCOPED_TRACE(testing::Message() << "colour type " << kind.colour_type << ", " << depth << " bits, " << width
                                          << "x" << height << (interlaced ? ", interlaced" : ""));
          check(png, palette);
        }
      }
    }
  }
}

TEST(ReadPng, every_colour_type_depth_and_interlacing_gives_the_grey_of_its_samples_or_keeps_their_colour) {
  for_all_formats([](SamplePng& png, const std::string& palette) {
    for (const float background : {255.0F, 0.0F}) {
      const std::string bytes = png_bytes(png);
      const Picture picture = parse(bytes, background);
      const Picture kept = parse_png(bytes_of(bytes), "some.png", {background, Colour::kept});
      ASSERT_EQ(picture.width, png.width);
      ASSERT_EQ(picture.height, png.height);
      ASSERT_EQ(picture.channels, 1);
      ASSERT_EQ(picture.pixel.size(), picture.pixels());
      ASSERT_EQ(kept.pixel.size(), kept.pixels() * kept.channels);
      for (int i = 0; i < png.height; ++i) {
        for (int j = 0; j < png.width; ++j) {
          const Expected pixel = expected_of(png, i, j, palette);
          const auto on_ground = [&](double value) {
            return pixel.opaque * value * 255 + (1 - pixel.opaque) * background;
          };
          ASSERT_NEAR(picture.at(i, j), on_ground(pixel.grey()), 2e-5) << "row " << i << ", column " << j;
          ASSERT_EQ(kept.channels, static_cast<int>(pixel.channel.size()));
          for (int c = 0; c < kept.channels; ++c) {
            ASSERT_NEAR(kept.at(i, j, c), on_ground(pixel.channel[static_cast<std::size_t>(c)]), 2e-5) << i << " " << j;
          }
        }
      }
    }
  });
}

TEST(ReadPng, grey_samples_are_exact_also_those_of_16_bits_and_those_stored_as_colours) {
  SamplePng deep{256, 256, 16, test::png_grey};
  for (int v = 0; v < 65536; ++v) deep.sample.push_back(v);
  const Picture picture = parse(png_bytes(deep));
  for (int v = 0; v < 65536; ++v) ASSERT_EQ(picture.pixel[static_cast<std::size_t>(v)], static_cast<float>(v / 257.0));
  for (const int depth : {8, 16}) {
    const int step = depth == 8 ? 1 : 257;
    SamplePng colours{256, 1, depth, test::png_rgba};
    for (int v = 0; v < 256; ++v)
      colours.sample.insert(colours.sample.end(), {step * v, step * v, step * v, step * 255});
    const Picture grey = parse(png_bytes(colours));
    for (int v = 0; v < 256; ++v) ASSERT_EQ(grey.at(0, v), static_cast<float>(v));
  }
}

TEST(ReadPng, a_transparent_colour_shows_the_background) {
  const std::string white_and_grey({'\xff', '\xff', '\xff', '\x40', '\x40', '\x40'});
  const SamplePng grey{3, 1, 4, test::png_grey, false, {3, 7, 15}, {{"tRNS", std::string("\0\7", 2)}}};
  const SamplePng deep{2, 1, 16, test::png_grey, false, {0x1234, 0x1235}, {{"tRNS", "\x12\x34"}}};
  const SamplePng rgb{2, 1, 8, test::png_rgb, false, {1, 2, 3, 1, 2, 4}, {{"tRNS", std::string("\0\1\0\2\0\3", 6)}}};
  const SamplePng palette{
      2, 1, 1, test::png_palette, false, {0, 1}, {{"PLTE", white_and_grey}, {"tRNS", std::string("\0", 1)}}};
  EXPECT_THAT(parse(png_bytes(grey), 99).pixel, testing::ElementsAre(51, 99, 255));
  EXPECT_EQ(parse(png_bytes(deep), 99).pixel[0], 99);
  EXPECT_NEAR(parse(png_bytes(deep), 99).pixel[1], 0x1235 / 257.0, 1e-5);
  EXPECT_EQ(parse(png_bytes(rgb), 99).pixel[0], 99);
  EXPECT_NEAR(parse(png_bytes(rgb), 99).pixel[1], luma(1, 2, 4), 1e-5);
  EXPECT_THAT(parse(png_bytes(palette), 99).pixel, testing::ElementsAre(99, 64));
}

TEST(ReadPng, gamma_and_colour_spaces_change_nothing_and_that_is_said) {
  SamplePng png = test::grey_png(2, 1, {10, 200});
  const Picture plain = parse(png_bytes(png));
  png.before = {{"gAMA", test::big_endian_32(20000)},
                {"cHRM", std::string(32, '\1')},
                {"iCCP", std::string("x\0\0no profile", 13)},
                {"bKGD", std::string("\0\5", 2)},
                {"tEXt", "some text"}};
  const Picture other = parse(png_bytes(png));
  EXPECT_EQ(other.pixel, plain.pixel);
  EXPECT_EQ(plain.made, "2x1, 8-bit grey");
  EXPECT_EQ(other.made, "2x1, 8-bit grey -> gAMA, cHRM, iCCP ignored");
  png.before = {{"gAMA", test::big_endian_32(45455)}, {"sRGB", std::string(1, '\0')}};
  EXPECT_EQ(parse(png_bytes(png)).made, plain.made);
}

TEST(ReadPng, tells_how_the_picture_became_grey) {
  EXPECT_EQ(parse(png_bytes({1, 1, 8, test::png_rgba, true, {1, 2, 3, 4}})).made,
            "1x1, 8-bit RGB with alpha, interlaced -> on white -> grey (BT.601)");
  EXPECT_EQ(parse(png_bytes({1, 1, 16, test::png_grey_alpha, false, {1, 4}}), 0).made,
            "1x1, 16-bit grey with alpha -> on black");
  EXPECT_EQ(parse(png_bytes({1, 1, 8, test::png_rgba, false, {1, 2, 3, 255}})).made,
            "1x1, 8-bit RGB with alpha -> grey (BT.601)");  // opaque
  EXPECT_EQ(parse(png_bytes({1, 1, 2, test::png_palette, false, {0}, {{"PLTE", "abc"}}})).made,
            "1x1, 2-bit palette -> grey (BT.601)");
  EXPECT_THAT(parse(png_bytes({1, 1, 8, test::png_grey, false, {0}, {{"acTL", std::string(8, '\1')}}})).made,
              HasSubstr("its still picture (it is animated)"));
}

TEST(ReadPng, reads_files_and_names_those_it_cannot_read) {
  const test::SampleFolder folder;
  const std::string file = folder.write("a.png", png_bytes(test::grey_png(2, 1, {10, 200})));
  EXPECT_THAT(read_picture(file).pixel, testing::ElementsAre(10, 200));
  expect_input_error([&] { read_picture(folder.path("none.png")); }, {"none.png", "No such file"});
  expect_input_error([&] { read_picture(folder.path()); }, {folder.path(), "it is a folder"});
}

}  // namespace
}  // namespace krossfold::input
