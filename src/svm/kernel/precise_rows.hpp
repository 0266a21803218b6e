// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "precise_values.hpp"

namespace krossfold::svm {

// Rows of the kernel matrix in double: what PreciseKernel does with them on the device.

/// What rows of K are computed from: `distance` if it is there, features by samples in `across` if they are few, the block of squared
/// distances if the points are sparse, otherwise the points.
template <class Exec>
struct RowSource {
  ValuesOf<Exec> values;
  DensePoints<Exec> points;
  Matrix<const float, Exec> distance;
  Matrix<const double, Exec> across;
  Matrix<const double, Exec> block;
};

/// rows(place(k)) = row sample(k) of K. Elements whose beta is 0 are of no use to the caller, if there is a beta.
template <class Exec>
void fill_rows(const Exec& exec, const Matrix<double, Exec>& rows, const Vector<const int, Exec>& sample,
               const Vector<const int, Exec>& place, const RowSource<Exec>& source,
               const Vector<const double, Exec>& beta);

/// Enters rows(place(k)) as that of sample(k); those of `gone` are no longer there.
template <class Exec>
void enter_rows(const Exec& exec, const Vector<PreciseRow, Exec>& table, const Matrix<const double, Exec>& rows,
                const Vector<const int, Exec>& sample, const Vector<const int, Exec>& place,
                const Vector<const int, Exec>& gone);

/// (feature, sample): the features of dense points in double.
template <class Exec>
Matrix<double, Exec> by_feature(const Exec& exec, const DensePoints<Exec>& points, int features, int n);

/// out -= rows^T weight, for the first `count` rows.
template <class Exec>
void subtract_rows(const Exec& exec, const Matrix<const double, Exec>& rows, int count,
                   const Vector<const double, Exec>& weight, const Vector<double, Exec>& out);

/// out(k) = rows(k) beta.
template <class Exec>
void multiply_rows(const Exec& exec, const Matrix<const double, Exec>& rows, const Vector<const double, Exec>& beta,
                   const Vector<double, Exec>& out);

}  // namespace krossfold::svm
