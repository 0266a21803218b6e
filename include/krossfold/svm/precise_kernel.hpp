// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/row_places.hpp"

namespace krossfold::svm {

/// The largest rank of a factor of any kernel matrix.
inline constexpr int largest_factor_rank = 1024;

/// Start of a row of K in double, null if it is not in memory.
struct PreciseRow {
  const double* value = nullptr;
};

/// The kernel matrix of n samples in double (K_ij = exp(-gamma |x_i - x_j|^2), or KernelEntry::precise of another kernel, which is
/// positive semidefinite as K is), for the interior-point method: as a factor of low rank,
///
///   K ~ T^T T,  T: rank x n,
///
/// by pivoted Cholesky (Fine and Scheinberg, JMLR 2 (2001) 243), whole, or by rows. Each is computed when it is first asked for and kept
/// until gamma changes, rows of more than 4,096 samples only as long as there are places for them. The factor grows column by column: the next pivot is the sample with the largest residual K_ii - (T^T T)_ii, so
/// that a factor of rank r is the beginning of every larger one, and what is found never depends on what was asked for before.
///
/// The distances are formed from the differences of the features; of sparse samples see kernels::sparse_distance().
///
/// In float K would not do: with C = 1e6 its rounding moves the optimum by more than the factor's residual.
template <class Exec>
class PreciseKernel {
public:
  /// For n samples in any form, which are asked for when they are first needed: most searches need none. features: numbers that a
  /// distance takes into account (of sparse samples, their mean number of entries), which decide what a row costs. places: 0, or
  /// how many rows are kept instead of row_places().
  PreciseKernel(const Exec& exec, int samples, double features, std::function<Points<Exec>()> points, int places = 0);

  /// Takes squared distances that are exact though they are in float (of whole numbers), in the units of the points.
  void use_distances(const Matrix<const float, Exec>& distance) { distance_ = distance; }
  /// gamma of the scaled features. Forgets the matrices of another gamma, but keeps their memory.
  void set_gamma(double gamma);
  /// The same for any kernel.
  void set_kernel(const KernelForm<Exec>& form);
  /// The samples whose own gradient loses its digits in the linear kernel, which is formed from distances: those with a diagonal element
  /// beyond 10^16 times a typical one.
  const std::vector<int>& far() const { return far_; }
  /// KernelForm::lift: half the diagonal less 1/2; empty for rbf.
  const Vector<const double, Exec>& lift() const { return form_.lift; }
  /// The smallest rank whose residual has a trace of at most `tolerance` n (or what rounding leaves of the largest diagonal element),
  /// or 0 if that takes more than `limit`.
  int rank_for(double tolerance, int limit, const Poll& poll = {});
  /// The largest rank of a factor whose rows cost at most `cost`, in the unit of newton_cost(), whether they are there or not. A fifth
  /// of each is counted: all problems of a gamma share them.
  int affordable_rows(double cost) const;
  /// trace(K - T^T T) / n of the factor of that rank. Precondition: rank_for() has reached it.
  double residual(int rank) const { return residual_[static_cast<std::size_t>(rank)]; }
  /// (r, sample): at least as many rows of T as rank_for() has returned.
  Matrix<const double, Exec> factor() const { return factor_; }
  /// (sample, sample): K.
  Matrix<const double, Exec> whole(const Poll& poll = {});
  /// Makes the rows of `samples` and `keep` valid, together at most places() different ones, until the next call. The values do not
  /// depend on what else is in memory.
  void fetch(std::span<const int> samples, std::span<const int> keep, const Poll& poll = {});
  /// (sample): the rows. The table is the same from the first fetch() on.
  Vector<const PreciseRow, Exec> rows() const { return table_; }
  /// What a row that is not in memory costs, in the unit of newton_cost().
  double row_cost() const;
  /// What the whole matrix costs, its memory included.
  double whole_cost() const;
  /// How many rows are kept.
  int places() const { return places_; }
  /// product_i = sum_j K_ij beta_j for all samples. From the whole matrix where that may be, otherwise from the samples.
  void multiply(const Vector<const double, Exec>& beta, const Vector<double, Exec>& product, const Poll& poll = {});
  /// product_k = sum_j K_ij beta_j for sample i = list(k), from the samples.
  void multiply_at(const Vector<const int, Exec>& list, const Vector<const double, Exec>& beta,
                   const Vector<double, Exec>& product, const Poll& poll = {});

  /// Fetches the samples, unless they are there; all that needs them does so. Before it takes other memory, so that whoever is asked
  /// for the samples can make room.
  void start();

  int samples() const { return samples_; }
  /// The largest rank of a factor that is worth while, and the most samples for which K is kept whole; both by n alone.
  static int max_rank(int samples);
  static bool may_be_whole(int samples);
  /// How many rows may be kept, by n alone: all up to 4,096 samples, otherwise as many as take 134 MB, but at least 512; none for
  /// more than 65,536 samples.
  static int row_places(int samples);
  /// Bytes for all of it.
  static std::uint64_t memory(int samples);

private:
  void grow(const Poll& poll);
  void fill(const Matrix<double, Exec>& rows, std::span<const int> samples, std::span<const int> places,
            const Vector<const double, Exec>& beta, const Poll& poll);
  int block_rows() const;
  void forget();

  Exec exec_;
  int samples_;
  std::function<Points<Exec>()> make_points_;  ///< empty once they are there
  double features_;
  Points<Exec> points_;
  Matrix<double, Exec> across_;  ///< (feature, sample), where they are few
  Matrix<const float, Exec> distance_;
  KernelForm<Exec> form_;         ///< with gamma 0: none
  int rank_ = 0;                  ///< rows of the factor that are there
  int pivot_ = 0;                 ///< the sample with the largest residual
  std::vector<double> residual_;  ///< (rank): trace / n
  Matrix<double, Exec> factor_;   ///< (capacity, n)
  double resolved_ = 0;           ///< what rounding leaves of K_ii; 0 for rbf
  std::vector<int> far_;
  Vector<double, Exec> rest_;  ///< (n): K_ii - (T^T T)_ii
  Flags<double> trace_, largest_;
  Flags<int> at_;  ///< (block): sum of rest, its largest value and where that is
  Matrix<double, Exec> whole_;
  bool whole_there_ = false;
  int places_;
  RowPlaces place_of_;              ///< of rows that are kept one by one
  Matrix<double, Exec> kept_;       ///< (place, n)
  Vector<PreciseRow, Exec> table_;  ///< (sample)
};

/// k(i, j) = exp(-gamma |x_i - y_j|^2) - 1 in double, from the differences of the features. gamma is in the units of the points, which
/// are of one form. k: x.size() x y.size().
template <class Exec>
void precise_minus_one(const Exec& exec, const Matrix<double, Exec>& k, const Points<Exec>& x, const Points<Exec>& y,
                       double gamma, const Poll& poll = {});

/// g = y - K beta of problem p with K in double, for all samples. A poll that throws leaves the gradient undefined.
template <class Exec>
void set_precise_gradient(const Exec& exec, const DualProblems<Exec>& duals, int problem, PreciseKernel<Exec>& kernel,
                          const Poll& poll = {});

}  // namespace krossfold::svm
