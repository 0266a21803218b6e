// SPDX-License-Identifier: BSD-3-Clause
// images:FOLDER, a folder for each class.
#include "src/input/read_image_folder.hpp"

#include "krossfold/input/spec.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/png_bytes.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using test::grey_png;
using test::SampleFolder;
using testing::ElementsAre;
using testing::HasSubstr;

std::string grey(const std::vector<int>& sample) { return test::png_bytes(grey_png(2, 1, sample)); }
std::string coloured(const std::vector<int>& sample) {
  return test::png_bytes({2, 1, 8, test::png_rgb, false, sample});
}

data::Dataset read(const SampleFolder& folder, const tables::ReadParams& params = {}) {
  Notes notes;
  return read_image_folder(folder.path(), params, notes);
}

TEST(ReadImageFolder, samples_are_in_the_order_of_class_and_file_and_classes_are_the_folders) {
  const SampleFolder folder;
  folder.write("dog/1.png", grey({30, 40}));
  folder.write("cat/b.png", grey({50, 60}));
  folder.write("cat/a.PNG", grey({10, 20}));
  folder.write("cat/.hidden.png", "no picture");
  Notes notes;
  const data::Dataset set = read_image_folder(folder.path(), {}, notes);
  EXPECT_THAT(set.class_name, ElementsAre("cat", "dog"));
  EXPECT_THAT(test::all_labels(set), ElementsAre(0, 0, 1));
  EXPECT_THAT(test::row(set, 0), ElementsAre(10, 20));
  EXPECT_THAT(test::row(set, 1), ElementsAre(50, 60));
  EXPECT_THAT(test::row(set, 2), ElementsAre(30, 40));
  EXPECT_EQ(set.image, (data::ImageShape{2, 1, 1}));
  EXPECT_TRUE(set.integer);
  EXPECT_THAT(notes.understood, ElementsAre(folder.path() + ": 3 pictures of 2x1 pixels, in grey; files: 8-bit grey",
                                            "label: the folders, with 2 classes: cat 2 (66.7 %), dog 1 (33.3 %)"));
  EXPECT_THAT(notes.warning, testing::IsEmpty());
}

TEST(ReadImageFolder, classes_that_are_numbers_are_in_their_order) {
  const SampleFolder folder;
  for (const char* name : {"10", "9", "1"}) folder.write(std::string(name) + "/a.png", grey({1, 2}));
  EXPECT_THAT(read(folder).class_name, ElementsAre("1", "9", "10"));
}

TEST(ReadImageFolder, one_coloured_pixel_gives_all_samples_three_channels) {
  const SampleFolder folder;
  folder.write("a/1.png", grey({5, 6}));
  folder.write("a/2.png", coloured({7, 7, 7, 8, 8, 8}));
  folder.write("b/1.png", grey({9, 9}));
  EXPECT_EQ(read(folder).image, (data::ImageShape{2, 1, 1})) << "equal channels are grey";
  EXPECT_THAT(test::row(read(folder), 1), ElementsAre(7, 8));
  const data::ImageShape grey_shape{2, 1, 1}, colour{2, 1, 3};
  EXPECT_THAT(test::row(read(folder, {.image = colour}), 1), ElementsAre(7, 8, 7, 8, 7, 8));
  folder.write("b/2.png", coloured({1, 2, 3, 4, 5, 6}));
  const data::Dataset set = read(folder);
  EXPECT_EQ(set.image, (data::ImageShape{2, 1, 3}));
  EXPECT_THAT(test::row(set, 0), ElementsAre(5, 6, 5, 6, 5, 6));
  EXPECT_THAT(test::row(set, 3), ElementsAre(1, 4, 2, 5, 3, 6)) << "(channel, row, column)";
  Notes notes;
  const data::Dataset made_grey = read_image_folder(folder.path(), {.image = grey_shape}, notes);
  EXPECT_EQ(made_grey.image, grey_shape);
  EXPECT_FLOAT_EQ(made_grey.raw(3, 0), .299 * 1 + .587 * 2 + .114 * 3);
  EXPECT_THAT(notes.warning, ElementsAre(HasSubstr("1 picture in colour of")));
}

TEST(ReadImageFolder, images_of_another_shape_with_as_many_pixels_are_refused) {
  const SampleFolder folder;
  folder.write("wide/a/1.png", test::png_bytes(grey_png(6, 1, {1, 2, 3, 4, 5, 6})));
  folder.write("wide/b/1.png", test::png_bytes(grey_png(6, 1, {1, 2, 3, 4, 5, 7})));
  folder.write("tall/a/1.png", test::png_bytes(grey_png(3, 2, {1, 2, 3, 4, 5, 6})));
  folder.write("tall/b/1.png", test::png_bytes(grey_png(3, 2, {1, 2, 3, 4, 5, 7})));
  const std::string wide = "images:" + folder.path("wide"), tall = "images:" + folder.path("tall");
  EXPECT_EQ(load_task({.train = wide, .test = wide}).test.size(), 2);
  expect_input_error([&] { load_task({.train = wide, .test = tall}); },
                     {"tall has images of 3x2 pixels", "those of the training data have 6x1 pixels"});
  std::vector<std::string> warning;
  expect_input_error(
      [&] {
        load_input(tall, {.features = 6, .image = {2, 1, 3}}, warning);
      },
      {"images of 3x2 pixels", "2x1 pixels in 3 channels"});
}

