// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/platt.hpp"

namespace krossfold::studies {

/// Kinds of units of an SVM study, with their indices. Values are part of the journal: never renumber them.
inline constexpr std::uint32_t svm_unit_fold = 1;         ///< {gamma, fold, 0}: all C and classes
inline constexpr std::uint32_t svm_unit_refit = 2;        ///< {gamma, C, round}: training on all samples, test
inline constexpr std::uint32_t svm_unit_out_of_fold = 3;  ///< {round, gamma * (number of C) + C, fold}: decision values
inline constexpr std::uint32_t svm_unit_refine = 4;       ///< {round, gamma, fold}: like a fold, on a finer grid
inline constexpr std::uint32_t svm_unit_nested = 5;  ///< {outer fold, gamma, fold}: like a fold, without the outer fold
inline constexpr std::uint32_t svm_unit_outer = 6;   ///< {outer fold, gamma, C}: decision values of the outer fold

// Of a search in parts:
inline constexpr std::uint32_t svm_unit_part_fold = 7;  ///< {part, gamma, fold}: all C and classes
inline constexpr std::uint32_t svm_unit_part_out_of_fold =
    8;                                                    ///< {part, gamma * (number of C) + C, fold}: decision values
inline constexpr std::uint32_t svm_unit_part_refit = 9;   ///< {part, gamma, C}: training on all samples of the part
inline constexpr std::uint32_t svm_unit_part_model = 10;  ///< {cells, 0, 0}: the machines in one file, test

// The places of gamma and fold in the key of a unit (gamma, fold) of a search.
inline std::size_t gamma_index(const UnitKey& key) { return key.kind == svm_unit_fold ? 0 : 1; }
inline std::size_t fold_index(const UnitKey& key) { return key.kind == svm_unit_fold ? 1 : 2; }

/// The input of all units except those of single folds of the grid.
struct PathInput {
  double gamma = 0;
  std::vector<double> c;              ///< the path over C, which ends at the cell for out-of-fold units and the refit
  std::vector<svm::Sigmoid> sigmoid;  ///< (problem): of the refitted model; empty if it has no probabilities
  std::vector<int> folds{};  ///< that the unit solves together, ascending (JoinedFolds); empty: that of its key

  std::vector<std::byte> to_bytes() const;
  static PathInput from_bytes(std::span<const std::byte> bytes);
};

/// The payload of a fold unit, of the grid or of a round of refinement.
struct FoldResult {
  int held = 0;                      ///< number of held-out samples
  std::vector<int> wrong;            ///< (C): misclassified held-out samples; -1 where decision values are not finite
  std::vector<svm::FitSummary> fit;  ///< (C, class)

  // See add_cell_measures(). Empty in records of versions before there were measures.
  std::vector<std::int32_t> pairs{};                     ///< (C): number of (truth, choice) that occur
  std::vector<std::int32_t> truth{}, choice{}, count{};  ///< of these, C by C: classes, and number of held-out samples
  std::vector<double> weight{};  ///< sums of the weights of these samples; empty where each counts as 1
  std::vector<double> score{};   ///< (C, measure): the measures of cell_measures() that need scores

  std::vector<std::byte> to_bytes() const;
  static FoldResult from_bytes(std::span<const std::byte> bytes);
};

/// The payload of an out-of-fold unit.
struct OutOfFoldResult {
  std::vector<double> decision;  ///< (problem, held-out sample): decision values at the cell

  std::vector<std::byte> to_bytes() const;
  static OutOfFoldResult from_bytes(std::span<const std::byte> bytes);
};

/// The payload of the refit.
struct RefitResult {
  std::vector<svm::FitSummary> fit;  ///< (class)
  std::vector<int> prediction;       ///< (test sample): class index
  int wrong = 0;
  int support = 0;  ///< samples that are support vectors of any class
  std::string model_name;
  std::uint64_t model_size = 0, model_checksum = 0;
  std::vector<double> decision;  ///< (test sample, problem): decision values; in older records there are none

  std::vector<std::byte> to_bytes() const;
  static RefitResult from_bytes(std::span<const std::byte> bytes);
};

/// The payload of a fold unit of a part.
struct PartFoldResult {
  FoldResult fold;                          ///< without fits and scores, which would be most of it
  std::vector<std::int32_t> not_converged;  ///< (C): binary problems

  std::vector<std::byte> to_bytes() const;
  static PartFoldResult from_bytes(std::span<const std::byte> bytes);
};

/// The input of the unit that joins the machines of the parts.
struct PartModelInput {
  std::vector<std::uint64_t> checksum;  ///< (part): of the file of its machine

  std::vector<std::byte> to_bytes() const;
  static PartModelInput from_bytes(std::span<const std::byte> bytes);
};

/// A cell of the grid or of a round of refinement.
struct Cell {
  int gamma = 0, c = 0;
  double error = 0;          ///< mean over the folds of the fraction misclassified
  int round = 0;             ///< 0: the grid
  int tied = 0, within = 0;  ///< of measures::CellChoice, over all rounds, where SvmStudy::best() chose it
};

}  // namespace krossfold::studies
