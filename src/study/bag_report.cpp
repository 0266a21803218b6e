// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/report.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;
using Shape = std::vector<std::uint64_t>;

/// A result file may come from a stranger: everything below relies on these shapes and types. Throws an input error.
class Checked {
public:
  Checked(const storage::Container& result, const std::string& name) : result_(result), name_(name) {}

  void require(bool right, const std::string& what) const {
    if (!right) throw_input_error(text(name_, " is not a usable result file"), what, "Was it written by Krossfold?");
  }
  Shape shape(const storage::Field& field, std::size_t rank) const {
    require(result_.has(field.path), text(field.path, " is missing"));
    require(result_.at(field.path).shape.size() == rank, text(field.path, " has another number of dimensions"));
    return result_.at(field.path).shape;
  }
  template <class T>
  const std::vector<T>& values(const storage::Field& field, const Shape& expected) const {
    require(shape(field, expected.size()) == expected, text(field.path, " does not fit the study"));
    require(std::holds_alternative<std::vector<T>>(result_.at(field.path).values),
            text(field.path, " has another type"));
    return result_.values<T>(field.path);
  }
  double one(const storage::Field& field) const { return values<double>(field, {})[0]; }

private:
  const storage::Container& result_;
  const std::string& name_;
};

struct Sizes {
  std::uint64_t bootstraps, trials, folds;
};

Sizes sizes_of(const Checked& file) {
  const Shape shape = file.shape(field::fold_error, 3);
  return {shape[0], shape[1], shape[2]};
}

void count_units(BagReport& report, const Checked& file, const Sizes& n) {
  const Shape by_unit{n.bootstraps, n.trials, n.folds};
  std::map<std::string, int> reasons;
  const auto count = [&](const storage::Field& statuses, const storage::Field& divergences,
                         const storage::Field& reason, const storage::Field& times, const Shape& shape) {
    const auto& status = file.values<std::int32_t>(statuses, shape);
    const auto& diverged = file.values<std::int32_t>(divergences, shape);
    const auto& why = file.values<std::string>(reason, shape);
    const auto& seconds = file.values<double>(times, shape);
    for (std::size_t u = 0; u < status.size(); ++u) {
      ++report.units;
      report.units_done += status[u] == 1 ? 1 : 0;
      report.units_failed += status[u] == 2 ? 1 : 0;
      report.units_pruned += status[u] == 3 ? 1 : 0;
      report.trainings_diverged += diverged[u] != 0 ? 1 : 0;
      report.unit_seconds += std::isnan(seconds[u]) ? 0 : seconds[u];
      if (status[u] == 2) ++reasons[why[u]];
    }
  };
  count(field::unit_status, field::fit_diverged, field::unit_reason, field::unit_seconds, by_unit);
  count(field::final_status, field::final_diverged, field::final_reason, field::final_seconds, {n.bootstraps});
  for (const auto& [reason, times] : reasons) {
    report.warnings.push_back(text(times, " of ", report.units, " units failed: ", reason));
  }
}

void describe_networks(BagReport& report, const storage::Container& result, const Checked& file, const Sizes& n) {
  const Shape by_trial{n.bootstraps, n.trials}, by_bootstrap{n.bootstraps};
  const auto& trial = file.values<std::int32_t>(field::final_trial, by_bootstrap);
  const auto& channels = file.values<std::int32_t>(field::search_channels, by_trial);
  const auto& kernel = file.values<std::int32_t>(field::search_kernel, by_trial);
  const auto& hidden = file.values<std::int32_t>(field::search_hidden, by_trial);
  const auto& rate = file.values<double>(field::search_rate, by_trial);
  const auto& momentum = file.values<double>(field::search_momentum, by_trial);
  const std::uint64_t epochs = file.shape(field::final_epoch_loss, 2)[1];
  const auto& loss = file.values<double>(field::final_epoch_loss, {n.bootstraps, epochs});
  const auto& model = file.values<std::string>(field::final_model, by_bootstrap);
  const auto& reason = file.values<std::string>(field::final_reason, by_bootstrap);
  const auto number = [&](const storage::Field& of, std::size_t b) {
    return result.has(of.path) ? file.values<double>(of, by_bootstrap)[b] : std::nan("");
  };
  for (std::size_t b = 0; b < n.bootstraps; ++b) {
    NetworkReport one;
    one.trial = trial[b];
    file.require(one.trial >= -1 && one.trial < static_cast<std::int64_t>(n.trials), "there is no such trial");
    one.validation_error = number(field::final_validation_error, b);
    one.out_of_bag_error = number(field::final_out_of_bag_error, b);
    one.test_error = number(field::final_test_error, b);
    one.nll = number(field::final_nll, b);
    one.brier = number(field::final_brier, b);
    one.ece = number(field::final_ece, b);
    if (one.trial >= 0) {
      const std::size_t at = b * n.trials + static_cast<std::size_t>(one.trial);
      one.channels = channels[at];
      one.kernel = kernel[at];
      one.hidden = hidden[at];
      one.rate = rate[at];
      one.momentum = momentum[at];
    }
    const double* first = loss.data() + b * epochs;
    one.epochs = static_cast<int>(std::count_if(first, first + epochs, [](double l) { return !std::isnan(l); }));
    if (!model[b].empty()) one.model = storage::models_folder(report.name) + "/" + model[b];
    one.reason = reason[b];
    if (!one.reason.empty()) {
      report.warnings.push_back(text("bootstrap ", b, " has no network: ", one.reason));
    } else if (one.trial < 0 && report.status == "finished") {
      report.warnings.push_back(text("bootstrap ", b, " has no network: all its trials diverged or failed"));
    }
    report.network.push_back(one);
  }
}

