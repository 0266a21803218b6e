// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/fingerprint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "krossfold/input/spec.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

TEST(Fingerprint, counts_data_by_their_values_and_not_by_their_path) {
  const test::TemporaryFolder folder;
  const std::string rows = "1,2,0\n3,4,1\n5,6,0\n7,8,1\n9,1,0\n";
  test::put(folder / "a.csv", rows);
  test::put(folder / "b.csv", rows);
  test::put(folder / "c.csv", "1,2,0\n3,4,1\n5,6,0\n7,8,1\n9,2,0\n");
  const auto print = [&](const std::string& train, const std::string& test = "") {
    const auto spec = [&](const std::string& name) { return "csv:" + (folder / name); };
    return make_fingerprint({{"folds", "5"}}, input::load_task({spec(train), test.empty() ? "" : spec(test)}));
  };
  const storage::Fingerprint a = print("a.csv", "a.csv");
  EXPECT_THAT(a.config, testing::StartsWith("folds = 5\ncolumns = "));
  EXPECT_EQ(storage::difference(a, print("b.csv", "b.csv")), "");
  EXPECT_NE(a.data, print("a.csv").data);
  EXPECT_NE(a.data, print("c.csv", "a.csv").data);
  EXPECT_NE(a.data, print("a.csv", "c.csv").data);
  EXPECT_NE(print("a.csv", "c.csv").data, print("c.csv", "a.csv").data);
}

TEST(Fingerprint, says_that_images_of_fractions_are_scaled_as_pixels) {
  const test::TemporaryFolder folder;
  test::put(folder / "a.csv", "0.1,0.9,0\n0.8,0.2,1\n0,1,0\n0.7,0.1,1\n0.2,0.8,0\n0.9,0,1\n");
  const auto config = [&](const std::string& scale, const std::string& image) {
    input::TaskParams params{"csv:" + (folder / "a.csv")};
    params.table.image = image;
    return make_fingerprint({{"scale", scale}}, input::load_task(params)).config;
  };
  const auto fractions = testing::HasSubstr("pixels = fractions\n");
  EXPECT_THAT(config("", "2x1"), fractions);
  EXPECT_THAT(config("standard", "2x1"), testing::Not(fractions));
  EXPECT_THAT(config("", ""), testing::Not(fractions));
}

TEST(Fingerprint, tells_names_of_columns_and_categories_apart) {
  const auto config = [](const std::string& content) {
    const test::TemporaryFolder folder;
    test::put(folder / "a.csv", content);
    return make_fingerprint({}, input::load_task({"csv:" + (folder / "a.csv")}));
  };
  const std::string rows = "1,2,0\n3,8,1\n5,3,0\n7,9,1\n9,2,0\n";
  const storage::Fingerprint one = config("a,b,y\n" + rows);
  EXPECT_EQ(storage::difference(one, config("a,b,y\n" + rows)), "");
  EXPECT_THAT(storage::difference(one, config("a,c,y\n" + rows)),
              testing::HasSubstr("names or categories of the columns differ"));
  storage::Fingerprint older = one;
  older.config.clear();
  EXPECT_EQ(storage::difference(older, one), "") << "which knew no columns";
}

TEST(Fingerprint, tells_shapes_of_images_apart_whatever_their_scale) {
  const test::TemporaryFolder folder;
  test::put(folder / "a.csv", "1,9,4,2,0\n8,2,3,1,1\n0,15,1,1,0\n7,1,0,0,1\n2,8,5,5,0\n9,0,1,2,1\n");
  for (const std::string data : {"npz:a.npz:x,y", "hdf5:a.h5", "idx:a,b"}) {
    for (const std::string scale : {"standard", "0:255"}) {
      const auto print = [&](const data::ImageShape& shape) {
        data::Task task = input::load_task({"csv:" + (folder / "a.csv")});
        task.train.image = shape;
        return make_fingerprint({{"data", data}, {"image", ""}, {"scale", scale}}, task);
      };
      EXPECT_EQ(storage::difference(print({2, 2, 1}), print({4, 1, 1})), "images was 2x2 and is now 4x1");
      storage::Fingerprint older = print({2, 2, 1});
      older.config.erase(older.config.find("images"));
      EXPECT_EQ(storage::difference(older, print({2, 2, 1})), "") << "which knew no shape";
    }
  }
}

