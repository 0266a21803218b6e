// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_parts_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krossfold/model/svm_file.hpp"
#include "test/core/refusal.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

svm::PartitionedMachine sample_parts(svm::PartitionKind kind) {
  svm::PartitionedMachine machine;
  machine.kind = kind;
  for (const std::uint32_t seed : {3, 4, 5}) machine.part.push_back(test::sample_machine(seed));
  machine.part[1].kernel.gamma = 0.5;
  machine.part[2].c = 9;
  if (kind == svm::PartitionKind::random) return machine;
  const Matrix<double> centre("krossfold::test::centre", 3, 6);
  for (int p = 0; p < 3; ++p) {
    for (int j = 0; j < 6; ++j) centre(p, j) = 0.3 * p - 0.1 * j;
  }
  machine.centre = centre;
  return machine;
}

TEST(SvmPartsFile, the_machines_that_were_written_are_read) {
  const data::Dataset samples = test::sample_dataset(50, 6, 3, 9);
  for (const svm::PartitionKind kind : {svm::PartitionKind::voronoi, svm::PartitionKind::random}) {
    const svm::PartitionedMachine machine = sample_parts(kind);
    const auto bytes = storage::to_bytes(to_container(machine));
    const svm::PartitionedMachine read = parts_from_container(storage::container_from_bytes(bytes, "m.h5"), "m.h5");
    ASSERT_EQ(read.parts(), 3);
    EXPECT_EQ(read.kind, kind);
    for (int p = 0; p < 3; ++p) {
      const svm::Machine &one = read.part[p], &written = machine.part[p];
      EXPECT_EQ(one.kernel, written.kernel);
      EXPECT_EQ(one.c, written.c);
      EXPECT_EQ(one.bias, written.bias);
      EXPECT_EQ(list_of(one.coefficient), list_of(written.coefficient));
      EXPECT_EQ(list_of(one.support.raw), list_of(written.support.raw));
    }
    EXPECT_EQ(list_of(read.centre), list_of(machine.centre));
    EXPECT_EQ(list_of(svm::decision_values(Host(), read, samples)),
              list_of(svm::decision_values(Host(), machine, samples)));
  }
}

TEST(SvmPartsFile, damaged_content_is_refused_with_the_name_of_the_file) {
  const auto refused = [](const std::function<void(storage::Container&)>& change) {
    storage::Container content = to_container(sample_parts(svm::PartitionKind::voronoi));
    change(content);
    return test::refusal([&] { parts_from_container(content, "m.h5"); });
  };
  const auto without = [&](const std::string& path) {
    return refused([&](storage::Container& content) {
      std::erase_if(content.arrays, [&](const storage::Array& array) { return array.path == path; });
    });
  };
  EXPECT_EQ(refused([](storage::Container&) {}), "");
  for (const char* path :
       {"/centre", "/part_gamma", "/part_C", "/part/1/bias", "/part/2/support/raw", "/part/0/coefficient"}) {
    EXPECT_THAT(without(path), testing::HasSubstr("m.h5")) << path;
  }
  using testing::HasSubstr;
  EXPECT_THAT(refused([](auto& c) { c.attributes["partition"] = std::string("halves"); }), HasSubstr("halves"));
  EXPECT_THAT(refused([](auto& c) { test::values<double>(c, "/centre").pop_back(); }), HasSubstr("centres"));
  EXPECT_THAT(refused([](auto& c) { test::at(c, "/part/1/bias").path = "/part/7/bias"; }),
              HasSubstr("belongs to no part"));
  EXPECT_THAT(refused([](auto& c) { test::at(c, "/part/1/bias").path = "/part/x/bias"; }),
              HasSubstr("belongs to no part"));
  EXPECT_THAT(refused([](auto& c) { test::values<double>(c, "/part_gamma")[1] = -1; }), HasSubstr("gamma"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["kind"] = std::string("svm-model"); }), HasSubstr("m.h5"));
  EXPECT_THAT(
      test::refusal([] { machine_from_container(to_container(sample_parts(svm::PartitionKind::random)), "m.h5"); }),
      HasSubstr("m.h5"));
}

}  // namespace
}  // namespace krossfold::model
