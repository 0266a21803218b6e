// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/event_log.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/unit_table.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::run {

namespace {

using Json = nlohmann::ordered_json;

Json name_of(const UnitKey& key) { return {{"kind", key.kind}, {"index", {key.index[0], key.index[1], key.index[2]}}}; }

Json event(const char* name) { return {{"event", name}, {"time", utc_now()}}; }

/// A regular file is opened for reading too, to see what it holds; a pipe must not be, or it would never lack a reader, for which
/// this does not wait.
int open_for_appending(const std::string& path) {
  struct stat status {};
  const bool regular = ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
  return ::open(path.c_str(), (regular ? O_RDWR : O_WRONLY | O_NONBLOCK) | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/// Throws an input error if the file has content that is not a log. Pipes and devices keep nothing that could be lost.
void require_log(int file, const std::string& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw_input_error(text("cannot read json-log ", path), std::strerror(errno));
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return;
  std::array<char, 64> start{};
  const ssize_t length = ::pread(file, start.data(), start.size(), 0);
  if (length < 0) throw_input_error(text("cannot read json-log ", path), std::strerror(errno));
  const std::string_view found(start.data(), static_cast<std::size_t>(length));
  for (const char* name : {"begin", "epoch", "unit", "end"}) {
    const Json line = {{"event", name}, {"time", ""}};
    const std::string whole = line.dump();
    if (found.starts_with(std::string_view(whole).substr(0, whole.size() - 2))) return;  // up to the time
  }
  throw_input_error(text("json-log ", path, " exists and is not an event log"),
                    "its first line is not an event, and appending to another file would damage it",
                    "Choose another file for the log, or move this one away.");
}

/// Of a regular file that is not empty, whose last line was cut off.
bool lacks_line_end(int file) {
  struct stat status {};
  char last = '\n';
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
         ::pread(file, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

/// A pipe whose reader has gone is an error of write(), EPIPE: for its lifetime this thread gets no SIGPIPE.
class WithoutPipeSignal {
public:
  WithoutPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    constexpr timespec at_once{};
    ::sigtimedwait(&pipe_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_{}, before_{};
};

/// Waits until a pipe takes more; false once the deadline is over.
bool has_room(int file, std::chrono::steady_clock::time_point deadline) {
  for (;;) {
    const std::chrono::duration<double, std::milli> left = deadline - std::chrono::steady_clock::now();
    if (left.count() <= 0) return false;
    pollfd ready{file, POLLOUT, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count()) + 1) > 0) return true;
  }
}

}  // namespace

struct EventLog::File {
  storage::FileDescriptor descriptor;
  mutable std::mutex mutex;
  std::string failure;
  bool torn = false;  ///< the last line has no end

  /// Writes the line in one call where there is room for it, so that lines of several processes that append to one file do not mix. Waits
  /// for a reader for a second at most. dump() writes numbers that are not finite as null.
  void write(const Json& line) {
    // Bytes of a file name that are not UTF-8 are replaced.
    std::string bytes = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(mutex);
    if (torn) bytes.insert(0, "\n");
    const WithoutPipeSignal none;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t written = ::write(descriptor.get(), bytes.data() + done, bytes.size() - done);
      if (written > 0) done += static_cast<std::size_t>(written);
      if (written > 0 || (written < 0 && errno == EINTR)) continue;
      const int error = written < 0 ? errno : ENOSPC;
      // A reader that has failed once is not waited for again.
      if (error == EAGAIN && failure.empty() && has_room(descriptor.get(), deadline)) continue;
      if (done > 0) torn = true;
      if (failure.empty()) failure = error == EAGAIN ? "its reader does not read" : std::strerror(error);
      return;
    }
    torn = false;
  }
};

EventLog::EventLog(const std::string& path) : file_(std::make_unique<File>()) {
  const int number = open_for_appending(path);
  if (number < 0) {
    const int error = errno;
    struct stat status {};
    const bool pipe = error == ENXIO && ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    throw_input_error(text("cannot write json-log ", path), pipe ? "no process reads this pipe" : std::strerror(error),
                      pipe ? "Start the reader first." : "");
  }
  file_->descriptor = storage::FileDescriptor(number);
  require_log(number, path);
  file_->torn = lacks_line_end(number);
}

EventLog::~EventLog() = default;

void EventLog::begin(const std::string& kind, const std::string& output, const std::string& config,
                     const RunFacts& facts, int units) {
  Json line = event("begin");
  line["kind"] = kind;
  line["version"] = build_info().version;
  line["output"] = output;
  line["command_line"] = facts.command_line;
  line["config"] = Json::parse(config);
  line["formation"] = facts.formation;
  line["ranks"] = facts.ranks;
  line["units_before"] = units;
  file_->write(line);
}

void EventLog::epoch(const UnitKey& unit, const LoggedEpoch& epoch) {
  Json line = event("epoch");
  line["unit"] = name_of(unit);
  line["epoch"] = epoch.epoch;
  line["loss"] = epoch.loss;
  line["held_out_loss"] = epoch.held_out_loss;
  line["held_out_error"] = epoch.held_out_error;
  line["validation_loss"] = epoch.validation_loss;
  line["validation_error"] = epoch.validation_error;
  line["seconds"] = epoch.seconds;
  line["comm_seconds"] = epoch.comm_seconds;
  file_->write(line);
}

void EventLog::unit(const Record& record, const std::string& reason) {
  Json line = event("unit");
  line["unit"] = name_of(record.key);
  line["status"] = status_name(static_cast<std::int32_t>(record.status));
  line["reason"] = reason;
  line["started"] = record.started;
  line["seconds"] = record.seconds;
  line["rank"] = record.rank;
  file_->write(line);
}

void EventLog::end(const RunFacts& facts) {
  Json line = event("end");
  line["status"] = facts.status;
  line["seconds"] = facts.seconds;
  line["utilisation"] = facts.utilisation;
  file_->write(line);
}

std::string EventLog::failure() const {
  const std::lock_guard lock(file_->mutex);
  return file_->failure;
}

}  // namespace krossfold::run
