// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// How rank 0 tells the others to stop while every rank computes its part of a step before the farm, whose own messages
/// do this later. Construction and finish() are collective; in between only the thread that made it uses the communicator,
/// for nothing else.
class StopNews {
public:
  /// `requested` is asked on rank 0 only.
  StopNews(const Communicator& comm, std::function<bool()> requested);
  StopNews(const StopNews&) = delete;
  StopNews& operator=(const StopNews&) = delete;

  /// True once rank 0 was asked to stop and this rank knows. Cheap, to be called often.
  bool stopped();
  /// Ends the step: true on every rank if rank 0 was asked to stop before it came here.
  bool finish();

private:
  void say(bool stop);

  const Communicator& comm_;
  std::function<bool()> requested_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int stop_ = 0;
  bool known_ = false;  ///< rank 0 has said, and this rank heard, what stop_ is
};

}  // namespace krossfold::parallel
