// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::run {

/// How units that take long keep what they have found, so that a stop or a crash does not cost all of it.
struct CheckpointParams {
  std::uint64_t identity = 0;  ///< of study, data and build: a part of another one is not continued
  double every = 60;           ///< seconds; also when a unit is stopped
};

/// The name under which an unfinished unit keeps what it has found: "unit-1-3-2-0.part" for (kind 1; 3, 2, 0). A unit
/// that keeps several tells them apart by what stands before ".part".
std::string checkpoint_name(const UnitKey& key, const std::string& suffix = "");

/// What the units of an executor keep while they are not complete: a part each, stored beside the models of the study with a
/// CRC-64 and the identity of study, data, build and unit.
class UnitCheckpoints {
public:
  explicit UnitCheckpoints(const CheckpointParams& params) : params_(params) {}

  /// Begins a unit: forgets the part of the one before, whose record is safe by now, and gives what an earlier try of this unit
  /// kept last. Nothing if there is none, or if it is damaged or of another identity.
  std::optional<std::vector<std::byte>> begin(const Unit& unit, CheckpointSink& sink, const std::string& suffix = "");

  /// True once it is time to keep something: `every` seconds after the last time, and at least twenty times as long as that took;
  /// always if `every` is 0.
  bool due() const;
  void keep(std::vector<std::byte> bytes);

  /// The unit is complete: its part goes when the next one begins.
  void complete();

private:
  using Clock = std::chrono::steady_clock;

  CheckpointParams params_;
  CheckpointSink* sink_ = nullptr;
  std::string name_;      ///< of the part of the unit at work
  std::string complete_;  ///< the part of the unit before; "" if it has none
  bool stored_ = false;
  std::uint64_t identity_ = 0;
  Clock::time_point kept_;
  std::chrono::duration<double> took_{0};
};

}  // namespace krossfold::run
