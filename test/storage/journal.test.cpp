// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "krossfold/core/serialize.hpp"
#include "test/storage/temporary_folder.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::storage;
using namespace krossfold::test;
using testing::AllOf;
using testing::HasSubstr;

const Fingerprint fingerprint{"folds = 5\nseed = 1\n", 0x1234, "0.1.0 abcdef"};

Record record_number(int i) {
  Record record;
  record.key = {1, {i, i % 3, 0}};
  record.status = i % 4 == 3 ? Status::failed : Status::done;
  record.reason = i % 4 == 3 ? "the fit diverged" : "";
  record.started = 0.5 * i;
  record.seconds = 1.0 / (i + 1);
  record.rank = i % 2;
  record.payload = bytes_of(std::string(static_cast<std::size_t>(i), static_cast<char>('a' + i)));
  return record;
}

/// Writes a journal of records 0 ... count - 1; returns the file lengths after the header and after each record.
std::vector<std::size_t> write_journal(const std::string& path, int count) {
  Journal journal(path, fingerprint);
  std::vector<std::size_t> lengths{std::filesystem::file_size(path)};
  for (int i = 0; i < count; ++i) {
    journal.append(record_number(i));
    lengths.push_back(std::filesystem::file_size(path));
  }
  journal.sync();
  return lengths;
}

void expect_records(const Journal& journal, int count, const std::string& where = "") {
  ASSERT_EQ(journal.replayed().size(), static_cast<std::size_t>(count)) << where;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(to_bytes(journal.replayed()[static_cast<std::size_t>(i)]), to_bytes(record_number(i))) << where;
  }
}

TEST(Journal, gives_back_every_record_in_order) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 9);
  const Journal journal(path, fingerprint);
  expect_records(journal, 9);
  EXPECT_EQ(journal.begun_by(), fingerprint.build);
}

TEST(Journal, cut_at_any_length_gives_the_complete_records_and_goes_on) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::vector<std::size_t> lengths = write_journal(path, 3);
  const std::string whole = content_of(path);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    put(path, whole.substr(0, length));
    const auto complete =
        static_cast<int>(std::upper_bound(lengths.begin(), lengths.end(), length) - lengths.begin()) - 1;
    const int count = std::max(0, complete);
    const std::string where = "cut to " + std::to_string(length) + " bytes";
    {
      Journal journal(path, fingerprint);
      expect_records(journal, count, where);
      const std::size_t kept = lengths[static_cast<std::size_t>(count)];
      // A journal that was cut within its header is begun anew, with another run id.
      const std::string now = content_of(path);
      EXPECT_EQ(now.size(), kept) << where;
      EXPECT_TRUE(complete < 0 || now == whole.substr(0, kept)) << where;
      journal.append(record_number(count));
      journal.sync();
    }
    const Journal again(path, fingerprint);
    expect_records(again, count + 1, where);
  }
}

TEST(Journal, drops_everything_from_the_first_damaged_record_on) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::vector<std::size_t> lengths = write_journal(path, 3);
  const std::string whole = content_of(path);
  for (std::size_t at = lengths.front(); at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    put(path, damaged);
    const auto intact = static_cast<int>(std::upper_bound(lengths.begin(), lengths.end(), at) - lengths.begin()) - 1;
    const Journal journal(path, fingerprint);
    expect_records(journal, intact, "flipped byte " + std::to_string(at));
    EXPECT_EQ(std::filesystem::file_size(path), lengths[static_cast<std::size_t>(intact)]);
  }
}

TEST(Journal, refuses_a_damaged_header_and_leaves_the_file_alone) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::vector<std::size_t> lengths = write_journal(path, 2);
  const std::string whole = content_of(path);
  for (std::size_t at = 0; at < lengths.front(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    put(path, damaged);
    EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, fingerprint); }), HasSubstr(path)) << at;
    EXPECT_EQ(content_of(path), damaged) << at;
  }
}

TEST(Journal, refuses_a_file_that_is_no_journal_and_leaves_it_alone) {
  const TemporaryFolder folder;
  for (const std::string content : {"x", "a letter to somebody", "KROSSFLDaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    const std::string path = folder / "r.h5.journal";
    put(path, content);
    EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, fingerprint); }),
                HasSubstr(path + " is not a journal"));
    EXPECT_EQ(content_of(path), content);
  }
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(folder / "pipe", fingerprint); }),
              HasSubstr("not a regular file"));
  message_of(ExitCode::usage, [&] { Journal(folder.path(), fingerprint); });
  message_of(ExitCode::usage, [&] { Journal(folder / "absent/r.journal", fingerprint); });
}

TEST(Journal, that_is_a_link_is_refused_and_what_it_leads_to_left_alone) {
  const TemporaryFolder folder;
  put(folder / "empty", "");
  std::filesystem::create_symlink(folder / "empty", folder / "r.h5.journal");
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(folder / "r.h5.journal", fingerprint); }),
              HasSubstr("it is a symbolic link"));
  EXPECT_EQ(content_of(folder / "empty"), "");
}

