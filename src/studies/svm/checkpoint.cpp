// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/checkpoint.hpp"

#include <algorithm>

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

struct Sizes {
  std::int32_t done = 0, problems = 0, steps = 0, samples = 0, outside = 0;
  bool fits(const Sizes& other) const {
    return problems == other.problems && steps == other.steps && samples == other.samples && outside == other.outside;
  }
};

}  // namespace

std::vector<std::byte> to_part(const svm::PathSolution<Device>& solution) {
  const auto decision = on_host(solution.decision), coefficient = on_host(solution.coefficient);
  Sizes sizes;
  sizes.done = solution.done;
  sizes.problems = static_cast<int>(coefficient.extent(0));
  sizes.steps = static_cast<int>(solution.fit.size()) / sizes.problems;
  sizes.samples = static_cast<int>(coefficient.extent(1));
  sizes.outside = static_cast<int>(decision.extent(1));
  ByteWriter writer;
  writer.put(sizes);
  const auto row = [&](const Matrix<const double>& matrix, int r, int columns) {
    writer.put_all(std::span<const double>(columns > 0 ? &matrix(r, 0) : nullptr, static_cast<std::size_t>(columns)));
  };
  for (int p = 0; p < solution.done; ++p) {
    for (int k = 0; k < sizes.steps; ++k) {
      writer.put(solution.fit[static_cast<std::size_t>(k) * sizes.problems + p]);
      row(decision, k * sizes.problems + p, sizes.outside);
    }
    row(coefficient, p, sizes.samples);
  }
  return writer.take();
}

std::optional<svm::PathSolution<Device>> from_part(std::span<const std::byte> bytes, int problems, int steps,
                                                   int samples, int outside) {
  ByteReader reader(bytes, "part of a unit");
  const auto sizes = reader.get<Sizes>();
  Sizes wanted;
  wanted.problems = problems;
  wanted.steps = steps;
  wanted.samples = samples;
  wanted.outside = outside;
  if (!sizes.fits(wanted) || sizes.done < 0 || sizes.done > problems) return std::nullopt;

  svm::PathSolution<Device> solution = svm::begin_path<Device>(problems, steps, samples, outside);
  const auto decision = on_host(solution.decision), coefficient = on_host(solution.coefficient);
  const auto row = [&](const Matrix<double>& matrix, int r) {
    const std::vector<double> values = reader.get_all<double>();
    if (values.size() != matrix.extent(1)) return false;
    std::copy(values.begin(), values.end(), &matrix(r, 0));
    return true;
  };
  for (int p = 0; p < sizes.done; ++p) {
    for (int k = 0; k < steps; ++k) {
      solution.fit[static_cast<std::size_t>(k) * problems + p] = reader.get<svm::FitSummary>();
      if (!row(decision, k * problems + p)) return std::nullopt;
    }
    if (!row(coefficient, p)) return std::nullopt;
  }
  reader.expect_end();
  solution.decision = on_device<Device>(decision);
  solution.coefficient = on_device<Device>(coefficient);
  solution.done = sizes.done;
  return solution;
}

}  // namespace krossfold::studies
