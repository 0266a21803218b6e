// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which run may write an output: a small file FILE.h5.lock beside it says who does, for runs that the lock on the journal
// cannot keep apart: on other hosts, and on file systems without locks.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "krossfold/core/slurm.hpp"

namespace krossfold::storage {

/// A process that works on an output, as it describes itself.
struct LockOwner {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t process_start = 0;  ///< clock ticks after the boot (field 22 of /proc/PID/stat); 0 if not known
  std::string boot_id;              ///< /proc/sys/kernel/random/boot_id
  SlurmJob job;
  std::string since;  ///< UTC
  bool operator==(const LockOwner& other) const;
};

/// This process.
LockOwner this_process();

/// "name = value" a line.
std::string to_text(const LockOwner& owner);
/// None if host or process number are missing. Lines that it does not know are skipped.
std::optional<LockOwner> owner_from_text(const std::string& lines);

/// "process 41 on node7, Slurm job 77, since 2026-01-31T12:00:00Z".
std::string describe(const LockOwner& owner);

/// True if that process of this host still runs.
bool is_alive(std::int64_t pid, std::uint64_t process_start);

/// Who asks, and what it knows of other processes and jobs.
struct LockParams {
  bool break_lock = false;
  LockOwner self = this_process();
  std::function<bool(std::int64_t pid, std::uint64_t process_start)> alive = is_alive;
  std::function<JobState(const std::string& id)> state_of_job = job_state;
};

/// Whether `self` may take an output over from an owner that left its name, once the lock on the journal is held
/// (`locks_work`) or the file system refused to give one:
/// - same host: the lock decides; without locks the owner lives if its process does. One of an earlier boot is gone.
/// - another host: only if Slurm says that its job has ended or is no longer known, or if it is an earlier run of this very
///   job (requeued); else not, or with a warning if break_lock.
struct LockVerdict {
  bool may_take = false;
  std::string warning;          ///< if may_take: what the user should know, or ""
  std::string why, suggestion;  ///< otherwise
};
LockVerdict judge_owner(const LockOwner& owner, bool locks_work, const LockParams& params);

/// The file FILE.h5.lock with this process in it, as long as it lives.
class OutputLock {
public:
  /// Takes the output `result_path`. To be called when the lock on the journal is held, or cannot be had. Throws an
  /// input error naming the owner, with nothing touched, if another run may still work on it.
  OutputLock(const std::string& result_path, bool locks_work, const LockParams& params = {});
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  /// As release(), but says nothing of errors: a file that stays behind is taken over by the next run.
  ~OutputLock();

  /// What was taken over from whom, if there is anything to say.
  const std::string& warning() const { return warning_; }

  /// Deletes the file, unless somebody else has taken it over. Throws a run error.
  void release();

private:
  void take_over(bool locks_work, const LockParams& params);
  int delete_own() const;
  void give_up() noexcept;

  std::string result_path_, path_, own_text_, warning_;
  bool held_ = false;
};

/// Who the file FILE.h5.lock names; none if there is no such file, or it names nobody.
std::optional<LockOwner> owner_of(const std::string& result_path);

/// "FILE.h5.lock" for the result file FILE.h5.
std::string lock_path(const std::string& result_path);

}  // namespace krossfold::storage
