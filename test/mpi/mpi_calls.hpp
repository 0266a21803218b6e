// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krossfold::parallel::test {

/// Statistics of this process's point-to-point calls since watch_mpi_calls().
struct MpiCalls {
  int all = 0;
  int overlapping = 0;     ///< begun while another thread was in an MPI call
  int by_the_watcher = 0;  ///< made by the thread that called watch_mpi_calls()
};

/// Starts counting. The program's own MPI_Send, MPI_Recv and MPI_Iprobe count calls and forward them to the library
/// (MPI's profiling interface, MPI 3.1, chapter 14).
void watch_mpi_calls();
MpiCalls seen_mpi_calls();

}  // namespace krossfold::parallel::test
