// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/output.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "test/storage/temporary_folder.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::run {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

const storage::Fingerprint print{"folds = 5\n", 17, "this build"};

Record record(std::uint32_t kind, int index, Status status) {
  Record r;
  r.key = {kind, {index, 0, 0}};
  r.status = status;
  return r;
}

int stage_of(const UnitKey& key) { return static_cast<int>(key.kind); }

storage::Container result(const std::string& status) {
  storage::Container content;
  content.attributes["kind"] = std::string("svm");
  content.attributes["status"] = status;
  content.attributes["started"] = std::string("2026-01-31T12:00:00Z");
  content.attributes["fingerprint"] = print.config;
  content.attributes["data_digest"] = std::string("11");  // 17
  return content;
}

/// A run that logs these records and ends with this status.
void run(const std::string& path, const std::vector<Record>& records, const std::string& status) {
  StudyOutput output(path, "svm", print, false, stage_of);
  ASSERT_FALSE(output.finished());
  for (const Record& r : records) output.journal().append(r);
  output.journal().sync();
  output.write(result(status));
  if (status == "finished") output.close(records);
}

TEST(StudyOutput, continues_a_stopped_study_and_keeps_when_it_began) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done), record(1, 1, Status::done)}, "stopped");
  const StudyOutput again(path, "svm", print, false, stage_of);
  EXPECT_FALSE(again.finished());
  EXPECT_EQ(again.records().size(), 2u);
  EXPECT_EQ(again.started(), "2026-01-31T12:00:00Z");
}

TEST(StudyOutput, of_a_finished_study_has_nothing_to_do_and_no_journal) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done)}, "finished");
  EXPECT_FALSE(fs::exists(storage::journal_path(path)));
  EXPECT_TRUE(StudyOutput(path, "svm", print, false, stage_of).finished());
  EXPECT_TRUE(StudyOutput(path, "svm", print, true, stage_of).finished());
}

TEST(StudyOutput, deletes_a_journal_that_a_kill_left_behind_the_finished_result) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done)}, "stopped");
  storage::write_container(path, result("finished"));
  EXPECT_TRUE(StudyOutput(path, "svm", print, false, stage_of).finished());
  EXPECT_FALSE(fs::exists(storage::journal_path(path)));
}

TEST(StudyOutput, computes_failed_units_again_only_when_asked_and_what_rests_on_them_too) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done), record(1, 1, Status::failed), record(2, 0, Status::done)}, "finished");
  {
    const StudyOutput kept(path, "svm", print, false, stage_of);
    EXPECT_TRUE(kept.finished());
    ASSERT_EQ(kept.warnings().size(), 1u);
    EXPECT_NE(kept.warnings()[0].find("retry-failed"), std::string::npos);
  }
  const StudyOutput retried(path, "svm", print, true, stage_of);
  EXPECT_FALSE(retried.finished());
  ASSERT_EQ(retried.records().size(), 1u);
  EXPECT_EQ(retried.records()[0].key, (UnitKey{1, {0, 0, 0}}));
}

TEST(StudyOutput, what_is_to_be_computed_again_stays_forgotten_if_the_run_is_killed) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done), record(1, 1, Status::failed), record(2, 0, Status::done)}, "finished");
  {
    StudyOutput retried(path, "svm", print, true, stage_of);
    retried.write(result("running"));
    retried.forget_left_out();
    retried.journal().append(record(1, 1, Status::done));
    retried.journal().sync();
  }
  const StudyOutput again(path, "svm", print, false, stage_of);
  EXPECT_FALSE(again.finished());
  ASSERT_EQ(again.records().size(), 2u);  // not the one of kind 2, which rests on the failure
  for (const Record& r : again.records()) {
    EXPECT_EQ(r.key.kind, 1u);
    EXPECT_EQ(r.status, Status::done);
  }
}

