// SPDX-License-Identifier: BSD-3-Clause
#include "farm_messages.hpp"

#include <climits>
#include <cstdlib>
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

void abort_job(const Communicator& comm, const std::string& problem, ExitCode code) {
  std::cerr << text("krossfold: error: ", printable(problem), "\n") << std::flush;
  abort_job(comm, code);
}

void send(const Communicator& comm, int rank, int tag, std::span<const std::byte> bytes) {
  if (bytes.size() > INT_MAX) {  // MPI counts are int
    throw_run_error(text("a message to rank ", rank, " has ", size_text(bytes.size())), "at most 2 GiB can be sent",
                    "Store large data in the checkpoint sink, not in the record.");
  }
  check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, comm.handle()), "MPI_Send");
}

std::optional<Message> receive(const Communicator& comm) {
  int arrived = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm.handle(), &arrived, &status), "MPI_Iprobe");
  if (arrived == 0) return std::nullopt;
  int count = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::vector<std::byte>(static_cast<std::size_t>(count))};
  check(MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.rank, message.tag, comm.handle(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  return message;
}

}  // namespace krossfold::parallel