void describe_ensemble(BagReport& report, const storage::Container& result, const Checked& file) {
  report.has_ensemble = result.has(field::ensemble_error.path);
  if (!report.has_ensemble) return;
  const std::uint64_t rules = file.shape(field::ensemble_rule, 1)[0];
  report.rule = file.values<std::string>(field::ensemble_rule, {rules});
  report.error = file.values<double>(field::ensemble_error, {rules});
  report.nll = file.one(field::ensemble_nll);
  report.brier = file.one(field::ensemble_brier);
  report.ece = file.one(field::ensemble_ece);
  int networks = 0;
  report.best_error = 1;
  for (const NetworkReport& one : report.network) {
    if (std::isnan(one.test_error)) continue;
    ++networks;
    report.mean_error += one.test_error;
    report.best_error = std::min(report.best_error, one.test_error);
  }
  report.mean_error /= std::max(1, networks);
  if (!result.has(field::ood_auroc.path)) return;
  const std::uint64_t sets = file.shape(field::ood_name, 1)[0], scores = file.shape(field::ood_score, 1)[0];
  const auto& name = file.values<std::string>(field::ood_name, {sets});
  const auto& count = file.values<std::int32_t>(field::ood_count, {sets});
  const auto& auroc = file.values<double>(field::ood_auroc, {sets, scores});
  const auto& kept = file.values<double>(field::ood_kept, {sets, scores});
  report.score = file.values<std::string>(field::ood_score, {scores});
  for (std::size_t k = 0; k < sets; ++k) {
    const auto row = [&](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(k * scores),
                                 all.begin() + static_cast<std::ptrdiff_t>((k + 1) * scores));
    };
    report.ood.push_back({name[k], count[k], row(auroc), row(kept)});
  }
}

}  // namespace

BagReport make_bag_report(const storage::Container& result, const std::string& name) {
  const Checked file(result, name);
  const Sizes n = sizes_of(file);
  BagReport report;
  set_common(report, result, name);
  report.classes = static_cast<int>(file.shape(field::class_name, 1)[0]);
  report.bootstraps = static_cast<int>(n.bootstraps);
  report.trials = static_cast<int>(n.trials);
  report.folds = static_cast<int>(n.folds);
  count_units(report, file, n);
  describe_networks(report, result, file, n);
  describe_ensemble(report, result, file);
  set_utilisation(report, result);
  return report;
}

std::string bag_csv_rows(const storage::Container& result, const std::string& name) {
  const Checked file(result, name);
  const Sizes n = sizes_of(file);
  const Shape by_unit{n.bootstraps, n.trials, n.folds}, by_trial{n.bootstraps, n.trials};
  const auto& channels = file.values<std::int32_t>(field::search_channels, by_trial);
  const auto& kernel = file.values<std::int32_t>(field::search_kernel, by_trial);
  const auto& hidden = file.values<std::int32_t>(field::search_hidden, by_trial);
  const auto& rate = file.values<double>(field::search_rate, by_trial);
  const auto& momentum = file.values<double>(field::search_momentum, by_trial);
  const auto& error = file.values<double>(field::fold_error, by_unit);
  const auto& epochs = file.values<std::int32_t>(field::fit_epochs, by_unit);
  const auto& loss = file.values<double>(field::fit_loss, by_unit);
  const auto& diverged = file.values<std::int32_t>(field::fit_diverged, by_unit);
  const auto& seconds = file.values<double>(field::unit_seconds, by_unit);
  const auto& status = file.values<std::int32_t>(field::unit_status, by_unit);
  const std::string quoted = csv_field(name);
  const char* const names[] = {"missing", "done", "failed", "pruned"};
  std::string lines;
  for (std::size_t u = 0; u < error.size(); ++u) {
    const std::size_t at = u / n.folds;
    lines += text(quoted, ",", at / n.trials, ",", at % n.trials, ",", u % n.folds, ",", channels[at], ",", kernel[at],
                  ",", hidden[at], ",", shortest(rate[at]), ",", shortest(momentum[at]), ",", epochs[u], ",",
                  shortest(loss[u]), ",", shortest(error[u]), ",", shortest(seconds[u]), ",",
                  status[u] == 1 && diverged[u] != 0 ? "diverged" : names[std::clamp(status[u], 0, 3)], "\n");
  }
  return lines;
}

}  // namespace krossfold::study
