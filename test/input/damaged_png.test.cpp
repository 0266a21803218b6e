// SPDX-License-Identifier: BSD-3-Clause
// Files that are not PNGs, and PNGs that are truncated, damaged or malicious.

#include "krossfold/input/read_png.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/png_bytes.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using test::png_bytes;
using test::SamplePng;

void expect_refused(const std::string& bytes, const std::vector<std::string>& parts = {}) {
  std::vector<std::string> all = parts;
  all.emplace_back("some.png");
  expect_input_error([&] { parse_png(test::bytes_of(bytes), "some.png"); }, all);
}

/// Small pictures of various kinds with chunks that are ignored.
std::vector<SamplePng> samples() {
  std::mt19937 random(6);
  std::vector<SamplePng> all = {test::random_png(5, 4, 8, test::png_grey, false, random),
                                test::random_png(5, 4, 16, test::png_rgba, true, random),
                                test::random_png(9, 3, 4, test::png_palette, true, random),
                                test::random_png(7, 3, 1, test::png_grey, false, random)};
  all[0].before = {{"gAMA", test::big_endian_32(20000)}, {"tRNS", std::string("\0\5", 2)}};
  all[2].before = {{"PLTE", std::string(48, 'x')}, {"tRNS", "abc"}};
  all[3].before = {{"tEXt", std::string("a\0b", 3)}};
  return all;
}

TEST(DamagedPng, what_is_no_png_is_called_so) {
  expect_refused("", {"is neither a PNG nor a JPEG file", "it is empty"});
  expect_refused("1,2,3\n4,5,6\n", {"is neither a PNG nor a JPEG file", "the signature of one"});
  expect_refused("GIF89a", {"a GIF file"});
  expect_refused("\x89PNG\n\x1a\n and so on, as text", {"damaged at its first bytes", "binary"});
  expect_refused(test::png_signature + test::png_chunk("IDAT", std::string(40, 'x')), {"IHDR"});
}

TEST(DamagedPng, every_beginning_of_a_file_is_refused) {
  for (const SamplePng& sample : samples()) {
    const std::string whole = png_bytes(sample);
    EXPECT_NO_THROW(parse_png(test::bytes_of(whole), "some.png"));
    for (std::size_t size = 1; size < whole.size(); ++size) expect_refused(whole.substr(0, size), {"is cut off"});
  }
}

TEST(DamagedPng, every_changed_bit_is_noticed) {
  for (const SamplePng& sample : samples()) {
    const std::string whole = png_bytes(sample);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string damaged = whole;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      SCOPED_TRACE(testing::Message() << "bit " << bit);
      expect_refused(damaged);
    }
  }
}

TEST(DamagedPng, wrong_checksums_are_named) {
  std::string bytes = png_bytes(test::grey_png(1, 1, {7}));
  bytes[bytes.size() - 13] = static_cast<char>(bytes[bytes.size() - 13] ^ 1);  // the last byte of the second IDAT
  expect_refused(bytes, {"is damaged", "IDAT: CRC error", "Fetch the file again"});
}

