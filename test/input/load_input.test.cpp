// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/readers.hpp"
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

TEST(LoadInput, knows_the_format_by_the_name) {
  const SampleFolder folder;
  const std::string csv = "5,6,2\n", svm = "2 1:5 2:6\n";
  const Digest digest = tables::parse_csv(test::bytes_of(csv), "", {.known_classes = classes}).digest;
  for (const std::string name : {"a.csv", "a.csv.gz"}) {
    const std::string path = folder.write(name, name.ends_with("gz") ? test::gzipped(csv) : csv);
    EXPECT_EQ(load_input(path, 2, classes).digest, digest) << name;
    EXPECT_EQ(load_input("csv:" + path, 2, classes).digest, digest) << name;
  }
  for (const std::string name : {"a.libsvm", "a.svm", "a.txt", "a.libsvm.gz", "a.svm.gz", "a.txt.gz"}) {
    const std::string path = folder.write(name, name.ends_with("gz") ? test::gzipped(svm) : svm);
    EXPECT_EQ(load_input(path, 2, classes).digest, digest) << name;
    EXPECT_EQ(load_input("libsvm:" + path, 2, classes).digest, digest) << name;
  }
}

TEST(LoadInput, needs_no_labels) {
  const SampleFolder folder;
  EXPECT_FALSE(load_input(folder.write("a.csv", "5,6\n"), 2, classes).labelled());
  EXPECT_FALSE(load_input(folder.write("a.svm", "1:5 2:6\n"), 2, classes).labelled());
  const std::string images = folder.write("my-idx3-ubyte", idx_bytes({1, 1, 2}, "ab"));
  EXPECT_FALSE(load_input(images, 2, classes).labelled());
  EXPECT_FALSE(load_input("idx:" + images, 2, classes).labelled());
}

TEST(LoadInput, takes_the_labels_that_lie_beside_images) {
  const SampleFolder folder;
  const std::string images = folder.write("x-images-idx3-ubyte", idx_bytes({2, 1, 2}, "abcd"));
  EXPECT_FALSE(load_input(images, 2, classes).labelled());
  folder.write("x-labels-idx1-ubyte.gz", test::gzipped(idx_bytes({2}, "\x02\x01")));
  EXPECT_THAT(all_labels(load_input(images, 2, classes)), ElementsAre(1, 0));
  const std::string packed = folder.write("x-images-idx3-ubyte.gz", test::gzipped(idx_bytes({2, 1, 2}, "abcd")));
  EXPECT_THAT(all_labels(load_input(packed, 2, classes)), ElementsAre(1, 0));
}

TEST(LoadInput, digits_are_all_of_them) {
  const data::Dataset digits = tables::embedded_digits();
  EXPECT_EQ(load_input("digits", 64, digits.class_name).digest, digits.digest);
  expect_input_error([] { load_input("digits", 784, {}); }, {"digits has 64 features", "784 are needed"});
  expect_input_error([] { load_input("digits", 64, {"0", "1"}); }, {"'2'", "sample 3", "digits"});
}

TEST(LoadInput, names_what_does_not_fit_the_model) {
  const SampleFolder folder;
  const std::string path = folder.write("a.csv", "5,6,3\n");
  expect_input_error([&] { load_input(path, 2, classes); }, {path, "'3'", "1, 2"});
  expect_input_error([&] { load_input(path, 5, classes); }, {path, "3 fields", "5 features are needed"});
}

TEST(LoadInput, asks_for_the_format_when_no_name_tells_it) {
  const SampleFolder folder;
  const std::string path = folder.write("data.bin", "5,6,2\n");
  expect_input_error([&] { load_input(path, 2, classes); }, {path, "does not tell its format", "csv:" + path});
  expect_input_error([&] { load_input("digist", 2, classes); }, {"'digist'", "Did you mean digits?"});
  expect_input_error([&] { load_input(folder.path("no.csv"), 2, classes); }, {"no.csv", "No such file"});
}

}  // namespace
}  // namespace krossfold::input
