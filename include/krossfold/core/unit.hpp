// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Units of work and their records: the interfaces between studies, task farm, journal and executors.
// Free of Kokkos, since the manager thread handles these as plain bytes.

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

namespace parallel {
class Communicator;
}

/// Identifies one unit of a study; the meaning of the indices depends on the kind ((gamma, fold, 0) in an SVM search).
struct UnitKey {
  std::uint32_t kind = 0;
  std::array<std::int32_t, 3> index{};
  auto operator<=>(const UnitKey&) const = default;
};

/// A piece of work that one rank does alone, or a gang of ranks together; its result is a pure function of data, key, input, configuration and seed.
struct Unit {
  UnitKey key;
  double cost = 0;                 ///< expected time, in any unit that is the same for the whole study
  std::int64_t affinity = -1;      ///< units of equal affinity >= 0 share something a rank caches (a kernel matrix)
  std::vector<std::byte> input{};  ///< results of earlier units that this one needs; usually empty
  std::int32_t priority = 0;       ///< units of higher priority are handed out first; queue only, never sent
};

enum class Status : std::int32_t { missing = 0, done = 1, failed = 2 };

/// The outcome of a unit.
struct Record {
  UnitKey key;
  Status status = Status::missing;
  std::string reason{};  ///< why it failed; empty otherwise
  double started = 0;    ///< seconds since the study began, on the manager's clock
  double seconds = 0;    ///< computing time
  int rank = 0;
  std::vector<std::byte> payload{};  ///< the results, as the study encodes them
};

/// Stores what is too large for a unit's record (weights, models). Names are unique within a study.
struct CheckpointSink {
  virtual ~CheckpointSink() = default;
  /// Atomically stores the bytes under `name`: a crash leaves either the old or the new content.
  virtual void store(const std::string& name, std::span<const std::byte> bytes) = 0;
  /// Returns what was stored under `name`, if anything.
  virtual std::optional<std::vector<std::byte>> load(const std::string&) { return std::nullopt; }
  /// Deletes what was stored under `name`, if anything.
  virtual void remove(const std::string&) {}
};

/// What an executor may use while running a unit. It must poll `stop` at least every 100 ms.
struct UnitContext {
  StopSignal stop;
  CheckpointSink& checkpoint;
  const parallel::Communicator* gang = nullptr;  ///< the ranks that compute the unit together; set by every farm
};

/// Defines the units of a study. Lives on the manager, uses host memory only and is called from one thread at a time.
struct Study {
  virtual ~Study() = default;
  /// The units that can start immediately.
  virtual std::vector<Unit> initial() = 0;
  /// The units that this record makes ready. They depend on the set of records seen so far, not on their order.
  virtual std::vector<Unit> on_record(const Record& record) = 0;
  /// The units that future records may still make ready, at most; used only to display the remaining work.
  virtual std::vector<Unit> outlook() const { return {}; }
};

/// Computes units; one per rank. Owns the data set and its caches on the device.
///
/// All ranks of a gang call run() with the same unit. It must throw on all of them or none (parallel::on_all()): an error on one rank
/// would leave the others waiting, so it aborts the job. Only the first rank's records are used, and only its context signals a stop
/// (parallel::agree()).
struct Executor {
  virtual ~Executor() = default;
  /// Frees caches kept between units. Called before a unit that ran out of memory is retried.
  virtual void release() {}
  /// Computes a unit. Returns no record if `context.stop` ended it early; throws if it failed.
  virtual std::vector<Record> run(const Unit& unit, UnitContext& context) = 0;
};

/// Crash-safe log of records. Called from the manager thread only.
struct RecordLog {
  virtual ~RecordLog() = default;
  virtual void append(const Record& record) = 0;
  /// Once it returns, all appended records survive a power failure.
  virtual void sync() = 0;
};

}  // namespace krossfold
