// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/payload.hpp"

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

void put(ByteWriter& writer, const TrainingSummary& training) {
  writer.put_all(std::span<const double>(training.epoch_loss));
  writer.put<std::int32_t>(training.diverged ? 1 : 0);
  writer.put_string(training.reason);
}

TrainingSummary get_training(ByteReader& reader) {
  TrainingSummary training;
  training.epoch_loss = reader.get_all<double>();
  training.diverged = reader.get<std::int32_t>() != 0;
  training.reason = reader.get_string();
  return training;
}

}  // namespace

std::vector<int> folds_of(const Unit& unit) {
  if (unit.input.empty()) return {unit.key.index[2]};
  ByteReader reader(unit.input, "folds of a unit");
  auto folds = reader.get_all<int>();
  reader.expect_end();
  return folds;
}

std::vector<std::byte> input_of_folds(const std::vector<int>& folds) {
  ByteWriter writer;
  writer.put_all(std::span<const int>(folds));
  return writer.take();
}

std::vector<std::byte> TrialResult::to_bytes() const {
  ByteWriter writer;
  put(writer, training);
  writer.put<std::int32_t>(held);
  writer.put<std::int32_t>(wrong);
  return writer.take();
}

TrialResult TrialResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a trial");
  TrialResult result;
  result.training = get_training(reader);
  result.held = reader.get<std::int32_t>();
  result.wrong = reader.get<std::int32_t>();
  reader.expect_end();
  return result;
}

std::vector<std::byte> FinalResult::to_bytes() const {
  ByteWriter writer;
  put(writer, training);
  writer.put<std::int32_t>(out_of_bag);
  writer.put<std::int32_t>(out_of_bag_wrong);
  writer.put_all(std::span<const float>(probability));
  writer.put_all(std::span<const float>(ood_probability));
  writer.put_string(model_name);
  writer.put(model_size);
  writer.put(model_checksum);
  return writer.take();
}

FinalResult FinalResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a final fit");
  FinalResult result;
  result.training = get_training(reader);
  result.out_of_bag = reader.get<std::int32_t>();
  result.out_of_bag_wrong = reader.get<std::int32_t>();
  result.probability = reader.get_all<float>();
  result.ood_probability = reader.get_all<float>();
  result.model_name = reader.get_string();
  result.model_size = reader.get<std::uint64_t>();
  result.model_checksum = reader.get<std::uint64_t>();
  reader.expect_end();
  return result;
}

}  // namespace krossfold::studies
