// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/svm/partition.hpp"

namespace krossfold::studies {

/// A search in parts whose data is known (--partition); the same on every rank. docs/solver.md tells how it is done.
struct PartsLayout {
  SvmLayout whole;                     ///< with the folds of the whole training part
  svm::Partition partition;            ///< of the training part
  bool own_cells = false;              ///< whether each part has a best cell of its own
  std::vector<data::FoldSplit> folds;  ///< (part): of its samples, by their place in it; a fold may hold none of them
  std::vector<data::ClassWeights>
      weights;  ///< (fold), and last of the whole: of the whole training part, for all parts

  int parts() const { return partition.parts(); }
  int part_samples(int part) const { return static_cast<int>(partition.sample[part].size()); }
  /// How many samples of a part a fold holds out.
  int held(int part, int fold) const { return static_cast<int>(folds[part].held[fold].size()); }
};

/// Whether the options ask for parts.
bool in_parts(const SvmParams& params);

/// Whether each part has a best cell of its own: "own" or "common". Throws an input error for any other word.
bool parse_part_cell(const std::string& word);

/// Checks the options against the data and lays out the search. Throws an input error that names an invalid option, and for a part
/// that has no samples to train on beside a fold.
PartsLayout lay_out_parts(const SvmParams& params, const data::Task& task);

/// The search within a part, and its samples: what `krossfold svm` would do with these alone, but for the scale, which is that of the
/// whole. The class weights are those of the refit.
SvmLayout layout_of_part(const PartsLayout& search, int part);
data::Task task_of_part(const PartsLayout& search, const data::Task& task, int part);

}  // namespace krossfold::studies
