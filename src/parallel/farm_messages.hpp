// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The messages between the ranks of a farm. Private to the farm.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

inline constexpr int tag_request = 1, tag_answer = 2, tag_drop = 3, tag_alive = 4, tag_stop = 5;

/// Worker to manager: delivers records and requests the next unit.
struct Request {
  std::vector<Record> records;
  bool out_of_memory = false;  ///< the unit ran out of memory; its one record says so
  std::string error = {};      ///< why this rank could not store a unit's results, else empty
};

/// Manager to worker: a unit, or the end of the farm.
struct Answer {
  std::optional<Unit> unit;
  std::shared_ptr<const std::vector<Record>> snapshot = {};  ///< all records so far, sent to rank 0 at intervals
  bool release = false;                                      ///< no unit yet: release caches and ask again
  bool alone = false;      ///< no other rank computes, because the unit ran out of memory before
  bool finished = false;   ///< at the end: every unit has a record
  bool failed = false;     ///< at the end: the manager failed
  std::string error = {};  ///< its error message
  int error_code = 0;
};

std::vector<std::byte> to_bytes(const Request& request);
Request request_from_bytes(std::span<const std::byte> bytes);
std::vector<std::byte> to_bytes(const Answer& answer);
Answer answer_from_bytes(std::span<const std::byte> bytes);

/// A progress report: how often the rank has checked its StopSignal. The manager answers it with an empty message.
std::vector<std::byte> to_bytes(std::uint64_t looks);
std::uint64_t looks_from_bytes(std::span<const std::byte> bytes);

/// Worker to manager, once for each: what a signal to this rank asks for.
enum class StopLevel : std::uint8_t { none, stop, drop };
std::vector<std::byte> to_bytes(StopLevel level);
StopLevel stop_level_from_bytes(std::span<const std::byte> bytes);

/// Prints the problem and aborts the job on all ranks, for errors that cannot be sent as a message.
[[noreturn]] void abort_job(const Communicator& comm, const std::string& problem, ExitCode code = ExitCode::failed);

/// Throws a run error if it fails. More bytes than `most` are sent in blocks, as MPI counts them by an int.
void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes,
          std::size_t most = std::numeric_limits<int>::max());

/// A received message.
struct Message {
  int rank = 0, tag = 0;
  std::vector<std::byte> bytes;
};
std::optional<Message> receive(const Communicator& comm);

}  // namespace krossfold::parallel
