// SPDX-License-Identifier: BSD-3-Clause
#include "farm_manager.hpp"

#include <algorithm>
namespace krossfold::parallel {

FarmManager::FarmManager(const Communicator& comm, FarmRoot& root, Desk& desk, const FarmParams& params)
    : comm_(comm), root_(root), desk_(desk), params_(params) {}

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
    fail("unknown exception on the manager of the farm", ExitCode::failed);
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

void FarmManager::add_units(const std::vector<Unit>& units) {
  for (const Unit& unit : units) {
    if (!known_.insert(unit.key).second) continue;
    if (records_.contains(unit.key)) continue;
    queue_.add(unit);
  }
}

void FarmManager::start() {
  for (const Record& record : root_.replayed) {
    records_[record.key] = record;
    clock_offset_ = std::max(clock_offset_, record.started + record.seconds);
  }
  replayed_ = static_cast<int>(records_.size());
  guarded([&] {
    add_units(root_.study.initial());
    for (const auto& [key, record] : std::map(records_)) add_units(root_.study.on_record(record));
  });
}

bool FarmManager::take_requests() {
  bool any = false;
  if (const auto request = desk_.requests.poll()) {
    accept(0, *request);
    any = true;
  }
  while (comm_.size() > 1) {
    const auto message = receive(comm_);
    if (!message) break;
    accept(message->rank, request_from_bytes(message->bytes));
    any = true;
  }
  return any;
}

void FarmManager::accept(int rank, const Request& request) {
  const auto flight = in_flight_.find(rank);
  for (Record record : request.records) {
    record.rank = rank;
    if (flight != in_flight_.end()) record.started = clock_offset_ + flight->second.started;
    guarded([&] {
      root_.log.append(record);
      dirty_ = true;
      records_[record.key] = record;
      add_units(root_.study.on_record(record));
    });
  }
  if (flight != in_flight_.end()) {
    if (request.records.empty()) {
      unfinished_ = true;
    } else {
      queue_.measured(flight->second.unit, seconds() - flight->second.started);
      work_done_ += seconds() - flight->second.started;
    }
    in_flight_.erase(flight);
  }
  idle_.insert(rank);
}

void FarmManager::answer(int rank, const Answer& answer) {
  if (rank == 0) {
    desk_.answers.put(answer);
  } else {
    send(comm_, rank, tag_answer, to_bytes(answer));
  }
}

void FarmManager::assign() {
  for (auto rank = idle_.begin(); rank != idle_.end() && !stopping_;) {
    const auto unit = queue_.take(*rank);
    if (!unit) return;
    in_flight_[*rank] = {*unit, seconds()};
    answer(*rank, Answer{unit});
    rank = idle_.erase(rank);
  }
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

void FarmManager::look_at_the_clock() {
  const double now = seconds();
  guarded([&] {
    if (params_.max_time > 0 && now >= params_.max_time) stopping_ = true;
    if (!stopping_ && params_.stop_requested && params_.stop_requested()) stopping_ = true;
    if (!dropped_ && params_.drop_requested && params_.drop_requested()) {
      stopping_ = true;
      stop_in_flight();
    }
  });
  if (stopping_ && stopping_since_ < 0) stopping_since_ = now;
  if (stopping_ && now - stopping_since_ >= params_.grace) stop_in_flight();
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
  root_.progress->update(done, static_cast<int>(known_.size()), replayed_, work_done_, work_left, now);
}

bool FarmManager::at_end() const {
  return static_cast<int>(idle_.size()) == comm_.size() && in_flight_.empty() && (stopping_ || queue_.empty());
}

void FarmManager::run() {
  start();
  while (true) {
    const bool any = take_requests();
    look_at_the_clock();
    assign();
    if (at_end()) break;
    sync_log(false);
    show_progress();
    if (!any) sleep_briefly();
  }
  sync_log(true);
  last_shown_ = -1;
  show_progress();
  Answer end;
  end.finished = !failed_ && !unfinished_ && queue_.empty();
  end.failed = failed_;
  end.error = error_;
  end.error_code = static_cast<int>(error_code_);
  // This rank last: once it has its answer, its main thread may use the communicator again.
  for (int rank = comm_.size() - 1; rank >= 0; --rank) answer(rank, end);
}

std::vector<Record> FarmManager::take_records() {
  std::vector<Record> records;
  for (auto& [key, record] : records_) records.push_back(std::move(record));
  return records;
}

}  // namespace krossfold::parallel
