// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// One block of memory shared by all ranks of a node (an MPI window), initially uninitialised. Construction, barrier()
/// and destruction are collective over the ranks of the node.
class NodeMemory {
public:
  /// Throws a run error, on every rank of the node, if the library cannot allocate it.
  NodeMemory(const Communicator& comm, std::uint64_t bytes);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  std::byte* data() const { return data_; }
  int rank() const { return rank_; }  ///< of this process among those of its node
  int size() const { return size_; }
  /// Waits for all ranks of the node and makes everything they have written visible to all.
  void barrier() const;

private:
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
  int rank_ = 0, size_ = 1;
};

/// Bytes available for such blocks on this node: the free space of /dev/shm, which backs shared memory and is often
/// small in containers. Beyond it, the first write would kill the program.
std::uint64_t free_node_memory();

}  // namespace krossfold::parallel
