// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::run {

/// How long units store their intermediate state, so that a stop or a crash does not lose all of it.
struct CheckpointParams {
  std::uint64_t identity = 0;  ///< of study, data and program; a part with another identity is ignored
  double every = 60;           ///< seconds between two parts; a unit that is stopped may store one as well
  std::uint64_t build = 0;     ///< of the processor and the BLAS kernel, which change last bits
  double synced_after = 10;    ///< seconds after which the record of a unit is safe in the journal
};

/// The name under which an unfinished unit stores its state: "unit-1-3-2-0.part" for (kind 1; 3, 2, 0). A unit that stores
/// several parts gives each a suffix, which precedes ".part".
std::string checkpoint_name(const UnitKey& key, const std::string& suffix = "");

/// Stores the state of the unit that an executor is computing: one part per unit, beside the models of the study, with a
/// CRC-64 and the identity of study, data, program and unit.
class UnitCheckpoints {
public:
  explicit UnitCheckpoints(const CheckpointParams& params) : params_(params) {}

  /// Begins a unit: removes the parts of earlier units whose records are safe by now, and returns the last part that an
  /// earlier attempt at this unit stored; none if there is none, or if it is damaged or of another identity.
  std::optional<std::vector<std::byte>> begin(const Unit& unit, CheckpointSink& sink, const std::string& suffix = "");

  /// True once the next part is due: `every` seconds after the last one, but no sooner than twenty times the time that
  /// storing it took. Always true if `every` is 0.
  bool due() const;
  void keep(std::vector<std::byte> bytes);

  /// False if a unit that is stopped should be dropped rather than stored: if storing so many bytes, at the rate of the last time or
  /// 500 MB/s, takes longer than the unit has run since it was stored, or longer than three seconds, for which nobody who stops a
  /// run wants to wait. Half a second is always worth it.
  bool worth_keeping(std::uint64_t bytes) const;

  /// Marks the unit as complete: its part is removed when a unit begins `synced_after` or more seconds later.
  void complete();

private:
  using Clock = std::chrono::steady_clock;

  CheckpointParams params_;
  CheckpointSink* sink_ = nullptr;
  std::string name_;  ///< part of the present unit
  std::vector<std::pair<std::string, Clock::time_point>>
      complete_;  ///< parts of earlier units, and when these were complete
  bool stored_ = false;
  std::uint64_t identity_ = 0;
  Clock::time_point kept_;
  std::chrono::duration<double> took_{0};
  double rate_ = 500e6;  ///< bytes per second
};

}  // namespace krossfold::run