TEST(ReadImageFolder, names_of_folders_are_classes_as_they_are_written) {
  const SampleFolder folder;
  for (const char* name : {"1.1", "1.10", "1", "1.0", "nan"}) folder.write(std::string(name) + "/a.png", grey({1, 2}));
  EXPECT_THAT(read(folder).class_name, testing::UnorderedElementsAre("1.1", "1.10", "1", "1.0", "nan"));
}

TEST(ReadImageFolder, says_what_became_of_depth_and_transparency) {
  const SampleFolder folder;
  folder.write("a/1.png", test::png_bytes({1, 1, 16, test::png_grey, false, {257 * 3 + 100}}));
  folder.write("b/1.png", test::png_bytes({1, 1, 8, test::png_grey_alpha, false, {9, 0}}));
  Notes notes;
  const data::Dataset set = read_image_folder(folder.path(), {}, notes);
  EXPECT_NEAR(set.raw(0, 0), 3 + 100 / 257.0, 1e-6);
  EXPECT_EQ(set.raw(1, 0), 255) << "a transparent pixel is white";
  EXPECT_THAT(notes.understood[0], HasSubstr("files: 16-bit grey (1); 8-bit grey with alpha -> on white (1)"));
}

TEST(ReadImageFolder, pictures_of_two_sizes_are_refused_naming_one_of_each) {
  const SampleFolder folder;
  folder.write("a/1.png", grey({1, 2}));
  folder.write("b/2.png", test::png_bytes(grey_png(1, 2, {1, 2})));
  expect_input_error([&] { read(folder); }, {"b/2.png has 1x2 pixels", "a/1.png has 2x1", "Scale or crop"});
}

TEST(ReadImageFolder, a_layout_that_is_not_a_folder_for_each_class_is_refused) {
  {
    const SampleFolder folder;
    expect_input_error([&] { read(folder); }, {"no pictures in the folder"});
    expect_input_error([&] { load_task({.train = "images:" + folder.path("none")}); },
                       {"cannot read the folder", "none"});
    expect_input_error([&] { load_task({.train = "images:"}); }, {"names no folder"});
    expect_input_error([&] { load_task({.train = folder.path()}); }, {"Did you mean images:"});
    folder.write("1.png", grey({1, 2}));
    expect_input_error([&] { read(folder); }, {"has no folders of classes", "named after it"});
    folder.write("cat/1.png", grey({1, 2}));
    expect_input_error([&] { read(folder); }, {"1.png belongs to no class"});
  }
  {
    const SampleFolder folder;
    folder.write("train/cat/1.png", grey({1, 2}));
    folder.write("test/cat/1.png", grey({1, 2}));
    expect_input_error([&] { read(folder); }, {"a folder within", "images:" + folder.path("test")});
  }
}

TEST(ReadImageFolder, other_pictures_are_refused_and_other_files_are_warned_of) {
  const SampleFolder folder;
  folder.write("cat/1.png", grey({1, 2}));
  folder.write("dog/1.png", grey({1, 2}));
  folder.write("cat/Thumbs.db", "x");
  folder.write("list.txt", "x");
  std::filesystem::create_directory(folder.path("cow"));
  Notes notes;
  EXPECT_EQ(read_image_folder(folder.path(), {}, notes).size(), 2);
  EXPECT_THAT(notes.warning, ElementsAre("the folder " + folder.path("cow") + " holds no pictures",
                                         "2 files are no pictures and left out, such as " + folder.path("list.txt")));
  folder.write("dog/2.GIF", "GIF89a");
  expect_input_error([&] { read(folder); }, {"2.GIF", "a format that is not read", "PNG"});
}

TEST(ReadImageFolder, a_damaged_file_is_named) {
  const SampleFolder folder;
  folder.write("cat/1.png", grey({1, 2}));
  folder.write("cat/2.jpg", "\xff\xd8\xff broken");
  expect_input_error([&] { read(folder); }, {"cat/2.jpg", "damaged"});
}

TEST(ReadImageFolder, is_split_as_other_data_and_read_alike_for_the_test_part) {
  const SampleFolder folder, other;
  for (int k = 0; k < 10; ++k) {
    folder.write("cat/" + std::to_string(k) + ".png", grey({k, 2}));
    folder.write("dog/" + std::to_string(k) + ".png", coloured({k, 2, 3, 4, 5, 6}));
  }
  const data::Task task = load_task({.train = "images:" + folder.path()}, 1);
  EXPECT_EQ(task.train.size(), 16);
  EXPECT_EQ(task.test.size(), 4);
  EXPECT_EQ(task.understood.size(), 2);
  other.write("dog/1.png", grey({9, 8}));
  const data::Task given = load_task({.train = "images:" + folder.path(), .test = "images:" + other.path()});
  EXPECT_EQ(given.train.size(), 20);
  EXPECT_THAT(test::row(given.test, 0), ElementsAre(9, 8, 9, 8, 9, 8));
  EXPECT_THAT(test::all_labels(given.test), ElementsAre(1));
  other.write("cow/1.png", grey({9, 8}));
  expect_input_error([&] { load_task({.train = "images:" + folder.path(), .test = "images:" + other.path()}); },
                     {"cow"});
}

TEST(ReadImageFolder, pictures_to_predict_need_no_classes) {
  const SampleFolder folder;
  folder.write("1.png", grey({1, 2}));
  folder.write("2.png", grey({3, 4}));
  std::vector<std::string> warning;
  const data::Dataset set =
      load_input("images:" + folder.path(), {.features = 2, .class_name = {"cat", "dog"}}, warning);
  EXPECT_EQ(set.size(), 2);
  EXPECT_FALSE(set.labelled());
}

}  // namespace
}  // namespace krossfold::input
