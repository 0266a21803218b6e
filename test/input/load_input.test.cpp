// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/idx_bytes.hpp"

namespace krossfold::input {
namespace {

using test::all_labels;
using test::expect_input_error;
using test::idx_bytes;
using test::SampleFolder;
using testing::ElementsAre;

const std::vector<std::string> classes = {"1", "2"};

data::Dataset load(const std::string& input, int features = 2, const std::vector<std::string>& known = classes) {
  std::vector<std::string> warning;
  return load_input(input, {.features = features, .class_name = known}, warning);
}

TEST(LoadInput, knows_the_format_by_the_name) {
  const SampleFolder folder;
  const std::string csv = "5,6,2\n5,6,1\n", svm = "2 1:5 2:6\n1 1:5 2:6\n";
  const Digest digest = tables::table_dataset(tables::parse_table(test::bytes_of("5,6,2\n5,6,1\n"), "")).digest;
  for (const std::string name : {"a.csv", "a.csv.gz"}) {
    const std::string path = folder.write(name, name.ends_with("gz") ? test::gzipped(csv) : csv);
    EXPECT_EQ(load(path).digest, digest) << name;
    EXPECT_EQ(load("csv:" + path).digest, digest) << name;
  }
  for (const std::string name : {"a.libsvm", "a.svm", "a.txt", "a.libsvm.gz", "a.svm.gz", "a.txt.gz"}) {
    const std::string path = folder.write(name, name.ends_with("gz") ? test::gzipped(svm) : svm);
    EXPECT_EQ(load(path).digest, digest) << name;
    EXPECT_EQ(load("libsvm:" + path).digest, digest) << name;
  }
}

TEST(LoadInput, needs_no_labels) {
  const SampleFolder folder;
  EXPECT_FALSE(load(folder.write("a.csv", "5,6\n")).labelled());
  EXPECT_FALSE(load(folder.write("a.svm", "1:5 2:6\n")).labelled());
  const std::string images = folder.write("my-idx3-ubyte", idx_bytes({1, 1, 2}, "ab"));
  EXPECT_FALSE(load(images).labelled());
  EXPECT_FALSE(load("idx:" + images).labelled());
}

TEST(LoadInput, takes_the_labels_that_lie_beside_images) {
  const SampleFolder folder;
  const std::string images = folder.write("x-images-idx3-ubyte", idx_bytes({2, 1, 2}, "abcd"));
  EXPECT_FALSE(load(images).labelled());
  folder.write("x-labels-idx1-ubyte.gz", test::gzipped(idx_bytes({2}, "\x02\x01")));
  EXPECT_THAT(all_labels(load(images)), ElementsAre(1, 0));
  const std::string packed = folder.write("x-images-idx3-ubyte.gz", test::gzipped(idx_bytes({2, 1, 2}, "abcd")));
  EXPECT_THAT(all_labels(load(packed)), ElementsAre(1, 0));
}

TEST(LoadInput, refuses_arrays_of_images_in_another_order_than_those_of_the_model) {
  const SampleFolder folder;
  const auto images = [&](const std::string& shape) {  // 24 numbers a sample
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, " + shape + "), }";
    header.append(127 - (10 + header.size()), ' ');
    const std::string path = folder.write("x.npy", std::string("\x93NUMPY\x01\x00", 8) + "\x76" + std::string(1, '\0') +
                                                       header + '\n' + std::string(48, 'a'));
    std::vector<std::string> warning;
    return load_input(path, {.features = 24, .class_name = classes, .image = {4, 2, 3}}, warning).size();
  };
  for (const std::string shape : {"3, 2, 4", "24", "3, 8", "2, 4, 3"}) EXPECT_EQ(images(shape), 2) << shape;
  for (const std::string shape : {"4, 2, 3", "3, 4, 2"}) {
    expect_input_error([&] { images(shape); }, {"an image of 4x2x3 is channels, rows and columns of 3x2x4"});
  }
}

TEST(LoadInput, digits_are_all_of_them) {
  const data::Dataset digits = tables::embedded_digits();
  EXPECT_EQ(load("digits", 64, digits.class_name).digest, digits.digest);
  expect_input_error([] { load("digits", 784, {}); }, {"digits has 64 features", "784 are needed"});
  expect_input_error([] { load("digits", 64, {"0", "1"}); }, {"'2'", "sample 3", "digits"});
}

TEST(LoadInput, finds_the_columns_of_the_training_table_by_name) {
  const SampleFolder folder;
  const tables::Table train = tables::read_table(folder.write("train.csv", "x,y,class\n1,2,1\n3,4,2\n"));
  const auto encoding = std::make_shared<const data::TableEncoding>(tables::fit_encoding(train, {}, {}));
  const InputParams params{.features = 2, .class_name = classes, .encoding = encoding};
  std::vector<std::string> warning;
  const data::Dataset swapped = load_input(folder.write("a.csv", "id,y,x\n7,2,1\n8,4,3\n"), params, warning);
  EXPECT_THAT(test::row(swapped, 1), ElementsAre(3, 4));
  EXPECT_FALSE(swapped.labelled());
  EXPECT_THAT(warning, ElementsAre(testing::HasSubstr("column 1 (id)")));
  expect_input_error([&] { load_input(folder.write("b.csv", "x,z\n1,2\n"), params, warning); },
                     {"b.csv", "lacks the column y"});
}

TEST(LoadInput, names_what_does_not_fit_the_model) {
  const SampleFolder folder;
  const std::string path = folder.write("a.csv", "5,6,3\n");
  std::vector<std::string> warning;
  EXPECT_FALSE(load_input(path, {.features = 2, .class_name = {"1", "2"}}, warning).labelled());
  EXPECT_THAT(warning,
              testing::Contains(testing::HasSubstr("1 of 1 samples of " + path +
                                                   " has no label, or one that is not of the model's classes 1, 2")));
  expect_input_error([&] { load(path, 5, classes); }, {path, "3 columns", "learnt 5"});
}

TEST(LoadInput, asks_for_the_format_when_no_name_tells_it) {
  const SampleFolder folder;
  const std::string path = folder.write("data.bin", "5,6,2\n");
  expect_input_error([&] { load(path); }, {path, "does not tell its format", "csv:" + path});
  expect_input_error([&] { load("digist"); }, {"'digist'", "Did you mean digits?"});
  expect_input_error([&] { load(folder.path("no.csv")); }, {"no.csv", "No such file"});
}

}  // namespace
}  // namespace krossfold::input
