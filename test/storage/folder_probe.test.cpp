// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/folder_probe.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"

#include "temporary_folder.hpp"

namespace krossfold::storage {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

TEST(FolderProbe, of_a_good_folder_finds_nothing_wrong_and_leaves_nothing) {
  const TemporaryFolder folder;
  {
    const FolderProbe probe(folder.path());
    const FolderFacts& facts = probe.facts();
    EXPECT_EQ(facts.problem, "");
    EXPECT_EQ(facts.folder, std::filesystem::canonical(folder.path()).string());
    EXPECT_TRUE(facts.exists);
    EXPECT_TRUE(facts.replaces);
    EXPECT_NE(facts.locks, Locks::not_kept);
    EXPECT_GT(facts.sync_seconds, 0);
    struct statvfs room {};
    ASSERT_EQ(statvfs(folder.path().c_str(), &room), 0);
    const double free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
    EXPECT_NEAR(static_cast<double>(facts.free_bytes), free, 0.1 * free);
    ASSERT_EQ(folder.files(), 1);
    const auto file = std::filesystem::directory_iterator(folder.path())->path();
    std::vector<char> bytes(1 << 20);
    EXPECT_TRUE(std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
    EXPECT_THAT(bytes, testing::Each(testing::Ne('\0'))) << "less may fit into the last block of a full disk";
  }
  EXPECT_EQ(folder.files(), 0);
}

/// A process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(FolderProbe, deletes_what_killed_processes_of_this_host_left_and_nothing_else) {
  const TemporaryFolder folder;
  const std::string mine = text(".krossfold-probe-", host_name(), "-");
  const pid_t dead = ended_process();
  const std::vector<std::string> left = {text(mine, dead, "-12345"), text(".", mine, dead, "-12345.67ab.tmp")};
  const std::vector<std::string> others = {text(mine, ::getpid(), "-12345"),
                                           text(mine, dead, "-1-2345"),
                                           text(mine, dead),
                                           text(mine, "x-", dead, "-1"),
                                           text(".krossfold-probe-h", dead, "-123"),
                                           "r.h5"};
  const std::string young = text(mine, dead, "-54321");
  for (const auto* names : {&left, &others}) {
    for (const std::string& name : *names) {
      test::put(folder / name, "a");
      const timespec old[2] = {{::time(nullptr) - 61, 0}, {::time(nullptr) - 61, 0}};
      ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), old, 0), 0);
    }
  }
  test::put(folder / young, "a");
  EXPECT_EQ(FolderProbe(folder.path()).facts().problem, "");
  for (const std::string& name : left) EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
  for (const std::string& name : others) EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_TRUE(std::filesystem::exists(folder / young));
}

TEST(FolderProbe, of_a_result_file_takes_its_folder_and_leaves_the_file_alone) {
  const TemporaryFolder folder;
  test::put(folder / "r.h5", "result");
  for (const char* name : {"r.h5", "new.h5"}) {
    EXPECT_EQ(FolderProbe(folder / name).facts().problem, "") << name;
    EXPECT_EQ(folder.files(), 1) << name;
  }
  EXPECT_EQ(test::content_of(folder / "r.h5"), "result");
}

TEST(FolderProbe, keeps_its_lock_from_others_while_it_lives) {
  const TemporaryFolder folder;
  std::optional<FolderProbe> probe(folder.path());
  if (probe->facts().locks != Locks::kept) GTEST_SKIP() << "no locks here";
  const ProbeView view = view_of(probe->path());
  EXPECT_TRUE(view.visible);
  EXPECT_TRUE(view.locked);
  EXPECT_EQ(view.problem, "");
  test::put(folder / "free", "nobody holds this");
  EXPECT_FALSE(view_of(folder / "free").locked);
  const std::string path = probe->path();
  probe.reset();
  EXPECT_FALSE(view_of(path).visible);
}

TEST(FolderProbe, has_a_name_that_cannot_be_foreseen) {
  const TemporaryFolder folder;
  const FolderProbe one(folder.path()), two(folder.path());
  EXPECT_NE(one.path(), two.path());
  EXPECT_EQ(folder.files(), 2);
}

TEST(FolderProbe, of_a_link_is_of_the_folder_that_it_leads_to) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "place");
  std::filesystem::create_symlink("place/r.h5", folder / "link.h5");
  const FolderProbe probe(folder / "link.h5");
  EXPECT_EQ(probe.facts().problem, "");
  EXPECT_EQ(probe.facts().folder, std::filesystem::canonical(folder / "place").string());
}

TEST(FolderProbe, says_why_nothing_can_be_written) {
  const TemporaryFolder folder;
  const FolderProbe missing(folder / "none/r.h5");
  EXPECT_THAT(missing.facts().problem, HasSubstr("the folder "));
  EXPECT_THAT(missing.facts().problem, HasSubstr("none does not exist"));
  EXPECT_FALSE(missing.facts().exists);
  EXPECT_EQ(missing.path(), "");
  const test::FileSizeLimit limit(4096);
  EXPECT_THAT(FolderProbe(folder.path()).facts().problem, HasSubstr("File too large"));
  EXPECT_EQ(folder.files(), 0);
}

TEST(FolderProbe, finds_the_file_system_of_the_longest_mount_point) {
  const std::string mounts =
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "23 22 0:5 / /scratch rw - lustre 10.0.0.1:/fs rw,flock\n"
      "24 23 0:6 / /scratch/my\\040run rw master:1 - nfs4 server:/x rw\n"
      "25 22 0:7 / /mnt rw - tmpfs tmpfs rw\n"
      "26 22 0:8 / /mnt rw - xfs /dev/sdb rw\n";
  EXPECT_EQ(file_system_of("/home/a", mounts), "ext4");
  EXPECT_EQ(file_system_of("/scratch", mounts), "lustre");
  EXPECT_EQ(file_system_of("/scratch/b/c", mounts), "lustre");
  EXPECT_EQ(file_system_of("/scratchy", mounts), "ext4");
  EXPECT_EQ(file_system_of("/scratch/my run/r", mounts), "nfs4");
  EXPECT_EQ(file_system_of("/mnt/x", mounts), "xfs") << "the later mount covers the earlier";
  EXPECT_EQ(file_system_of("/x", "garbage\n\n"), "");
}

}  // namespace
}  // namespace krossfold::storage
