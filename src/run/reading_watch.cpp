// SPDX-License-Identifier: BSD-3-Clause
#include "reading_watch.hpp"

#include <chrono>
#include <cstdlib>

#include "krossfold/parallel/mpi_facts.hpp"

namespace krossfold::run {

bool is_over(const RunContext& context) {
  constexpr double allowance = 1;
  const RunParams& run = context.run;
  return context.stop_requested() || (run.max_time > 0 && context.seconds() > run.max_time + run.grace + allowance);
}

ReadingWatch::ReadingWatch(const RunContext& context) {
  if (context.comm.is_root()) thread_ = std::thread([this, &context] { watch(context); });
}

ReadingWatch::~ReadingWatch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ReadingWatch::watch(const RunContext& context) {
  constexpr auto between_looks = std::chrono::milliseconds(50);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, between_looks, [this] { return done_; })) {
    if (!is_over(context)) continue;
    if (context.stop_requested()) {
      context.log.info("stopped while the data were read; the same command continues where it left off");
    } else {
      context.log.warn(
          "max-time and grace were over before the data were read, and so nothing was computed; raise --max-time");
    }
    const bool may_call = parallel::thread_level() == parallel::ThreadLevel::multiple;
    if (context.comm.size() > 1 && may_call) parallel::abort_job(context.comm, ExitCode::stopped);
    std::_Exit(static_cast<int>(ExitCode::stopped));
  }
}

}  // namespace krossfold::run
