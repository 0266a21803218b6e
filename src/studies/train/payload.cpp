// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/payload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

constexpr std::int32_t has_prediction = 1 << 24;

}  // namespace

bool TrainRecord::last_is_best() const {
  if (validation_error.empty() || !std::isfinite(validation_loss.back())) return false;
  if (kept_epoch == 0) return true;
  const auto kept = static_cast<std::size_t>(kept_epoch) - 1;
  if (validation_error.back() != validation_error[kept]) return validation_error.back() < validation_error[kept];
  return validation_loss.back() < validation_loss[kept];
}

std::vector<run::LoggedEpoch> TrainRecord::epochs() const {
  std::vector<run::LoggedEpoch> all;
  for (std::size_t e = 0; e < held_out_loss.size(); ++e) {
    all.push_back({static_cast<int>(e) + 1, loss[e], held_out_loss[e], held_out_error[e], seconds[e], comm_seconds[e]});
    if (e < validation_error.size()) {
      all.back().validation_loss = validation_loss[e];
      all.back().validation_error = validation_error[e];
    }
  }
  return all;
}

void TrainRecord::check_sizes() const {
  const std::size_t epochs = held_out_loss.size();
  bool fits = ranks >= 1 && ranks < has_prediction && validation_loss.size() == validation_error.size() &&
              kept_epoch >= 0 && static_cast<std::size_t>(kept_epoch) <= validation_error.size();
  for (const auto* values : {&loss, &held_out_error, &seconds, &comm_seconds}) fits = fits && values->size() >= epochs;
  if (!fits)
    throw_run_error("the result of a training is damaged", "its numbers of ranks and epochs contradict one another");
}

std::vector<std::byte> TrainRecord::to_bytes() const {
  ByteWriter writer;
  for (const auto* values : {&loss, &held_out_loss, &held_out_error, &seconds, &comm_seconds, &epoch_ranks}) {
    writer.put_all(std::span<const double>(*values));
  }
  writer.put<std::int32_t>(diverged ? 1 : 0);
  writer.put_string(reason);
  // Records from before there was a validation have the number itself, and no more of it. The predictions came later than that; a
  // number of ranks has no such bit.
  writer.put<std::int32_t>(prediction.empty() ? -ranks : -ranks - has_prediction);
  for (const auto* values : {&validation_loss, &validation_error}) writer.put_all(std::span<const double>(*values));
  writer.put<std::int32_t>(kept_epoch);
  if (!prediction.empty()) writer.put_all(std::span<const std::int32_t>(prediction));
  for (const ModelFile& file : model) {
    writer.put_string(file.name);
    writer.put(file.checksum);
  }
  return writer.take();
}

TrainRecord TrainRecord::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a training");
  TrainRecord record;
  for (auto* values : {&record.loss, &record.held_out_loss, &record.held_out_error, &record.seconds,
                       &record.comm_seconds, &record.epoch_ranks}) {
    *values = reader.get_all<double>();
  }
  record.diverged = reader.get<std::int32_t>() != 0;
  record.reason = reader.get_string();
  record.ranks = reader.get<std::int32_t>();
  if (record.ranks < 0) {
    record.ranks = -std::max(record.ranks, -std::numeric_limits<std::int32_t>::max());
    const bool predicts = record.ranks >= has_prediction;
    if (predicts) record.ranks -= has_prediction;
    for (auto* values : {&record.validation_loss, &record.validation_error}) *values = reader.get_all<double>();
    record.kept_epoch = reader.get<std::int32_t>();
    if (predicts) record.prediction = reader.get_all<std::int32_t>();
  }
  record.check_sizes();
  while (!reader.at_end()) {
    ModelFile& file = record.model.emplace_back();
    file.name = reader.get_string();
    file.checksum = reader.get<std::uint64_t>();
  }
  return record;
}

}  // namespace krossfold::studies
