// SPDX-License-Identifier: BSD-3-Clause
#include "farm_manager.hpp"

#include <algorithm>
#include <utility>

#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

std::string stall_message(const FarmParams& params, int rank, const UnitKey* unit) {
  const auto r = static_cast<std::size_t>(rank);
  std::string message = text("rank ", rank, r < params.host.size() ? " on " + params.host[r] : "",
                             " has reported no progress for ", duration_text(params.stall_timeout));
  if (unit != nullptr) {
    message += text(" (in unit ", unit->kind, ":", unit->index[0], ",", unit->index[1], ",", unit->index[2], ")");
  }
  return message + " The job ends; its results are kept, and the same command resumes it. See stall-timeout.";
}

FarmManager::FarmManager(const Communicator& comm, FarmRoot& root, Desk& desk, const FarmParams& params)
    : comm_(comm),
      root_(root),
      desk_(desk),
      params_(params),
      queue_({params.schedule, nodes_of(params.host, comm.size()), params.seed}),
      watch_(comm.size(), params.stall_timeout) {}

double FarmManager::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

template <class Action>
void FarmManager::guarded(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    fail(error.what(), error.code());
  } catch (const std::exception& error) {
    fail(error.what(), ExitCode::failed);
  } catch (...) {
    fail("unknown exception in the manager of the farm", ExitCode::failed);
  }
}

void FarmManager::fail(const std::string& message, ExitCode code) {
  if (!failed_) {
    failed_ = true;
    error_ = message;
    error_code_ = code;
  }
  stopping_ = true;
  stop_in_flight();
}

void FarmManager::add_units(const std::vector<Unit>& units, int origin) {
  std::vector<Unit> fresh;
  for (const Unit& unit : units) {
    if (known_.insert(unit.key).second && !records_.contains(unit.key)) fresh.push_back(unit);
  }
  queue_.add(std::move(fresh), origin);
}

void FarmManager::start() {
  for (const Record& record : root_.replayed) {
    records_[record.key] = record;
    known_.insert(record.key);  // a unit's additional records have keys of their own
    clock_offset_ = std::max(clock_offset_, record.started + record.seconds);
  }
  replayed_ = static_cast<int>(records_.size());
  guarded([&] {
    add_units(root_.study.initial(), -1);
    // Adding units leaves the records alone.
    for (const auto& [key, record] : records_)
      add_units(root_.study.on_record(record), record.rank < comm_.size() ? record.rank : -1);
  });
}

/// Returns true if there was any request or message; `patient` waits for a request of this rank.
bool FarmManager::take_requests(bool patient) {
  bool any = false;
  if (const auto request = desk_.requests.poll(patient ? patience_.sleep() : std::chrono::microseconds::zero())) {
    accept(0, *request);
    any = true;
  }
  while (comm_.size() > 1) {
    const auto message = receive(comm_);
    if (!message) break;
    any = true;
    if (message->tag == tag_alive) {
      watch_.report(message->rank, looks_from_bytes(message->bytes), seconds());
      send(comm_, message->rank, tag_alive, {});
    } else if (message->tag == tag_stop) {
      stop(stop_level_from_bytes(message->bytes));
    } else {
      accept(message->rank, request_from_bytes(message->bytes));
    }
  }
  if (any) patience_.heard();
  return any;
}

void FarmManager::keep(Record record, int rank, const InFlight* flight) {
  // A unit of several records may repeat some that an earlier run computed by other units: those stay.
  if (records_.contains(record.key)) return;
  record.rank = rank;
  if (flight != nullptr) record.started = clock_offset_ + flight->started;
  guarded([&] {
    const std::vector<Unit> more = root_.study.on_record(record);  // what it refuses must not be kept
    root_.log.append(record);
    dirty_ = true;
    known_.insert(record.key);  // may be one of a unit's additional records
    records_[record.key] = std::move(record);
    add_units(more, rank);
  });
}

/// Returns true if the unit ran out of memory alongside others; it will be retried.
bool FarmManager::put_aside(const InFlight& flight, const Request& request) {
  if (!request.out_of_memory || flight.alone) return false;
  aside_.push_back(flight.unit);
  return true;
}

void FarmManager::accept(int rank, const Request& request) {
  watch_.turn(rank, false, seconds());
  if (!request.error.empty()) fail(request.error, ExitCode::failed);
  idle_.insert(rank);
  const auto found = in_flight_.extract(rank);
  const InFlight* flight = found.empty() ? nullptr : &found.mapped();
  if (flight != nullptr && put_aside(*flight, request)) return;
  for (const Record& record : request.records) keep(record, rank, flight);
  if (flight == nullptr) return;
  if (request.records.empty()) {
    unfinished_ = true;
  } else {
    queue_.measured(flight->unit, seconds() - flight->started);
    work_done_ += seconds() - flight->started;
  }
}

void FarmManager::answer(int rank, const Answer& answer) {
  if (rank == 0) {
    desk_.answers.put(answer);
  } else {
    send(comm_, rank, tag_answer, to_bytes(answer));
  }
}

