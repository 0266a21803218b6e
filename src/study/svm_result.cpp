// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_result.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/run_attributes.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_study.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

struct Grid {
  std::size_t gammas, cs, folds, classes, problems;
  std::size_t unit(const Record& r) const { return static_cast<std::size_t>(r.key.index[0]) * folds + r.key.index[1]; }
  std::size_t cell(std::size_t g, std::size_t c, std::size_t f) const { return (g * cs + c) * folds + f; }
};

/// The dataset that names the binary problems: the classes of one-vs-rest, the pairs of one-vs-one.
std::string problem_scale(const SvmSearch& search) {
  return search.multiclass == svm::Multiclass::one_vs_rest ? field::class_name.path : field::pair_name.path;
}

/// Everything of the (gamma, fold) units.
void add_search(storage::Container& content, const SvmSearch& search, const std::vector<Record>& records,
                const SvmStudy& study, const Grid& grid) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t units = grid.gammas * grid.folds, fits = units * grid.cs * grid.problems;
  std::vector<double> seconds(units, nan), started(units, nan), objective(fits, nan), violation(fits, nan);
  std::vector<std::int32_t> rank(units, -1), status(units, 0), converged(fits, 0), support(fits, 0);
  std::vector<std::int64_t> iterations(fits, 0);
  std::vector<std::string> reason(units);
  for (const Record& record : records) {
    if (record.key.kind != svm_unit_fold) continue;
    const std::size_t u = grid.unit(record), g = record.key.index[0], f = record.key.index[1];
    seconds[u] = record.seconds;
    started[u] = record.started;
    rank[u] = record.rank;
    status[u] = static_cast<std::int32_t>(record.status);
    reason[u] = record.reason;
    if (record.status != Status::done) continue;
    const FoldResult result = FoldResult::from_bytes(record.payload);
    for (std::size_t c = 0; c < grid.cs; ++c) {
      for (std::size_t k = 0; k < grid.problems; ++k) {
        const svm::FitSummary& fit = result.fit[c * grid.problems + k];
        const std::size_t at = grid.cell(g, c, f) * grid.problems + k;
        objective[at] = fit.dual_objective;
        violation[at] = fit.violation;
        converged[at] = fit.converged;
        support[at] = fit.support;
        iterations[at] = fit.iterations;
      }
    }
  }
  const std::string gamma = field::search_gamma.path, c = field::search_c.path, fold = "/search/fold",
                    problem = problem_scale(search);
  std::vector<std::int32_t> fold_number(grid.folds);
  for (std::size_t f = 0; f < grid.folds; ++f) fold_number[f] = static_cast<std::int32_t>(f);
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::search_gamma, {grid.gammas}, search.gamma));
  arrays.push_back(make_array(field::search_c, {grid.cs}, search.c));
  arrays.push_back(make_array(field::search_fold, {grid.folds}, fold_number));
  arrays.push_back(make_array(field::fold_error, {grid.gammas, grid.cs, grid.folds}, study.rounds()[0].fold_error,
                              {gamma, c, fold}));
  const std::vector<std::uint64_t> by_unit{grid.gammas, grid.folds};
  arrays.push_back(make_array(field::unit_seconds, by_unit, seconds, {gamma, fold}));
  arrays.push_back(make_array(field::unit_rank, by_unit, rank, {gamma, fold}));
  arrays.push_back(make_array(field::unit_started, by_unit, started, {gamma, fold}));
  arrays.push_back(make_array(field::unit_status, by_unit, status, {gamma, fold}));
  arrays.push_back(make_array(field::unit_reason, by_unit, reason, {gamma, fold}));
  const std::vector<std::uint64_t> by_fit{grid.gammas, grid.cs, grid.folds, grid.problems};
  const std::vector<std::string> scales{gamma, c, fold, problem};
  arrays.push_back(make_array(field::fit_iterations, by_fit, iterations, scales));
  arrays.push_back(make_array(field::fit_converged, by_fit, converged, scales));
  arrays.push_back(make_array(field::fit_dual_objective, by_fit, objective, scales));
  arrays.push_back(make_array(field::fit_kkt_violation, by_fit, violation, scales));
  arrays.push_back(make_array(field::fit_n_support, by_fit, support, scales));
}

