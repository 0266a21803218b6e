// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the ranks of a farm say to one another. Private to the farm.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

inline constexpr int tag_request = 1, tag_answer = 2, tag_drop = 3, tag_alive = 4;

/// Worker to manager: these records are done, give me a unit.
struct Request {
  std::vector<Record> records;
  bool out_of_memory = false;  ///< the one record says so
  std::string error = {};      ///< why this rank could not store what a unit found, else empty
};

/// Manager to worker: a unit, or the end of the farm.
struct Answer {
  std::optional<Unit> unit;
  std::shared_ptr<const std::vector<Record>> snapshot = {};  ///< for rank 0 now and then: all records so far
  bool release = false;                                      ///< no unit yet: free what is kept and ask again
  bool alone = false;      ///< nobody else computes: the unit ran out of memory before
  bool finished = false;   ///< at the end: every unit has a record
  bool failed = false;     ///< at the end: something went wrong on the manager
  std::string error = {};  ///< what
  int error_code = 0;
};

std::vector<std::byte> to_bytes(const Request& request);
Request request_from_bytes(std::span<const std::byte> bytes);
std::vector<std::byte> to_bytes(const Answer& answer);
Answer answer_from_bytes(std::span<const std::byte> bytes);

/// A sign of life: how often the rank has looked at its StopSignal. The manager sends it back.
std::vector<std::byte> to_bytes(std::uint64_t looks);
std::uint64_t looks_from_bytes(std::span<const std::byte> bytes);

/// Says the problem and ends the job on all ranks: for what no message could tell them.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& problem, ExitCode code = ExitCode::failed);

/// Throws a run error if it fails, or if there are more than 2 GiB.
void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes);

/// A message that has arrived, if there is one.
struct Message {
  int rank = 0, tag = 0;
  std::vector<std::byte> bytes;
};
std::optional<Message> receive(const Communicator& comm);

/// How long a thread that found nothing to do sleeps before it looks again.
inline constexpr std::chrono::microseconds brief_sleep{300};

}  // namespace krossfold::parallel
