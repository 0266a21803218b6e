// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/task_farm.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <thread>

#include "farm_manager.hpp"
#include "farm_messages.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

namespace {

/// The messaging thread of a rank other than 0: carries requests and answers, and the word to drop a unit.
void carry_messages(const Communicator& comm, Desk& desk) {
  while (true) {
    bool any = false;
    if (const auto request = desk.requests.poll()) {
      send(comm, 0, tag_request, to_bytes(*request));
      any = true;
    }
    while (const auto message = receive(comm)) {
      any = true;
      if (message->tag == tag_drop) {
        desk.drop.request_stop();
        continue;
      }
      const Answer answer = answer_from_bytes(message->bytes);
      desk.answers.put(answer);
      if (!answer.unit) return;
    }
    if (!any) sleep_briefly();
  }
}

/// For an exception of a messaging thread (MPI broke): without messages no rank could ever be told of it.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& problem) {
  std::cerr << text("krossfold: error: rank ", comm.rank(), ": ", problem, "\n") << std::flush;
  MPI_Abort(comm.handle(), static_cast<int>(ExitCode::failed));
  std::abort();
}

/// Runs one unit. One that throws or gives nothing becomes a record that says so; no records if it was dropped.
std::vector<Record> run_unit(const Unit& unit, Executor& executor, UnitContext& context) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<Record> records;
  std::string reason = "the unit gave no result";
  try {
    records = executor.run(unit, context);
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
    reason = "unknown exception";
  }
  if (records.empty()) {
    // What an interrupted unit gives or throws says nothing about it: a continued run computes it again.
    if (context.stop.stop_requested()) return {};
    records.resize(1);
    records[0].key = unit.key;
    records[0].status = Status::failed;
    records[0].reason = reason;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  // A unit may give several records: they share its time.
  for (Record& record : records) record.seconds = seconds / static_cast<double>(records.size());
  return records;
}

/// The computing thread of every rank: asks, computes, hands in, until the farm ends.
Answer work(Desk& desk, Executor& executor, CheckpointSink& sink) {
  UnitContext context{desk.drop.get_token(), sink};
  Request request;
  while (true) {
    desk.requests.put(std::move(request));
    Answer answer = desk.answers.wait();
    if (!answer.unit) return answer;
    request.records = run_unit(*answer.unit, executor, context);
  }
}

}  // namespace

FarmOutcome run_farm(const Communicator& comm, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                     const FarmParams& params) {
  const auto began = std::chrono::steady_clock::now();
  Desk desk;
  std::unique_ptr<FarmManager> manager;
  if (comm.is_root()) manager = std::make_unique<FarmManager>(comm, *root, desk, params);
  std::thread messages([&] {
    try {
      if (manager) {
        manager->run();
      } else {
        carry_messages(comm, desk);
      }
    } catch (const std::exception& error) {
      abort_job(comm, error.what());
    } catch (...) {
      abort_job(comm, "unknown exception in the task farm");
    }
  });
  const Answer last = work(desk, executor, sink);
  messages.join();
  if (last.failed) throw Error::from_message(static_cast<ExitCode>(last.error_code), last.error);
  FarmOutcome outcome;
  outcome.finished = last.finished;
  if (manager) outcome.records = manager->take_records();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace krossfold::parallel
