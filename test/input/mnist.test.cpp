// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "krossfold/data/read_file.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/read_idx.hpp"
#include "krossfold/input/spec.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::input {
namespace {

using testing::ElementsAre;

/// The MNIST folder, if this machine has one.
std::optional<std::string> mnist_folder() {
  try {
    return find_data_folder("mnist");
  } catch (const Error&) {
    return std::nullopt;
  }
}

#define SKIP_WITHOUT_MNIST()                                                                     \
  if (!mnist_folder()) {                                                                         \
    GTEST_SKIP() << "MNIST is not on this machine: run tools/fetch-mnist or set KROSSFOLD_DATA"; \
  }

double pixel_sum(const data::Dataset& dataset) {
  double sum = 0;
  for (int i = 0; i < dataset.size(); ++i) {
    for (int j = 0; j < dataset.features(); ++j) sum += dataset.raw(i, j);
  }
  return sum;
}

std::vector<int> class_counts(const data::Dataset& dataset) {
  std::vector<int> count(10, 0);
  for (const int label : test::all_labels(dataset)) ++count[label];
  return count;
}

// A Python program extracted the numbers below from the published files.
TEST(Mnist, is_the_published_data) {
  SKIP_WITHOUT_MNIST();
  const data::Task mnist = load_task({.train = "mnist"});
  EXPECT_EQ(mnist.train.size(), 60000);
  EXPECT_EQ(mnist.test.size(), 10000);
  EXPECT_EQ(mnist.train.features(), 784);
  EXPECT_EQ(mnist.train.image.width, 28);
  EXPECT_EQ(mnist.train.name, "mnist");
  EXPECT_EQ(mnist.train.highest, 255);
  EXPECT_EQ(pixel_sum(mnist.train), 1567298545);
  EXPECT_EQ(pixel_sum(mnist.test), 264923200);
  EXPECT_THAT(class_counts(mnist.train), ElementsAre(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949));
  EXPECT_THAT(class_counts(mnist.test), ElementsAre(980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009));
  EXPECT_EQ(data::rows(mnist.train, 0, 100).digest, 0x987caf07b3cf00b8ULL);
  EXPECT_EQ(data::rows(mnist.test, 0, 100).digest, 0x6d94967616f6f162ULL);
  EXPECT_THAT(test::all_labels(data::rows(mnist.train, 0, 10)), ElementsAre(5, 0, 4, 1, 9, 2, 1, 3, 1, 4));
}

TEST(Mnist, has_the_limit_and_the_scale_of_the_study) {
  SKIP_WITHOUT_MNIST();
  const data::Task mnist = load_task({.train = "mnist:" + *mnist_folder(), .limit = 100});
  EXPECT_EQ(mnist.train.digest, 0x987caf07b3cf00b8ULL);
  EXPECT_EQ(mnist.test.size(), 10000) << "a limit leaves the test part whole";
  const data::Scale scale = data::fit_scale(mnist.train, "");
  EXPECT_EQ(scale.offset_of(0), 127.5);
  EXPECT_NEAR(scale.divisor_of(0), 73.612159, 1e-6);
}

TEST(Mnist, is_the_same_unpacked) {
  SKIP_WITHOUT_MNIST();
  const test::SampleFolder folder;
  for (const std::string kind : {"images-idx3", "labels-idx1"}) {
    const std::string file = "t10k-" + kind + "-ubyte";
    std::string source = *mnist_folder() + "/" + file;
    if (!std::filesystem::exists(source)) source += ".gz";
    const std::string content = test::string_of(data::read_file(source));
    folder.write(file, content);
    folder.write("train-" + kind + "-ubyte.gz", test::gzipped(content));
  }
  const data::Task mnist = load_task({.train = "mnist:" + folder.path()});
  EXPECT_EQ(mnist.train.digest, mnist.test.digest);
  std::vector<std::string> warning;
  const data::Dataset input = load_input(folder.path("t10k-images-idx3-ubyte"),
                                         {.features = 784, .class_name = mnist.train.class_name}, warning);
  EXPECT_EQ(input.digest, mnist.test.digest) << "the labels lie beside the images";
}

}  // namespace
}  // namespace krossfold::input
