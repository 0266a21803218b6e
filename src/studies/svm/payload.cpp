// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/payload.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

// How a fit was solved is in one number, so that records are as long as before there were interior points: 1 if it converged, and
// twice its interior-point steps, and 2^11 times its rank. Earlier records hold the first alone.
constexpr int rank_shift = 11, most_steps = (1 << (rank_shift - 1)) - 1;

std::int32_t solved_of(const svm::FitSummary& f) {
  return f.converged | std::min(f.interior_steps, most_steps) << 1 | f.rank << rank_shift;
}

void put(ByteWriter& writer, const std::vector<svm::FitSummary>& fits) {
  writer.put<std::uint64_t>(fits.size());
  for (const svm::FitSummary& f : fits) {
    writer.put_fields(f.iterations, solved_of(f), f.support, f.bounded, f.violation, f.dual_objective, f.bias);
  }
}

std::vector<svm::FitSummary> get_fits(ByteReader& reader) {
  std::vector<svm::FitSummary> fits;
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {  // a wrong count runs into the end of the bytes
    svm::FitSummary f;
    std::int32_t solved = 0;
    reader.get_fields(f.iterations, solved, f.support, f.bounded, f.violation, f.dual_objective, f.bias);
    f.converged = solved & 1;
    f.interior_steps = solved >> 1 & most_steps;
    f.rank = solved >> rank_shift;
    fits.push_back(f);
  }
  return fits;
}

/// The errors that a factor in the place of the kernel matrix leaves, two of each fit; empty if there is none.
std::vector<double> errors_of(const std::vector<svm::FitSummary>& fits) {
  std::vector<double> errors;
  bool any = false;
  for (const svm::FitSummary& f : fits) {
    errors.insert(errors.end(), {f.objective_error, f.gradient_error});
    any = any || f.objective_error != 0 || f.gradient_error != 0;
  }
  return any ? errors : std::vector<double>();
}

void get_errors(ByteReader& reader, std::vector<svm::FitSummary>& fits) {
  std::vector<double> errors;
  reader.get_fields(errors);
  if (errors.size() != 2 * fits.size()) throw_run_error("the result of a fold is damaged", "its errors are too few");
  for (std::size_t k = 0; k < fits.size(); ++k) {
    fits[k].objective_error = errors[2 * k];
    fits[k].gradient_error = errors[2 * k + 1];
  }
}

}  // namespace

std::vector<std::byte> FoldResult::to_bytes() const {
  ByteWriter writer;
  // Records from before there were measures begin with the number itself, and end with the fits.
  writer.put_fields(-held, wrong);
  put(writer, fit);
  writer.put_fields(pairs, truth, choice, count, score);
  const std::vector<double> errors = errors_of(fit);
  if (!weight.empty() || !errors.empty()) writer.put_fields(weight);
  if (!errors.empty()) writer.put_fields(errors);
  return writer.take();
}

FoldResult FoldResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a fold");
  FoldResult result;
  reader.get_fields(result.held, result.wrong);
  if (result.held == 0 || result.held == std::numeric_limits<int>::min())
    throw_run_error("the result of a fold is damaged", "it has no held-out samples");
  result.fit = get_fits(reader);
  if (result.held < 0) {
    result.held = -result.held;
    reader.get_fields(result.pairs, result.truth, result.choice, result.count, result.score);
    if (!reader.at_end()) reader.get_fields(result.weight);
    if (!reader.at_end()) get_errors(reader, result.fit);
    const auto found =
        static_cast<std::size_t>(std::accumulate(result.pairs.begin(), result.pairs.end(), std::int64_t{0}));
    const bool fits = (result.pairs.empty() || result.pairs.size() == result.wrong.size()) &&
                      found == result.truth.size() && found == result.choice.size() && found == result.count.size() &&
                      (result.weight.empty() || result.weight.size() == found);
    if (!fits) throw_run_error("the result of a fold is damaged", "its measures are of other lengths");
  }
  reader.expect_end();
  return result;
}

std::vector<std::byte> PathInput::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(gamma, c, sigmoid, folds);
  return writer.take();
}

PathInput PathInput::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "input of a unit");
  PathInput input;
  reader.get_fields(input.gamma, input.c, input.sigmoid, input.folds);
  reader.expect_end();
  return input;
}

std::vector<std::byte> OutOfFoldResult::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(decision);
  return writer.take();
}

OutOfFoldResult OutOfFoldResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "out-of-fold decision values");
  OutOfFoldResult result;
  reader.get_fields(result.decision);
  reader.expect_end();
  return result;
}

std::vector<std::byte> RefitResult::to_bytes() const {
  ByteWriter writer;
  put(writer, fit);
  writer.put_fields(prediction, wrong, support, model_name, model_size, model_checksum);
  if (!decision.empty()) writer.put_fields(decision);
  return writer.take();
}

RefitResult RefitResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of the refit");
  RefitResult result;
  result.fit = get_fits(reader);
  reader.get_fields(result.prediction, result.wrong, result.support, result.model_name, result.model_size,
                    result.model_checksum);
  if (!reader.at_end()) reader.get_fields(result.decision);
  reader.expect_end();
  const std::size_t samples = result.prediction.size(), values = result.decision.size();
  if (values > 0 && (samples == 0 || values % samples != 0))
    throw_run_error("the result of the refit is damaged", "its decision values are of another number of test samples");
  return result;
}

std::vector<std::byte> PartFoldResult::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(not_converged, fold.to_bytes());
  return writer.take();
}

PartFoldResult PartFoldResult::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "result of a fold of a part");
  PartFoldResult result;
  std::vector<std::byte> of_fold;
  reader.get_fields(result.not_converged, of_fold);
  result.fold = FoldResult::from_bytes(of_fold);
  if (result.not_converged.size() != result.fold.wrong.size() || result.fold.pairs.size() != result.fold.wrong.size()) {
    throw_run_error("the result of a fold of a part is damaged", "its values of C differ in number");
  }
  reader.expect_end();
  return result;
}

std::vector<std::byte> PartModelInput::to_bytes() const {
  ByteWriter writer;
  writer.put_fields(checksum);
  return writer.take();
}

PartModelInput PartModelInput::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes, "input of the model of the parts");
  PartModelInput input;
  reader.get_fields(input.checksum);
  reader.expect_end();
  return input;
}

}  // namespace krossfold::studies
