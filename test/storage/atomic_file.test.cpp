// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <thread>

#include "krossfold/core/text.hpp"
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
  for (const mode_t mask : {0022, 0077}) {
    const Umask umask(mask);
    write_atomically(path, bytes_of("new"));
    EXPECT_EQ(permissions_of(path), 0640U) << "umask " << mask;
  }
}

TEST(AtomicFile, that_is_new_has_the_permissions_that_the_umask_leaves) {
  const TemporaryFolder folder;
  for (const auto& [mask, file, of_folder] : {std::array{0022U, 0644U, 0755U}, {0077U, 0600U, 0700U}}) {
    const Umask umask(mask);
    const std::string name = text("of_umask_", mask);
    write_atomically(folder / name, bytes_of("result"));
    EXPECT_TRUE(create_atomically(folder / (name + ".lock"), bytes_of("lock")));
    FolderSink sink(folder / (name + ".models"));
    sink.store("a.part", bytes_of("checkpoint"));
    EXPECT_EQ(permissions_of(folder / name), file) << name;
    EXPECT_EQ(permissions_of(folder / (name + ".lock")), file) << name;
    EXPECT_EQ(permissions_of(folder / (name + ".models")), of_folder) << name;
    EXPECT_EQ(permissions_of(folder / (name + ".models/a.part")), file) << name;
  }
}

TEST(AtomicFile, that_is_a_symbolic_link_is_refused_and_what_it_leads_to_left_alone) {
  const TemporaryFolder folder;
  put(folder / "precious", "precious");
  std::filesystem::create_symlink("precious", folder / "link");
  EXPECT_THAT(
      message_of(ExitCode::failed, [&] { write_atomically(folder / "link", bytes_of("new")); }),
      testing::AllOf(HasSubstr(folder / "link"), HasSubstr("it is a symbolic link"), HasSubstr("Delete the link")));
  EXPECT_EQ(content_of(folder / "precious"), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(folder.files(), 2);
}

TEST(AtomicFile, cannot_be_kept_from_its_temporary_file_by_names_of_earlier_versions) {
  const TemporaryFolder folder;
  put(folder / "precious", "precious");
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::filesystem::create_symlink("precious", folder / text(".r.h5.", ::getpid(), "-", attempt, ".tmp"));
  }
  write_atomically(folder / "r.h5", bytes_of("new"));
  EXPECT_EQ(content_of(folder / "r.h5"), "new");
  EXPECT_EQ(content_of(folder / "precious"), "precious");
}

TEST(AtomicFile, has_a_temporary_file_whose_name_nobody_can_foresee_and_which_is_deleted_after_a_kill) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  constexpr int kills = 20;
  for (int k = 0; k < kills; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {  // it ends within the write
      const rlimit limit{100, 100}, none{0, 0};
      ::signal(SIGXFSZ, SIG_DFL);
      ::setrlimit(RLIMIT_CORE, &none);
      ::setrlimit(RLIMIT_FSIZE, &limit);
      write_atomically(path, std::vector<std::byte>(1000));
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  EXPECT_EQ(folder.files(), kills) << "one name was used twice, or all were deleted";
  std::set<char> letters;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = file.path().filename().string();
    EXPECT_THAT(name, testing::MatchesRegex("[.]r[.]h5[.][0-9a-f]*[.]tmp"));
    EXPECT_EQ(name.size(), std::string(".r.h5.0123456789abcdef.tmp").size());
    letters.insert(name[6]);
  }
  EXPECT_GT(letters.size(), 4U) << "the first of the random digits is the same in most";
  remove_leftovers(path);
  EXPECT_EQ(folder.files(), 0);
}

TEST(RemoveLeftovers, deletes_temporary_files_of_its_file_and_no_other) {
  const TemporaryFolder folder;
  for (const char* name : {".r.h5.0123456789abcdef.tmp", ".r.h5.123-0.tmp", ".r.h5.1-999.tmp"}) put(folder / name, "");
  const std::set<std::string> kept{".r.h5.0123456789abcde.tmp",    // too short
                                   ".r.h5.0123456789abcdef0.tmp",  // too long
                                   ".r.h5.0123456789ABCDEF.tmp",   // other letters
                                   ".r.h5.0123456789abcdef.TMP",   // another ending
                                   ".r.h5.kx3_9aab.tmp",           // of Python's module tempfile
                                   ".r.h5.123.tmp",
                                   ".r.h5.-1.tmp",
                                   ".r.h5.1-.tmp",
                                   ".r.h5.1-2-3.tmp",
                                   ".r.h5..tmp",
                                   ".r.h5.other.0123456789abcdef.tmp",  // of r.h5.other
                                   ".s.h5.0123456789abcdef.tmp",
                                   "r.h5.0123456789abcdef.tmp",
                                   "r.h5"};
  for (const std::string& name : kept) put(folder / name, "");
  std::filesystem::create_directory(folder / ".r.h5.5-5.tmp");
  std::filesystem::create_symlink("r.h5", folder / ".r.h5.6-6.tmp");
  remove_leftovers(folder / "r.h5");
  std::set<std::string> left;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    left.insert(file.path().filename().string());
  std::set<std::string> expected = kept;
  expected.insert({".r.h5.5-5.tmp", ".r.h5.6-6.tmp"});
  EXPECT_EQ(left, expected);
}

