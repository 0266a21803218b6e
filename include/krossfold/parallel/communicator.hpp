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

/// Throws a run error that names the MPI call and the reason unless code is MPI_SUCCESS.
void check(int code, const char* call);

/// Initialises MPI with threads at construction and finalises it at the end of its scope. One per process, in main.
/// Throws a run error if the library does not let a second thread make calls (MPI_THREAD_SERIALIZED).
class MpiRuntime {
public:
  MpiRuntime(int* argc, char*** argv);
  ~MpiRuntime();
  MpiRuntime(const MpiRuntime&) = delete;
  MpiRuntime& operator=(const MpiRuntime&) = delete;
};

/// Owns a duplicate of a communicator, so that our messages never meet the caller's.
class Communicator {
public:
  explicit Communicator(MPI_Comm parent);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm handle() const { return handle_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }

private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

/// Sends root's bytes to every rank; may be longer than 2 GiB.
void broadcast(const Communicator& comm, std::vector<std::byte>& bytes);
/// The same into memory that is already there and equally long everywhere.
void broadcast(const Communicator& comm, std::span<std::byte> bytes);

/// Every rank's text, on every rank.
std::vector<std::string> all_gather(const Communicator& comm, const std::string& text);

/// An error that every rank of a communicator throws at the same place.
class AgreedError : public Error {
public:
  explicit AgreedError(const Error& error) : Error(error) {}
};

/// Runs `action` on rank 0 while the others sleep. If it throws, every rank throws the same AgreedError: nobody waits for ever.
void on_root(const Communicator& comm, const std::function<void()>& action);

/// Runs `action` on every rank. If it throws on any, every rank throws the error of the first of these as an AgreedError. Collective.
void on_all(const Communicator& comm, const std::function<void()>& action);

/// Returns when every rank has called it. Polls with short sleeps, so that waiting ranks do not take a core from a
/// working one.
void patient_barrier(const Communicator& comm);

/// Throws an input error when a launcher started several processes but each is alone in its own world
/// (the first that is set of OMPI_COMM_WORLD_SIZE, PMI_SIZE and SLURM_STEP_NUM_TASKS is above 1 with one rank): each
/// would do all of the work.
void check_one_world(const Communicator& world);

/// "Open MPI v4.1.4": the first words of the library's own description.
std::string mpi_library();

}  // namespace krossfold::parallel
