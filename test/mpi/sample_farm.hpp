// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A farm whose study, log and executor are scripted by a test and record what happens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/parallel/task_farm.hpp"

namespace krossfold::parallel::test {

class ListStudy : public Study {
public:
  std::vector<Unit> units;
  std::function<std::vector<Unit>(const Record&)> then;  ///< if set, called for each record
  std::vector<UnitKey> seen;

  std::vector<Unit> initial() override { return units; }
  std::vector<Unit> on_record(const Record& record) override {
    seen.push_back(record.key);
    return then ? then(record) : std::vector<Unit>();
  }
};

class EventLog : public RecordLog {
public:
  struct Event {
    bool sync = false;
    UnitKey key = {};  ///< of the appended record
    double seconds = 0;
  };
  std::vector<Event> events;
  std::function<void(const Record&)> on_append;
  std::function<void()> on_sync;

  void append(const Record& record) override;
  void sync() override;
  std::vector<UnitKey> appended() const;
  int syncs() const;

private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

class CallExecutor : public Executor {
public:
  std::function<std::vector<Record>(const Unit&, UnitContext&)> compute;
  std::vector<UnitKey> computed;  ///< on this rank

  int released = 0;  ///< number of calls of release()

  void release() override { ++released; }
  std::vector<Record> run(const Unit& unit, UnitContext& context) override {
    computed.push_back(unit.key);
    return compute(unit, context);
  }
};

struct SampleFarm {
  ListStudy study;
  EventLog log;
  std::vector<Record> replayed;
  CallExecutor executor;  ///< returns sample_record() by default
  FarmParams params;
  std::function<void(const std::string& name)> store;        ///< called by the sink; if unset, nothing may be stored
  std::function<void(const std::string& name)> load;         ///< called by the sink, which holds nothing
  std::function<void(const std::vector<Record>&)> snapshot;  ///< see FarmRoot
  double snapshot_every = 60;

  SampleFarm();
  /// Runs the farm and expects that only one thread at a time calls MPI, never the computing one, and that no message
  /// is left over.
  FarmOutcome run(const Communicator& comm);
  /// The error that the farm ends with; the test fails if there is none.
  Error error(const Communicator& comm);
  /// Keys of the units computed on all ranks, ascending. Collective.
  std::vector<UnitKey> all_computed(const Communicator& comm) const;
};

/// Units (kind 1, index 0 ... count - 1) of equal cost and no affinity.
std::vector<Unit> sample_units(int count);
UnitKey key(int index);
int index_of(const Unit& unit);
std::vector<UnitKey> keys_of(const std::vector<Unit>& units);
std::vector<UnitKey> keys_of(const std::vector<Record>& records);

/// A payload of several bytes that depends only on the key.
std::vector<std::byte> sample_payload(const UnitKey& key);
Record sample_record(const Unit& unit);

void sleep_ms(int milliseconds);
/// Sleeps in steps of 5 ms until the unit is to stop. Returns false after a limit far longer than any test should take.
bool wait_for_stop(const UnitContext& context);
/// Likewise until the condition holds.
bool wait_until(const std::function<bool()>& condition);

/// A counter shared by all ranks of the node without MPI calls. Construction and destruction are collective.
class SharedCounter {
public:
  explicit SharedCounter(const Communicator& comm);
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  void add(int count = 1) { std::atomic_ref<int>(*number_).fetch_add(count); }
  int value() const { return std::atomic_ref<int>(*number_).load(); }

private:
  MPI_Win window_;
  int* number_ = nullptr;
};

/// Increments a counter during its lifetime.
class Presence {
public:
  explicit Presence(SharedCounter& counter) : counter_(counter) { counter_.add(); }
  ~Presence() { counter_.add(-1); }
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

private:
  SharedCounter& counter_;
};

}  // namespace krossfold::parallel::test
