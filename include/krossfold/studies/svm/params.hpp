// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, as option_table.hpp is.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/input/task_params.hpp"
#include "krossfold/run/option_table.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::studies {

/// The options of `krossfold svm` that the results depend on. Defaults are those of the reproduced study.
struct SvmParams {
  input::TaskParams task;
  std::string kernel_function = "rbf";  ///< see svm::KernelFunction
  std::optional<int> degree;            ///< of the polynomial kernel, 3 if not given
  std::optional<double> coef0;          ///< of the polynomial kernel, 0 if not given
  int grid_c = 24, grid_gamma = 24;  ///< grid_gamma is taken as 1 if the kernel has no gamma, unless the grid was given
  bool grid_given = false;
  run::Range log10_c{-3, 6};
  std::optional<run::Range>
      log10_gamma;  ///< default [-6, -2] + log10(784 / features); polynomial [-2, 1] - log10(features)
  std::vector<double> c_values, gamma_values;  ///< where not empty, in place of what grid and range say of that axis
  int folds = 5;
  std::string fold_kind = "stratified-shuffled";
  std::uint64_t seed = 0;
  int repeats = 1;    ///< so many times the folds, each time others
  int outer = 0;      ///< outer folds of nested cross-validation; 0 for none
  std::string scale;  ///< "" chooses by the data, see data/scale.hpp
  std::string multiclass = "ovr";
  std::string class_weight = "none";  ///< see data::parse_class_weights
  bool weighted_measures = false;     ///< held-out samples count by their weight in the measures of the cells
  double tolerance = 1e-3;
  double gap = 0;  ///< see svm::SolveParams
  int factor = 0;  ///< the largest rank of a factor that takes the place of the kernel matrix; 0: none does
  std::int64_t max_iterations = 10'000'000;
  std::string select_by = "error";  ///< MEASURE or MEASURE,1se: what the best cell is best by
  bool refit = true;
  bool probability = false;
  std::string partition = "none";    ///< see svm::parse_partition
  std::string part_cell = "common";  ///< see parse_part_cell
  int refine = 0;                    ///< rounds of a finer grid around the best cell
};

/// The table of these options, bound to `params`.
run::OptionTable svm_options(SvmParams& params);

/// The value of every option, in the order of the table.
std::vector<run::OptionValue> options_of(const SvmParams& params);

}  // namespace krossfold::studies
