// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/sparse_samples.hpp"

#include <algorithm>
#include <bit>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {

namespace {

/// Entries in the order of rows, as many as were counted.
struct Entries {
  Vector<std::int64_t> begin;
  Vector<int> column;
  Vector<float> value;

  Entries(std::size_t rows, std::int64_t count)
      : begin(uninitialized("krossfold::data::sparse_begin"), rows + 1),
        column(uninitialized("krossfold::data::sparse_column"), static_cast<std::size_t>(count)),
        value(uninitialized("krossfold::data::sparse_value"), static_cast<std::size_t>(count)) {}
};

/// Positive zero is what a missing entry means; a negative one differs from it in the digest.
bool is_entry(float value) { return std::bit_cast<std::uint32_t>(value) != 0; }

}  // namespace

bool stays_sparse(std::uint64_t samples, std::uint64_t features, std::uint64_t entries) {
  constexpr std::uint64_t least_values = std::uint64_t{1} << 22, least_share = 10;
  return samples * features >= least_values && entries <= samples * features / least_share;
}

SparseMatrix<float> pick_rows(const SparseMatrix<float>& from, const std::vector<int>& list) {
  std::int64_t count = 0;
  for (const int i : list) count += from.begin(i + 1) - from.begin(i);
  const Entries to(list.size(), count);
  std::int64_t at = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    to.begin(k) = at;
    for (std::int64_t e = from.begin(list[k]); e < from.begin(list[k] + 1); ++e, ++at) {
      to.column(at) = from.column(e);
      to.value(at) = from.value(e);
    }
  }
  to.begin(list.size()) = at;
  return {to.begin, to.column, to.value, from.columns};
}

SparseMatrix<float> sparse_values(const Dataset& samples) {
  if (samples.is_sparse()) return samples.sparse;
  const auto rows = samples.raw.extent(0), columns = samples.raw.extent(1);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = &samples.raw(i, 0);
    count += std::count_if(row, row + columns, is_entry);
  }
  const Entries to(rows, count);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    to.begin(i) = at;
    for (std::size_t j = 0; j < columns; ++j) {
      if (!is_entry(samples.raw(i, j))) continue;
      to.column(at) = static_cast<int>(j);
      to.value(at++) = samples.raw(i, j);
    }
  }
  to.begin(rows) = at;
  return {to.begin, to.column, to.value, static_cast<int>(columns)};
}

Matrix<const float> dense_values(const Dataset& samples, const std::string& what, std::uint64_t limit) {
  if (!samples.is_sparse()) return samples.raw;
  const SparseMatrix<float>& from = samples.sparse;
  const std::uint64_t bytes =
      sizeof(float) * static_cast<std::uint64_t>(from.rows()) * static_cast<std::uint64_t>(from.columns);
  require(bytes <= limit, text(samples.name, ": ", from.rows(), " sparse samples of ", from.columns, " features"),
          text(what, " takes all of their values, zeros included: ", size_text(bytes), ", at most ", size_text(limit)),
          "Give fewer samples or features.");
  const Matrix<float> dense("krossfold::data::dense", from.rows(), from.columns);
  for (int i = 0; i < from.rows(); ++i) {
    for (std::int64_t e = from.begin(i); e < from.begin(i + 1); ++e) dense(i, from.column(e)) = from.value(e);
  }
  return dense;
}

}  // namespace krossfold::data