TEST(BehindLinks, is_the_file_that_links_promise_whether_it_is_there_or_not) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "place");
  std::filesystem::create_symlink("place/file", folder / "second");
  std::filesystem::create_symlink(folder / "second", folder / "first");
  EXPECT_EQ(behind_links(folder / "first"), folder / "place/file");
  write_atomically(behind_links(folder / "first"), bytes_of("new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "second"));
  EXPECT_EQ(content_of(folder / "place/file"), "new");
  EXPECT_EQ(behind_links(folder / "first"), folder / "place/file");
  EXPECT_EQ(behind_links(folder / "place/file"), folder / "place/file");
}

TEST(BehindLinks, ends_a_circle_of_links) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b", folder / "a");
  std::filesystem::create_symlink("a", folder / "b");
  EXPECT_EQ(behind_links(folder / "a"), folder / "a");
  EXPECT_THAT(message_of(ExitCode::usage, [&] { check_writable(folder / "a"); }),
              HasSubstr("its symbolic links lead nowhere"));
}

TEST(ExposureWarning, is_of_the_folder_of_a_link_and_of_that_which_it_leads_to) {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name, mode_t mode) {
    std::filesystem::create_directory(folder / name);
    ASSERT_EQ(::chmod((folder / name).c_str(), mode), 0);
  };
  make("mine", 0755);
  make("open", 0777);
  make("sticky", 01777);
  const auto warning = [&](const std::string& link, const std::string& target) {
    const std::string path = folder / (link + "/r.h5");
    std::filesystem::create_symlink("../" + target + "/r.h5", path);
    const std::string found = exposure_warning(path);
    std::filesystem::remove(path);
    return found;
  };
  EXPECT_EQ(exposure_warning(folder / "mine/r.h5"), "");
  EXPECT_EQ(warning("mine", "sticky"), "");
  EXPECT_THAT(exposure_warning(folder / "open/r.h5"), HasSubstr("everyone may write to the folder " + folder / "open"));
  EXPECT_THAT(warning("open", "mine"), HasSubstr(folder / "open,"));
  EXPECT_THAT(warning("mine", "open"), HasSubstr("/open,"));
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

TEST(FolderSink, neither_reads_nor_replaces_what_a_link_leads_to) {
  const TemporaryFolder folder;
  put(folder / "precious", "precious");
  FolderSink sink(folder / "r.models");
  sink.store("b.part", bytes_of("one"));
  std::filesystem::create_symlink("../precious", folder / "r.models/a.part");
  std::filesystem::create_symlink("../none", folder / "r.models/c.part");
  for (const std::string name : {"a.part", "c.part"}) {
    for (const std::string& message : {message_of(ExitCode::failed, [&] { sink.load(name); }),
                                       message_of(ExitCode::failed, [&] { sink.store(name, bytes_of("x")); })}) {
      EXPECT_THAT(message, testing::AllOf(HasSubstr(folder / ("r.models/" + name)), HasSubstr("it is a symbolic link"),
                                          HasSubstr("Delete the link")));
    }
  }
  EXPECT_EQ(content_of(folder / "precious"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  sink.remove("a.part");  // the link
  EXPECT_FALSE(sink.load("a.part"));
  EXPECT_EQ(content_of(folder / "precious"), "precious");
}

TEST(FolderSink, does_not_wait_for_the_writer_of_a_pipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "a.part").c_str(), 0600), 0);
  EXPECT_EQ(FolderSink(folder.path()).load("a.part"), bytes_of(""));
}

TEST(FolderSink, deletes_temporary_files_that_a_kill_left_and_no_others) {
  const TemporaryFolder folder;
  for (const char* name :
       {".a.part.0123456789abcdef.tmp", ".svm.h5.12-0.tmp", "a.part", ".mine.tmp", ".svm.h5.mine.tmp"}) {
    put(folder / name, "");
  }
  FolderSink(folder.path()).remove_all(".part");
  EXPECT_EQ(folder.files(), 2);
  EXPECT_TRUE(std::filesystem::exists(folder / ".mine.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".svm.h5.mine.tmp"));
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

TEST(CreateAtomically, makes_no_file_where_a_link_is) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("none", folder / "x.lock");
  EXPECT_FALSE(create_atomically(folder / "x.lock", bytes_of("first")));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  EXPECT_EQ(folder.files(), 1);
}

}  // namespace
