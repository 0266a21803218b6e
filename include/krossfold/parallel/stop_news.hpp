// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>

#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Lets rank 0 stop the other ranks during a step before the farm, which has its own messages for this. Construction
/// and finish() are collective; in between only the constructing thread may use the communicator, and only for this.
class StopNews {
public:
  /// `requested` is called on rank 0 only.
  StopNews(const Communicator& comm, std::function<bool()> requested);
  StopNews(const StopNews&) = delete;
  StopNews& operator=(const StopNews&) = delete;

  /// True once a stop was requested on rank 0 and this rank has heard of it. Cheap enough to call often.
  bool stopped();
  /// Ends the step: true on every rank if a stop was requested before rank 0 called this.
  bool finish();

private:
  void say(bool stop);

  const Communicator& comm_;
  std::function<bool()> requested_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int stop_ = 0;
  bool known_ = false;  ///< rank 0 has broadcast stop_, and this rank has received it
};

}  // namespace krossfold::parallel
