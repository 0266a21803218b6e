// SPDX-License-Identifier: BSD-3-Clause
#include "test/mpi/mpi_calls.hpp"

#include <mpi.h>

#include <atomic>
#include <thread>

namespace krossfold::parallel::test {

namespace {

std::atomic<int> inside = 0, all = 0, overlapping = 0, by_the_watcher = 0;
std::atomic<std::thread::id> watcher;

struct Call {
  Call() {
    ++all;
    if (inside++ > 0) ++overlapping;
    if (std::this_thread::get_id() == watcher.load()) ++by_the_watcher;
  }
  ~Call() { --inside; }
};

}  // namespace

void watch_mpi_calls() {
  all = overlapping = by_the_watcher = 0;
  watcher = std::this_thread::get_id();
}

MpiCalls seen_mpi_calls() { return {all, overlapping, by_the_watcher}; }

}  // namespace krossfold::parallel::test

using krossfold::parallel::test::Call;

extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  const Call call;
  return PMPI_Send(buffer, count, type, rank, tag, comm);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  const Call call;
  return PMPI_Recv(buffer, count, type, rank, tag, comm, status);
}

int MPI_Iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Call call;
  return PMPI_Iprobe(rank, tag, comm, flag, status);
}

}  // extern "C"