TEST(StudyOutput, forgets_by_stages_not_by_numbers) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done), record(2, 0, Status::done), record(3, 0, Status::failed)}, "finished");
  const auto last_is_2 = [](const UnitKey& key) { return key.kind == 2 ? 9 : static_cast<int>(key.kind); };
  const StudyOutput retried(path, "svm", print, true, last_is_2);
  ASSERT_EQ(retried.records().size(), 1u);
  EXPECT_EQ(retried.records()[0].key, (UnitKey{1, {0, 0, 0}}));
}

TEST(StudyOutput, says_when_the_end_of_the_journal_was_damaged) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done), record(1, 1, Status::done)}, "stopped");
  const std::string journal = storage::journal_path(path);
  fs::resize_file(journal, fs::file_size(journal) - 3);
  const StudyOutput again(path, "svm", print, false, stage_of);
  EXPECT_EQ(again.records().size(), 1u);
  ASSERT_EQ(again.warnings().size(), 1u);
  EXPECT_NE(again.warnings()[0].find("cut off"), std::string::npos);
}

TEST(StudyOutput, warns_of_a_folder_in_which_everyone_may_replace_it) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  const auto warnings_with = [&](fs::perms others) {
    fs::permissions(folder.path(), fs::perms::owner_all | others);
    return StudyOutput(path, "svm", print, false, stage_of).warnings();
  };
  const fs::perms everyone = fs::perms::others_all;
  const std::vector<std::string> warnings = warnings_with(everyone);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("everyone may write to the folder " + folder.path()), std::string::npos) << warnings[0];
  EXPECT_TRUE(warnings_with(everyone | fs::perms::sticky_bit).empty());
  EXPECT_TRUE(warnings_with(fs::perms::others_read | fs::perms::group_all).empty());
}

TEST(StudyOutput, gets_the_permissions_that_the_umask_leaves_and_keeps_those_of_the_result_that_it_replaces) {
  for (const auto& [mask, expected] : {std::pair{0022U, 0644U}, {0077U, 0600U}}) {
    const TemporaryFolder folder;
    const test::Umask umask(mask);
    const std::string path = folder / "r.h5";
    StudyOutput output(path, "svm", print, false, stage_of);
    output.write(result("stopped"));
    for (const std::string& file : {path, storage::journal_path(path), storage::lock_path(path)}) {
      EXPECT_EQ(test::permissions_of(file), expected) << file << ", umask " << mask;
    }
    fs::permissions(path, fs::perms(0640));
    output.write(result("stopped"));
    EXPECT_EQ(test::permissions_of(path), 0640U) << "umask " << mask;
  }
}

TEST(StudyOutput, whose_path_is_a_link_is_written_to_what_that_led_to_when_the_run_began) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5", scratch = folder / "scratch/r.h5", precious = folder / "precious";
  fs::create_directory(folder / "scratch");
  test::put(precious, "precious");
  fs::create_symlink("scratch/r.h5", path);
  StudyOutput output(path, "svm", print, false, stage_of);
  EXPECT_EQ(output.file(), scratch);
  output.write(result("running"));
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_TRUE(fs::exists(storage::journal_path(path))) << "beside the link";
  fs::remove(path);
  fs::create_symlink("precious", path);
  output.write(result("stopped"));
  EXPECT_EQ(storage::read_container(scratch).attribute("status"), "stopped");
  EXPECT_EQ(test::content_of(precious), "precious");
  fs::remove(scratch);
  fs::create_symlink(precious, scratch);
  EXPECT_NE(test::message_of(ExitCode::failed, [&] { output.write(result("finished")); }).find("it is a symbolic link"),
            std::string::npos);
  EXPECT_EQ(test::content_of(precious), "precious");
}

TEST(StudyOutput, does_not_replace_a_file_that_took_the_place_of_its_own_while_it_ran) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5", mine = folder / "mine";
  StudyOutput output(path, "svm", print, false, stage_of);
  output.write(result("running"));
  const auto refuses = [&](const std::string& content) {
    const std::string message = test::message_of(ExitCode::failed, [&] { output.write(result("stopped")); });
    EXPECT_NE(message.find("another file took its place"), std::string::npos) << message;
    EXPECT_EQ(test::content_of(path), content);
  };
  test::put(path, "precious");
  refuses("precious");
  storage::Container other = result("finished");
  other.attributes["run_id"] = std::string("another");
  storage::write_container(path, other);
  refuses(test::content_of(path));
  fs::remove(path);
  storage::Container own = result("running");
  own.attributes["run_id"] = output.run_id();
  output.write(own);  // nothing is in its place
  fs::copy_file(path, mine);
  fs::rename(mine, path);
  output.write(own);  // a copy of the study's own
  fs::last_write_time(path, fs::file_time_type::clock::now());
  output.write(own);
}

