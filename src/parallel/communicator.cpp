// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, reason, &length);
  throw_run_error(text(call, " failed"), std::string(reason, static_cast<std::size_t>(length)));
}

namespace {

/// Prepares a start without a launcher, where Open MPI needs neither its daemon nor a network (saves most of 0.3 s) nor its folder in
/// TMPDIR, whose name is that of every other such process: one that ends would delete it under one that starts. Keeps variables
/// that the user has set.
void start_alone() {
  for (const char* launched : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(launched) != nullptr) return;
  }
  // Open MPI kills a process of an srun step that it cannot reach; without this it starts, and check_one_world reports
  // it.
  unsetenv("SLURM_STEP_ID");
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
}

}  // namespace

MpiRuntime::MpiRuntime(int* argc, char*** argv) {
  start_alone();
  int granted = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &granted), "MPI_Init_thread");
}

MpiRuntime::~MpiRuntime() { MPI_Finalize(); }

Communicator::Communicator(MPI_Comm parent) {
  check(MPI_Comm_dup(parent, &handle_), "MPI_Comm_dup");
  set_up();
}

Communicator::Communicator(const Communicator& parent, int colour) {
  check(MPI_Comm_split(parent.handle(), colour, parent.rank(), &handle_), "MPI_Comm_split");
  set_up();
}

void Communicator::set_up() {
  // The default handler would abort before check() can name the call.
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator::~Communicator() { MPI_Comm_free(&handle_); }

// Within a rank alone nothing is sent: its messaging thread may be using MPI, and not every library lets two threads do so.

void broadcast(const Communicator& comm, std::span<std::byte> bytes) {
  if (comm.size() == 1) return;
  constexpr std::size_t piece = std::size_t{1} << 30;  // MPI counts are int
  for (std::size_t first = 0; first < bytes.size(); first += piece) {
    const std::size_t count = std::min(piece, bytes.size() - first);
    check(MPI_Bcast(bytes.data() + first, static_cast<int>(count), MPI_BYTE, 0, comm.handle()), "MPI_Bcast");
  }
}

void broadcast(const Communicator& comm, std::vector<std::byte>& bytes) {
  std::uint64_t size = bytes.size();
  broadcast(comm, std::as_writable_bytes(std::span(&size, 1)));
  bytes.resize(size);
  broadcast(comm, std::span(bytes));
}

void broadcast(const Communicator& comm, std::string& words) {
  std::uint64_t size = words.size();
  broadcast(comm, std::as_writable_bytes(std::span(&size, 1)));
  words.resize(size);
  broadcast(comm, std::as_writable_bytes(std::span(words)));
}

std::vector<std::string> all_gather(const Communicator& comm, const std::string& text) {
  if (comm.size() == 1) return {text};
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(comm.size()), first(comm.size());
  check(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm.handle()), "MPI_Allgather");
  int total = 0;
  for (int r = 0; r < comm.size(); ++r) {
    first[r] = total;
    total += lengths[r];
  }
  std::string all(total, ' ');
  check(
      MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), first.data(), MPI_CHAR, comm.handle()),
      "MPI_Allgatherv");
  std::vector<std::string> texts;
  for (int r = 0; r < comm.size(); ++r) texts.push_back(all.substr(first[r], lengths[r]));
  return texts;
}

namespace {

/// Runs an action and serialises its error; empty if it succeeded.
std::vector<std::byte> error_of(const std::function<void()>& action) {
  ByteWriter writer;
  const auto put = [&](ExitCode code, const std::string& message) { writer.put_fields(code, message); };
  try {
    action();
  } catch (const Error& error) {
    put(error.code(), error.what());
  } catch (const std::exception& error) {
    put(ExitCode::failed, explanation_of(error));
  } catch (...) {
    put(ExitCode::failed, "unknown exception");
  }
  return writer.take();
}

void throw_error_of(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  ByteReader reader(bytes, "error of another rank");
  const auto code = reader.get<ExitCode>();
  throw AgreedError(Error::from_message(code, reader.get_string()));
}

}  // namespace

void on_root(const Communicator& comm, const std::function<void()>& action) {
  std::vector<std::byte> bytes;
  if (comm.is_root()) bytes = error_of(action);
  patient_barrier(comm);  // the other ranks sleep while the action runs
  broadcast(comm, bytes);
  throw_error_of(bytes);
}

void on_all(const Communicator& comm, const std::function<void()>& action) {
  const std::vector<std::byte> bytes = error_of(action);
  const std::string own(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::string& error : all_gather(comm, own)) throw_error_of(std::as_bytes(std::span(error)));
}

void patient_barrier(const Communicator& comm) { all_arrive(comm, std::numeric_limits<double>::infinity()); }

bool all_arrive(const Communicator& comm, double seconds) {
  MPI_Request request;
  int done = 0;
  check(MPI_Ibarrier(comm.handle(), &request), "MPI_Ibarrier");
  for (double waited = 0; done == 0 && waited < seconds; waited += 0.001) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return done != 0;
}

void abort_job(const Communicator& comm, ExitCode code) {
  MPI_Abort(comm.handle(), static_cast<int>(code));
  std::abort();
}

void check_one_world(const Communicator& world) {
  if (world.size() > 1) return;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    // The innermost launcher decides: under mpirun, Slurm's variable counts mpirun's daemons.
    if (std::atoi(value) <= 1) return;
    throw_input_error(text("the launcher started ", value, " processes, but each is alone in an MPI world of its own"),
                      text(name, "=", value, " and MPI_Comm_size is 1: each would do all of the work"),
                      "Start with `srun --mpi=pmix krossfold ...` or with the mpirun of the MPI library that krossfold "
                      "was built with.");
  }
}

std::string mpi_library() {
  char description[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(description, &length), "MPI_Get_library_version");
  const std::string whole(description, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace krossfold::parallel
