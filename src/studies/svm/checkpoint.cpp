// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/checkpoint.hpp"

#include <algorithm>

#include "krossfold/core/serialize.hpp"

namespace krossfold::studies {

namespace {

/// Sizes of a path: it can only be continued as one of the same sizes.
struct Sizes {
  std::int32_t problems = 0, steps = 0, samples = 0, outside = 0;
  std::int32_t record = sizeof(svm::FitSummary);  ///< another version's may be of another size
  bool operator==(const Sizes&) const = default;
};

}  // namespace

std::vector<std::byte> to_part(const svm::PathSolution<Device>& solution) {
  const auto decision = on_host(solution.decision), coefficient = on_host(solution.coefficient);
  const int problems = static_cast<int>(coefficient.extent(0));
  const Sizes sizes{problems, static_cast<int>(solution.fit.size()) / problems, static_cast<int>(coefficient.extent(1)),
                    static_cast<int>(decision.extent(1))};
  ByteWriter writer;
  writer.put_fields(solution.done, sizes);
  const auto row = [&](const Matrix<const double>& matrix, int r, int columns) {
    writer.put_all(std::span<const double>(columns > 0 ? &matrix(r, 0) : nullptr, static_cast<std::size_t>(columns)));
  };
  for (int p = 0; p < solution.done; ++p) {
    for (int k = 0; k < sizes.steps; ++k) {
      writer.put(solution.fit[static_cast<std::size_t>(k) * problems + p]);
      row(decision, k * problems + p, sizes.outside);
    }
    row(coefficient, p, sizes.samples);
  }
  return writer.take();
}

std::optional<svm::PathSolution<Device>> from_part(std::span<const std::byte> bytes, int problems, int steps,
                                                   int samples, int outside) {
  ByteReader reader(bytes, "part of a unit");
  const auto done = reader.get<int>();
  if (reader.get<Sizes>() != Sizes{problems, steps, samples, outside} || done < 0 || done > problems) {
    return std::nullopt;
  }

  svm::PathSolution<Device> solution = svm::begin_path<Device>(problems, steps, samples, outside);
  const auto decision = on_host(solution.decision), coefficient = on_host(solution.coefficient);
  const auto row = [&](const Matrix<double>& matrix, int r) {
    const std::vector<double> values = reader.get_all<double>();
    if (values.size() != matrix.extent(1)) return false;
    std::copy(values.begin(), values.end(), &matrix(r, 0));
    return true;
  };
  for (int p = 0; p < done; ++p) {
    for (int k = 0; k < steps; ++k) {
      solution.fit[static_cast<std::size_t>(k) * problems + p] = reader.get<svm::FitSummary>();
      if (!row(decision, k * problems + p)) return std::nullopt;
    }
    if (!row(coefficient, p)) return std::nullopt;
  }
  reader.expect_end();
  solution.decision = on_device<Device>(decision);
  solution.coefficient = on_device<Device>(coefficient);
  solution.done = done;
  return solution;
}

}  // namespace krossfold::studies
