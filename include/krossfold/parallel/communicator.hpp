// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::parallel {

/// Throws a run error naming the MPI call and the reason unless code is MPI_SUCCESS.
void check(int code, const char* call);

/// Initialises MPI with as much thread support as the library has and finalises it at the end of its scope. One per
/// process, in main. Whether that support is enough: require_threads() in mpi_facts.hpp.
class MpiRuntime {
public:
  MpiRuntime(int* argc, char*** argv);
  ~MpiRuntime();
  MpiRuntime(const MpiRuntime&) = delete;
  MpiRuntime& operator=(const MpiRuntime&) = delete;
};

/// Owns a duplicate of a communicator, so that our messages cannot match the caller's.
class Communicator {
public:
  explicit Communicator(MPI_Comm parent);
  /// The ranks of `parent` that pass the same colour >= 0, in the same order. Collective over `parent`.
  Communicator(const Communicator& parent, int colour);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

private:
  void set_up();

  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

/// Broadcasts rank 0's bytes, which may exceed 2 GiB.
void broadcast(const Communicator& comm, std::vector<std::byte>& bytes);
void broadcast(const Communicator& comm, std::string& words);
/// Broadcasts into existing memory, which has the same length on all ranks.
void broadcast(const Communicator& comm, std::span<std::byte> bytes);

/// Every rank's text, on every rank.
std::vector<std::string> all_gather(const Communicator& comm, const std::string& text);

/// An error that every rank of a communicator throws at the same place.
class AgreedError : public Error {
public:
  explicit AgreedError(const Error& error) : Error(error) {}
};

/// Runs `action` on rank 0 while the others sleep. If it throws, every rank throws the same AgreedError and none hangs.
void on_root(const Communicator& comm, const std::function<void()>& action);

/// Runs `action` on every rank. If any throws, all throw the lowest such rank's error as an AgreedError. Collective.
void on_all(const Communicator& comm, const std::function<void()>& action);

/// A barrier that polls with short sleeps, so that waiting ranks do not take a core from a working one.
void patient_barrier(const Communicator& comm);

/// True if every rank gets here within `seconds`. Then MPI can be finalised; otherwise the job must be aborted.
bool all_arrive(const Communicator& comm, double seconds);

/// Ends the job on all ranks, without waiting for any of them.
[[noreturn]] void abort_job(const Communicator& comm, ExitCode code);

/// Throws an input error if the launcher started several processes but each is alone in its own MPI world, where each
/// would do all of the work: the world has one rank, but the first variable set of OMPI_COMM_WORLD_SIZE, PMI_SIZE and
/// SLURM_STEP_NUM_TASKS is above 1.
void check_one_world(const Communicator& world);

/// "Open MPI v4.1.4": the start of the MPI library's own description.
std::string mpi_library();

}  // namespace krossfold::parallel