TEST(Journal, of_several_records_for_a_key_gives_the_last) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 3);
  Record newer = record_number(1);
  newer.status = Status::failed;
  newer.reason = "second try";
  {
    Journal journal(path, fingerprint);
    journal.append(newer);
  }
  const Journal journal(path, fingerprint);
  ASSERT_EQ(journal.replayed().size(), 3u);
  EXPECT_EQ(to_bytes(journal.replayed()[0]), to_bytes(record_number(0)));
  EXPECT_EQ(to_bytes(journal.replayed()[1]), to_bytes(newer));
  EXPECT_EQ(to_bytes(journal.replayed()[2]), to_bytes(record_number(2)));
}

TEST(Journal, of_a_unit_that_is_to_be_computed_again_gives_no_record) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 3);
  Record again = record_number(1);
  again.status = Status::missing;
  Journal(path, fingerprint).append(again);
  const Journal journal(path, fingerprint);
  ASSERT_EQ(journal.replayed().size(), 2u);
  EXPECT_EQ(to_bytes(journal.replayed()[0]), to_bytes(record_number(0)));
  EXPECT_EQ(to_bytes(journal.replayed()[1]), to_bytes(record_number(2)));
}

TEST(Journal, says_what_was_cut_off_and_nothing_of_a_whole_one) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 3);
  EXPECT_EQ(Journal(path, fingerprint).damage_warning(), "");
  put(path, content_of(path) + "KROSSREC torn");
  EXPECT_THAT(Journal(path, fingerprint).damage_warning(),
              AllOf(HasSubstr(path), HasSubstr("after 3 records: 13 bytes were cut off")));
  EXPECT_EQ(Journal(path, fingerprint).damage_warning(), "") << "the end is gone";
}

TEST(Journal, of_a_later_version_is_refused_and_left_alone) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 1);
  for (const char version : {'\0', '\3', '\7'}) {
    std::string content = content_of(path);
    content[8] = version;
    const std::uint32_t crc = crc32c(bytes_of(content.substr(0, 24)));
    content.replace(24, sizeof(crc), reinterpret_cast<const char*>(&crc), sizeof(crc));
    put(path, content);
    EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, fingerprint); }),
                AllOf(HasSubstr(path), HasSubstr("it has version " + std::to_string(version))));
    EXPECT_EQ(content_of(path), content);
  }
}

TEST(Journal, that_may_not_be_used_is_deleted_if_it_was_created_for_that_and_kept_otherwise) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const auto refuse = [](bool) { throw std::runtime_error("in use"); };
  EXPECT_THROW(Journal(path, fingerprint, refuse), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(path));
  write_journal(path, 2);
  EXPECT_THROW(Journal(path, fingerprint, refuse), std::runtime_error);
  expect_records(Journal(path, fingerprint), 2);
}

TEST(Journal, is_refused_to_another_study_with_the_difference) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 3);
  const std::string content = content_of(path);
  Fingerprint other = fingerprint;
  other.config = "folds = 10\nseed = 1\n";
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, other); }),
              AllOf(HasSubstr(path), HasSubstr("(folds was 5 and is now 10)"), Not(HasSubstr("seed"))));
  other = fingerprint;
  other.data = 1;
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, other); }), HasSubstr("the data set differs"));
  EXPECT_EQ(content_of(path), content);
}

TEST(Journal, of_another_build_is_continued_and_says_which) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  write_journal(path, 3);
  Fingerprint other = fingerprint;
  other.build = "0.2.0 fedcba";
  const Journal journal(path, other);
  expect_records(journal, 3);
  EXPECT_EQ(journal.begun_by(), fingerprint.build);
}

TEST(Journal, is_locked_while_open_also_against_the_same_process) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  std::optional<Journal> journal(std::in_place, path, fingerprint);
  if (!journal->lock_warning().empty()) GTEST_SKIP() << journal->lock_warning();
  put(folder / "r.h5.lock", "host = node7\npid = 123\n");
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, fingerprint); }),
              AllOf(HasSubstr(path), HasSubstr("is in use"), HasSubstr("node7"), HasSubstr("choose another output")));
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      Journal(path, fingerprint);
    } catch (const Error& error) {
      ::_exit(static_cast<int>(error.code()));
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::usage));
  journal->append(record_number(0));
  journal.reset();
  expect_records(Journal(path, fingerprint), 1);
}

TEST(Journal, frees_its_lock_when_its_process_is_killed_and_loses_nothing_synced) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    std::filesystem::remove(path);
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Journal journal(path, fingerprint);
      for (int i = 0;; ++i) {
        journal.append(record_number(i));
        journal.sync();
        if (::write(pipe[1], &i, sizeof(i)) != sizeof(i)) ::_exit(1);
      }
    }
    ::close(pipe[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(300 + 419 * kill_number));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    int synced = 0;
    for (int i = 0; ::read(pipe[0], &i, sizeof(i)) == sizeof(i);) synced = i + 1;
    ::close(pipe[0]);
    const Journal journal(path, fingerprint);
    ASSERT_GE(journal.replayed().size(), static_cast<std::size_t>(synced));
    expect_records(journal, static_cast<int>(journal.replayed().size()));
  }
}