TEST(DamagedPng, sizes_are_checked_before_anything_is_decoded) {
  const auto with_size = [](std::uint32_t width, std::uint32_t height, int depth = 8) {
    return test::png_signature + test::png_header(width, height, depth, test::png_rgba, 0) +
           test::png_chunk("IDAT", test::zlib_bytes("tiny")) + test::png_chunk("IEND", "");
  };
  for (const auto& [width, height] : {std::pair{0U, 0U}, {0U, 7U}, {7U, 0U}}) {
    expect_refused(with_size(width, height), {"has no pixels", std::to_string(width) + " x " + std::to_string(height)});
  }
  expect_refused(with_size(20'000, 20'000), {"is too large: 20000 x 20000 pixels", "at most 50 million"});
  expect_refused(with_size(0xffffffffU, 0xffffffffU, 16), {"is too large"});
  expect_refused(with_size(65'536, 1), {"is too large", "at most 65535 on a side"});
  expect_refused(with_size(7'000, 7'000), {"is cut off", "7000 x 7000 pixels", "cannot be in a file of"});
  expect_refused(with_size(7, 7), {"some.png"});
}

TEST(DamagedPng, nonsense_with_right_checksums_is_refused) {
  const auto of_header = [](const std::string& header) {
    return test::png_signature + header + test::png_chunk("IDAT", test::zlib_bytes(std::string(2, '\0'))) +
           test::png_chunk("IEND", "");
  };
  EXPECT_NO_THROW(parse_png(test::bytes_of(of_header(test::png_header(1, 1, 8, 0, 0))), "some.png"));
  for (const int depth : {0, 3, 5, 32, 255}) expect_refused(of_header(test::png_header(1, 1, depth, 0, 0)), {"IHDR"});
  for (const int colour_type : {1, 5, 7, 255}) expect_refused(of_header(test::png_header(1, 1, 8, colour_type, 0)));
  expect_refused(of_header(test::png_header(1, 1, 4, test::png_rgb, 0)), {"IHDR"});
  expect_refused(of_header(test::png_header(1, 1, 8, 0, 2)), {"IHDR"});
  expect_refused(of_header(test::png_header(1, 1, 8, test::png_palette, 0)), {"PLTE"});  // the palette is missing
  expect_refused(of_header(test::png_header(3, 3, 8, 0, 0)));                            // too few pixels
  const SamplePng beyond{2, 1, 8, test::png_palette, false, {0, 1}, {{"PLTE", "abc"}}};
  expect_refused(png_bytes(beyond), {"not in the palette"});
}

TEST(DamagedPng, a_text_that_unpacks_to_gigabytes_is_not_unpacked) {
  SamplePng png = test::grey_png(1, 1, {9});
  png.before = {{"zTXt", std::string("a\0\0", 3) + test::zlib_bytes(std::string(64 << 20, ' '))}};
  EXPECT_EQ(parse_png(test::bytes_of(png_bytes(png)), "some.png").pixel[0], 9);
}

/// Recomputes the checksums of all chunks, as far as the file still consists of chunks.
std::string with_right_checksums(std::string bytes) {
  std::size_t at = 8;
  while (at + 12 <= bytes.size()) {
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k) length = length << 8 | static_cast<unsigned char>(bytes[at + k]);
    if (length > bytes.size() - at - 12) break;
    const std::string chunk = test::png_chunk(bytes.substr(at + 4, 4), bytes.substr(at + 8, length));
    bytes.replace(at, chunk.size(), chunk);
    at += chunk.size();
  }
  return bytes;
}

TEST(DamagedPng, random_damage_gives_a_picture_or_an_error_that_names_the_file) {
  constexpr unsigned seed = 14;
  std::mt19937 random(seed);
  int read_well = 0, refused = 0;
  const std::vector<SamplePng> good = samples();
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = png_bytes(good[random() % good.size()]);
    for (int change = 1 + static_cast<int>(random() % 3); change > 0; --change) {
      const std::size_t at = 8 + random() % (bytes.size() - 8);
      switch (random() % 8) {
        case 0:
          bytes.erase(at, random() % 4);
          break;
        case 1:
          bytes.insert(at, bytes.substr(at, random() % 16));
          break;
        default:
          bytes[at] = static_cast<char>(random());
      }
    }
    bytes = with_right_checksums(bytes);
    try {
      const Picture picture = parse_png(test::bytes_of(bytes), "some.png");
      ASSERT_EQ(picture.pixel.size(), static_cast<std::size_t>(picture.width) * picture.height);
      for (const float grey : picture.pixel) ASSERT_TRUE(grey >= 0 && grey <= 255) << "seed " << seed << ", " << round;
      ++read_well;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
      ASSERT_THAT(error.what(), testing::HasSubstr("some.png")) << "seed " << seed << ", round " << round;
      ++refused;
    }
  }
  EXPECT_GT(read_well, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace krossfold::input