TEST(Fingerprint, says_that_an_array_is_images) {
  const test::TemporaryFolder folder;
  test::put(folder / "a.csv", "1,9,0\n8,2,1\n0,15,0\n7,1,1\n2,8,0\n9,0,1\n");
  const auto print = [&](const std::string& data, const std::string& image, const data::ImageShape& shape) {
    data::Task task = input::load_task({"csv:" + (folder / "a.csv")});
    task.train.image = shape;
    return make_fingerprint({{"data", data}, {"image", image}, {"scale", ""}}, task);
  };
  const data::ImageShape grey{2, 1, 1}, colour{1, 1, 2};
  const std::string arrays = "npy:a.npy,y.npy";
  storage::Fingerprint older = print(arrays, "", {});  // one that standardised each pixel, and lacked an option besides
  older.config.erase(0, older.config.find('\n') + 1);
  storage::Fingerprint now = print(arrays, "", grey);
  now.unsaid["data"] = arrays;
  EXPECT_EQ(storage::difference(older, now), "images was not set and is now 2x1");
  EXPECT_EQ(storage::difference(print("hdf5:a.h5", "", {}), print("hdf5:a.h5", "", colour)),
            "images was not set and is now 1x1");
  EXPECT_EQ(storage::difference(print("hdf5:a.h5", "", {}), print("hdf5:a.h5", "", grey)), "") << "images before, too";
  EXPECT_EQ(storage::difference(print(arrays, "2x1", {}), print(arrays, "2x1", grey)), "");
  EXPECT_EQ(storage::difference(print("csv:a.csv", "", {}), print("csv:a.csv", "", grey)), "");
}

TEST(Fingerprint, an_option_that_an_older_one_lacks_had_its_default_or_its_older_meaning) {
  const test::TemporaryFolder folder;
  test::put(folder / "a.csv", "1,2,0\n3,4,1\n5,6,0\n7,8,1\n9,1,0\n");
  const data::Task task = input::load_task({"csv:" + (folder / "a.csv")});
  const auto now = [&](const std::string& part, const std::string& image, const OptionValue& select,
                       const std::string& data) {
    return make_fingerprint({{"data", data, false},
                             {"test", ""},
                             {"folds", "5"},
                             {"test-part", part, part == "random"},
                             {"image", image, image.empty()},
                             select},
                            task);
  };
  storage::Fingerprint before = make_fingerprint({{"data", "csv:a.csv", false}, {"test", ""}, {"folds", "5"}}, task);
  before.unsaid.clear();
  const OptionValue by_error{"select-by", "error"};
  EXPECT_EQ(storage::difference(before, now("last", "auto", by_error, "csv:a.csv")), "");
  EXPECT_EQ(storage::difference(before, now("random", "auto", by_error, "csv:a.csv")),
            "test-part was last and is now random");
  EXPECT_EQ(storage::difference(before, now("last", "", by_error, "csv:a.csv")), "image was auto and is now empty");
  EXPECT_EQ(storage::difference(before, now("last", "auto", {"select-by", "mcc", false}, "csv:a.csv")),
            "select-by was not set and is now mcc");
  // MNIST has a test part, and what it holds are images anyway.
  EXPECT_EQ(storage::difference(before, now("random", "", by_error, "mnist")), "");
}

TEST(Identity, changes_with_options_and_data_and_not_with_the_processor) {
  const storage::Fingerprint one{"options", 1, "build"};
  EXPECT_EQ(identity_of(one), identity_of(storage::Fingerprint(one)));
  EXPECT_EQ(identity_of(one), identity_of({"options", 1, "built for another processor"}));
  const std::set<std::uint64_t> identities{identity_of(one), identity_of({"option", 1, "build"}),
                                           identity_of({"options", 2, "build"})};
  EXPECT_EQ(identities.size(), 3U);
}

}  // namespace
}  // namespace krossfold::run
