// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/measures.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/measures/confusion.hpp"
#include "krossfold/measures/probability_measures.hpp"
#include "krossfold/measures/score_measures.hpp"
#include "sample_sums.hpp"

namespace krossfold::measures {
namespace {

Confusion confusion_of(const Predicted& of) { return confusion(of.truth, of.choice, of.classes, of.weight); }

using Binary = double(std::span<const int>, std::span<const double>, std::span<const double>, int);
using Multiclass = OneVsRest(std::span<const int>, std::span<const double>, int, std::span<const double>);

double of_scores(Binary* binary, Multiclass* multiclass, const Predicted& of) {
  const std::span<const double> score = of.score.empty() ? of.probability : of.score;
  if (of.classes != 2) return multiclass(of.truth, score, of.classes, of.weight).macro;
  check_labels("the class", of.truth, 2);
  if (score.size() == of.truth.size()) return binary(of.truth, score, of.weight, 1);
  check_length("the scores", score.size(), of.truth.size(), 2);
  std::vector<double> of_class_1;
  for (std::size_t i = 1; i < score.size(); i += 2) of_class_1.push_back(score[i]);
  return binary(of.truth, of_class_1, of.weight, 1);
}

}  // namespace

const std::vector<MeasureKind>& measure_kinds() {
  static const std::vector<MeasureKind> kinds = {
      {"error", Better::lower, MeasureNeeds::labels, 0, 1, "fraction misclassified",
       [](const Predicted& of) { return error_rate(confusion_of(of)); }},
      {"balanced-error", Better::lower, MeasureNeeds::labels, 0, 1,
       "mean over the classes of the fraction misclassified",
       [](const Predicted& of) { return balanced_error(confusion_of(of)); }},
      {"f1-macro", Better::higher, MeasureNeeds::labels, 0, 1, "mean over the classes of F1",
       [](const Predicted& of) { return macro_measures(confusion_of(of)).f1; }},
      {"precision-macro", Better::higher, MeasureNeeds::labels, 0, 1, "mean over the classes of the precision",
       [](const Predicted& of) { return macro_measures(confusion_of(of)).precision; }},
      {"recall-macro", Better::higher, MeasureNeeds::labels, 0, 1, "mean over the classes of the recall",
       [](const Predicted& of) { return macro_measures(confusion_of(of)).recall; }},
      {"mcc", Better::higher, MeasureNeeds::labels, -1, 1, "Matthews' correlation coefficient",
       [](const Predicted& of) { return matthews_correlation(confusion_of(of)); }},
      {"roc-auc", Better::higher, MeasureNeeds::scores, 0, 1,
       "area under the ROC curve; of more than two classes the mean over each against the rest",
       [](const Predicted& of) { return of_scores(roc_auc, one_vs_rest_roc_auc, of); }},
      {"average-precision", Better::higher, MeasureNeeds::scores, 0, 1,
       "average precision; of more than two classes the mean over each against the rest",
       [](const Predicted& of) { return of_scores(average_precision, one_vs_rest_average_precision, of); }},
      {"log-loss", Better::lower, MeasureNeeds::probabilities, 0, 52 * 0.693147180559945309,
       "mean of -log of the probability of the true class",
       [](const Predicted& of) { return log_loss(of.truth, of.probability, of.classes, of.weight); }},
      {"brier", Better::lower, MeasureNeeds::probabilities, 0, 2, "Brier score, summed over the classes",
       [](const Predicted& of) { return brier_score(of.truth, of.probability, of.classes, of.weight); }},
  };
  return kinds;
}

const MeasureKind& parse_measure(const std::string& word) {
  std::vector<std::string> names;
  std::string all;
  for (const MeasureKind& kind : measure_kinds()) {
    if (kind.name == word) return kind;
    all += (names.empty() ? "use one of " : ", ") + kind.name;
    names.push_back(kind.name);
  }
  const std::string nearest = nearest_word(word, names);
  throw_input_error(text("unknown measure '", word, "'"), "",
                    nearest.empty() ? all : text("Did you mean ", nearest, "?"));
}

double measure(const MeasureKind& kind, const Predicted& predicted) {
  if (predicted.truth.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto need = [&](bool there, const char* what) {
    if (!there) throw_run_error(text("the measure ", kind.name, " needs ", what), "there are none");
  };
  switch (kind.needs) {
    case MeasureNeeds::labels:
      need(!predicted.choice.empty(), "predicted classes");
      break;
    case MeasureNeeds::scores:
      need(!predicted.score.empty() || !predicted.probability.empty(), "scores");
      break;
    case MeasureNeeds::probabilities:
      need(!predicted.probability.empty(), "probabilities");
      break;
  }
  return kind.value(predicted);
}

}  // namespace krossfold::measures
