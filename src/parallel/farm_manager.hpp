// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "farm_messages.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/parallel/mailbox.hpp"
#include "krossfold/parallel/task_farm.hpp"
#include "krossfold/parallel/unit_queue.hpp"
#include "patience.hpp"
#include "stall_watch.hpp"

namespace krossfold::parallel {

/// The channel between a rank's computing thread and its messaging thread.
struct Desk {
  Mailbox<Request> requests;
  Mailbox<Answer> answers;
  std::stop_source drop;  ///< requested when the unit in flight is to be dropped
  std::shared_ptr<std::atomic<std::uint64_t>> looks =
      std::make_shared<std::atomic<std::uint64_t>>(0);  ///< see StopSignal
};

/// The message that a rank seems to hang, with its number, host and current unit.
std::string stall_message(const FarmParams& params, int rank, const UnitKey* unit);

/// The manager of a farm. Runs on its own thread of rank 0 until every rank has been told that the farm has ended.
class FarmManager {
public:
  FarmManager(const Communicator& comm, FarmRoot& root, Desk& desk, const FarmParams& params);

  /// Serves requests until the farm ends. Errors of study and log end the farm and are sent to the workers in the last
  /// answer; MPI errors are thrown.
  void run();

  std::vector<Record> take_records();

private:
  struct InFlight {
    Unit unit;
    double started;
    bool alone = false;
  };

  void start();
  bool take_requests(bool patient);
  void accept(int rank, const Request& request);
  void add_units(const std::vector<Unit>& units, int origin);
  bool put_aside(const InFlight& flight, const Request& request);
  void keep(Record record, int rank, const InFlight* flight);
  void assign();
  void hand_out(int rank, const Unit& unit, bool alone);
  void watch_for_stalls();
  void answer(int rank, const Answer& answer);
  void sync_log(bool now);
  void look_at_the_clock();
  void stop(StopLevel level);
  void stop_in_flight();
  void show_progress();
  bool at_end() const;
  double seconds() const;
  /// Runs an action of study, log or caller; the first error ends the farm.
  template <class Action>
  void guarded(const Action& action);
  void fail(const std::string& message, ExitCode code);

  const Communicator& comm_;
  FarmRoot& root_;
  Desk& desk_;
  const FarmParams& params_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();

  Patience patience_;
  UnitQueue queue_;
  bool released_ = false;    ///< every rank has released its caches before units put aside are retried
  std::vector<Unit> aside_;  ///< ran out of memory: retried when nothing else is left
  StallWatch watch_;
  std::map<UnitKey, Record> records_;
  std::set<UnitKey> known_;            ///< keys of all units and records so far
  std::map<int, InFlight> in_flight_;  ///< by rank
  std::set<int> idle_;                 ///< ranks waiting for a unit
  double clock_offset_ = 0;            ///< duration of earlier runs of this study
  double last_sync_ = 0, last_snapshot_ = 0, last_shown_ = -1, work_done_ = 0, stopping_since_ = -1;
  int replayed_ = 0;
  bool any_handed_out_ = false;
  bool dirty_ = false, stopping_ = false, dropped_ = false, failed_ = false;
  bool unfinished_ = false;  ///< a unit returned without records
  std::string error_;
  ExitCode error_code_ = ExitCode::failed;
};

}  // namespace krossfold::parallel
