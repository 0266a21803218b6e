// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/dataset.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sparse_samples.hpp"

namespace krossfold::data {
namespace {

template <class T>
Digest add(Digest digest, const T* values, std::size_t count) {
  return crc64(std::as_bytes(std::span<const T>(values, count)), digest);
}

/// Continues `digest` with the groups and weights, if there are any.
Digest add_columns(Digest digest, const Dataset& dataset) {
  if (dataset.group.extent(0) != 0) digest = add(digest, dataset.group.data(), dataset.group.extent(0));
  if (dataset.weight.extent(0) != 0) digest = add(digest, dataset.weight.data(), dataset.weight.extent(0));
  return digest;
}

/// Continues `digest` with the values of all rows, zeros included.
Digest add_rows(Digest digest, const SparseMatrix<float>& rows) {
  const auto zeros = [&](int count) {
    digest = crc64_of_zeros(sizeof(float) * static_cast<std::uint64_t>(count), digest);
  };
  for (int i = 0; i < rows.rows(); ++i) {
    int next = 0;
    for (std::int64_t e = rows.begin(i); e < rows.begin(i + 1); ++e) {
      zeros(rows.column(e) - next);
      digest = add(digest, &rows.value(e), 1);
      next = rows.column(e) + 1;
    }
    zeros(rows.columns - next);
  }
  return digest;
}

/// CRC-64 of {samples, features} as 64-bit integers, the values row by row, the labels, the zero-terminated class names,
/// and groups and weights where there are any.
Digest digest_of(const Dataset& dataset) {
  const std::array<std::int64_t, 2> shape{dataset.size(), dataset.features()};
  Digest digest = add(0, shape.data(), shape.size());
  const std::size_t columns = dataset.raw.extent(1);
  if (dataset.is_sparse()) {
    digest = add_rows(digest, dataset.sparse);
  } else if (dataset.raw.span_is_contiguous()) {
    digest = add(digest, dataset.raw.data(), dataset.raw.extent(0) * columns);
  } else {
    for (int row = 0; row < dataset.size(); ++row) digest = add(digest, &dataset.raw(row, 0), columns);
  }
  digest = add(digest, dataset.label.data(), dataset.label.extent(0));
  for (const std::string& name : dataset.class_name) digest = add(digest, name.c_str(), name.size() + 1);
  return add_columns(digest, dataset);
}

[[noreturn]] void throw_not_finite(const Dataset& dataset, int row, int column, float value) {
  throw_input_error(
      text(dataset.name, ", row ", row + 1, ", column ", column + 1, ": ", value, " is not a finite number"),
      "distances to it are undefined", "fill in or remove incomplete samples");
}

void describe_entries(Dataset& dataset) {
  const SparseMatrix<float>& rows = dataset.sparse;
  const std::int64_t first = rows.begin(0), count = entries_of(rows);
  const bool zeros = static_cast<std::uint64_t>(count) <
                     static_cast<std::uint64_t>(rows.rows()) * static_cast<std::uint64_t>(rows.columns);
  dataset.integer = true;
  dataset.lowest = dataset.highest = zeros ? 0.0f : rows.value(first);
  for (int i = 0; i < rows.rows(); ++i) {
    for (std::int64_t e = rows.begin(i); e < rows.begin(i + 1); ++e) {
      const float value = rows.value(e);
      if (!std::isfinite(value)) throw_not_finite(dataset, i, rows.column(e), value);
      dataset.integer = dataset.integer && std::trunc(value) == value;
      dataset.lowest = std::min(dataset.lowest, value);
      dataset.highest = std::max(dataset.highest, value);
    }
  }
  dataset.digest = digest_of(dataset);
}

/// Determines integer, lowest, highest and the digest; rejects non-finite values.
void describe(Dataset& dataset) {
  if (dataset.is_sparse()) return describe_entries(dataset);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float lowest = infinity, highest = -infinity;
  bool integer = true;
  const int columns = dataset.features();
  for (int row = 0; row < dataset.size(); ++row) {
    const float* values = &dataset.raw(row, 0);
    int broken = 0, finite = 1;
    KROSSFOLD_SIMD(reduction(| : broken) reduction(& : finite) reduction(min : lowest) reduction(max : highest))
    for (int j = 0; j < columns; ++j) {
      const float value = values[j];
      finite &= std::abs(value) < infinity;  // also false for NaN
      broken |= std::trunc(value) != value;
      lowest = value < lowest ? value : lowest;
      highest = value > highest ? value : highest;
    }
    if (finite == 0) {
      int column = 0;
      while (std::isfinite(values[column])) ++column;
      throw_not_finite(dataset, row, column, values[column]);
    }
    integer = integer && broken == 0;
  }
  dataset.integer = integer;
  dataset.lowest = lowest;
  dataset.highest = highest;
  dataset.digest = digest_of(dataset);
}

}  // namespace

Dataset make_dataset(std::string name, Matrix<const float> raw, Vector<const int> label,
                     std::vector<std::string> class_name, ImageShape image) {
  if (raw.extent(0) == 0) throw_input_error(text(name, " holds no samples"));
  if (raw.extent(1) == 0) throw_input_error(text(name, " holds no features"), "every sample is empty");
  if (label.extent(0) != 0 && label.extent(0) != raw.extent(0)) {
    throw_input_error(text(name, " holds ", raw.extent(0), " samples but ", label.extent(0), " labels"));
  }
  Dataset dataset;
  dataset.name = std::move(name);
  dataset.raw = std::move(raw);
  dataset.label = std::move(label);
  dataset.class_name = std::move(class_name);
  dataset.image = image;
  describe(dataset);
  return dataset;
}

Dataset make_sparse_dataset(std::string name, const SparseMatrix<float>& values, Vector<const int> label,
                            std::vector<std::string> class_name) {
  const int samples = values.rows();
  if (samples == 0) throw_input_error(text(name, " holds no samples"));
  if (values.columns == 0) throw_input_error(text(name, " holds no features"), "every sample is empty");
  if (label.extent(0) != 0 && static_cast<int>(label.extent(0)) != samples) {
    throw_input_error(text(name, " holds ", samples, " samples but ", label.extent(0), " labels"));
  }
  if (const int row = first_bad_row(values); row >= 0) {
    throw_run_error(text(name, ": row ", row, " of a sparse matrix is not valid"));
  }
  Dataset dataset;
  dataset.name = std::move(name);
  dataset.sparse = values;
  dataset.label = std::move(label);
  dataset.class_name = std::move(class_name);
  describe(dataset);
  return dataset;
}

Dataset with_columns(Dataset dataset, std::shared_ptr<const TableEncoding> encoding, Vector<const int> group,
                     Vector<const double> weight) {
  const auto check = [&](std::size_t count, std::size_t needed, const char* what) {
    if (count == 0 || count == needed) return;
    throw_input_error(text(dataset.name, " has ", count, " ", what), text(needed, " are needed"));
  };
  const auto samples = static_cast<std::size_t>(dataset.size());
  check(encoding ? static_cast<std::size_t>(encoding->features()) : 0, static_cast<std::size_t>(dataset.features()),
        "features in its encoding");
  check(group.extent(0), samples, "groups");
  check(weight.extent(0), samples, "weights");
  dataset.encoding = std::move(encoding);
  dataset.group = std::move(group);
  dataset.weight = std::move(weight);
  dataset.digest = add_columns(dataset.digest, dataset);
  return dataset;
}

std::vector<std::string> Dataset::feature_names() const {
  return encoding ? encoding->feature_names() : std::vector<std::string>();
}

std::vector<int> Dataset::file_rows() const {
  if (row.extent(0) != 0) return {row.data(), row.data() + row.extent(0)};
  std::vector<int> all(static_cast<std::size_t>(size()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

namespace {

/// Where the samples of a part of `whole` lie in the file.
Vector<const int> rows_in_file(const Dataset& whole, const std::vector<int>& samples) {
  const Vector<int> row(uninitialized("krossfold::data::row"), samples.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    row(k) = whole.row.extent(0) != 0 ? whole.row(samples[k]) : samples[k];
  }
  return row;
}

}  // namespace

Dataset rows(const Dataset& whole, int first, int count) {
  if (first < 0 || count < 1 || first > whole.size() - count) {
    throw_input_error(text("there are no rows ", first, " to ", std::int64_t{first} + count - 1, " in ", whole.name),
                      text("it holds ", whole.size(), " samples"));
  }
  Dataset part = whole;
  const auto range = std::make_pair(first, first + count);
  if (whole.is_sparse()) {
    part.sparse.begin = Kokkos::subview(whole.sparse.begin, std::make_pair(first, first + count + 1));
  } else {
    part.raw = Kokkos::subview(whole.raw, range, Kokkos::ALL);
  }
  if (whole.labelled()) part.label = Kokkos::subview(whole.label, range);
  if (whole.group.extent(0) != 0) part.group = Kokkos::subview(whole.group, range);
  if (whole.weight.extent(0) != 0) part.weight = Kokkos::subview(whole.weight, range);
  if (first != 0 || whole.row.extent(0) != 0) {
    std::vector<int> samples(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), first);
    part.row = rows_in_file(whole, samples);
  }
  describe(part);
  return part;
}

Dataset select(const Dataset& whole, const std::vector<int>& samples) {
  if (samples.empty()) throw_input_error(text("no sample of ", whole.name, " is selected"));
  const std::size_t count = samples.size(), features = whole.raw.extent(1);
  const Matrix<float> raw(uninitialized("krossfold::data::selected"), whole.is_sparse() ? 0 : count, features);
  const Vector<int> label(uninitialized("krossfold::data::selected_label"), whole.labelled() ? count : 0);
  const Vector<int> group(uninitialized("krossfold::data::selected_group"), whole.group.extent(0) != 0 ? count : 0);
  const Vector<double> weight(uninitialized("krossfold::data::selected_weight"),
                              whole.weight.extent(0) != 0 ? count : 0);
  for (std::size_t k = 0; k < count; ++k) {
    const int from = samples[k];
    if (from < 0 || from >= whole.size()) {
      throw_input_error(text("there is no sample ", from, " in ", whole.name),
                        text("it holds ", whole.size(), " samples"));
    }
    if (!whole.is_sparse()) std::copy_n(&whole.raw(from, 0), features, &raw(k, 0));
    if (whole.labelled()) label(k) = whole.label(from);
    if (group.extent(0) != 0) group(k) = whole.group(from);
    if (weight.extent(0) != 0) weight(k) = whole.weight(from);
  }
  Dataset part = whole;
  part.raw = raw;
  if (whole.is_sparse()) part.sparse = pick_rows(whole.sparse, samples);
  part.label = label;
  part.group = group;
  part.weight = weight;
  part.row = rows_in_file(whole, samples);
  describe(part);
  return part;
}

}  // namespace krossfold::data
