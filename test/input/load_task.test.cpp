// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/spec.hpp"

#include "krossfold/core/text.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/idx_bytes.hpp"

namespace krossfold::input {
namespace {

using test::all_labels;
using test::Environment;
using test::expect_input_error;
using test::idx_bytes;
using test::SampleFolder;
using testing::ElementsAre;

/// `n` lines "i.5,label" whose labels cycle through `letters`.
std::string lines(int n, const std::string& letters) {
  std::string content;
  for (int i = 0; i < n; ++i) content += text(i, ".5,", letters[i % letters.size()], "\n");
  return content;
}

void refused(const input::TaskParams& params, const std::vector<std::string>& parts) {
  SCOPED_TRACE(params.train + " " + params.test);
  expect_input_error([&] { load_task(params); }, parts);
}

TEST(Spec, digits_hold_out_their_last_fifth) {
  const data::Task task = load_task({.test_part = "last"});
  EXPECT_EQ(task.train.size(), 1438) << "round(0.8 * 1797)";
  EXPECT_EQ(task.test.size(), 359);
  const data::Dataset digits = tables::embedded_digits();
  EXPECT_EQ(task.train.digest, data::rows(digits, 0, 1438).digest);
  EXPECT_EQ(task.test.digest, data::rows(digits, 1438, 359).digest);
  EXPECT_EQ(task.train.image.width, 8);
}

TEST(Spec, limit_comes_after_the_split_and_renumbers_no_class) {
  const SampleFolder folder;
  const std::string spec = "csv:" + folder.write("t.csv", lines(10, "cab"));
  const data::Task task = load_task({.train = spec, .limit = 2, .test_part = "last"});
  EXPECT_EQ(task.train.size(), 2);
  EXPECT_EQ(task.test.size(), 2);
  EXPECT_EQ(task.test.raw(0, 0), 8.5f);
  EXPECT_THAT(task.train.class_name, ElementsAre("a", "b", "c"));
  EXPECT_THAT(all_labels(task.train), ElementsAre(2, 0));
  EXPECT_EQ(load_task({.train = spec, .limit = 8}).train.digest, load_task({.train = spec}).train.digest);
  EXPECT_EQ(
      load_task({.train = spec}, 3).test.digest,
      data::split_off_test_part(load_task({.train = spec, .test = spec}).train, data::TestPart::random, 3).test.digest);
}

TEST(Spec, warns_of_test_samples_that_are_in_the_training_part) {
  const SampleFolder folder;
  const std::string once = "csv:" + folder.write("once.csv", lines(20, "ab"));
  EXPECT_THAT(load_task({.train = once}).warning, ElementsAre(testing::HasSubstr("column 1 counts in equal steps")));
  const data::Task task = load_task({.train = once, .test = once});
  EXPECT_THAT(task.warning, testing::Contains(testing::StartsWith("20 of 20 test samples equal a training sample")));
  const std::string others = "csv:" + folder.write("others.csv", lines(20, "ba"));
  EXPECT_THAT(load_task({.train = once, .test = others}).warning,
              testing::Not(testing::Contains(testing::HasSubstr("equal a training sample"))))
      << "other classes";
}

TEST(Spec, a_label_by_number_is_that_column_of_the_training_table_in_any_order_of_the_test_tables) {
  const SampleFolder folder;
  std::string train = "label,x,y\n", test = "site,label,x,y\n";
  for (int i = 0; i < 20; ++i) {
    train += text(i % 2, ",", i, ".5,", 2 * i, ".25\n");
    test += text(i / 10, ",", i % 2, ",", i, ".75,", 2 * i, ".5\n");
  }
  const std::string a = "csv:" + folder.write("a.csv", train), b = "csv:" + folder.write("b.csv", test);
  TaskParams params{.train = a, .test = b};
  params.table.label = "label";
  const data::Task by_name = load_task(params);
  params.table.label = "1";
  const data::Task by_number = load_task(params);
  EXPECT_EQ(by_number.test.digest, by_name.test.digest);
  EXPECT_THAT(all_labels(by_number.test), testing::Each(testing::AnyOf(0, 1)));
  EXPECT_EQ(all_labels(by_number.test), all_labels(by_number.train));
}

TEST(Spec, groups_by_number_are_that_column_of_the_training_table_in_any_order_of_the_test_tables) {
  const SampleFolder folder;
  TaskParams params{.train = "csv:" + folder.write("train.csv", "site,x,y,class\n1,7,1,a\n1,8,2,b\n2,7,3,a\n2,9,4,b\n"),
                    .test = "csv:" + folder.write("test.csv", "x,y,class,site\n1,7,a,3\n2,8,b,4\n"),
                    .table = {.group = "1"}};
  EXPECT_THAT(load_task(params).warning, testing::IsEmpty());  // the numbers 1 and 2 in column 1 are no sites
  params.test = "csv:" + folder.write("shared.csv", "x,y,class,site\n5,7,a,2\n6,8,b,4\n");
  EXPECT_THAT(load_task(params).warning, ElementsAre(testing::HasSubstr("1 group is both in")));
  params.test = "csv:" + folder.write("bare.csv", "2,5,7,a\n4,6,8,b\n");
  EXPECT_THAT(load_task(params).warning, testing::UnorderedElementsAre(testing::HasSubstr("1 group is both in"),
                                                                       testing::HasSubstr("by position")));
}

TEST(Spec, names_the_class_that_only_the_held_out_part_has) {
  const SampleFolder folder;
  refused({.train = "csv:" + folder.write("t.csv", lines(8, "ab") + "1,c\n2,c\n"), .test_part = "last"},
          {"class 'c'", "t.csv", "last fifth", "test-part random"});
}

TEST(Spec, test_data_of_its_own_must_look_like_the_training_data) {
  const SampleFolder folder;
  const std::string train = "csv:" + folder.write("train.csv", lines(10, "ab"));
  const data::Task task = load_task({.train = train, .test = "csv:" + folder.write("test.csv", lines(3, "b"))});
  EXPECT_EQ(task.train.size(), 10) << "nothing is held out";
  EXPECT_EQ(task.test.size(), 3);
  EXPECT_THAT(task.test.class_name, ElementsAre("a", "b"));
  EXPECT_THAT(all_labels(task.test), ElementsAre(1, 1, 1));
  refused({.train = train, .test = "csv:" + folder.write("other.csv", lines(3, "bx"))}, {"'x'", "other.csv", "a, b"});
  refused({.train = train, .test = "csv:" + folder.write("wide.csv", "1,2,a\n")},
          {"wide.csv", "3 columns", "learnt 1"});
  refused({.train = train, .test = "digits"}, {"digits", "64 features", "1 are needed"});

  const std::string sparse = "libsvm:" + folder.write("train.svm", "1 3:1\n2 1:1\n");
  const data::Task padded = load_task({.train = sparse, .test = "libsvm:" + folder.write("test.svm", "2 1:4\n")});
  EXPECT_EQ(padded.test.features(), 3);
}

TEST(Spec, limit_must_lie_within_the_training_part) {
  refused({.train = "digits", .limit = 1439}, {"limit 1439", "1438 samples"});
  refused({.train = "digits", .limit = -1}, {"limit -1"});
}

TEST(Spec, training_needs_two_classes) {
  const SampleFolder folder;
  refused({.train = "csv:" + folder.write("one.csv", lines(10, "a"))}, {"one.csv", "fewer than two classes", "'a'"});
  refused({.train = "csv:" + folder.write("two.csv", lines(10, "aab")), .limit = 2, .test_part = "last"},
          {"two.csv", "fewer than two classes", "Raise --limit"});
}

TEST(Spec, unknown_kinds_get_the_nearest_known_one) {
  refused({.train = "digit"}, {"unknown data 'digit'", "Did you mean digits?"});
  refused({.train = "libsmv:x"}, {"unknown data 'libsmv:x'", "Did you mean libsvm?"});
  refused({.train = "folder/train.csv.gz"}, {"Did you mean csv:folder/train.csv.gz?"});
  refused({.train = "a9a.txt"}, {"Did you mean libsvm:a9a.txt?"});
  refused({.train = "something else"}, {"unknown data 'something else'", "csv:FILE", "npz:FILE:X[,Y]"});
  refused({.train = ""}, {"unknown data ''"});
  refused({.train = "csv"}, {"'csv' names no file", "csv:FILE"});
  refused({.train = "idx:,x"}, {"names no file", "idx:IMAGES,LABELS"});
  refused({.train = "digits:x.csv"}, {"the digits are built in"});
  refused({.train = "csv:/no/such/file.csv"}, {"/no/such/file.csv", "No such file"});
}

TEST(Spec, idx_needs_both_files) {
  const SampleFolder folder;
  const std::string images = folder.write("i", idx_bytes({5, 1, 1}, "abcde")),
                    label = folder.write("l", idx_bytes({5}, "01010"));
  EXPECT_EQ(load_task({.train = "idx:" + images + "," + label}).train.size(), 4);
  refused({.train = "idx:" + images}, {images, "no labels", "idx:IMAGES,LABELS"});
}

TEST(DataFolder, is_the_one_named_then_that_of_the_variable_then_the_cache) {
  const SampleFolder folder;
  for (const std::string path : {"named", "data/set", "cache/krossfold/set", "home/.cache/krossfold/set"}) {
    std::filesystem::create_directories(folder.path(path));
  }
  const Environment data("KROSSFOLD_DATA", folder.path("data")), cache("XDG_CACHE_HOME", folder.path("cache"));
  const Environment home("HOME", folder.path("home"));
  EXPECT_EQ(find_data_folder("set", folder.path("named")), folder.path("named"));
  EXPECT_EQ(find_data_folder("set"), folder.path("data/set"));
  std::filesystem::remove_all(folder.path("data"));
  EXPECT_EQ(find_data_folder("set"), folder.path("cache/krossfold/set"));
  std::filesystem::remove_all(folder.path("cache"));
  const Environment no_cache("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(find_data_folder("set"), folder.path("home/.cache/krossfold/set"));
}

TEST(DataFolder, lists_what_was_tried_and_how_to_get_the_data) {
  const SampleFolder folder;
  const Environment data("KROSSFOLD_DATA", folder.path("data")), cache("XDG_CACHE_HOME", folder.path("cache"));
  refused({.train = "mnist"},
          {folder.path("data/mnist"), folder.path("cache/krossfold/mnist"), "tools/fetch-mnist", "KROSSFOLD_DATA"});
  refused({.train = "mnist:" + folder.path("mine")}, {folder.path("mine"), "tools/fetch-mnist"});
  std::filesystem::create_directories(folder.path("data/mnist"));
  refused({.train = "mnist"}, {"train-images-idx3-ubyte[.gz]", folder.path("data/mnist")});
}

}  // namespace
}  // namespace krossfold::input