TEST(Journal, stays_valid_when_the_disk_is_full) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::size_t length = write_journal(path, 3).back();
  Journal journal(path, fingerprint);
  {
    const FileSizeLimit limit(length + 40);
    EXPECT_THAT(message_of(ExitCode::failed, [&] { journal.append(record_number(3)); }),
                AllOf(HasSubstr(path), HasSubstr("File too large")));
  }
  EXPECT_EQ(std::filesystem::file_size(path), length);
  journal.append(record_number(3));
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Journal, goes_on_after_a_failed_append) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::size_t length = write_journal(path, 3).back();
  {
    Journal journal(path, fingerprint);
    {
      const FileSizeLimit limit(length + 1);
      message_of(ExitCode::failed, [&] { journal.append(record_number(3)); });
    }
    journal.append(record_number(3));
  }
  expect_records(Journal(path, fingerprint), 4);
}

TEST(Journal, can_be_begun_anew_after_it_was_removed) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  Journal first(path, fingerprint);
  first.append(record_number(0));
  first.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
  expect_records(Journal(path, fingerprint), 0);
}

TEST(Journal, says_which_record_cannot_be_read_though_its_checksum_holds) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5.journal";
  const std::size_t header = write_journal(path, 0).back();
  std::string record = "KROSSREC";
  record += std::string("\3\0\0\0\0\0\0\0abc", 11);
  const std::uint32_t crc = crc32c(bytes_of(record));
  record.append(reinterpret_cast<const char*>(&crc), sizeof(crc));
  put(path, content_of(path) + record);
  EXPECT_THAT(message_of(ExitCode::usage, [&] { Journal(path, fingerprint); }),
              AllOf(HasSubstr("offset " + std::to_string(header)), HasSubstr(path)));
}

TEST(Fingerprint, difference_names_each_changed_option_once) {
  const Fingerprint before{"folds = 5\nseed = 1\nC = 1, 10\nold = x\n", 7, "a"};
  EXPECT_EQ(difference(before, before), "");
  const Fingerprint now{"folds = 10\nseed = 1\nC = \nnew = y\n", 8, "b"};
  EXPECT_EQ(difference(before, now),
            "folds was 5 and is now 10; C was 1, 10 and is now empty; old was x and is now not set; "
            "new was not set and is now y; the data set differs; the build was a and is now b");
  const Fingerprint all{"limit = 0\nseed = 1\n", 1, "a"}, few{"limit = 9\nseed = 1\n", 2, "a"};
  EXPECT_EQ(difference(all, few), "limit was 0 and is now 9") << "which is why the data differ";
}

TEST(Fingerprint, that_differ_never_have_an_empty_difference) {
  EXPECT_NE(difference({"a = 1\nb = 2\n", 0, ""}, {"b = 2\na = 1\n", 0, ""}), "");
  EXPECT_NE(difference({"a = 1", 0, ""}, {"a = 1\n", 0, ""}), "");
}

TEST(Journal, keeps_the_run_id_it_was_created_with_and_every_other_has_another) {
  const TemporaryFolder folder;
  std::string first;
  {
    const Journal journal(folder / "a.journal", fingerprint);
    first = journal.run_id();
    EXPECT_THAT(first, testing::MatchesRegex("[0-9a-f]{8}"));
  }
  EXPECT_EQ(Journal(folder / "a.journal", fingerprint).run_id(), first);
  EXPECT_NE(Journal(folder / "b.journal", fingerprint).run_id(), first);
}

TEST(ResultPaths, of_a_renamed_result_lead_to_the_folder_with_its_run_id) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a.00000001.models");
  std::filesystem::create_directory(folder / "a.00000002.models");
  EXPECT_EQ(find_models_folder(folder / "a.h5", "00000002"), folder / "a.00000002.models");
  EXPECT_EQ(find_models_folder(folder / "old.h5", "00000001"), folder / "a.00000001.models");
  EXPECT_EQ(find_models_folder(folder / "old.h5", "00000003"), folder / "old.00000003.models");
  EXPECT_EQ(find_models_folder(folder / "old.h5", ""), folder / "old.models");
  EXPECT_THROW(find_models_folder(folder / "old.h5", "/../a"), Error) << "a result file may be untrusted";
}

TEST(ResultPaths, follow_from_the_output) {
  EXPECT_EQ(journal_path("out/FILE.h5"), "out/FILE.h5.journal");
  EXPECT_EQ(models_folder("out/FILE.h5", "0a1b"), "out/FILE.0a1b.models");
  EXPECT_EQ(models_folder("FILE.hdf5", ""), "FILE.models");
  EXPECT_EQ(models_folder("run.1", "7"), "run.1.7.models");
  EXPECT_EQ(models_folder(".h5", "7"), ".h5.7.models");
}

}  // namespace