/// Everything of the rounds of --refine begun so far.
void add_rounds(storage::Container& content, const std::vector<Record>& records, const SvmStudy& study,
                const Grid& grid) {
  const int rounds = static_cast<int>(study.rounds().size());
  std::vector<std::vector<std::int32_t>> not_converged;
  std::vector<std::vector<double>> seconds;  // (gamma, fold)
  for (const SearchRound& round : study.rounds()) {
    not_converged.emplace_back(round.fold_error.size(), 0);
    seconds.emplace_back(round.gamma.size() * grid.folds, std::numeric_limits<double>::quiet_NaN());
  }
  int units = 0, failed = 0;
  std::string reason;
  for (const Record& record : records) {
    if (record.key.kind != svm_unit_refine || record.key.index[0] >= rounds) continue;
    ++units;
    const std::size_t r = record.key.index[0], g = record.key.index[1], f = record.key.index[2];
    seconds[r][g * grid.folds + f] = record.seconds;
    if (record.status != Status::done) {
      if (failed++ == 0) reason = record.reason;
      continue;
    }
    const FoldResult result = FoldResult::from_bytes(record.payload);
    for (std::size_t k = 0; k < result.fit.size(); ++k) {
      const std::size_t cell = (g * result.wrong.size() + k / grid.problems) * grid.folds + f;
      not_converged[r][cell] += result.fit[k].converged == 0 ? 1 : 0;
    }
  }
  if (failed > 0) {
    content.attributes["refine_failed"] = text(failed, " of ", units, " units, the first with: ", reason);
  }
  for (int r = 1; r < rounds; ++r) {
    const SearchRound& round = study.rounds()[r];
    const std::vector<std::string> scales{refined_path(field::search_gamma, r), refined_path(field::search_c, r),
                                          field::search_fold.path};
    const auto add = [&](const storage::Field& name, std::vector<std::uint64_t> shape, storage::Values values,
                         std::vector<std::string> of) {
      content.arrays.push_back(make_array(name, std::move(shape), std::move(values), std::move(of)));
      content.arrays.back().path = refined_path(name, r);
    };
    const std::vector<std::uint64_t> shape{round.gamma.size(), round.c.size(), grid.folds};
    add(field::search_gamma, {round.gamma.size()}, round.gamma, {});
    add(field::search_c, {round.c.size()}, round.c, {});
    add(field::fold_error, shape, round.fold_error, scales);
    add(field::not_converged, shape, not_converged[r], scales);
    add(field::unit_seconds, {round.gamma.size(), grid.folds}, seconds[r], {scales[0], scales[2]});
  }
}

void add_best(storage::Container& content, const SearchRound& round, const Cell& best) {
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::best_round, {}, std::vector<std::int32_t>{best.round}));
  arrays.push_back(make_array(field::best_gamma_index, {}, std::vector<std::int32_t>{best.gamma}));
  arrays.push_back(make_array(field::best_c_index, {}, std::vector<std::int32_t>{best.c}));
  arrays.push_back(make_array(field::best_gamma, {}, std::vector<double>{round.gamma[best.gamma]}));
  arrays.push_back(make_array(field::best_c, {}, std::vector<double>{round.c[best.c]}));
  arrays.push_back(make_array(field::best_error, {}, std::vector<double>{best.error}));
}

void add_calibration(storage::Container& content, const SvmSearch& search, const Calibration& calibration) {
  std::vector<double> a, b;
  for (const svm::Sigmoid& sigmoid : calibration.sigmoid) {
    a.push_back(sigmoid.a);
    b.push_back(sigmoid.b);
  }
  auto& arrays = content.arrays;
  const std::string problem = problem_scale(search);
  arrays.push_back(make_array(field::probability_a, {a.size()}, a, {problem}));
  arrays.push_back(make_array(field::probability_b, {b.size()}, b, {problem}));
  arrays.push_back(make_array(field::probability_log_loss, {}, std::vector<double>{calibration.log_loss}));
  arrays.push_back(make_array(field::probability_brier, {}, std::vector<double>{calibration.brier}));
}

