// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "test/storage/temporary_folder.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::storage;
using namespace krossfold::test;
using testing::HasSubstr;

TEST(AtomicFile, replaces_the_whole_content_and_leaves_nothing_else) {
  const TemporaryFolder folder;
  const std::string path = folder / "result.h5";
  write_atomically(path, bytes_of("the first, longer content"));
  EXPECT_EQ(content_of(path), "the first, longer content");
  write_atomically(path, bytes_of("second"));
  EXPECT_EQ(content_of(path), "second");
  write_atomically(path, {});
  EXPECT_EQ(content_of(path), "");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, keeps_the_permissions_of_the_file_it_replaces) {
  const TemporaryFolder folder;
  const std::string path = folder / "result.h5";
  put(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  write_atomically(path, bytes_of("new"));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(AtomicFile, replaces_the_target_of_a_symbolic_link_and_keeps_the_link) {
  const TemporaryFolder folder;
  put(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_atomically(folder / "link", bytes_of("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "target"), "new");
}

TEST(AtomicFile, makes_what_a_symbolic_link_promises) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "place");
  std::filesystem::create_symlink("place/file", folder / "second");
  std::filesystem::create_symlink(folder / "second", folder / "first");
  write_atomically(folder / "first", bytes_of("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second"));
  EXPECT_EQ(content_of(folder / "place/file"), "new");
}

TEST(AtomicFile, ends_a_circle_of_links) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_EQ(behind_links(folder / "a"), folder / "a");
}

TEST(AtomicFile, takes_a_name_as_long_as_the_file_system_allows) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'x');
  write_atomically(path, bytes_of("content"));
  EXPECT_EQ(content_of(path), "content");
}

TEST(AtomicFile, keeps_the_old_content_and_no_temporary_file_when_the_disk_is_full) {
  const TemporaryFolder folder;
  const std::string path = folder / "result.h5";
  put(path, "old");
  const std::vector<std::byte> large(100000);
  std::string message;
  {
    const FileSizeLimit limit(50001);
    message = message_of(ExitCode::failed, [&] { write_atomically(path, large); });
  }
  EXPECT_THAT(message, HasSubstr(path));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, says_why_a_file_cannot_be_written) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  const auto why = [&](const std::string& path) {
    const std::string message = message_of(ExitCode::failed, [&] { write_atomically(path, bytes_of("x")); });
    EXPECT_THAT(message, HasSubstr(path));
    return message;
  };
  EXPECT_THAT(why(folder / "file/below"), HasSubstr("Not a directory"));
  EXPECT_THAT(why(folder / "absent/result.h5"), HasSubstr("No such file or directory"));
  EXPECT_THAT(why(folder.path()), HasSubstr("is a folder"));
  EXPECT_THAT(why("/dev/null"), HasSubstr("device"));
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, holds_the_old_or_the_new_content_when_killed_at_any_time) {
  const TemporaryFolder folder;
  const std::string path = folder / "result.h5";
  const std::string contents[] = {std::string(300000, 'a'), std::string(200000, 'b')};
  put(path, contents[0]);
  for (int kill_number = 0; kill_number < 30; ++kill_number) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0;; ++i) write_atomically(path, bytes_of(contents[i % 2]));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 377 * kill_number));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string found = content_of(path);
    ASSERT_TRUE(found == contents[0] || found == contents[1]) << found.size() << " bytes after kill " << kill_number;
  }
}

TEST(CheckWritable, accepts_a_new_and_an_existing_file_and_touches_neither) {
  const TemporaryFolder folder;
  put(folder / "old", "content");
  check_writable(folder / "old");
  check_writable(folder / "new");
  EXPECT_EQ(content_of(folder / "old"), "content");
  EXPECT_EQ(folder.files(), 1);
}

TEST(CheckWritable, refuses_a_path_where_no_file_can_be_with_the_reason) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  const auto why = [&](const std::string& path) { return message_of(ExitCode::usage, [&] { check_writable(path); }); };
  EXPECT_THAT(why(folder / "absent/result.h5"), HasSubstr("the folder " + folder.path() + "/absent does not exist"));
  EXPECT_THAT(why(folder / "file/result.h5"), HasSubstr("Not a directory"));
  EXPECT_THAT(why(folder.path()), HasSubstr("it is a folder"));
  EXPECT_THAT(why(folder.path() + "/"), HasSubstr("it names no file"));
  EXPECT_THAT(why(""), HasSubstr("it names no file"));
  EXPECT_THAT(why("/dev/full"), HasSubstr("device"));
}

TEST(FolderSink, makes_its_folder_when_the_first_item_comes) {
  const TemporaryFolder folder;
  FolderSink sink(folder / "result.models");
  EXPECT_EQ(folder.files(), 0);
  sink.store("svm.h5", bytes_of("one"));
  sink.store("svm.h5", bytes_of("two"));
  sink.store("other.h5", bytes_of("three"));
  EXPECT_EQ(content_of(folder / "result.models/svm.h5"), "two");
  EXPECT_EQ(content_of(folder / "result.models/other.h5"), "three");
}

TEST(FolderSink, brings_back_what_was_stored_until_it_is_removed) {
  const TemporaryFolder folder;
  FolderSink sink(folder / "result.models");
  EXPECT_FALSE(sink.load("a.part"));
  sink.remove("a.part");
  sink.store("a.part", bytes_of("one"));
  sink.store("b.part", bytes_of(""));
  sink.store("c.h5", bytes_of("model"));
  EXPECT_EQ(sink.load("a.part"), bytes_of("one"));
  EXPECT_EQ(sink.load("b.part"), bytes_of(""));
  sink.remove("a.part");
  EXPECT_FALSE(sink.load("a.part"));
  sink.remove_all(".part");
  EXPECT_FALSE(sink.load("b.part"));
  EXPECT_EQ(sink.load("c.h5"), bytes_of("model"));
}

TEST(FolderSink, folder_that_held_nothing_but_parts_goes_with_them) {
  const TemporaryFolder folder;
  FolderSink sink(folder / "result.models");
  sink.remove_all(".part");
  sink.store("a.part", bytes_of("one"));
  sink.remove_all(".part");
  EXPECT_EQ(folder.files(), 0);
}

TEST(FolderSink, refuses_names_that_lead_out_of_its_folder) {
  const TemporaryFolder folder;
  FolderSink sink(folder / "result.models");
  for (const std::string name : {"", ".", "../x", "a/b", ".hidden"}) {
    message_of(ExitCode::failed, [&] { sink.store(name, bytes_of("x")); });
  }
  EXPECT_EQ(folder.files(), 0);
}

TEST(FolderSink, says_that_a_file_is_where_its_folder_should_be) {
  const TemporaryFolder folder;
  put(folder / "result.models", "");
  FolderSink sink(folder / "result.models");
  EXPECT_THAT(message_of(ExitCode::failed, [&] { sink.store("x", bytes_of("x")); }),
              HasSubstr(folder / "result.models"));
}

TEST(CreateAtomically, makes_a_new_file_and_leaves_one_that_is_there) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.lock";
  EXPECT_TRUE(create_atomically(path, bytes_of("first")));
  EXPECT_FALSE(create_atomically(path, bytes_of("second")));
  EXPECT_EQ(content_of(path), "first");
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
