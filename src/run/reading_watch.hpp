// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "krossfold/run/run_study.hpp"

namespace krossfold::run {

/// True once a set-up is to end: a stop is requested, or max_time and grace were over a second ago. Called on rank 0.
bool is_over(const RunContext& context);

/// Ends the job with ExitCode::stopped when is_over(), as long as this exists. For the time in which data are read: a read from a pipe
/// or a device that gives nothing returns as late as it likes, and nothing is open that would have to be closed. Other ranks than 0
/// only wait meanwhile, and do nothing here.
class ReadingWatch {
public:
  explicit ReadingWatch(const RunContext& context);
  ~ReadingWatch();
  ReadingWatch(const ReadingWatch&) = delete;
  ReadingWatch& operator=(const ReadingWatch&) = delete;

private:
  void watch(const RunContext& context);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace krossfold::run
