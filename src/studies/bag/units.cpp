// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/units.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

std::optional<int> best_trial(const std::vector<double>& error, const std::vector<bool>& diverged, int trials,
                              int folds) {
  std::optional<int> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (int t = 0; t < trials; ++t) {
    double sum = 0;
    bool trained = false;
    for (int f = 0; f < folds; ++f) {
      const std::size_t i = static_cast<std::size_t>(t) * folds + f;
      sum += error[i];
      trained = trained || !diverged[i];
    }
    if (trained && sum / folds < lowest) {  // false for NaN
      lowest = sum / folds;
      best = t;
    }
  }
  return best;
}

std::vector<int> bag_priorities(const std::vector<double>& longest) {
  std::vector<int> priority;
  for (const double own : longest) {
    priority.push_back(
        -static_cast<int>(std::count_if(longest.begin(), longest.end(), [own](double other) { return other > own; })));
  }
  return priority;
}

BagStudy::BagStudy(const BagLayout& search)
    : search_(search),
      fold_error_(search.units(), run::not_computed),
      seen_(fold_error_.size(), false),
      failed_(fold_error_.size(), false),
      diverged_(fold_error_.size(), false),
      to_beat_(search.params.bootstraps,
               std::vector<double>(search.params.trials, std::numeric_limits<double>::infinity())),
      handed_out_(search.params.bootstraps, false) {
  std::vector<double> longest;
  for (int b = 0; b < search.params.bootstraps; ++b) {
    trial_.emplace_back();
    longest.push_back(0);
    double sum = 0;
    for (int t = 0; t < search.params.trials; ++t) {
      trial_[b].push_back(draw_trial(search, b, t));
      const double cost = final_unit(b, t).cost;
      longest[b] = std::max(longest[b], cost);
      sum += cost;
    }
    later_.push_back(final_unit(b, 0));
    later_[b].cost = sum / search.params.trials;
  }
  priority_ = bag_priorities(longest);
}

Unit BagStudy::make_unit(const UnitKey& key, int samples, int priority) const {
  const auto architecture = search_.architecture(trial_[key.index[0]][key.index[1]]);
  return {.key = key, .cost = training_cost(architecture, search_.params.batch, samples), .priority = priority};
}

Unit BagStudy::trial_unit(int bootstrap, int trial, int fold) const {
  const int training = search_.samples - static_cast<int>(search_.folds.held[fold].size());
  return make_unit({bag_unit_trial, {bootstrap, trial, fold}}, training, priority_[bootstrap]);
}

Unit BagStudy::trial_unit_of_all_folds(int bootstrap, int trial) const {
  std::vector<int> folds(search_.folds.folds());
  std::iota(folds.begin(), folds.end(), 0);
  Unit unit = trial_unit(bootstrap, trial, folds.back());
  unit.input = input_of_folds(folds);
  unit.cost *= static_cast<double>(folds.size());
  return unit;
}

Unit BagStudy::final_unit(int bootstrap, int trial) const {
  return make_unit({bag_unit_final, {bootstrap, trial, 0}}, search_.samples, 1);
}

std::vector<Unit> BagStudy::initial() {
  const int folds = search_.params.prune ? 1 : search_.folds.folds();
  std::vector<Unit> units;
  for (int b = 0; b < search_.params.bootstraps; ++b) {
    for (int t = 0; t < search_.params.trials; ++t) {
      if (search_.folds_together) {
        units.push_back(trial_unit_of_all_folds(b, t));
      } else {
        for (int f = 0; f < folds; ++f) units.push_back(trial_unit(b, t, f));
      }
    }
  }
  return units;
}

/// True if the first `folds` folds of a trial leave it no chance against a trial with a lower number, or one of them
/// failed.
bool BagStudy::cannot_win(int bootstrap, int trial, int folds) const {
  const auto failed = failed_.begin() + static_cast<std::ptrdiff_t>(search_.unit(bootstrap, trial, 0));
  if (std::find(failed, failed + folds, true) != failed + folds) return true;
  return sum_of_folds(bootstrap, trial, folds) >= to_beat_[bootstrap][trial];  // false for NaN
}

/// NaN if one of them has no result.
double BagStudy::sum_of_folds(int bootstrap, int trial, int folds) const {
  const auto error = fold_error_.begin() + static_cast<std::ptrdiff_t>(search_.unit(bootstrap, trial, 0));
  return std::accumulate(error, error + folds, 0.0);
}

