// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/stop_news.hpp"

#include <chrono>
#include <thread>
#include <utility>

namespace krossfold::parallel {

StopNews::StopNews(const Communicator& comm, std::function<bool()> requested)
    : comm_(comm), requested_(std::move(requested)) {
  if (!comm_.is_root()) check(MPI_Ibcast(&stop_, 1, MPI_INT, 0, comm_.handle(), &request_), "MPI_Ibcast");
}

void StopNews::say(bool stop) {
  stop_ = stop ? 1 : 0;
  known_ = true;
  check(MPI_Ibcast(&stop_, 1, MPI_INT, 0, comm_.handle(), &request_), "MPI_Ibcast");
}

bool StopNews::stopped() {
  if (!known_ && comm_.is_root()) {
    if (requested_ && requested_()) say(true);
  } else if (!known_) {
    int heard = 0;
    check(MPI_Test(&request_, &heard, MPI_STATUS_IGNORE), "MPI_Test");
    known_ = heard != 0;
  }
  return known_ && stop_ != 0;
}

bool StopNews::finish() {
  if (comm_.is_root() && !stopped()) say(false);
  for (int done = 0; done == 0;) {
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  known_ = true;
  return stop_ != 0;
}

}  // namespace krossfold::parallel
