// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/storage/output_lock.hpp"

namespace krossfold::run {

/// The result file of a study with the journal beside it: what was computed before, and where new results go. On rank 0.
///
/// The journal is there as long as the study is unfinished or has failed units; while it is open no other run can use the
/// same output (storage/output_lock.hpp).
class StudyOutput {
public:
  /// Looks at `path`, opens and locks the journal, replays it. With `retry_failed` failed records are left out, and with
  /// them those of later stages, which may rest on them (`stage` of their keys).
  /// Throws an input error, with nothing touched, if the path cannot be written, another run uses it, or it holds anything
  /// but this study (naming the options that differ).
  StudyOutput(std::string path, const std::string& kind, const storage::Fingerprint& fingerprint, bool retry_failed,
              const std::function<int(const UnitKey&)>& stage, const storage::LockParams& lock = {});

  /// All units have records already and none is to be computed again: the journal is closed.
  bool finished() const { return journal_ == nullptr; }
  /// Of earlier runs; without those that are to be computed again.
  const std::vector<Record>& records() const { return records_; }
  storage::Journal& journal() { return *journal_; }
  /// When the study was begun, as the existing result file says; "" if there is none.
  const std::string& started() const { return started_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Says in the journal that the records left out are not to be taken for results by a later run. To be called once
  /// the result file no longer says that the study is finished.
  void forget_left_out();
  /// Replaces the result file.
  void write(const storage::Container& result) const { storage::write_container(path_, result); }
  /// Frees the output and deletes the journal, unless a record failed. After the last write.
  void close(const std::vector<Record>& records);

private:
  void leave_out_failed(const std::function<int(const UnitKey&)>& stage);
  bool look(const std::string& kind, const storage::Fingerprint& fingerprint);

  std::string path_, started_;
  std::unique_ptr<storage::Journal> journal_;
  std::unique_ptr<storage::OutputLock> lock_;  // goes first: without locks another run may come in between
  std::vector<Record> records_;
  std::vector<UnitKey> left_out_;
  std::vector<std::string> warnings_;
};

}  // namespace krossfold::run