void FarmManager::hand_out(int rank, const Unit& unit, bool alone) {
  in_flight_[rank] = {unit, seconds(), alone};
  any_handed_out_ = true;
  watch_.turn(rank, true, seconds());
  Answer next;
  next.unit = unit;
  next.alone = alone;
  if (rank == 0 && root_.snapshot && seconds() - last_snapshot_ >= root_.snapshot_every) {
    last_snapshot_ = seconds();
    std::vector<Record> records;
    for (const auto& [key, record] : records_) records.push_back(record);
    next.snapshot = std::make_shared<const std::vector<Record>>(std::move(records));
  }
  answer(rank, next);
}

void FarmManager::assign() {
  for (auto rank = idle_.begin(); rank != idle_.end() && !stopping_;) {
    if (const auto unit = queue_.take(*rank)) {
      released_ = false;
      hand_out(*rank, *unit, false);
      rank = idle_.erase(rank);
    } else {
      ++rank;
    }
  }
  if (stopping_ || aside_.empty() || !queue_.empty() || static_cast<int>(idle_.size()) < comm_.size()) return;
  if (!released_) {
    released_ = true;
    Answer release;
    release.release = true;
    for (const int rank : idle_) answer(rank, release);
    idle_.clear();
    return;
  }
  hand_out(*idle_.begin(), aside_.back(), true);
  idle_.erase(idle_.begin());
  aside_.pop_back();
}

void FarmManager::sync_log(bool now) {
  if (!dirty_ || (!now && seconds() - last_sync_ < params_.sync_every)) return;
  guarded([&] {
    dirty_ = false;
    root_.log.sync();
  });
  last_sync_ = seconds();
}

void FarmManager::stop_in_flight() {
  if (dropped_) return;
  dropped_ = true;
  desk_.drop.request_stop();
  for (int rank = 1; rank < comm_.size(); ++rank) send(comm_, rank, tag_drop, {});
}

void FarmManager::stop(StopLevel level) {
  if (level == StopLevel::none) return;
  stopping_ = true;
  if (level == StopLevel::drop) stop_in_flight();
}

void FarmManager::look_at_the_clock() {
  const double now = seconds();
  guarded([&] {
    // However short the time, every run hands out at least one unit, so that repeated runs eventually finish.
    if (params_.max_time > 0 && now >= params_.max_time && any_handed_out_) stopping_ = true;
    if (!stopping_ && params_.stop_requested && params_.stop_requested()) stopping_ = true;
    if (!dropped_ && params_.drop_requested && params_.drop_requested()) stop(StopLevel::drop);
  });
  if (stopping_ && stopping_since_ < 0) stopping_since_ = now;
  if (stopping_ && now - stopping_since_ >= params_.grace) stop_in_flight();
}

void FarmManager::watch_for_stalls() {
  if (!watch_.on()) return;
  watch_.report(0, *desk_.looks, seconds());
  const auto rank = watch_.stalled(seconds());
  if (!rank) return;
  sync_log(true);
  const auto flight = in_flight_.find(*rank);
  abort_job(comm_, stall_message(params_, *rank, flight == in_flight_.end() ? nullptr : &flight->second.unit.key),
            ExitCode::stopped);
}

void FarmManager::show_progress() {
  const double now = seconds();
  if (root_.progress == nullptr || now - last_shown_ < 0.25) return;
  last_shown_ = now;
  const int done = static_cast<int>(records_.size());
  double work_left = queue_.expected_left();
  for (const auto& [rank, flight] : in_flight_) {
    work_left += std::max(0.0, queue_.expected(flight.unit) - (now - flight.started));
  }
  const std::vector<Unit> later = root_.study.outlook();
  for (const Unit& unit : later) work_left += queue_.expected(unit);
  const auto total = static_cast<int>(known_.size() + later.size());
  root_.progress->update(done, total, replayed_, work_done_, work_left, now, !later.empty());
}

bool FarmManager::at_end() const {
  return static_cast<int>(idle_.size()) == comm_.size() && in_flight_.empty() &&
         (stopping_ || (queue_.empty() && aside_.empty()));
}

void FarmManager::run() {
  start();
  for (bool any = true;;) {
    any = take_requests(!any);
    watch_for_stalls();
    look_at_the_clock();
    assign();
    if (at_end()) break;
    sync_log(false);
    show_progress();
  }
  sync_log(true);
  last_shown_ = -1;
  show_progress();
  Answer end;
  end.finished = !failed_ && !unfinished_ && queue_.empty() && aside_.empty();
  end.failed = failed_;
  end.error = error_;
  end.error_code = static_cast<int>(error_code_);
  // Answer this rank last: once it has its answer, its main thread may use the communicator again.
  for (int rank = comm_.size() - 1; rank >= 0; --rank) answer(rank, end);
}

std::vector<Record> FarmManager::take_records() {
  std::vector<Record> records;
  for (auto& [key, record] : records_) records.push_back(std::move(record));
  return records;
}

}  // namespace krossfold::parallel
