// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

/// continue_path() on a factor K ~ T^T T of rank r at most max_rank in the place of the kernel matrix, which nowhere exists: n r
/// numbers instead of n^2. A fit is one of the method of multipliers (augmented_lagrangian.hpp), in 1 to 120 steps of mostly
/// far fewer than n r^2 operations, or of the interior-point method (interior_point.hpp), in 10 to 60 steps of n r^2. At each C the
/// rank is the smallest with trace(K - T^T T) <= n factor_tolerance(C), or max_rank. Where the gradient then errs by more than the
/// tolerance (below), the problem is solved again with a quarter of that trace, and so on.
///
/// E = K - T^T T is positive semidefinite, so the objective W(beta) of the solution with K is at most, and the best one at least, that of
/// the factor less
///
///   1/2 beta^T E beta <= 1/2 trace(E) sum beta_i^2,
///
/// which relative to W is FitSummary::objective_error. How large (E beta)_i is, is measured at up to 256 samples, with K in double from
/// the samples: the largest of these is FitSummary::gradient_error, by which the violation with K may exceed that with the factor.
/// Fits are only converged if that is at most the tolerance.
template <class Exec>
void continue_factor_path(const Exec& exec, PreciseKernel<Exec>& kernel, int max_rank,
                          const Matrix<const std::int8_t, Exec>& sign, const Outside<Exec>& outside,
                          const PathParams& params, PathSolution<Exec>& solution,
                          const Vector<const double, Exec>& weight = {});

/// Bytes that a factor of that rank and the systems of one problem take.
std::uint64_t factor_memory(int samples, int max_rank);

}  // namespace krossfold::svm
