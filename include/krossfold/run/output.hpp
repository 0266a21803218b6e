// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/storage/output_lock.hpp"

namespace krossfold::run {

/// What a result file says of the study that is to write it.
struct OutputState {
  bool exists = false, finished = false,
       diverged = false;            ///< diverged: finished, but without a result (RunFacts::status)
  std::string started, run_id;      ///< "" if there is no file
  std::vector<std::string> builds;  ///< of its runs (Fingerprint::build)
};

/// Reads it. Throws an input error, with nothing touched, if `path` cannot be written or holds anything but this study (naming the options
/// that differ), or if the study is unfinished and its journal is missing.
OutputState inspect_output(const std::string& path, const std::string& kind, const storage::Fingerprint& fingerprint);

/// What a run would do with a file that exists: "finished: nothing would be computed".
std::string describe(const OutputState& state, bool retry_failed);

/// The result file of a study and the journal beside it: the source of earlier results and the destination of new ones. It
/// exists on rank 0 only.
///
/// The journal exists as long as the study is unfinished or has failed units. While it is open, no other run can use the same
/// output (storage/output_lock.hpp).
class StudyOutput {
public:
  /// Inspects `path`, or what it leads to if it is a symbolic link, which is not looked at again; the journal and its lock lie beside
  /// `path`. Then opens, locks and replays the journal. With `retry_failed`, failed records are left out, and with
  /// them those of later stages, which may depend on them; `stage` gives the stage of a key.
  /// Throws an input error, with nothing touched, if the path cannot be written, another run uses it, or it holds anything
  /// but this study (naming the options that differ).
  StudyOutput(std::string path, const std::string& kind, const storage::Fingerprint& fingerprint, bool retry_failed,
              const std::function<int(const UnitKey&)>& stage, const storage::LockParams& lock = {});

  /// True if all units have records and none is to be computed again; the journal is then closed.
  bool finished() const { return journal_ == nullptr; }
  /// True if it is finished, but has no result (RunFacts::status).
  bool diverged() const { return found_.diverged; }
  /// The records of earlier runs, without those of units to be computed again.
  const std::vector<Record>& records() const { return records_; }
  /// The same, which may be large, for good.
  std::vector<Record> take_records() { return std::move(records_); }
  storage::Journal& journal() { return *journal_; }
  /// The start of the study according to the existing result file; "" if there is none.
  const std::string& started() const { return found_.started; }
  /// The run id of the study (storage/journal.hpp): that of the journal, or of the result file of a finished study.
  const std::string& run_id() const { return found_.run_id; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The other builds (Fingerprint::build) whose runs may have computed some of the records.
  const std::vector<std::string>& earlier_builds() const { return found_.builds; }

  /// Marks the records left out as missing in the journal, so that later runs ignore them. To be called once the result file
  /// no longer says that the study is finished.
  void forget_left_out();
  /// The result file: what the path led to when the run began.
  const std::string& file() const { return file_; }
  /// Replaces the result file. Throws a run error, with nothing touched, if its name was given to a file that this study did not write.
  void write(const storage::Container& result);
  /// Releases the lock and, unless a record failed, deletes the journal. To be called after the last write.
  void close(const std::vector<Record>& records);

private:
  void leave_out_failed(const std::function<int(const UnitKey&)>& stage);
  void require_own_file() const;
  void keep_other_builds(const std::string& now);

  std::string path_, file_;
  OutputState found_;
  std::optional<storage::FileIdentity> seen_;  ///< the result file as it was found or written last
  std::unique_ptr<storage::Journal> journal_;
  std::unique_ptr<storage::OutputLock>
      lock_;  // destroyed before the journal, whose own lock still keeps other runs out
  std::vector<Record> records_;
  std::vector<UnitKey> left_out_;
  std::vector<std::string> warnings_;
};

}  // namespace krossfold::run
