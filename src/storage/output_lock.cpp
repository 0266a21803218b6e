// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/output_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

namespace {

std::span<const std::byte> bytes_of(const std::string& letters) { return std::as_bytes(std::span(letters)); }

/// The content of a lock file; nothing if it does not exist.
std::optional<std::string> content_of(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0 && errno == ELOOP) {
    throw_input_error(text("cannot read the lock ", path), planted_link,
                      "delete the link, or choose another output; the output itself may be a link");
  }
  std::vector<std::byte> bytes;
  const int error = file.get() < 0 ? errno : read_all(file, bytes);
  if (error != 0) throw_system_error(text("cannot read ", path), error);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

LockVerdict take(const std::string& warning = "") { return {true, warning, "", ""}; }

/// Evaluates an owner on another host, whose process cannot be queried.
LockVerdict evaluate_remote_owner(const LockOwner& owner, const LockParams& params) {
  const std::string named = describe(owner);
  const SlurmJob& job = owner.job;
  const SlurmJob& mine = params.self.job;
  // A job of that number that has ended here says nothing of one on another cluster.
  const auto one_cluster = [&] {
    return job.cluster.empty() || job.cluster == (mine.cluster.empty() ? params.find_cluster() : mine.cluster);
  };
  if (!job.id.empty() && one_cluster()) {
    if (job.id == mine.id && job.restart != mine.restart) {
      return take(text("taken over from an earlier run of this job (", named, ")"));
    }
    if (params.state_of_job(job.id) == JobState::ended) {
      return take(text("taken over from a job that has ended (", named, ")"));
    }
  }
  if (params.break_lock) return take(text("taken over with break-lock (", named, "): make sure that it has ended"));
  return {false, "", named,
          "wait until that run has ended; if it was killed and cannot tidy up any more, take the output over with "
          "break-lock"};
}

}  // namespace

LockVerdict evaluate_owner(const LockOwner& owner, bool locks_work, const LockParams& params) {
  if (owner.host != params.self.host) return evaluate_remote_owner(owner, params);
  const bool gone = locks_work || owner.boot_id != params.self.boot_id;
  if (gone || !params.alive(owner.pid, owner.process_start)) return take();
  return {false, "", describe(owner), "wait until that run has ended, or choose another output"};
}

OutputLock::OutputLock(const std::string& result_path, bool locks_work, const LockParams& params)
    : result_path_(result_path), path_(lock_path(result_path)), own_text_(to_text(params.self)) {
  held_ = true;
  try {
    if (!create_atomically(path_, bytes_of(own_text_))) take_over(locks_work, params);
  } catch (...) {  // the file may exist nevertheless, if only syncing the folder failed
    give_up();
    throw;
  }
  remove_leftovers(path_);
}

void OutputLock::take_over(bool locks_work, const LockParams& params) {
  const std::optional<std::string> found = content_of(path_);
  if (found) {
    const std::string problem = text(result_path_, " is in use by another run");
    const std::optional<LockOwner> owner = owner_from_text(*found);
    if (owner) {
      const LockVerdict verdict = evaluate_owner(*owner, locks_work, params);
      if (!verdict.may_take) throw_input_error(problem, verdict.why, verdict.suggestion);
      if (!verdict.warning.empty()) warning_ = text(result_path_, " was ", verdict.warning);
    } else if (!params.break_lock) {
      throw_input_error(problem, text(path_, " exists but does not say by which"),
                        "if no run works on it, take the output over with break-lock");
    } else {
      warning_ = text(result_path_, " was taken over with break-lock from an unknown run");
    }
  }
  write_atomically(path_, bytes_of(own_text_));
  // Without locks, another run may have reached the same verdict simultaneously: the last to write wins.
  if (!locks_work) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (content_of(path_) != own_text_) {
    throw_input_error(text(result_path_, " is in use by another run"), text("it has just written ", path_),
                      "wait until that run has ended, or choose another output");
  }
}

int OutputLock::delete_own() const {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) return 0;  // somebody else put it there
  if (content_of(path_) != own_text_) return 0;
  return ::unlink(path_.c_str()) == 0 || errno == ENOENT ? 0 : errno;
}

void OutputLock::give_up() noexcept {
  if (!std::exchange(held_, false)) return;
  try {
    delete_own();
  } catch (...) {  // the next run takes over a file that stays behind
  }
}

OutputLock::~OutputLock() { give_up(); }

void OutputLock::release() {
  if (!std::exchange(held_, false)) return;
  require_success(delete_own(), text("cannot delete ", path_));
}

std::optional<LockOwner> owner_of(const std::string& result_path) {
  const std::optional<std::string> found = content_of(lock_path(result_path));
  return found ? owner_from_text(*found) : std::nullopt;
}

std::string lock_path(const std::string& result_path) { return result_path + ".lock"; }

}  // namespace krossfold::storage
