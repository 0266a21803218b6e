// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/kernel_function.hpp"

namespace krossfold::svm {

/// Elements of the kernel matrix from what is known of two samples, `source`: their squared distance, of any unit, or (precomputed)
/// their kernel value. Of any kernel but rbf. a and b are the entries of KernelForm::side for the two samples, e and f those of
/// `half` or `lift`.
struct KernelEntry {
  KernelKind kind = KernelKind::linear;
  double half_gamma = 0;  ///< half of gamma times the unit of distances; polynomial
  int degree = 1;
  double per_unit = 1;  ///< what multiplies the source (linear, precomputed) or the power (polynomial)

  /// w^degree by squaring.
  KOKKOS_INLINE_FUNCTION static double power(double w, int degree) {
    double result = 1;
    for (int left = degree; left > 0; left >>= 1) {
      if ((left & 1) != 0) result *= w;
      w *= w;
    }
    return result;
  }
  /// (K - K_ii / 2 - K_jj / 2) / unit = -|phi(x_i) - phi(x_j)|^2 / (2 unit).  e, f: KernelForm::half.
  KOKKOS_INLINE_FUNCTION float stored(double source, double a, double b, double e, double f) const {
    if (kind == KernelKind::linear) return static_cast<float>(per_unit * source);
    if (kind == KernelKind::precomputed) return static_cast<float>(per_unit * source - (e + f));
    return static_cast<float>(per_unit * power(0.5 * (a + b) - half_gamma * source, degree) - (e + f));
  }
  /// 1 + K / unit, of the linear kernel with features less their medians.  e, f: KernelForm::lift.
  KOKKOS_INLINE_FUNCTION double precise(double source, double a, double b, double e, double f) const {
    if (kind == KernelKind::linear) return 1 + (e + f + per_unit * source);
    if (kind == KernelKind::precomputed) return 1 + per_unit * source;
    return 1 + per_unit * power(0.5 * (a + b) - half_gamma * source, degree);
  }
};

/// What the forms of a kernel for all gammas share, of n training samples, in scaled features; empty for rbf.
struct SampleNorms {
  std::vector<double> norm;     ///< |x|^2; precomputed: K_ii
  std::vector<double> centred;  ///< |x - median|^2, of each feature; linear only
  std::vector<double> product;  ///< scalar products (precomputed: K_ij) of the pairs (i, other(i))
  std::vector<int> other;       ///< n of one distance between numbers, then n of another
};

/// `kernel`'s kind decides what is computed.
SampleNorms sample_norms(const data::Dataset& samples, const data::Scale& scale, KernelKind kind);

/// How the kernel matrix of n samples is kept, for one gamma.
///
/// The dual's coefficients sum to zero, so that any r_i + r_j may be subtracted from K_ij: gradients change by one constant, which
/// the bias takes up. Rows in float hold
///
///   rbf     K_ij - 1
///   others  (K_ij - K_ii / 2 - K_jj / 2) / unit,
///
/// minus half the squared distances of the images of the samples in feature space, exactly so for rbf too. Their diagonal is 0, and
/// K_ii + K_jj - 2 K_ij is minus twice an element, for every kernel; large means of features (or of a kernel matrix) cost no digits. The
/// unit, a power of 2 near the mean of these halves of squared distances (or their median, where it is 10,000 times smaller), makes all kernels as large as rbf: with C times the unit, the
/// dual has the same gradients, coefficients larger by the unit and an objective larger by it.
template <class Exec>
struct KernelForm {
  KernelFunction function;
  double unit = 1;
  Vector<const double, Exec>
      side;  ///< (n): gamma |x|^2 + coef0; polynomial, otherwise 0; empty for rbf, as are the others
  Vector<const double, Exec> half;  ///< (n): K_ii / 2 / unit
  Vector<const double, Exec> lift;  ///< (n): the same of the kernel in double, (KernelEntry::precise - 1) / 2

  bool is_rbf() const { return function.kind == KernelKind::rbf; }
  /// The elements from squared distances in units of `distance_unit`.
  KernelEntry entry(double distance_unit) const;
};

/// The form for one kernel of the kind for which `norms` were made. Throws an input error if its values overflow.
template <class Exec>
KernelForm<Exec> make_kernel_form(const KernelFunction& kernel, const SampleNorms& norms);

/// Fills rows of the matrix in float in kernels.
template <class Exec>
struct RowFiller {
  RowFiller(const KernelForm<Exec>& form, double distance_unit)
      : rbf(form.is_rbf()),
        minus_one(form.function.gamma * distance_unit),
        entry(form.entry(distance_unit)),
        side(form.side),
        half(form.half) {}

  /// Row i of n samples from its sources, by a team; may be in place. The padding up to a full vector, padded<float>(n), becomes 0.
  template <class Member>
  KOKKOS_INLINE_FUNCTION void fill(const Member& member, int n, float* out, const float* source, int i) const {
    if (rbf) {
      const kernels::RbfMinusOne value = minus_one;
      team_simd_for(member, n, [=](int j) { out[j] = value(source[j]); });
    } else {
      const KernelEntry value = entry;
      const double *sides = side.data(), *halves = half.data(), a = sides[i], e = halves[i];
      team_simd_for(member, n, [=](int j) { out[j] = value.stored(source[j], a, sides[j], e, halves[j]); });
    }
    team_simd_for(member, padded<float>(n) - n, [=](int j) { out[n + j] = 0; });
  }

  bool rbf;
  kernels::RbfMinusOne minus_one;
  KernelEntry entry;
  Vector<const double, Exec> side, half;
};

/// The whole matrix in float, whose rows are padded (padded_matrix), from the squared distances of all samples (precomputed: from the
/// kernel values); may be in place.
template <class Exec>
void fill_kernel(const Exec& exec, const Matrix<float, Exec>& kernel, const Matrix<const float, Exec>& source,
                 const KernelForm<Exec>& form, double distance_unit, const Poll& poll = {});

}  // namespace krossfold::svm
