// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"

namespace krossfold::svm {

struct PathParams {
  std::vector<double> c;                     ///< ascending, positive
  double tolerance = 1e-3;                   ///< of the KKT violation
  std::int64_t max_iterations = 10'000'000;  ///< a fit that needs more ends unconverged
  bool keep_last_only = false;               ///< store coefficients for the last C only
  std::stop_token stop;                      ///< looked at every few ten milliseconds
};

/// The one-vs-rest machines of one training set for every C.
template <class Exec>
struct PathSolution {
  bool complete = false;             ///< false if `stop` ended the computation; the rest is then meaningless
  Matrix<double, Exec> coefficient;  ///< (C index * classes + class, sample): beta; with keep_last_only (class, sample)
  Vector<double, Exec> bias;         ///< one per row of coefficient
  std::vector<FitSummary> fit;       ///< (C index * classes + class), also with keep_last_only
};

/// Solves all classes along ascending C, each C started from the scaled solution of the one before (scale_to). Once a
/// class has nothing at its bound its solution is that of every larger C, and is copied.
/// `kernel`: n x (at least n), K - 1; `label`: n.
/// Throws a run error if C is not ascending and positive.
template <class Exec>
PathSolution<Exec> solve_path(const Exec& exec, const Matrix<const float, Exec>& kernel,
                              const Vector<const int, Exec>& label, int classes, const PathParams& params);

}  // namespace krossfold::svm
