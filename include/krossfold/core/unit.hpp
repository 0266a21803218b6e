// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Units of work and what becomes of them: the interfaces at which studies, farm, journal and executors meet.
// No Kokkos here: the manager thread handles these as plain bytes.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/stop_signal.hpp"

namespace krossfold {

/// Names one unit of a study; what the indices mean depends on the kind ((gamma, fold, 0) in an SVM search).
struct UnitKey {
  std::uint32_t kind = 0;
  std::array<std::int32_t, 3> index{};
  auto operator<=>(const UnitKey&) const = default;
};

/// A piece of work that one rank does alone: a pure function of data, key, input, configuration and random stream.
struct Unit {
  UnitKey key;
  double cost = 0;                 ///< expected, in any one measure of time for the whole study
  std::uint64_t memory = 0;        ///< bytes it needs on the device beyond what the executor holds anyway
  std::int64_t affinity = -1;      ///< units of equal affinity >= 0 share something a rank keeps (a kernel matrix)
  std::vector<std::byte> input{};  ///< what earlier units found that this one needs; for most nothing
  std::int32_t priority = 0;       ///< units of higher priority are handed out first; for the queue only, not sent
};

enum class Status : std::int32_t { missing = 0, done = 1, failed = 2 };

/// What became of a unit.
struct Record {
  UnitKey key;
  Status status = Status::missing;
  std::string reason{};  ///< why it failed, else empty
  double started = 0;    ///< seconds since the study began, on the manager's clock
  double seconds = 0;    ///< computing time
  int rank = 0;
  std::vector<std::byte> payload{};  ///< the results, as the study encodes them
};

/// Where a unit puts what is too large for its record (weights, models). Names are unique in a study.
struct CheckpointSink {
  virtual ~CheckpointSink() = default;
  /// Stores the bytes under `name`, atomically: either the old or the new content is there, whatever happens.
  virtual void store(const std::string& name, std::span<const std::byte> bytes) = 0;
  /// What was stored under `name`; nothing if there is none.
  virtual std::optional<std::vector<std::byte>> load(const std::string&) { return std::nullopt; }
  /// Forgets what was stored under `name`, if anything was.
  virtual void remove(const std::string&) {}
};

/// What an executor may use while it runs a unit. It polls `stop` at least every 100 ms.
struct UnitContext {
  StopSignal stop;
  CheckpointSink& checkpoint;
  int group_rank = 0;
  int group_size = 1;
};

/// What there is to do. Lives on the manager; host bytes only. Called from one thread at a time.
struct Study {
  virtual ~Study() = default;
  /// The units that can start at once.
  virtual std::vector<Unit> initial() = 0;
  /// The units that this record makes ready. Depends on the set of records seen so far, not on their order.
  virtual std::vector<Unit> on_record(const Record& record) = 0;
  /// Units that records to come may make ready, at most: for the display of what is left only.
  virtual std::vector<Unit> outlook() const { return {}; }
};

/// Does the work; one per rank. Owns the data set and whatever it caches on the device.
struct Executor {
  virtual ~Executor() = default;
  /// Frees what it keeps between units only to be faster. Called before a unit that ran out of memory is tried again.
  virtual void release() {}
  /// Computes a unit. Returns no record if `context.stop` ended it early; throws if it failed.
  virtual std::vector<Record> run(const Unit& unit, UnitContext& context) = 0;
};

/// Keeps records through a crash. Called from the manager thread only.
struct RecordLog {
  virtual ~RecordLog() = default;
  virtual void append(const Record& record) = 0;
  /// After it returns all appended records survive a power cut.
  virtual void sync() = 0;
};

}  // namespace krossfold