/// The times of the calibration of the best cell.
void add_calibration_times(storage::Container& content, const std::vector<Record>& records, const SearchRound& round,
                           const Cell& best, const Grid& grid) {
  std::vector<double> seconds(grid.folds, std::numeric_limits<double>::quiet_NaN());
  bool any = false;
  const int cell = best.gamma * static_cast<int>(round.c.size()) + best.c;
  for (const Record& record : records) {
    const auto& [r, of_cell, fold] = record.key.index;
    if (record.key.kind != svm_unit_calibrate || r != best.round || of_cell != cell) continue;
    seconds[static_cast<std::size_t>(fold)] = record.seconds;
    any = true;
  }
  if (any)
    content.arrays.push_back(make_array(field::probability_seconds, {grid.folds}, seconds, {field::search_fold.path}));
}

void add_refit(storage::Container& content, const SvmSearch& search, const data::Task& task, const Record& record,
               const Grid& grid) {
  const RefitResult result = RefitResult::from_bytes(record.payload);
  content.attributes["model"] = result.model_name;
  content.attributes["model_size"] = static_cast<std::int64_t>(result.model_size);
  content.attributes["model_checksum"] = text(std::hex, result.model_checksum);
  content.attributes["refit_seconds"] = record.seconds;
  std::vector<std::int32_t> converged, support;
  for (const svm::FitSummary& fit : result.fit) {
    converged.push_back(fit.converged);
    support.push_back(fit.support);
  }
  const std::string cls = field::class_name.path;
  content.arrays.push_back(make_array(field::refit_converged, {grid.problems}, converged, {problem_scale(search)}));
  content.arrays.push_back(make_array(field::refit_n_support, {grid.problems}, support, {problem_scale(search)}));
  const auto n = static_cast<std::size_t>(task.test.size());
  if (n == 0) return;
  std::vector<std::int32_t> label(n), confusion(grid.classes * grid.classes, 0);
  for (std::size_t i = 0; i < n; ++i) {
    label[i] = task.test.label(i);
    ++confusion[static_cast<std::size_t>(label[i]) * grid.classes + static_cast<std::size_t>(result.prediction[i])];
  }
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::test_error, {},
                              std::vector<double>{static_cast<double>(result.wrong) / static_cast<double>(n)}));
  arrays.push_back(make_array(field::test_label, {n}, label));
  arrays.push_back(make_array(field::test_prediction, {n}, std::vector<std::int32_t>(result.prediction)));
  arrays.push_back(make_array(field::test_confusion, {grid.classes, grid.classes}, confusion, {cls, cls}));
}

}  // namespace

storage::Container make_svm_result(const SvmSearch& search, const data::Task& task, const std::vector<Record>& records,
                                   const RunFacts& facts) {
  const Grid grid{search.gamma.size(), search.c.size(), static_cast<std::size_t>(search.folds.folds()),
                  static_cast<std::size_t>(search.classes), static_cast<std::size_t>(search.problems)};
  storage::Container content;
  add_run_attributes(content, {"svm", to_json(options_of(search.params)), search.params.seed, search.params.fold_kind},
                     task, facts);
  content.arrays.push_back(make_array(field::class_name, {grid.classes}, task.train.class_name));
  if (search.multiclass == svm::Multiclass::one_vs_one) {
    content.arrays.push_back(
        make_array(field::pair_name, {grid.problems}, svm::problem_names(search.multiclass, task.train.class_name)));
  }
  SvmStudy study(search, task.train.label);
  for (const Record& record : records) study.on_record(record);
  add_search(content, search, records, study, grid);
  add_rounds(content, records, study, grid);
  const auto best = study.best();
  if (best) add_best(content, study.rounds()[best->round], *best);
  if (best) add_calibration_times(content, records, study.rounds()[best->round], *best, grid);
  if (study.calibration()) add_calibration(content, search, *study.calibration());
  if (!study.calibration_failed().empty()) content.attributes["probability_failed"] = study.calibration_failed();
  for (const Record& record : records) {
    // A refit elsewhere is from before failed units were computed again.
    if (!best || record.key != UnitKey{svm_unit_refit, {best->gamma, best->c, best->round}}) continue;
    if (record.status == Status::done) {
      add_refit(content, search, task, record, grid);
    } else {
      content.attributes["refit_failed"] = record.reason;
    }
  }
  return content;
}

}  // namespace krossfold::study
