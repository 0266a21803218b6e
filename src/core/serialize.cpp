// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/serialize.hpp"

namespace krossfold {
namespace {

// Fields are written one by one, because padding bytes would make equal records differ.
void put_key(ByteWriter& writer, const UnitKey& key) {
  writer.put(key.kind);
  for (const std::int32_t index : key.index) writer.put(index);
}

UnitKey get_key(ByteReader& reader) {
  UnitKey key;
  key.kind = reader.get<std::uint32_t>();
  for (std::int32_t& index : key.index) index = reader.get<std::int32_t>();
  return key;
}

Status get_status(ByteReader& reader) {
  const auto number = reader.get<std::int32_t>();
  const auto status = static_cast<Status>(number);
  switch (status) {
    case Status::missing:
    case Status::done:
    case Status::failed:
      return status;
  }
  throw_run_error("damaged record", "its status is " + std::to_string(number));
}

}  // namespace

void ByteReader::fail() const { throw_run_error("damaged " + what_, "its length does not match its contents"); }

std::vector<std::byte> to_bytes(const Record& record) {
  ByteWriter writer;
  put_key(writer, record.key);
  writer.put(static_cast<std::int32_t>(record.status));
  writer.put_string(record.reason);
  writer.put(record.started);
  writer.put(record.seconds);
  writer.put(static_cast<std::int32_t>(record.rank));
  writer.put_all(std::span<const std::byte>(record.payload));
  return writer.take();
}

Record record_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "record");
  Record record;
  record.key = get_key(reader);
  record.status = get_status(reader);
  record.reason = reader.get_string();
  record.started = reader.get<double>();
  record.seconds = reader.get<double>();
  record.rank = reader.get<std::int32_t>();
  record.payload = reader.get_all<std::byte>();
  reader.expect_end();
  return record;
}

std::vector<std::byte> to_bytes(const Unit& unit) {
  ByteWriter writer;
  put_key(writer, unit.key);
  writer.put(unit.cost);
  writer.put(unit.affinity);
  writer.put_all(std::span<const std::byte>(unit.input));
  return writer.take();
}

Unit unit_from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "unit");
  Unit unit;
  unit.key = get_key(reader);
  unit.cost = reader.get<double>();
  unit.affinity = reader.get<std::int64_t>();
  unit.input = reader.get_all<std::byte>();
  reader.expect_end();
  return unit;
}

}  // namespace krossfold
