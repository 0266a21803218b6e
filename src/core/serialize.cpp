// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/serialize.hpp"

namespace krossfold {

// Fields are written one by one, because padding bytes would make equal records differ.
static_assert(std::has_unique_object_representations_v<UnitKey>);

void ByteWriter::append(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + bytes);
}

void ByteReader::fail() const { throw_run_error("damaged " + what_, "its length does not match its contents"); }

std::vector<std::byte> to_bytes(const Record& record) {
  ByteWriter writer;
  writer.put_fields(record.key, record.status, record.reason, record.started, record.seconds, record.rank,
                    record.payload);
  return writer.take();
}

Record record_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "record");
  Record record;
  reader.get_fields(record.key, record.status, record.reason, record.started, record.seconds, record.rank,
                    record.payload);
  reader.expect_end();
  if (record.status < Status::missing || record.status > Status::failed) {
    throw_run_error("damaged record", "its status is " + std::to_string(static_cast<std::int32_t>(record.status)));
  }
  return record;
}

std::vector<std::byte> to_bytes(const Unit& unit) {
  ByteWriter writer;
  writer.put_fields(unit.key, unit.cost, unit.affinity, unit.input);
  return writer.take();
}

Unit unit_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "unit");
  Unit unit;
  reader.get_fields(unit.key, unit.cost, unit.affinity, unit.input);
  reader.expect_end();
  return unit;
}

}  // namespace krossfold
