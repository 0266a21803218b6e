// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <iomanip>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "krossfold/study/bag_report.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

void print_networks(std::ostream& out, const BagReport& r) {
  const auto cell = [&out](int width, const std::string& value) { out << std::setw(width) << value; };
  const auto row = [&](const std::vector<std::string>& values) {
    const int width[] = {11, 7, 10, 8, 8, 11, 10, 8, 12, 12, 9};
    for (std::size_t k = 0; k < values.size(); ++k) cell(width[k], values[k]);
    out << "\n";
  };
  out << "\n";
  row({"bootstrap", "trial", "channels", "kernel", "hidden", "rate", "momentum", "epochs", "validation", "out of bag",
       "test"});
  for (std::size_t b = 0; b < r.network.size(); ++b) {
    const NetworkReport& one = r.network[b];
    if (one.trial < 0) continue;
    row({text(b), text(one.trial), text(one.channels), text(one.kernel), text(one.hidden), rounded(one.rate),
         rounded(one.momentum), text(one.epochs), percent(one.validation_error), percent(one.out_of_bag_error),
         percent(one.test_error)});
  }
}

void print_ensemble(std::ostream& out, const BagReport& r) {
  out << "\n  test error   single networks " << percent(r.mean_error) << " on average, " << percent(r.best_error)
      << " the best\n";
  for (std::size_t k = 0; k < r.rule.size(); ++k) {
    out << "               " << r.rule[k] << " " << percent(r.error[k]) << " ("
        << std::lround(r.error[k] * r.test_samples) << " of " << r.test_samples << " wrong)\n";
  }
  out << "  calibration  negative log likelihood " << rounded(r.nll) << ", Brier score " << rounded(r.brier)
      << ", expected calibration error " << percent(r.ece) << "\n";
  if (r.ood.empty()) return;
  out << "  out of distribution: area under the ROC curve, and in brackets the share that 95 % of the test samples "
         "would "
         "hide\n";
  out << std::setw(25) << "";
  for (const std::string& score : r.score) out << std::setw(24) << score;
  out << "\n";
  for (const OodReport& set : r.ood) {
    out << "  " << std::setw(23) << std::left << text(set.name, " (", set.count, ")") << std::right;
    for (std::size_t s = 0; s < r.score.size(); ++s) {
      out << std::setw(24) << text(rounded(set.auroc[s]), " (", percent(set.kept[s]), ")");
    }
    out << "\n";
  }
}

}  // namespace

std::string bag_report_text(const BagReport& r) {
  std::ostringstream out;
  out << r.name << ": bagged networks on " << r.data << ", " << r.train_samples << " training and " << r.test_samples
      << " test samples, " << r.features << " pixels, " << r.classes << " classes\n";
  out << "  status       " << (r.status == "running" ? "running, or killed" : r.status) << ": "
      << r.units_done + r.units_failed + r.units_pruned << " of " << r.units << " units, " << r.units_failed
      << " failed";
  if (r.units_pruned > 0) out << ", " << r.units_pruned << " pruned";
  out << "; " << r.trainings_diverged << " trainings diverged\n";
  out << "  search       " << r.bootstraps << " bootstraps x " << r.trials << " trials x " << r.folds << " "
      << r.fold_kind << " folds, then a final fit in each bootstrap\n";
  print_networks(out, r);
  if (r.has_ensemble) print_ensemble(out, r);
  out << "  time         " << duration_text(r.seconds) << " on " << r.ranks << (r.ranks == 1 ? " rank" : " ranks");
  if (r.utilisation > 0) out << ", " << std::lround(100 * r.utilisation) << " % of the last run computing";
  out << "\n";
  for (const std::string& warning : r.warnings) out << "  warning: " << warning << "\n";
  return out.str();
}

}  // namespace krossfold::study
