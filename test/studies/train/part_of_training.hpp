// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "krossfold/core/serialize.hpp"

namespace krossfold::test {

/// What a part of a training (studies/train/executor.cpp) says of its epochs, and the state of the network behind that.
struct PartOfTraining {
  std::int64_t progress = 0;
  std::vector<double> held_out_loss, held_out_error, seconds, comm_seconds, validation_loss, validation_error,
      epoch_ranks;
  double elapsed = 0, comm_elapsed = 0;
  std::int32_t ranks = 0, kept_epoch = 0;
  std::vector<std::int32_t> prediction;
  std::vector<std::byte> kept, network;

  auto fields() {
    return std::tie(progress, held_out_loss, held_out_error, seconds, comm_seconds, validation_loss, validation_error,
                    epoch_ranks, elapsed, comm_elapsed, ranks, kept_epoch, prediction, kept);
  }
  static PartOfTraining from_bytes(const std::vector<std::byte>& bytes) {
    PartOfTraining part;
    ByteReader reader(bytes, "part");
    std::apply([&](auto&... fields) { reader.get_fields(fields...); }, part.fields());
    part.network.assign(bytes.end() - static_cast<std::ptrdiff_t>(reader.left()), bytes.end());
    return part;
  }
  std::vector<std::byte> to_bytes() {
    ByteWriter writer;
    std::apply([&](const auto&... fields) { writer.put_fields(fields...); }, fields());
    std::vector<std::byte> bytes = writer.take();
    bytes.insert(bytes.end(), network.begin(), network.end());
    return bytes;
  }
};

}  // namespace krossfold::test
