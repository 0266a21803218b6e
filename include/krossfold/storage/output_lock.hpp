// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Decides which run may write an output. A small file FILE.h5.lock beside it names the owner, because the lock on the
// journal does not exclude runs on other hosts or on file systems without locks.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "krossfold/core/slurm.hpp"

namespace krossfold::storage {

/// A process that owns an output, as it describes itself.
struct LockOwner {
  std::string host;
  std::int64_t pid = 0;
  std::uint64_t process_start = 0;  ///< clock ticks since boot (field 22 of /proc/PID/stat); 0 if unknown
  std::string boot_id;              ///< /proc/sys/kernel/random/boot_id
  SlurmJob job;
  std::string since;  ///< UTC
  bool operator==(const LockOwner& other) const;
};

/// Describes this process.
LockOwner this_process();

/// Serialises an owner as "name = value" lines.
std::string to_text(const LockOwner& owner);
/// Parses to_text(); returns nothing if host or PID is missing and ignores unknown lines.
std::optional<LockOwner> owner_from_text(const std::string& lines);

/// Describes an owner: "process 41 on node7, Slurm job 77, since 2026-01-31T12:00:00Z".
std::string describe(const LockOwner& owner);

/// True if that process is still running on this host.
bool is_alive(std::int64_t pid, std::uint64_t process_start);

/// The process that wants the output, and its means to query other processes and jobs.
struct LockParams {
  bool break_lock = false;
  LockOwner self = this_process();
  std::function<bool(std::int64_t pid, std::uint64_t process_start)> alive = is_alive;
  std::function<JobState(const std::string& id)> state_of_job = job_state;
  std::function<std::string()> find_cluster = slurm_cluster;  ///< asked outside a job
};

/// Whether `self` may take over an output from the owner that the lock file names, once the lock on the journal is held
/// (`locks_work`) or the file system has turned out not to support locks:
/// - same host: the lock decides; without locks, the owner is gone if its process is, or if the host has rebooted.
/// - another host: yes if Slurm says that the owner's job has ended, or no longer knows it, or if it is an earlier run
///   of this job (requeued); otherwise no, or with break_lock yes with a warning.
struct LockVerdict {
  bool may_take = false;
  std::string warning;          ///< if may_take: what the user should know, or ""
  std::string why, suggestion;  ///< if not may_take
};
LockVerdict evaluate_owner(const LockOwner& owner, bool locks_work, const LockParams& params);

/// Holds the lock file FILE.h5.lock, which names this process, for its lifetime.
class OutputLock {
public:
  /// Takes the output `result_path`. Call it once the lock on the journal is held or known to be unsupported. Throws an
  /// input error naming the owner, and changes nothing, if another run may still be working on the output.
  OutputLock(const std::string& result_path, bool locks_work, const LockParams& params = {});
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;
  /// Like release(), but ignores errors: the next run takes over a file that stays behind.
  ~OutputLock();

  /// From whom the output was taken over, if the user should know; else "".
  const std::string& warning() const { return warning_; }

  /// Deletes the file unless another run has taken it over. Throws a run error if that fails.
  void release();

private:
  void take_over(bool locks_work, const LockParams& params);
  int delete_own() const;
  void give_up() noexcept;

  std::string result_path_, path_, own_text_, warning_;
  bool held_ = false;
};

/// The owner named in FILE.h5.lock; nothing if the file does not exist or names none.
std::optional<LockOwner> owner_of(const std::string& result_path);

/// "FILE.h5.lock" for the result file FILE.h5.
std::string lock_path(const std::string& result_path);

}  // namespace krossfold::storage
