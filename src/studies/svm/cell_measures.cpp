// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/cell_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::studies {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What to write in place of a word that is none of these measures.
std::string advice_for(const std::string& word) {
  std::string all;
  std::vector<std::string> names;
  for (const measures::MeasureKind* kind : cell_measures()) {
    all += (all.empty() ? "Select by " : kind == cell_measures().back() ? " or " : ", ") + kind->name;
    names.push_back(kind->name);
  }
  // Names of scikit-learn's scorers, and short ones.
  static const std::map<std::string, std::string> known_as = {{"accuracy", "error"},
                                                              {"balanced_accuracy", "balanced-error"},
                                                              {"balanced-accuracy", "balanced-error"},
                                                              {"auc", "roc-auc"},
                                                              {"roc_auc_ovr", "roc-auc"},
                                                              {"f1", "f1-macro"},
                                                              {"recall", "recall-macro"},
                                                              {"precision", "precision-macro"},
                                                              {"matthews_corrcoef", "mcc"}};
  if (const auto other = known_as.find(word); other != known_as.end()) {
    return text("Did you mean ", other->second, "?");
  }
  const std::string near = nearest_word(word, names);
  return near.empty() ? all + "." : text("Did you mean ", near, "?");
}

}  // namespace

const std::vector<const measures::MeasureKind*>& cell_measures() {
  static const std::vector<const measures::MeasureKind*> all = [] {
    std::vector<const measures::MeasureKind*> kinds;
    for (const measures::MeasureKind& kind : measures::measure_kinds()) {
      if (kind.needs != measures::MeasureNeeds::probabilities && kind.name != "average-precision")
        kinds.push_back(&kind);
    }
    return kinds;
  }();
  return all;
}

std::string field_name(const measures::MeasureKind& kind) {
  std::string name = kind.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

measures::SelectionRule parse_cell_selection(const std::string& word) {
  const std::string name = word.substr(0, word.find(','));
  const auto& kinds = measures::measure_kinds();
  require(std::any_of(kinds.begin(), kinds.end(), [&](const measures::MeasureKind& kind) { return kind.name == name; }),
          text("unknown measure '", name, "'"), "", advice_for(name));
  const measures::SelectionRule rule = measures::parse_selection_rule(word);
  const auto& all = cell_measures();
  require(std::find(all.begin(), all.end(), rule.measure) != all.end(),
          text("a cell cannot be selected by ", rule.measure->name), "a cell has no such measure", advice_for(""));
  return rule;
}

std::vector<double> class_scores(svm::Multiclass multiclass, int classes, const Matrix<const double>& decision,
                                 std::size_t first_row, std::size_t samples) {
  const bool pairs = multiclass == svm::Multiclass::one_vs_one;
  std::vector<double> score;
  if (classes == 2) {
    // The only pair votes for its first class.
    const double sign = pairs ? -1 : 1;
    for (std::size_t i = 0; i < samples; ++i) score.push_back(sign * decision(first_row + (pairs ? 0 : 1), i));
    return score;
  }
  const auto columns = static_cast<std::size_t>(classes);
  score.assign(samples * columns, 0);
  if (!pairs) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < samples; ++i) score[i * columns + c] = decision(first_row + c, i);
    }
    return score;
  }
  const auto pair = svm::class_pairs(classes);
  std::vector<double> sum(columns);
  for (std::size_t i = 0; i < samples; ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t p = 0; p < pair.size(); ++p) {
      const double f = decision(first_row + p, i);
      const auto a = static_cast<std::size_t>(pair[p].first), b = static_cast<std::size_t>(pair[p].second);
      score[i * columns + (f > 0 ? a : b)] += 1;
      sum[a] += f;
      sum[b] -= f;
    }
    for (std::size_t c = 0; c < columns; ++c) score[i * columns + c] += sum[c] / (3 * (std::abs(sum[c]) + 1));
  }
  return score;
}

void add_cell_measures(FoldResult& result, svm::Multiclass multiclass, int classes, const HeldOut& held,
                       const Matrix<const int>& choice, const Matrix<const double>& decision) {
  const std::size_t cs = choice.extent(0), samples = held.truth.size();
  const std::size_t problems = cs == 0 ? 0 : decision.extent(0) / cs, columns = static_cast<std::size_t>(classes);
  const auto finite = [&](std::size_t c) {
    for (std::size_t p = c * problems; p < (c + 1) * problems; ++p) {
      for (std::size_t i = 0; i < samples; ++i) {
        if (!std::isfinite(decision(p, i))) return false;
      }
    }
    return true;
  };
  for (std::size_t c = 0; c < cs; ++c) {
    if (!finite(c)) {
      result.wrong.at(c) = -1;
      result.pairs.push_back(0);
      for (const measures::MeasureKind* kind : cell_measures()) {
        if (kind->needs == measures::MeasureNeeds::scores) result.score.push_back(not_a_number);
      }
      continue;
    }
    std::vector<std::int32_t> count(columns * columns, 0);
    std::vector<double> weight(columns * columns, 0);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t at = static_cast<std::size_t>(held.truth[i]) * columns + static_cast<std::size_t>(choice(c, i));
      ++count[at];
      if (!held.weight.empty()) weight[at] += held.weight[i];
    }
    std::int32_t pairs = 0;
    for (std::size_t at = 0; at < count.size(); ++at) {
      if (count[at] == 0) continue;
      ++pairs;
      result.truth.push_back(static_cast<std::int32_t>(at / columns));
      result.choice.push_back(static_cast<std::int32_t>(at % columns));
      result.count.push_back(count[at]);
      if (!held.weight.empty()) result.weight.push_back(weight[at]);
    }
    result.pairs.push_back(pairs);
    const std::vector<double> score = class_scores(multiclass, classes, decision, c * problems, samples);
    const bool ordered = std::none_of(score.begin(), score.end(), [](double s) { return std::isnan(s); });
    const measures::Predicted predicted{.classes = classes, .truth = held.truth, .score = score, .weight = held.weight};
    for (const measures::MeasureKind* kind : cell_measures()) {
      if (kind->needs != measures::MeasureNeeds::scores) continue;
      result.score.push_back(ordered ? measures::measure(*kind, predicted) : not_a_number);
    }
  }
}