TEST(StudyOutput, names_its_owner_while_it_is_open_and_at_no_other_time) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  {
    const StudyOutput open(path, "svm", print, false, stage_of);
    EXPECT_TRUE(fs::exists(storage::lock_path(path)));
  }
  EXPECT_FALSE(fs::exists(storage::lock_path(path)));
  run(path, {record(1, 0, Status::done)}, "finished");
  EXPECT_FALSE(fs::exists(storage::lock_path(path)));
}

TEST(StudyOutput, in_use_on_another_host_is_refused_untouched_until_its_lock_is_broken) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  storage::LockParams lock;
  lock.state_of_job = [](const std::string&) { return JobState::active; };
  storage::LockOwner other = storage::this_process();
  other.host = "elsewhere";
  other.job.id = "77";
  test::put(storage::lock_path(path), storage::to_text(other));
  const auto open = [&] { return StudyOutput(path, "svm", print, false, stage_of, lock).warnings(); };
  const std::string message = test::message_of(ExitCode::usage, open);
  for (const char* part : {"elsewhere", "job 77", "break-lock"}) EXPECT_NE(message.find(part), std::string::npos);
  EXPECT_EQ(folder.files(), 1);  // no journal
  lock.break_lock = true;
  const std::vector<std::string> warnings = open();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("elsewhere"), std::string::npos);
}

TEST(StudyOutput, held_by_a_live_run_of_this_host_is_not_given_to_break_lock) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  const StudyOutput first(path, "svm", print, false, stage_of);
  storage::LockParams lock;
  lock.break_lock = true;
  test::message_of(ExitCode::usage, [&] { StudyOutput(path, "svm", print, false, stage_of, lock); });
  EXPECT_TRUE(fs::exists(storage::lock_path(path)));
}

TEST(StudyOutput, deletes_temporary_files_that_a_kill_left_but_no_others) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  for (const char* name : {".r.h5.123-0.tmp", ".r.h5.lock.123-0.tmp", ".r.h5.mine.tmp", ".s.h5.123-0.tmp", "r.tmp",
                           ".r.h5.0123456789abcdef.tmp", ".r.h5.lock.0123456789abcdef.tmp"}) {
    test::put(folder / name, "part");
  }
  run(path, {record(1, 0, Status::done)}, "finished");
  EXPECT_EQ(folder.files(), 4);
  for (const char* name : {".r.h5.mine.tmp", ".s.h5.123-0.tmp", "r.tmp"}) EXPECT_TRUE(fs::exists(folder / name));
}

TEST(StudyOutput, refuses_what_is_not_this_study) {
  const TemporaryFolder folder;
  const std::string path = folder / "r.h5";
  run(path, {record(1, 0, Status::done)}, "stopped");
  const auto message = [&](const std::string& kind, const storage::Fingerprint& fingerprint) {
    return test::message_of(ExitCode::usage, [&] { StudyOutput(path, kind, fingerprint, false, stage_of); });
  };
  EXPECT_NE(message("bag", print).find("it holds: svm"), std::string::npos);
  EXPECT_NE(message("svm", {"folds = 10\n", 17, "this build"}).find("folds"), std::string::npos);
  EXPECT_NE(message("svm", {"folds = 5\n", 18, "this build"}).find("data"), std::string::npos);
  fs::remove(storage::journal_path(path));
  EXPECT_NE(message("svm", print).find("journal"), std::string::npos);
  EXPECT_TRUE(fs::exists(path));
}

}  // namespace
}  // namespace krossfold::run
