// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/payload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

void put(ByteWriter& writer, const std::vector<svm::FitSummary>& fits) {
  writer.put<std::uint64_t>(fits.size());
  for (const svm::FitSummary& fit : fits) {
    writer.put(fit.iterations);
    writer.put<std::int32_t>(fit.converged);
    writer.put<std::int32_t>(fit.support);
    writer.put<std::int32_t>(fit.bounded);
    writer.put(fit.violation);
    writer.put(fit.dual_objective);
    writer.put(fit.bias);
  }
}

std::vector<svm::FitSummary> get_fits(ByteReader& reader) {
  std::vector<svm::FitSummary> fits;
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {  // a false count ends at the end of the bytes
    svm::FitSummary fit;
    fit.iterations = reader.get<std::int64_t>();
    fit.converged = reader.get<std::int32_t>();
    fit.support = reader.get<std::int32_t>();
    fit.bounded = reader.get<std::int32_t>();
    fit.violation = reader.get<double>();
    fit.dual_objective = reader.get<double>();
    fit.bias = reader.get<double>();
    fits.push_back(fit);
  }
  return fits;
}

}  // namespace

std::vector<std::byte> FoldResult::to_bytes() const {
  ByteWriter writer;
  writer.put<std::int32_t>(held);
  writer.put_all(std::span<const int>(wrong));
  put(writer, fit);
  return writer.take();
}

FoldResult FoldResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a fold");
  FoldResult result;
  result.held = reader.get<std::int32_t>();
  result.wrong = reader.get_all<int>();
  result.fit = get_fits(reader);
  reader.expect_end();
  return result;
}

std::vector<std::byte> PathInput::to_bytes() const {
  ByteWriter writer;
  writer.put(gamma);
  writer.put_all(std::span<const double>(c));
  writer.put_all(std::span<const svm::Sigmoid>(sigmoid));
  return writer.take();
}

PathInput PathInput::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "input of a unit");
  PathInput input;
  input.gamma = reader.get<double>();
  input.c = reader.get_all<double>();
  input.sigmoid = reader.get_all<svm::Sigmoid>();
  reader.expect_end();
  return input;
}

std::vector<std::byte> CalibrationResult::to_bytes() const {
  ByteWriter writer;
  writer.put_all(std::span<const double>(decision));
  return writer.take();
}

CalibrationResult CalibrationResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a calibration");
  CalibrationResult result;
  result.decision = reader.get_all<double>();
  reader.expect_end();
  return result;
}

std::vector<std::byte> RefitResult::to_bytes() const {
  ByteWriter writer;
  put(writer, fit);
  writer.put_all(std::span<const int>(prediction));
  writer.put<std::int32_t>(wrong);
  writer.put<std::int32_t>(support);
  writer.put_string(model_name);
  writer.put(model_size);
  writer.put(model_checksum);
  return writer.take();
}

RefitResult RefitResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of the refit");
  RefitResult result;
  result.fit = get_fits(reader);
  result.prediction = reader.get_all<int>();
  result.wrong = reader.get<std::int32_t>();
  result.support = reader.get<std::int32_t>();
  result.model_name = reader.get_string();
  result.model_size = reader.get<std::uint64_t>();
  result.model_checksum = reader.get<std::uint64_t>();
  reader.expect_end();
  return result;
}

std::optional<Cell> best_cell(const std::vector<double>& fold_error, int gammas, int cs, int folds) {
  std::optional<Cell> best;
  for (int c = 0; c < cs; ++c) {  // ascending C first: an equal error later does not replace a smaller C
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