measures::Confusion confusion_of(const FoldResult& result, std::size_t c, int classes) {
  const auto columns = static_cast<std::size_t>(classes);
  measures::Confusion confusion{classes, std::vector<double>(columns * columns, 0)};
  std::size_t at = 0;
  for (std::size_t before = 0; before < c && before < result.pairs.size(); ++before) {
    at += static_cast<std::size_t>(result.pairs[before]);
  }
  for (std::int32_t k = 0; c < result.pairs.size() && k < result.pairs[c]; ++k, ++at) {
    confusion.weight.at(static_cast<std::size_t>(result.truth.at(at)) * columns +
                        static_cast<std::size_t>(result.choice.at(at))) = result.count.at(at);
  }
  return confusion;
}

std::vector<double> values_of(const measures::MeasureKind& kind, const FoldResult& result, int classes) {
  const std::size_t cs = result.wrong.size();
  std::vector<double> values(cs, not_a_number);
  const bool weighted = !result.weight.empty();
  if (kind.name == "error" && !weighted) {
    for (std::size_t c = 0; c < cs; ++c) {
      if (result.wrong[c] >= 0) values[c] = static_cast<double>(result.wrong[c]) / result.held;
    }
    return values;
  }
  if (result.pairs.size() != cs) return values;
  const auto of_one_class = [&](std::int32_t truth) { return truth == result.truth.front(); };
  if (kind.name != "error" && std::all_of(result.truth.begin(), result.truth.end(), of_one_class)) return values;
  std::size_t scores = 0, place = 0;
  for (const measures::MeasureKind* one : cell_measures()) {
    if (one == &kind) place = scores;
    if (one->needs == measures::MeasureNeeds::scores) ++scores;
  }
  std::size_t at = 0;
  for (std::size_t c = 0; c < cs; ++c) {
    const auto pairs = static_cast<std::size_t>(result.pairs[c]);
    if (result.wrong[c] < 0) continue;  // it has no pairs
    if (kind.needs == measures::MeasureNeeds::scores) {
      values[c] = result.score.at(c * scores + place);
    } else {
      // Each pair of classes is a sample whose weight is its count, or the sum of its samples' weights.
      const std::vector<double> weight = weighted ? std::vector<double>(&result.weight[at], &result.weight[at] + pairs)
                                                  : std::vector<double>(&result.count[at], &result.count[at] + pairs);
      values[c] = measures::measure(kind, {.classes = classes,
                                           .truth = {&result.truth[at], pairs},
                                           .choice = {&result.choice[at], pairs},
                                           .weight = weight});
    }
    at += pairs;
  }
  return values;
}

std::vector<int> measured_folds(const std::vector<double>& error, const std::vector<double>& value, int folds) {
  std::vector<int> measured;
  for (int f = 0; f < folds; ++f) {
    bool computed = false, has_value = false;
    for (std::size_t at = static_cast<std::size_t>(f); at < value.size(); at += static_cast<std::size_t>(folds)) {
      computed = computed || !std::isnan(error[at]);
      has_value = has_value || !std::isnan(value[at]);
    }
    if (has_value || !computed) measured.push_back(f);
  }
  return measured;
}

double mean_at(const std::vector<double>& value, int cell, int folds, const std::vector<int>& over) {
  double sum = 0;
  for (const int f : over) sum += value[static_cast<std::size_t>(cell) * folds + f];
  return sum / static_cast<double>(over.size());
}

std::optional<measures::CellChoice> choose_cell(const std::vector<double>& error, const std::vector<double>& value,
                                                int folds, measures::Better better,
                                                const std::vector<int>& preference) {
  const std::vector<int> measured = measured_folds(error, value, folds);
  if (measured.empty()) return std::nullopt;
  std::vector<double> kept;
  for (std::size_t cell = 0; cell < preference.size(); ++cell) {
    for (const int f : measured) kept.push_back(value[cell * static_cast<std::size_t>(folds) + f]);
  }
  return measures::choose_cell(kept, static_cast<int>(measured.size()), better, preference);
}

std::optional<measures::CellChoice> choose_cell(const std::vector<double>& error, const std::vector<double>& value,
                                                int gammas, int cs, int folds, measures::Better better) {
  std::vector<int> preference;
  for (int c = 0; c < cs; ++c) {
    for (int g = 0; g < gammas; ++g) preference.push_back(g * cs + c);
  }
  return choose_cell(error, value, folds, better, preference);
}

}  // namespace krossfold::studies
