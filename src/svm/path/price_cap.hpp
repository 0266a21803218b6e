// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/svm/active_set.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/dual_solver.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "path_parts.hpp"

namespace krossfold::svm {

/// Solves the problems of a wave at one C after the other: by SMO until that has cost about as much as interior points would, and
/// then by these. What they would cost is known beforehand from the number of members and the rank that the kernel's factor needs
/// at this C. The rank is not known before the factor is there: it grows as far as the cost of SMO so far justifies.
///
/// SMO has K in float. Where coefficients are so large that its rounding shows, the gradient of its solution is computed anew with K
/// in double and SMO goes on from there, which errs only by the rounding of the further changes, until it has nothing more to do. A path of the active set has
/// K in double too: what rounding made of the coefficients from which it starts stays in the gradient, however small they become.
template <class Exec>
class PriceCap {
public:
  /// precise may be null: then SMO alone solves the problems.
  PriceCap(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel, const DualProblems<Exec>& duals,
           PreciseKernel<Exec>* precise);

  /// As DualSolver::solve(). fit: iterations, converged, interior_steps and rank of the problems that are followed are set, and
  /// bias is as Progress::bias.
  bool solve(const SolveParams& given, const std::vector<int>& follow, std::vector<FitSummary>& fit,
             std::vector<double>& bias);

private:
  bool follow_path(int problem, const SolveParams& params, double max_cost, Progress& progress);
  void keep_start(int problem);
  void back_to_start(int problem);
  void take_over(int problem);
  bool refresh(int problem, const SolveParams& params, Progress& progress);
  /// g = y - K beta with K in double.
  void set_exact_gradient(int problem, const SolveParams& params, Progress& progress);
  bool give_way(int problem, const SolveParams& params, Progress& progress, FitSummary& fit);

  Exec exec_;
  DualSolver<Exec>& solver_;
  KernelRows<Exec>& kernel_;
  const DualProblems<Exec>& duals_;
  PreciseKernel<Exec>* precise_;
  double first_price(std::size_t problem) const;
  double path_price(double share, std::size_t problem, int free) const;

  double largest_weight_ = 1;
  bool path_possible_ = false;  ///< there is room for rows of K in double
  std::vector<double> mixed_;   ///< (problem): largest sum of beta_i^2 where double took over from float or back
  std::vector<int> exact_;  ///< (problem): the gradient was computed in double, and the solver has not changed it since
  std::vector<double> exact_cost_;  ///< (problem): the cost of the fit then
  std::vector<int>
      rough_;  ///< (problem): at this C, interior points had a factor that rounding kept from being close to K
  double last_c_ = 0;
  double decades_ = 1;  ///< from the C before to this one
  double entry_ = 0;    ///< size of the elements of the kernel matrix, which are what is rounded; 0: not known yet
  std::vector<int> members_;        ///< (problem)
  std::vector<int> far_;            ///< (problem): a member is one of PreciseKernel::far(), so that no claim can hold
  std::vector<int> direct_;         ///< (problem): the path is followed at once, without SMO before
  std::vector<int> had_path_;       ///< (problem): K in double was needed before
  std::vector<double> last_cost_;   ///< (problem): what SMO cost at the C before, 0 if it was not alone
  std::vector<double> price_;       ///< (problem): of a path from the start at this C
  std::vector<int> free_;           ///< (problem): free variables at that start
  std::vector<int> expected_free_;  ///< (problem): at the end of this C
  Matrix<double, Exec> start_;      ///< (2 problem, n): beta and gradient there
  std::vector<PreciseIterate<Exec>> iterate_;  ///< (problem): from where either method starts at the next C
  std::vector<double> share_;  ///< (problem): of the price that SMO gets; less once interior points were needed
};

}  // namespace krossfold::svm
