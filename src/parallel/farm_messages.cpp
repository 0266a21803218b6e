// SPDX-License-Identifier: BSD-3-Clause
#include "farm_messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "krossfold/core/error.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

std::vector<std::byte> to_bytes(const Request& request) {
  ByteWriter writer;
  writer.put<std::uint64_t>(request.records.size());
  for (const Record& record : request.records) {
    writer.put_fields(krossfold::to_bytes(record));
  }
  writer.put_fields(request.out_of_memory, request.error);
  return writer.take();
}

Request request_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "request of a worker");
  Request request;
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {
    request.records.push_back(record_from_bytes(reader.get_all<std::byte>()));
  }
  reader.get_fields(request.out_of_memory, request.error);
  reader.expect_end();
  return request;
}

std::vector<std::byte> to_bytes(const Answer& answer) {
  ByteWriter writer;
  std::vector<std::byte> unit;
  if (answer.unit) unit = krossfold::to_bytes(*answer.unit);
  writer.put_fields(unit, answer.release, answer.alone, answer.finished, answer.failed, answer.error,
                    answer.error_code);
  return writer.take();
}

Answer answer_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "answer of the manager");
  Answer answer;
  const auto unit = reader.get_all<std::byte>();
  if (!unit.empty()) answer.unit = unit_from_bytes(unit);
  reader.get_fields(answer.release, answer.alone, answer.finished, answer.failed, answer.error, answer.error_code);
  reader.expect_end();
  return answer;
}

std::vector<std::byte> to_bytes(std::uint64_t looks) {
  ByteWriter writer;
  writer.put(looks);
  return writer.take();
}

std::uint64_t looks_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "progress report of a worker");
  const auto looks = reader.get<std::uint64_t>();
  reader.expect_end();
  return looks;
}

std::vector<std::byte> to_bytes(StopLevel level) {
  ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(level));
  return writer.take();
}

StopLevel stop_level_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "stop of a worker");
  const auto level = reader.get<std::uint8_t>();
  reader.expect_end();
  return level >= 2 ? StopLevel::drop : level == 1 ? StopLevel::stop : StopLevel::none;
}

void abort_job(const Communicator& comm, const std::string& problem, ExitCode code) {
  std::cerr << text("krossfold: error: ", printable(problem), "\n") << std::flush;
  abort_job(comm, code);
}

namespace {

/// What one count of a large message stands for, as MPI counts are int; a type is of MPI's until it is freed.
class Blocks {
public:
  static constexpr std::size_t size = 1 << 16;

  Blocks() {
    check(MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { MPI_Type_free(&type_); }
  MPI_Datatype type() const { return type_; }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Added to the tag of a message of whole blocks: the bytes, what fills the last block, and in its last eight bytes their number.
constexpr int in_blocks = 64;

void send_blocks(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes) {
  const std::uint64_t length = bytes.size();
  const std::size_t count = (sizeof(length) + bytes.size() + Blocks::size - 1) / Blocks::size;
  std::vector<std::byte> all(count * Blocks::size);
  std::copy(bytes.begin(), bytes.end(), all.begin());
  std::memcpy(all.data() + all.size() - sizeof(length), &length, sizeof(length));
  const Blocks blocks;
  check(MPI_Send(all.data(), static_cast<int>(count), blocks.type(), rank, tag + in_blocks, comm.handle()), "MPI_Send");
}

std::vector<std::byte> receive_blocks(const Communicator& comm, MPI_Status status) {
  const Blocks blocks;
  int count = 0;
  check(MPI_Get_count(&status, blocks.type(), &count), "MPI_Get_count");
  std::vector<std::byte> all(static_cast<std::size_t>(std::max(count, 0)) * Blocks::size);
  check(MPI_Recv(all.data(), count, blocks.type(), status.MPI_SOURCE, status.MPI_TAG, comm.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  std::uint64_t length = 0;
  if (all.size() >= sizeof(length)) std::memcpy(&length, all.data() + all.size() - sizeof(length), sizeof(length));
  if (all.size() < sizeof(length) || length > all.size() - sizeof(length)) {
    throw_run_error("a large message is damaged", text(length, " bytes in ", all.size()));
  }
  all.resize(length);
  return all;
}

}  // namespace

void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes, std::size_t most) {
  if (bytes.size() > most) return send_blocks(comm, rank, tag, bytes);
  check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, comm.handle()), "MPI_Send");
}

std::optional<Message> receive(const Communicator& comm) {
  int arrived = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle(), &arrived, &status), "MPI_Iprobe");
  if (arrived == 0) return std::nullopt;
  if (status.MPI_TAG >= in_blocks) {
    return Message{status.MPI_SOURCE, status.MPI_TAG - in_blocks, receive_blocks(comm, status)};
  }
  int count = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::vector<std::byte>(static_cast<std::size_t>(count))};
  check(MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.rank, message.tag, comm.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  return message;
}

}  // namespace krossfold::parallel
