// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/gang.hpp"

#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "farm_messages.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/mpi_facts.hpp"
#include "watched_sink.hpp"

namespace krossfold::parallel {

namespace {

/// The first sink error among the gang's ranks, "" if there was none. Collective.
std::string sink_error(const Communicator& gang, const std::string& mine) {
  for (const std::string& error : all_gather(gang, mine)) {
    if (!error.empty()) return error;
  }
  return "";
}

/// The first rank of a gang, which passes its units on to the others.
class Leader : public Executor {
public:
  Leader(const Communicator& gang, Executor& executor) : gang_(gang), executor_(executor) {}

  std::vector<Record> run(const Unit& unit, UnitContext& context) override {
    send(to_bytes(unit));
    UnitContext of_gang{context.stop, context.checkpoint, &gang_};
    try {
      return executor_.run(unit, of_gang);
    } catch (const AgreedError&) {
      const std::string error = sink_error(gang_, "");
      if (!error.empty()) throw SinkError(error);
      throw;
    } catch (const std::exception& error) {
      abort_job(gang_, text("a unit failed on rank 0 of ", gang_.size(), ": ", error.what()));
    }
  }
  /// Tells the other ranks that there are no more units.
  void dismiss() { send({}); }

private:
  void send(std::vector<std::byte> bytes) {
    patient_barrier(gang_);
    broadcast(gang_, bytes);
  }

  const Communicator& gang_;
  Executor& executor_;
};

void follow(const Communicator& gang, Executor& executor, CheckpointSink& sink) {
  while (true) {
    std::vector<std::byte> bytes;
    patient_barrier(gang);  // the wait for a unit may be long and should not occupy a core
    broadcast(gang, bytes);
    if (bytes.empty()) return;
    WatchedSink watched(sink);
    UnitContext context{{}, watched, &gang};
    try {
      executor.run(unit_from_bytes(bytes), context);
    } catch (const AgreedError&) {
      // The first rank throws the same error and records it, unless a sink failed.
      sink_error(gang, watched.error);
    } catch (const std::exception& error) {
      abort_job(gang, text("a unit failed on rank ", gang.rank(), " of ", gang.size(), ": ", error.what()));
    }
  }
}

void check_threads(int width) {
  if (thread_level() < ThreadLevel::multiple) {
    throw_run_error("this MPI library allows only one thread at a time to call it",
                    text("units on ", width, " ranks need MPI_THREAD_MULTIPLE"),
                    "Use a library with full thread support, or one rank.");
  }
}

}  // namespace

bool agree(const Communicator& gang, bool mine) {
  if (gang.size() == 1) return mine;
  char said = mine ? 1 : 0;
  check(MPI_Bcast(&said, 1, MPI_CHAR, 0, gang.handle()), "MPI_Bcast");
  return said != 0;
}

std::vector<std::int64_t> gather_numbers(const Communicator& gang, std::int64_t mine) {
  if (gang.size() == 1) return {mine};  // without MPI, which the messaging thread may be using
  std::vector<std::int64_t> all(static_cast<std::size_t>(gang.size()));
  check(MPI_Allgather(&mine, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, gang.handle()), "MPI_Allgather");
  return all;
}

FarmOutcome run_gangs(const Communicator& comm, int width, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                      const FarmParams& params) {
  if (width == 1) return run_farm(comm, root, executor, sink, params);
  check_threads(width);
  const int gangs = comm.size() / width, own = comm.rank() / width;
  const bool takes_part = own < gangs;
  const bool leads = takes_part && comm.rank() % width == 0;
  const Communicator gang(comm, own), leaders(comm, leads ? 0 : 1);  // the latter is used by the leaders only
  FarmOutcome outcome;
  std::exception_ptr failure;
  try {
    if (leads) {
      Leader leader(gang, executor);
      FarmParams farm = params;
      farm.host.clear();
      for (std::size_t r = 0; r < params.host.size() && static_cast<int>(r) < gangs * width; r += width) {
        farm.host.push_back(params.host[r]);
      }
      try {
        outcome = run_farm(leaders, root, leader, sink, farm);
      } catch (...) {
        failure = std::current_exception();
      }
      leader.dismiss();
    } else if (takes_part) {
      follow(gang, executor, sink);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  patient_barrier(comm);  // ranks that take no part sleep
  on_all(comm, [&] {
    if (failure) std::rethrow_exception(failure);
  });
  broadcast(comm, std::as_writable_bytes(std::span(&outcome.finished, 1)));
  return outcome;
}

}  // namespace krossfold::parallel
