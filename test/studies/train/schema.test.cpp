// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/schema.hpp"

#include <gtest/gtest.h>

#include <set>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

TEST(TrainSchema, has_a_field_for_each_dataset_of_a_result_and_a_scale_for_each_axis) {
  std::set<std::string> declared, written;
  for (const storage::FieldInfo& field : train_schema().fields()) {
    EXPECT_TRUE(declared.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.units.empty() || field.long_name.empty()) << field.path;
  }
  const storage::Container content = test::train_result("cnn", {}, 2, 0.2);
  for (const storage::Array& array : content.arrays) {
    written.insert(array.path);
    for (const std::string& scale : array.scales) EXPECT_TRUE(content.at(scale).is_scale) << array.path;
    EXPECT_TRUE(array.is_scale || array.scales.size() == array.shape.size()) << array.path;
  }
  EXPECT_EQ(written, declared);
}

TEST(TrainSchema, numbers_runs_from_0_and_epochs_from_1) {
  const storage::Container content = test::names_result({});
  EXPECT_EQ(content.values<std::int32_t>("/run_number"), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(content.values<std::int32_t>("/epoch"), (std::vector<std::int32_t>{1, 2, 3}));
}

/// The same in version 1, which had no scales.
storage::Container without_scales(storage::Container content) {
  std::erase_if(content.arrays, [](const storage::Array& array) { return array.is_scale; });
  for (storage::Array& array : content.arrays) array.scales.clear();
  return content;
}

TEST(TrainSchema, upgrade_adds_the_scales_that_files_of_version_1_lack) {
  const storage::Container now = test::names_result({});
  storage::Container old = without_scales(now);
  upgrade(old, train_schema());
  EXPECT_EQ(old.arrays.size(), now.arrays.size());
  for (const char* scale : {"/run_number", "/epoch"}) {
    EXPECT_TRUE(old.at(scale).is_scale);
    EXPECT_EQ(old.values<std::int32_t>(scale), now.values<std::int32_t>(scale)) << scale;
  }
  const std::string name = "old.h5";  // which a reader does not copy
  const storage::FieldReader file(old, name);
  EXPECT_EQ(file.get(train_schema().epoch_ranks).size(), 6U * 3);
}

}  // namespace
}  // namespace krossfold::studies
