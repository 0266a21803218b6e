// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/node_memory.hpp"

#include <sys/statvfs.h>

#include <exception>

namespace krossfold::parallel {

NodeMemory::NodeMemory(const Communicator& comm, std::uint64_t bytes) {
  check(MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node_),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(node_, &size_), "MPI_Comm_size");
  void* own = nullptr;
  const auto size = static_cast<MPI_Aint>(rank_ == 0 ? bytes : 0);
  check(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, node_, &own, &window_), "MPI_Win_allocate_shared");
  MPI_Aint found = 0;
  int unit = 0;
  void* base = nullptr;
  check(MPI_Win_shared_query(window_, 0, &found, &unit, &base), "MPI_Win_shared_query");
  data_ = static_cast<std::byte*>(base);
}

NodeMemory::~NodeMemory() {
  // After an error the other ranks may not get here, and freeing would wait for them.
  if (std::uncaught_exceptions() > 0) return;
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  if (node_ != MPI_COMM_NULL) MPI_Comm_free(&node_);
}

void NodeMemory::barrier() const { check(MPI_Win_fence(0, window_), "MPI_Win_fence"); }

std::uint64_t free_node_memory() {
  struct statvfs folder {};
  if (statvfs("/dev/shm", &folder) != 0) return 0;
  return static_cast<std::uint64_t>(folder.f_bavail) * static_cast<std::uint64_t>(folder.f_frsize);
}

}  // namespace krossfold::parallel