/// Once all folds of a trial have their records.
void BagStudy::complete(int bootstrap, int trial) {
  const double sum = sum_of_folds(bootstrap, trial, search_.folds.folds());
  for (int t = trial + 1; t < search_.params.trials; ++t) {
    double& least = to_beat_[bootstrap][t];
    if (sum < least) least = sum;  // not if it is NaN
  }
}

/// True if no record to come could make a trial the best.
bool BagStudy::settled(int bootstrap, int trial) const {
  int known = 0;
  while (known < search_.folds.folds() && seen_[search_.unit(bootstrap, trial, known)]) ++known;
  return known == search_.folds.folds() || (search_.params.prune && known > 0 && cannot_win(bootstrap, trial, known));
}

std::vector<bool> BagStudy::pruned() const {
  std::vector<bool> pruned(fold_error_.size(), false);
  if (!search_.params.prune) return pruned;
  for (int b = 0; b < search_.params.bootstraps; ++b) {
    for (int t = 0; t < search_.params.trials; ++t) {
      bool out = false;
      for (int f = 1; f < search_.folds.folds(); ++f) pruned[search_.unit(b, t, f)] = out = out || cannot_win(b, t, f);
    }
  }
  return pruned;
}

std::vector<double> BagStudy::fold_error() const {
  std::vector<double> error = fold_error_;
  const std::vector<bool> out = pruned();
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (out[i]) error[i] = run::not_computed;
  }
  return error;
}

std::optional<int> BagStudy::chosen(int bootstrap) const {
  for (int t = 0; t < search_.params.trials; ++t) {
    if (!settled(bootstrap, t)) return std::nullopt;
  }
  const int trials = search_.params.trials, folds = search_.folds.folds();
  const auto first = static_cast<std::ptrdiff_t>(search_.unit(bootstrap, 0, 0));
  const auto last = first + std::ptrdiff_t{trials} * folds;
  return best_trial({fold_error_.begin() + first, fold_error_.begin() + last},
                    {diverged_.begin() + first, diverged_.begin() + last}, trials, folds);
}

std::vector<Unit> BagStudy::outlook() const {
  std::vector<Unit> later;
  for (int b = 0; b < search_.params.bootstraps; ++b) {
    for (int t = 0; search_.params.prune && t < search_.params.trials; ++t) {
      if (settled(b, t)) continue;
      int handed_out = 1;
      while (seen_[search_.unit(b, t, handed_out - 1)]) ++handed_out;
      for (int f = handed_out; f < search_.folds.folds(); ++f) later.push_back(trial_unit(b, t, f));
    }
    if (!handed_out_[b]) later.push_back(later_[b]);
  }
  return later;
}

std::vector<Unit> BagStudy::on_record(const Record& record) {
  if (record.key.kind != bag_unit_trial) return {};
  const auto [bootstrap, trial, fold] = record.key.index;
  if (bootstrap < 0 || bootstrap >= search_.params.bootstraps || trial < 0 || trial >= search_.params.trials ||
      fold < 0 || fold >= search_.folds.folds()) {
    throw_run_error(text("a record of bootstrap ", bootstrap, ", trial ", trial, ", fold ", fold),
                    "this study has none");
  }
  const std::size_t unit = search_.unit(bootstrap, trial, fold);
  if (seen_[unit]) return {};
  if (record.status == Status::done) {
    const TrialResult result = TrialResult::from_bytes(record.payload);
    diverged_[unit] = result.training.diverged;
    fold_error_[unit] = result.training.diverged ? 1 : result.error();
  }
  failed_[unit] = record.status == Status::failed;
  seen_[unit] = true;
  const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(search_.unit(bootstrap, trial, 0));
  if (std::count(first, first + search_.folds.folds(), true) == search_.folds.folds()) complete(bootstrap, trial);
  // The records of an earlier run come in any order: a unit that becomes ready may have its record already.
  std::vector<Unit> ready;
  if (search_.params.prune && fold + 1 < search_.folds.folds() && !cannot_win(bootstrap, trial, fold + 1)) {
    ready.push_back(trial_unit(bootstrap, trial, fold + 1));
  }
  // A unit of all folds failed, or an earlier run on processors computed only some of them.
  for (int f = 0; search_.folds_together && fold + 1 == search_.folds.folds() && f < fold; ++f) {
    if (!seen_[search_.unit(bootstrap, trial, f)]) ready.push_back(trial_unit(bootstrap, trial, f));
  }
  const auto best = handed_out_[bootstrap] ? std::nullopt : chosen(bootstrap);
  if (best) {
    handed_out_[bootstrap] = true;
    ready.push_back(final_unit(bootstrap, *best));
  }
  return ready;
}

}  // namespace krossfold::studies
