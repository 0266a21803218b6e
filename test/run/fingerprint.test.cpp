// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/fingerprint.hpp"

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
    return make_fingerprint("options", input::load_task({spec(train), test.empty() ? "" : spec(test)}));
  };
  const storage::Fingerprint a = print("a.csv", "a.csv");
  EXPECT_EQ(a.config, "options");
  EXPECT_EQ(storage::difference(a, print("b.csv", "b.csv")), "");
  EXPECT_NE(a.data, print("a.csv").data);
  EXPECT_NE(a.data, print("c.csv", "a.csv").data);
  EXPECT_NE(a.data, print("a.csv", "c.csv").data);
  EXPECT_NE(print("a.csv", "c.csv").data, print("c.csv", "a.csv").data);
}

TEST(Identity, changes_with_every_part_of_the_fingerprint) {
  const storage::Fingerprint one{"options", 1, "build"};
  EXPECT_EQ(identity_of(one), identity_of(storage::Fingerprint(one)));
  const std::set<std::uint64_t> identities{identity_of(one), identity_of({"option", 1, "build"}),
                                           identity_of({"options", 2, "build"}), identity_of({"options", 1, "built"})};
  EXPECT_EQ(identities.size(), 4U);
}

}  // namespace
}  // namespace krossfold::run
