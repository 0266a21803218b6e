// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/read_idx.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/idx_bytes.hpp"

namespace krossfold::input {
namespace {

using test::all_labels;
using test::expect_input_error;
using test::gzipped;
using test::idx_bytes;
using test::SampleFolder;
using testing::ElementsAre;

const std::string two_images =
    idx_bytes({2, 2, 3}, std::string("\x00\x01\x02\x03\x04\xff\x0a\x0b\x0c\x0d\x0e\x0f", 12));
const std::string two_labels = idx_bytes({2}, "\x07\x03");

TEST(Idx, reads_images_and_labels_in_file_order) {
  const SampleFolder folder;
  const data::Dataset dataset = read_idx(folder.write("images", two_images), folder.write("labels", two_labels));
  EXPECT_THAT(test::row(dataset, 0), ElementsAre(0, 1, 2, 3, 4, 255));
  EXPECT_THAT(test::row(dataset, 1), ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_EQ(dataset.image.width, 3);
  EXPECT_EQ(dataset.image.height, 2);
  EXPECT_TRUE(dataset.integer);
  EXPECT_THAT(dataset.class_name, ElementsAre("3", "7"));
  EXPECT_THAT(all_labels(dataset), ElementsAre(1, 0));
}

TEST(Idx, compressed_files_give_the_same_data_set) {
  const SampleFolder folder;
  const data::Dataset plain = read_idx(folder.write("images", two_images), folder.write("labels", two_labels));
  const data::Dataset packed =
      read_idx(folder.write("i.gz", gzipped(two_images)), folder.write("l.gz", gzipped(two_labels)));
  EXPECT_EQ(packed.digest, plain.digest);
}

TEST(Idx, keeps_only_the_first_samples_and_the_classes_of_all) {
  const SampleFolder folder;
  const std::string images = folder.write("images", two_images), labels = folder.write("labels", two_labels);
  const data::Dataset whole = read_idx(images, labels), first = read_idx(images, labels, {.limit = 1});
  EXPECT_EQ(first.digest, data::rows(whole, 0, 1).digest);
  EXPECT_EQ(first.size(), 1);
  EXPECT_THAT(first.class_name, ElementsAre("3", "7"));
  EXPECT_EQ(read_idx(images, labels, {.limit = 3}).digest, whole.digest);
}

TEST(Idx, reads_no_further_than_the_limit) {
  const SampleFolder folder;
  const std::string labels = folder.write("labels", two_labels);
  const data::Dataset first = read_idx(folder.write("images", two_images), labels, {.limit = 1});
  // What lies beyond is damaged, or not there.
  const std::string damaged = folder.write("damaged", gzipped(two_images.substr(0, 22)) + "x");
  EXPECT_EQ(read_idx(damaged, labels, {.limit = 1}).digest, first.digest);
  EXPECT_EQ(read_idx(folder.write("part", two_images.substr(0, 22)), labels, {.limit = 1}).digest, first.digest);
  expect_input_error([&] { read_idx(folder.write("less", two_images.substr(0, 21)), labels, {.limit = 1}); },
                     {"less", "is cut off"});
  expect_input_error([&] { read_idx(folder.write("more", two_images + "x"), labels, {.limit = 2}); },
                     {"more", "longer than its header"});
}

TEST(Idx, needs_labels_unless_told_otherwise) {
  const SampleFolder folder;
  const std::string images = folder.write("images", two_images);
  expect_input_error([&] { read_idx(images, ""); }, {images, "no labels", "idx:IMAGES,LABELS"});
  EXPECT_FALSE(read_idx(images, "", {.features = 0, .labelled = false}).labelled());
}

TEST(Idx, names_the_magic_number_it_found_and_the_one_it_wants) {
  const SampleFolder folder;
  const std::string images = folder.write("images", two_images), labels = folder.write("labels", two_labels);
  const std::string text = folder.write("text", "0,1,2,3,4,5,6,7,8,9,10\n");
  expect_input_error([&] { read_idx(text, labels); }, {text, "0x302c312c", "0x00000803"});
  expect_input_error([&] { read_idx(images, text); }, {text, "0x302c312c", "0x00000801"});
  expect_input_error(
      [&] { read_idx(labels, images); },
      {labels, "it holds unsigned bytes in 1 dimension; images are unsigned bytes in 3", "Write idx:IMAGES,LABELS"});
  const std::string numbers = folder.write("numbers", std::string("\0\0\x0D\3", 4) + std::string(36, '\0'));
  expect_input_error([&] { read_idx(numbers, labels); },
                     {numbers, "float32 numbers in 3 dimensions", "npy:X.npy,Y.npy"});
  expect_input_error([&] { read_idx(images, images); },
                     {images, "not an IDX file of labels", "Write idx:IMAGES,LABELS"});
}

TEST(Idx, finds_files_that_are_cut_off_or_too_long) {
  const SampleFolder folder;
  const std::string labels = folder.write("labels", two_labels);
  for (std::size_t length = 0; length < two_images.size(); ++length) {
    const std::string images = folder.write("images", two_images.substr(0, length));
    expect_input_error([&] { read_idx(images, labels); }, {images, "is cut off"});
  }
  const std::string longer = folder.write("longer", two_images + "x");
  expect_input_error([&] { read_idx(longer, labels); },
                     {longer, "longer than its header", "2 images of 2 x 3", "13 bytes"});
  const std::string images = folder.write("images", two_images);
  for (std::size_t length = 0; length < two_labels.size(); ++length) {
    const std::string part = folder.write("part", two_labels.substr(0, length));
    expect_input_error([&] { read_idx(images, part); }, {part, "is cut off"});
  }
  const std::string more = folder.write("more", two_labels + "x");
  expect_input_error([&] { read_idx(images, more); }, {more, "longer than its header"});
}

TEST(Idx, is_not_fooled_by_sizes_whose_product_overflows) {
  const SampleFolder folder;
  const std::string labels = folder.write("labels", two_labels);
  const std::uint32_t half = 1u << 31, all = ~0u;
  for (const std::vector<std::uint32_t>& sizes : std::vector<std::vector<std::uint32_t>>{{1u << 30, 1u << 20, 1u << 14},
                                                                                         {half, half, 4},
                                                                                         {all, all, all},
                                                                                         {all, 1, 1},
                                                                                         {4, half, half},
                                                                                         {1, all, all}}) {
    const std::string images = folder.write("images", idx_bytes(sizes, ""));
    expect_input_error([&] { read_idx(images, labels); }, {images, "is cut off", "0 bytes after"});
  }
}

TEST(Idx, refuses_images_without_pixels_and_files_without_images) {
  const SampleFolder folder;
  const std::string labels = folder.write("labels", two_labels), no_labels = folder.write("none", idx_bytes({0}, ""));
  const std::string flat = folder.write("flat", idx_bytes({2, 0, 5}, ""));
  expect_input_error([&] { read_idx(flat, labels); }, {flat, "no features"});
  const std::string empty = folder.write("empty", idx_bytes({0, 2, 3}, ""));
  expect_input_error([&] { read_idx(empty, no_labels); }, {empty, "no samples"});
}

TEST(Idx, names_both_counts_when_images_and_labels_differ) {
  const SampleFolder folder;
  const std::string images = folder.write("images", two_images);
  const std::string labels = folder.write("labels", idx_bytes({3}, "\x01\x02\x03"));
  expect_input_error([&] { read_idx(images, labels); }, {images, "2 images", labels, "3 labels"});
}

TEST(Idx, checks_the_classes_and_the_number_of_features) {
  const SampleFolder folder;
  const std::string images = folder.write("images", two_images), labels = folder.write("labels", two_labels);
  expect_input_error([&] { read_idx(images, labels, {.known_classes = {"1", "3"}}); }, {"'7'", "sample 1", labels});
  expect_input_error([&] { read_idx(images, labels, {.features = 7}); }, {images, "6 features", "7 are needed"});
  const data::Dataset dataset = read_idx(images, labels, {.known_classes = {"9", "7", "3"}, .features = 6});
  EXPECT_THAT(all_labels(dataset), ElementsAre(1, 2));
}

}  // namespace
}  // namespace krossfold::input
