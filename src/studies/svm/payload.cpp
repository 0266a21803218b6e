// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/payload.hpp"

#include <cmath>

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

void put(ByteWriter& writer, const std::vector<svm::FitSummary>& fits) {
  writer.put<std::uint64_t>(fits.size());
  for (const svm::FitSummary& f : fits) {
    writer.put_fields(f.iterations, f.converged, f.support, f.bounded, f.violation, f.dual_objective, f.bias);
  }
}

std::vector<svm::FitSummary> get_fits(ByteReader& reader) {
  std::vector<svm::FitSummary> fits;
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {  // a wrong count runs into the end of the bytes
    svm::FitSummary f;
    reader.get_fields(f.iterations, f.converged, f.support, f.bounded, f.violation, f.dual_objective, f.bias);
    fits.push_back(f);
  }
  return fits;
}

}  // namespace

std::vector<std::byte> FoldResult::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(held, wrong);
  put(writer, fit);
  return writer.take();
}

FoldResult FoldResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a fold");
  FoldResult result;
  reader.get_fields(result.held, result.wrong);
  result.fit = get_fits(reader);
  reader.expect_end();
  return result;
}

std::vector<std::byte> PathInput::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(gamma, c, sigmoid);
  return writer.take();
}

PathInput PathInput::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "input of a unit");
  PathInput input;
  reader.get_fields(input.gamma, input.c, input.sigmoid);
  reader.expect_end();
  return input;
}

std::vector<std::byte> CalibrationResult::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(decision);
  return writer.take();
}

CalibrationResult CalibrationResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a calibration");
  CalibrationResult result;
  reader.get_fields(result.decision);
  reader.expect_end();
  return result;
}

std::vector<std::byte> RefitResult::to_bytes() const {
  ByteWriter writer;
  put(writer, fit);
  writer.put_fields(prediction, wrong, support, model_name, model_size, model_checksum);
  return writer.take();
}

RefitResult RefitResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of the refit");
  RefitResult result;
  result.fit = get_fits(reader);
  reader.get_fields(result.prediction, result.wrong, result.support, result.model_name, result.model_size,
                    result.model_checksum);
  reader.expect_end();
  return result;
}

std::optional<Cell> best_cell(const std::vector<double>& fold_error, int gammas, int cs, int folds) {
  std::optional<Cell> best;
  for (int c = 0; c < cs; ++c) {  // C varies slowest: a later cell with an equal error does not replace a smaller C
    for (int g = 0; g < gammas; ++g) {
      double sum = 0;
      for (int f = 0; f < folds; ++f) sum += fold_error[(static_cast<std::size_t>(g) * cs + c) * folds + f];
      const double error = sum / folds;
      if (!std::isnan(error) && (!best || error < best->error)) best = Cell{g, c, error};
    }
  }
  return best;
}

}  // namespace krossfold::studies
