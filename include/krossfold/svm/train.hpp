// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "krossfold/core/stop_signal.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/class_weight.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::svm {

struct TrainParams {
  std::vector<double> c = {1};    ///< ascending; the machine is that of the last C, warm-started along the others
  std::optional<double> gamma{};  ///< in scaled features; empty: 1 / features (scikit-learn's "scale", if standardised)
  Multiclass multiclass = Multiclass::one_vs_rest;  ///< the machine's is decomposition_of() it
  double tolerance = 1e-3;                          ///< of the KKT violation, below 1
  double gap = 0;                                   ///< see SolveParams, below 1
  std::int64_t max_iterations = 10'000'000;  ///< a problem that needs more is left unconverged (see Machine::fit)
  std::optional<data::Scale> scale{};        ///< empty: data::fit_scale(samples, "")
  std::uint64_t memory =
      4ULL << 30;     ///< bytes for the kernel matrix, and again for the solver; rows that do not fit are recomputed
  StopSignal stop{};  ///< checked every few tens of milliseconds
  KernelFunction kernel{};             ///< its gamma is the one above
  data::ClassWeights class_weights{};  ///< the bound of sample i is C times its weight times that of its class
};

/// Trains a C-SVM on labelled samples of at least two classes. If the kernel is precomputed, sample i has its kernel value with sample j
/// as the feature Dataset::file_rows()[j]: with a whole matrix, feature j. The matrix is checked and made symmetric by
/// data::symmetric_kernel_matrix(), and not scaled. The result does not
/// depend on params.memory, and is bitwise identical to the refit of `krossfold svm` along the same values of C.
/// Throws an input error for samples or params that do not qualify, and Stopped once a stop is requested.
template <class Exec>
Machine train(const Exec& exec, const data::Dataset& samples, const TrainParams& params = {});

/// The machine at the last C of a complete path over all `samples`, solved with these params.
/// Precondition: params has a gamma and a scale; `samples` are those of the training file, or some of them.
template <class Exec>
Machine make_machine(const data::Dataset& samples, const PathSolution<Exec>& solution, const TrainParams& params);

}  // namespace krossfold::svm
