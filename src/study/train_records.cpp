// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_records.hpp"

#include "krossfold/core/serialize.hpp"

namespace krossfold::study {

std::vector<std::byte> TrainRecord::to_bytes() const {
  ByteWriter writer;
  for (const auto* values : {&loss, &held_out_loss, &seconds, &comm_seconds}) {
    writer.put_all(std::span<const double>(*values));
  }
  writer.put<std::int32_t>(diverged ? 1 : 0);
  writer.put_string(reason);
  writer.put<std::int32_t>(ranks);
  writer.put_string(model_name);
  writer.put(model_size);
  writer.put(model_checksum);
  return writer.take();
}

TrainRecord TrainRecord::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a training");
  TrainRecord record;
  for (auto* values : {&record.loss, &record.held_out_loss, &record.seconds, &record.comm_seconds}) {
    *values = reader.get_all<double>();
  }
  record.diverged = reader.get<std::int32_t>() != 0;
  record.reason = reader.get_string();
  record.ranks = reader.get<std::int32_t>();
  record.model_name = reader.get_string();
  record.model_size = reader.get<std::uint64_t>();
  record.model_checksum = reader.get<std::uint64_t>();
  reader.expect_end();
  return record;
}

}  // namespace krossfold::study
