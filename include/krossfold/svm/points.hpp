// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/kernels/sparse_distance.hpp"
#include "krossfold/kernels/squared_distance.hpp"
#include "krossfold/svm/kernel_function.hpp"

namespace krossfold::svm {

/// The number format in which distances are computed. Distances between two sets need both in the same form.
enum class PointForm {
  whole_float,    ///< integers minus a centre, all scalar products exact in float
  whole_double,   ///< integers minus a centre, all scalar products exact in double
  scaled_double,  ///< scaled features in double
  kernel_values,  ///< no features, but given kernel values with all training samples, in float; they take the place of distances
  sparse_whole,  ///< entries that are integers, all scalar products exact in double
  sparse_scaled  ///< entries divided by the divisor of their feature: distances do not depend on the offset
};

inline bool is_sparse(PointForm form) { return form == PointForm::sparse_whole || form == PointForm::sparse_scaled; }

/// Samples on the device whose values are all there; what kernels take.
template <class Exec>
struct DensePoints {
  PointForm form = PointForm::scaled_double;
  Matrix<float, Exec> in_float;    ///< (sample, feature) if form is whole_float or kernel_values
  Matrix<double, Exec> in_double;  ///< (sample, feature) in the other dense forms

  KOKKOS_INLINE_FUNCTION bool is_float() const {
    return form == PointForm::whole_float || form == PointForm::kernel_values;
  }
};

/// Samples on the device, ready for distance computations.
template <class Exec>
struct Points : DensePoints<Exec> {
  double unit = 1;  ///< squared distance in scaled features = unit * squared distance of these numbers
  kernels::SparseSamples<Exec> sparse;  ///< in the sparse forms

  bool is_sparse() const { return svm::is_sparse(this->form); }
  const DensePoints<Exec>& dense() const { return *this; }  ///< the part that kernels of dense samples take
  int size() const {
    if (is_sparse()) return sparse.size();
    return static_cast<int>(this->is_float() ? this->in_float.extent(0) : this->in_double.extent(0));
  }
};

/// The cheapest form that represents the data under the scale; the integer forms need a uniform divisor. Sparse samples stay sparse.
PointForm best_form(const data::Dataset& samples, const data::Scale& scale);
/// Throws an input error for sparse samples unless the kernel is rbf: those of other kernels depend on the offset of the scale.
void require_dense(const data::Dataset& samples, KernelKind kind);
/// That for a kernel: kernel_values if it is precomputed.
PointForm best_form(const data::Dataset& samples, const data::Scale& scale, KernelKind kind);
/// Numbers that the distance of two samples takes into account: the features, or of sparse samples their mean number of entries; 1 if
/// the kernel is precomputed.
double numbers_of_distance(const data::Dataset& samples, KernelKind kind);
/// Points::unit of that form.
double distance_unit(PointForm form, const data::Scale& scale);

/// The form that suits both: the more general of the two, sparse if one of them is.
PointForm common_form(PointForm a, PointForm b);

/// Converts samples to a form; dense samples have sparse forms, but not the reverse. The integer forms of dense samples are centred at
/// the scale's offset, rounded. kernel_values takes those columns that belong to the samples themselves (Dataset::file_rows).
template <class Exec>
Points<Exec> make_points(const data::Dataset& samples, const data::Scale& scale, PointForm form);

/// d2(i, j) = |x_(first + i) - y_j|^2 in the units of the points (multiply by unit for scaled features), for
/// d2.extent(0) rows. `first` should be a multiple of kernels::distance_tile unless the points are sparse.
template <class Exec>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& x, int first,
                      const Points<Exec>& y, const Poll& poll = {});

/// The rows list(0), list(1), ... of the distances between all points of one set, which are not scaled_double: the same bits as in
/// the whole matrix.
template <class Exec>
void squared_distance_rows(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& points,
                           const Vector<const int, Exec>& list, const Poll& poll = {});

/// Squared distances between all points of one set, exactly symmetric with a zero diagonal. Where several processes
/// fill one matrix in shared memory, this call does the part `share`. Of kernel_values, a copy.
template <class Exec>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& x,
                      const kernels::TileShare& share = {}, const Poll& poll = {});

}  // namespace krossfold::svm
