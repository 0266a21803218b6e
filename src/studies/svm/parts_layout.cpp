// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_layout.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/svm/partitioned_machine.hpp"

namespace krossfold::studies {

namespace {

void check_options(const SvmParams& params) {
  const auto refuse = [](bool given, const char* option, const char* why, const char* advice) {
    require(!given, text(option, " does not go with --partition"), why, advice);
  };
  refuse(params.refine > 0, "--refine", "the rounds of a finer grid are of one search, not of many parts",
         "Leave out one of the two, or use a finer grid.");
  refuse(params.outer > 0, "--outer", "a search in each outer fold would need parts of its own",
         "Hold out a test part: its error is unbiased, too.");
  refuse(params.probability, "--probability",
         "the decision values of the machines of different parts have no common scale", "Leave out one of the two.");
  refuse(parse_cell_selection(params.select_by).measure->needs == measures::MeasureNeeds::scores, "--select-by roc-auc",
         "the decision values of the machines of different parts do not order the samples of all parts",
         "Select by error or balanced-error.");
  refuse(svm::parse_kernel_kind(params.kernel_function) == svm::KernelKind::precomputed, "a precomputed kernel",
         "its samples have no place, and its matrix is that of all of them", "Give the samples themselves.");
  refuse(params.factor > 0, "--factor", "parts are small enough for their kernel matrices",
         "Leave out one of the two.");
  refuse(data::parse_fold_kind(params.fold_kind) == data::FoldKind::leave_one_out, "--fold-kind leave-one-out",
         "it would make a unit of each sample", "Use folds.");
}

/// Throws unless every part has samples to train on beside each fold.
void check_parts(const PartsLayout& search, const data::Dataset& train) {
  for (int p = 0; p < search.parts(); ++p) {
    const std::vector<int>& sample = search.partition.sample[p];
    const auto counts = [&](int place) {
      return train.weight.extent(0) == 0 || train.weight(sample[static_cast<std::size_t>(place)]) > 0;
    };
    for (std::size_t f = 0; f < search.folds[p].held.size(); ++f) {
      const std::vector<int> left = search.folds[p].training(static_cast<int>(f), static_cast<int>(sample.size()));
      require(std::any_of(left.begin(), left.end(), counts),
              text("part ", p, " of ", sample.size(), " samples has none to train on beside fold ", f),
              "all of its samples that have a weight lie in that fold",
              text("Use larger parts (--partition ", svm::name_of(search.partition.kind),
                   ":SIZE), or --partition random."));
    }
  }
}

}  // namespace

bool in_parts(const SvmParams& params) { return params.partition != "none"; }

bool parse_part_cell(const std::string& word) {
  if (word != "common" && word != "own") throw_unknown_word("--part-cell", word, {"common", "own"}, "common or own");
  return word == "own";
}

PartsLayout lay_out_parts(const SvmParams& params, const data::Task& task) {
  const svm::PartitionParams partition = svm::parse_partition(params.partition);
  check_options(params);
  PartsLayout search;
  search.whole = lay_out_svm(params, task);
  search.own_cells = parse_part_cell(params.part_cell);
  search.partition = svm::make_partition(task.train, search.whole.scale, partition, params.seed);

  const int n = search.whole.samples;
  std::vector<int> part(static_cast<std::size_t>(n)), place(part);
  for (int p = 0; p < search.parts(); ++p) {
    const std::vector<int>& sample = search.partition.sample[p];
    for (std::size_t k = 0; k < sample.size(); ++k) {
      part[static_cast<std::size_t>(sample[k])] = p;
      place[static_cast<std::size_t>(sample[k])] = static_cast<int>(k);
    }
    data::FoldSplit folds;
    folds.kind = search.whole.folds.kind;
    folds.repeats = search.whole.folds.repeats;
    folds.held.resize(search.whole.folds.held.size());
    search.folds.push_back(std::move(folds));
  }
  std::vector<int> is_out(static_cast<std::size_t>(n), 0);
  const auto add_weights = [&] {
    search.weights.push_back({.of_class = data::class_factors(task.train, search.whole.class_weights, is_out)});
  };
  for (std::size_t f = 0; f < search.whole.folds.held.size(); ++f) {
    for (const int i : search.whole.folds.held[f]) {
      search.folds[part[static_cast<std::size_t>(i)]].held[f].push_back(place[static_cast<std::size_t>(i)]);
      is_out[static_cast<std::size_t>(i)] = 1;
    }
    add_weights();
    for (const int i : search.whole.folds.held[f]) is_out[static_cast<std::size_t>(i)] = 0;
  }
  add_weights();
  check_parts(search, task.train);
  return search;
}

SvmLayout layout_of_part(const PartsLayout& search, int part) {
  const SvmLayout& whole = search.whole;
  SvmLayout one;
  one.params = whole.params;
  one.kernel = whole.kernel;
  one.c = whole.c;
  one.gamma = whole.gamma;
  one.log10_gamma = whole.log10_gamma;
  one.folds = search.folds[part];
  one.scale = whole.scale;
  one.class_weights = search.weights.back();
  one.weights_of_fold = whole.class_weights.balanced;
  one.multiclass = whole.multiclass;
  one.selection = whole.selection;
  one.samples = search.part_samples(part);
  one.features = whole.features;
  one.classes = whole.classes;
  one.problems = whole.problems;
  one.largest_problem = one.samples;
  return one;
}

data::Task task_of_part(const PartsLayout& search, const data::Task& task, int part) {
  return {svm::part_of(task.train, search.partition.sample[part]), {}};
}

}  // namespace krossfold::studies
