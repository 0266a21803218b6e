// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/schema.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "test/studies/bag/sample_result.hpp"

namespace krossfold {
namespace {

using storage::FieldInfo;
using test::BagResult;

TEST(BagSchema, every_axis_is_a_scale_in_the_group_of_the_field_or_above) {
  const auto& fields = studies::bag_schema().fields();
  std::set<std::string> paths;
  for (const FieldInfo& field : fields) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path << " twice";
    std::istringstream axes(field.axes);
    std::set<std::string> own;
    for (std::string axis; axes >> axis;) {
      EXPECT_TRUE(own.insert(axis).second) << field.path << " has " << axis << " twice: xarray refuses that";
      const bool found = std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& scale) {
        return scale.name() == axis && scale.axes == axis && field.path.starts_with(scale.group() + "/");
      });
      EXPECT_TRUE(found) << field.path << " has no scale " << axis;
    }
  }
}

TEST_F(BagResult, has_every_field_of_the_schema_and_no_other_dataset) {
  const storage::Container content = result(all_records());
  std::set<std::string> paths, expected;
  for (const storage::Array& array : content.arrays) {
    paths.insert(array.path);
    if (array.is_scale) continue;
    EXPECT_EQ(array.scales.size(), array.shape.size()) << array.path;
    EXPECT_THAT(array.scales, testing::Each(testing::Ne(""))) << array.path;
  }
  for (const FieldInfo& field : studies::bag_schema().fields()) expected.insert(field.path);
  EXPECT_EQ(paths, expected);
}

TEST_F(BagResult, of_version_1_becomes_what_this_version_writes) {
  const storage::Container content = result(all_records());
  storage::Container old = content;
  for (const char* axis : {"bootstrap", "trial", "fold"}) {
    for (storage::Array& array : old.arrays) {
      if (array.path == std::string("/") + axis) array.path = std::string("/search/") + axis;
    }
  }
  std::erase_if(old.arrays, [](const storage::Array& array) {
    return array.is_scale && !array.path.starts_with("/search/") && array.path != "/class_name" &&
           !std::holds_alternative<std::vector<std::string>>(array.values);
  });
  storage::upgrade(old, studies::bag_schema());
  EXPECT_EQ(old.arrays.size(), content.arrays.size());
  const std::string name = "r.h5";
  const storage::FieldReader file(old, name);
  const auto& field = studies::bag_schema();
  EXPECT_EQ(file.get(field.bootstrap), content.values<std::int32_t>("/bootstrap"));
  EXPECT_EQ(file.get(field.confusion), content.values<std::int32_t>("/ensemble/confusion"));
  EXPECT_EQ(file.get(field.shown_image), content.values<float>("/shown/image"));
  EXPECT_THAT(file.get(field.epoch), testing::ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace krossfold
