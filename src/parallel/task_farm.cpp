// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/task_farm.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <thread>

#include "farm_manager.hpp"
#include "farm_messages.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "patience.hpp"
#include "stall_watch.hpp"
#include "watched_sink.hpp"

namespace krossfold::parallel {

namespace {

/// Sends this rank's progress reports and detects when rank 0 stops answering them.
class Pulse {
public:
  Pulse(const Communicator& comm, const Desk& desk, const FarmParams& params)
      : comm_(comm), desk_(desk), params_(params), watch_(1, params.stall_timeout) {}

  void answered() { watch_.report(0, 0, seconds()); }
  void beat() {
    if (!watch_.on()) return;
    if (seconds() - sent_ >= watch_.report_every()) {
      sent_ = seconds();
      send(comm_, 0, tag_alive, to_bytes(*desk_.looks));
    }
    if (watch_.stalled(seconds())) abort_job(comm_, stall_message(params_, 0, nullptr), ExitCode::stopped);
  }

private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

  const Communicator& comm_;
  const Desk& desk_;
  const FarmParams& params_;
  StallWatch watch_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double sent_ = 0;
};

/// Tells rank 0 of signals that only this rank may have got. While a unit is in flight: what is sent after the request for the next
/// one may come when the farm has ended.
class Stops {
public:
  Stops(const Communicator& comm, const FarmParams& params) : comm_(comm), params_(params) {}

  void pass_on() {
    const bool drop = params_.drop_requested && params_.drop_requested();
    const bool stop = drop || (params_.stop_requested && params_.stop_requested());
    const StopLevel now = drop ? StopLevel::drop : stop ? StopLevel::stop : StopLevel::none;
    if (now <= told_) return;
    told_ = now;
    send(comm_, 0, tag_stop, to_bytes(now));
  }

private:
  const Communicator& comm_;
  const FarmParams& params_;
  StopLevel told_ = StopLevel::none;
};

/// The messaging thread of a rank other than 0: relays requests, answers and drop signals.
void carry_messages(const Communicator& comm, Desk& desk, const FarmParams& params) {
  // While this rank has no unit its core is free: poll more often for an answer that may come soon.
  constexpr int short_sleeps = 200;
  int expecting = 0;
  bool in_flight = false;
  Patience patience;
  Pulse pulse(comm, desk, params);
  Stops stops(comm, params);
  for (bool any = true;;) {
    const auto request = desk.requests.poll(any             ? std::chrono::microseconds::zero()
                                            : expecting > 0 ? Patience::brief_sleep / 6
                                                            : patience.sleep());
    if (request) send(comm, 0, tag_request, to_bytes(*request));
    in_flight = in_flight && !request;
    expecting = request ? short_sleeps : std::max(0, expecting - 1);
    any = request.has_value();
    while (const auto message = receive(comm)) {
      any = true;
      if (message->tag == tag_alive) {
        pulse.answered();
      } else if (message->tag == tag_drop) {
        desk.drop.request_stop();
      } else {
        expecting = 0;
        const Answer answer = answer_from_bytes(message->bytes);
        desk.answers.put(answer);
        if (!answer.unit && !answer.release) return;
        in_flight = answer.unit.has_value();
      }
    }
    if (any) patience.heard();
    pulse.beat();
    if (in_flight) stops.pass_on();
  }
}

/// Runs one unit. A unit that throws or returns nothing yields a failed record, or no records if it was dropped.
Request run_unit(const Unit& unit, bool alone, Executor& executor, UnitContext& context) {
  const auto began = std::chrono::steady_clock::now();
  Request result;
  std::string reason = "the unit returned no result";
  try {
    result.records = executor.run(unit, context);
  } catch (const SinkError& error) {
    result.error = error.what();
    return result;
  } catch (const std::exception& error) {
    result.out_of_memory = out_of_memory(error);
    reason = error.what();
    if (result.out_of_memory) reason = text("out of memory", alone ? ", even when run alone" : "", " (", reason, ")");
  } catch (...) {
    reason = "unknown exception";
  }
  if (result.records.empty()) {
    // An interrupted unit did not necessarily fail: a resumed run computes it again.
    if (context.stop.stop_requested()) return {};
    result.records.resize(1);
    result.records[0].key = unit.key;
    result.records[0].status = Status::failed;
    result.records[0].reason = reason;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  // Several records of a unit share its time equally.
  for (Record& record : result.records) record.seconds = seconds / static_cast<double>(result.records.size());
  return result;
}

/// The computing thread of every rank: requests units, computes and returns them until the farm ends.
Answer work(Desk& desk, FarmRoot* root, Executor& executor, CheckpointSink& sink, const Communicator& gang) {
  WatchedSink watched(sink);
  UnitContext context{{desk.drop.get_token(), desk.looks}, watched, &gang};
  Request request;
  while (true) {
    desk.requests.put(std::move(request));
    Answer answer = desk.answers.wait();
    if (answer.release) executor.release();
    if (!answer.unit && !answer.release) return answer;
    if (!answer.unit) {
      request = {};
      continue;
    }
    if (answer.snapshot) {
      try {
        root->snapshot(*answer.snapshot);
      } catch (const std::exception& error) {
        request = Request{{}, false, error.what()};
        continue;
      }
    }
    request = run_unit(*answer.unit, answer.alone, executor, context);
    if (!watched.error.empty()) request = Request{{}, false, watched.error};
  }
}

}  // namespace

FarmOutcome run_farm(const Communicator& comm, FarmRoot* root, Executor& executor, CheckpointSink& sink,
                     const FarmParams& params) {
  const auto began = std::chrono::steady_clock::now();
  const Communicator gang(MPI_COMM_SELF);
  Desk desk;
  std::unique_ptr<FarmManager> manager;
  if (comm.is_root()) manager = std::make_unique<FarmManager>(comm, *root, desk, params);
  std::thread messages([&] {
    try {
      if (manager) {
        manager->run();
      } else {
        carry_messages(comm, desk, params);
      }
    } catch (const std::exception& error) {
      abort_job(comm, text("rank ", comm.rank(), ": ", error.what()));
    } catch (...) {
      abort_job(comm, text("rank ", comm.rank(), ": unknown exception in the task farm"));
    }
  });
  Answer last;
  try {
    last = work(desk, root, executor, sink, gang);
  } catch (const std::exception& error) {  // not even memory for a message to the other ranks
    abort_job(comm, text("rank ", comm.rank(), ": ", error.what()));
  }
  messages.join();
  if (last.failed) throw Error::from_message(static_cast<ExitCode>(last.error_code), last.error);
  FarmOutcome outcome;
  outcome.finished = last.finished;
  if (manager) outcome.records = manager->take_records();
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return outcome;
}

}  // namespace krossfold::parallel
