// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/task_farm.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <thread>

#include "farm_manager.hpp"
#include "farm_messages.hpp"
#include "krossfold/core/error.hpp"

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

Record failed(const Unit& unit, const std::string& reason) {
  Record record;
  record.key = unit.key;
  record.status = Status::failed;
  record.reason = reason;
  return record;
}

/// Runs one unit; an exception becomes a record of its own. No records if the unit is to be dropped.
std::vector<Record> run_unit(const Unit& unit, Executor& executor, UnitContext& context) {
  const auto began = std::chrono::steady_clock::now();
  std::vector<Record> records;
  try {
    records = executor.run(unit, context);
    // Without a record it would be computed again and again by every continued run.
    if (records.empty()) records = {failed(unit, "the unit gave no result")};
    if (records_of_a_stop(records, context)) return {};
  } catch (const std::exception& error) {
    records = {failed(unit, error.what())};
  } catch (...) {
    records = {failed(unit, "unknown exception")};
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
  // An exception of the messaging thread itself (MPI broke) has no one to go to: it ends the program.
  std::thread messages([&] {
    if (manager) {
      manager->run();
    } else {
      carry_messages(comm, desk);
    }
  });
  const Answer last = work(desk, executor, sink);
  messages.join();
  if (!last.error.empty()) throw Error::from_message(static_cast<ExitCode>(last.error_code), last.error);
  FarmOutcome outcome;
  outcome.finished = last.finished;
  if (manager) outcome.records = manager->take_records();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace krossfold::parallel
