// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/payload.hpp"

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

void put(ByteWriter& writer, const TrainingSummary& training) {
  writer.put_fields(training.epoch_loss, training.diverged, training.reason);
}

TrainingSummary get_training(ByteReader& reader) {
  TrainingSummary training;
  reader.get_fields(training.epoch_loss, training.diverged, training.reason);
  return training;
}

}  // namespace

std::vector<int> folds_of(const Unit& unit) {
  if (unit.input.empty()) return {unit.key.index[2]};
  ByteReader reader(unit.input, "folds of a unit");
  std::vector<int> folds = reader.get_all<int>();
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
  writer.put_fields(held, wrong);
  return writer.take();
}

TrialResult TrialResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a trial");
  TrialResult result;
  result.training = get_training(reader);
  reader.get_fields(result.held, result.wrong);
  reader.expect_end();
  return result;
}

std::vector<std::byte> FinalResult::to_bytes() const {
  ByteWriter writer;
  put(writer, training);
  writer.put_fields(out_of_bag, out_of_bag_wrong, probability, ood_probability, model_name, model_size, model_checksum);
  return writer.take();
}

FinalResult FinalResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a final fit");
  FinalResult result;
  result.training = get_training(reader);
  reader.get_fields(result.out_of_bag, result.out_of_bag_wrong, result.probability, result.ood_probability,
                    result.model_name, result.model_size, result.model_checksum);
  reader.expect_end();
  return result;
}

}  // namespace krossfold::studies
