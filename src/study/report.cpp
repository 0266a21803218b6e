// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/report.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/svm_records.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

/// 0 in files from before there was --refine.
int best_round(const storage::Container& result) {
  return result.has(field::best_round.path) ? result.values<std::int32_t>(field::best_round.path)[0] : 0;
}

bool has_round(const storage::Container& result, int round) {
  return result.has(refined_path(field::fold_error, round));
}

/// A result file may come from a stranger: everything below relies on these shapes. Throws an input error.
void check_shapes(const storage::Container& result, const std::string& name) {
  const auto require = [&](bool right, const std::string& what) {
    if (!right) throw_input_error(text(name, " is not a usable result file"), what, "Was it written by Krossfold?");
  };
  const auto shape_at = [&](const std::string& path, std::size_t rank) {
    require(result.has(path), text(path, " is missing"));
    require(result.at(path).shape.size() == rank, text(path, " has another number of dimensions"));
    return result.at(path).shape;
  };
  const auto shape_of = [&](const storage::Field& field, std::size_t rank) { return shape_at(field.path, rank); };
  const std::uint64_t gammas = shape_of(field::search_gamma, 1)[0], cs = shape_of(field::search_c, 1)[0],
                      classes = shape_of(field::class_name, 1)[0], folds = shape_of(field::fold_error, 3)[2];
  using Shape = std::vector<std::uint64_t>;
  const auto expect = [&](const storage::Field& field, const Shape& shape) {
    require(shape_of(field, shape.size()) == shape, text(field.path, " does not fit the grid"));
  };
  expect(field::fold_error, {gammas, cs, folds});
  // One-vs-rest has a fit for each class, one-vs-one for each pair of classes.
  const std::uint64_t problems = result.has(field::pair_name.path) ? classes * (classes - 1) / 2 : classes;
  expect(field::fit_converged, {gammas, cs, folds, problems});
  for (const storage::Field& by_unit : {field::unit_status, field::unit_seconds, field::unit_reason}) {
    expect(by_unit, {gammas, folds});
  }
  if (result.has(field::test_error.path)) expect(field::test_error, {});
  if (result.has(field::probability_log_loss.path)) {
    for (const storage::Field& score : {field::probability_log_loss, field::probability_brier}) expect(score, {});
  }
  std::vector<Shape> grids{{gammas, cs, folds}};
  for (int r = 1; has_round(result, r); ++r) {
    grids.push_back({shape_at(refined_path(field::search_gamma, r), 1)[0],
                     shape_at(refined_path(field::search_c, r), 1)[0], folds});
    for (const storage::Field& by_cell : {field::fold_error, field::not_converged}) {
      const std::string path = refined_path(by_cell, r);
      require(shape_at(path, 3) == grids.back(), text(path, " does not fit its round"));
    }
  }
  if (!result.has(field::best_error.path)) return;
  for (const storage::Field& one : {field::best_error, field::best_c, field::best_gamma}) expect(one, {});
  if (result.has(field::best_round.path)) expect(field::best_round, {});
  const int round = best_round(result);
  require(round >= 0 && static_cast<std::size_t>(round) < grids.size(), "there is no round of its /best/round");
  for (const auto& [index, count] :
       {std::pair{field::best_gamma_index, grids[round][0]}, {field::best_c_index, grids[round][1]}}) {
    expect(index, {});
    const std::int32_t at = result.values<std::int32_t>(index.path)[0];
    require(at >= 0 && static_cast<std::uint64_t>(at) < count, text(index.path, " lies outside the grid"));
  }
}

void count_fits(Report& report, const storage::Container& result) {
  const auto& status = result.values<std::int32_t>(field::unit_status.path);
  const auto& converged = result.values<std::int32_t>(field::fit_converged.path);
  const std::size_t fits_of_cell = result.at(field::fit_converged.path).shape.at(3),
                    folds = static_cast<std::size_t>(report.folds), cs = static_cast<std::size_t>(report.cs);
  for (std::size_t u = 0; u < status.size(); ++u) {
    ++report.units;
    report.units_failed += status[u] == 2 ? 1 : 0;
    if (status[u] != 1) continue;
    ++report.units_done;
    for (std::size_t c = 0; c < cs; ++c) {
      const std::size_t cell = ((u / folds) * cs + c) * folds + u % folds;
      for (std::size_t k = 0; k < fits_of_cell; ++k) {
        ++report.fits;
        report.fits_not_converged += converged[cell * fits_of_cell + k] == 0 ? 1 : 0;
      }
    }
  }
}

void find_best(Report& report, const storage::Container& result) {
  report.has_best = result.has(field::best_error.path);
  if (!report.has_best) return;
  report.best_c = result.values<double>(field::best_c.path)[0];
  report.best_gamma = result.values<double>(field::best_gamma.path)[0];
  report.best_error = result.values<double>(field::best_error.path)[0];
  const int g = result.values<std::int32_t>(field::best_gamma_index.path)[0];
  const int c = result.values<std::int32_t>(field::best_c_index.path)[0];
  report.best_round = best_round(result);
  const std::string path =
      report.best_round == 0 ? field::fold_error.path : refined_path(field::fold_error, report.best_round);
  const auto& error = result.values<double>(path);
  const std::size_t first = (static_cast<std::size_t>(g) * result.at(path).shape[1] + c) * report.folds;
  double sum = 0;
  for (int f = 0; f < report.folds; ++f) sum += std::pow(error[first + f] - report.best_error, 2);
  report.best_spread = std::sqrt(sum / std::max(1, report.folds - 1));
  const auto edge = [&](const char* name, int at, int count, const char* option) {
    if (count > 1 && (at == 0 || at == count - 1)) {
      report.warnings.push_back(text("the best cell lies on the edge of the grid: ", name, " is the ",
                                     at == 0 ? "smallest" : "largest", " value searched; widen ", option));
    }
  };
  if (report.best_round == 0) {
    edge("C", c, report.cs, "--log10-c");
    edge("gamma", g, report.gammas, "--log10-gamma");
    return;
  }
  const auto beyond = [&](const char* name, double best, const storage::Field& axis, const char* option) {
    const auto& values = result.values<double>(axis.path);
    if (values.size() > 1 && (best <= values.front() || best >= values.back())) {
      report.warnings.push_back(
          text("the best cell lies at the edge of the grid or beyond it, in ", name, "; widen ", option));
    }
  };
  beyond("C", report.best_c, field::search_c, "--log10-c");
  beyond("gamma", report.best_gamma, field::search_gamma, "--log10-gamma");
}

/// The best cell of each round of --refine, and its fits that did not converge.
void find_rounds(Report& report, const storage::Container& result) {
  std::int64_t not_converged = 0;
  for (int r = 1; has_round(result, r); ++r) {
    const auto& gamma = result.values<double>(refined_path(field::search_gamma, r));
    const auto& c = result.values<double>(refined_path(field::search_c, r));
    const auto best = best_cell(result.values<double>(refined_path(field::fold_error, r)),
                                static_cast<int>(gamma.size()), static_cast<int>(c.size()), report.folds);
    RoundReport round;
    if (best) round = {true, c[best->c], gamma[best->gamma], best->error};
    report.rounds.push_back(round);
    for (const std::int32_t fits : result.values<std::int32_t>(refined_path(field::not_converged, r))) {
      not_converged += fits;
    }
  }
  if (not_converged > 0) {
    report.warnings.push_back(
        text(not_converged, " fits of --refine did not converge: raise --max-iterations or --tolerance"));
  }
  const std::string failed = result.attribute("refine_failed");
  if (!failed.empty()) report.warnings.push_back(text("--refine failed in ", failed));
}

}  // namespace

Report make_report(const storage::Container& result, const std::string& name) {
  check_shapes(result, name);
  Report report;
  set_common(report, result, name);
  report.kind = result.attribute("kind");
  const std::string model = result.attribute("model");
  if (!model.empty()) report.model = storage::models_folder(name) + "/" + model;
  report.classes = static_cast<int>(result.at(field::class_name.path).shape.at(0));
  const auto& shape = result.at(field::fold_error.path).shape;
  report.gammas = static_cast<int>(shape.at(0));
  report.cs = static_cast<int>(shape.at(1));
  report.folds = static_cast<int>(shape.at(2));
  count_fits(report, result);
  find_best(report, result);
  find_rounds(report, result);
  for (const double s : result.values<double>(field::unit_seconds.path)) report.unit_seconds += std::isnan(s) ? 0 : s;
  report.unit_seconds += real(result, "refit_seconds");
  set_utilisation(report, result);
  report.has_test = result.has(field::test_error.path);
  if (report.has_test) {
    report.test_error = result.values<double>(field::test_error.path)[0];
    report.test_wrong = static_cast<int>(std::lround(report.test_error * report.test_samples));
  }
  report.has_probability = result.has(field::probability_log_loss.path);
  if (report.has_probability) {
    report.log_loss = result.values<double>(field::probability_log_loss.path)[0];
    report.brier = result.values<double>(field::probability_brier.path)[0];
  }
  if (report.fits_not_converged > 0) {
    report.warnings.push_back(text(report.fits_not_converged, " of ", report.fits,
                                   " fits did not converge: raise --max-iterations or --tolerance"));
  }
  if (report.units_failed > 0) {
    const auto& reason = result.values<std::string>(field::unit_reason.path);
    const auto first = std::find_if(reason.begin(), reason.end(), [](const std::string& r) { return !r.empty(); });
    report.warnings.push_back(text(report.units_failed, " of ", report.units, " units failed",
                                   first == reason.end() ? "" : ", the first with: " + *first));
  }
  if (result.has(field::refit_converged.path)) {
    const auto& converged = result.values<std::int32_t>(field::refit_converged.path);
    const auto open = std::count(converged.begin(), converged.end(), 0);
    if (open > 0)
      report.warnings.push_back(text(open, " classes of the refit did not converge: raise --max-iterations"));
  }
  const std::string probability_failed = result.attribute("probability_failed");
  if (!probability_failed.empty()) {
    report.warnings.push_back(text("the model has no probabilities: their calibration failed in ", probability_failed));
  }
  const std::string refit_failed = result.attribute("refit_failed");
  if (!refit_failed.empty()) report.warnings.push_back(text("the refit failed: ", refit_failed));
  return report;
}

std::string report_text(const Report& r) {
  std::ostringstream out;
  out << r.name << ": SVM search on " << r.data << ", " << r.train_samples << " training and " << r.test_samples
      << " test samples, " << r.features << " features, " << r.classes << " classes\n";
  out << "  status      " << (r.status == "running" ? "running, or killed" : r.status) << ": "
      << r.units_done + r.units_failed << " of " << r.units << " units, " << r.units_failed << " failed\n";
  out << "  grid        " << r.cs << " C x " << r.gammas << " gamma, " << r.folds << " " << r.fold_kind
      << " folds: " << r.fits << " fits, " << r.fits_not_converged << " not converged\n";
  for (std::size_t k = 0; k < r.rounds.size(); ++k) {
    const RoundReport& round = r.rounds[k];
    out << "  round " << k + 1 << "     ";
    if (round.has_best) {
      out << "C = " << rounded(round.c) << ", gamma = " << rounded(round.gamma) << ": cross-validation error "
          << percent(round.error) << "\n";
    } else {
      out << "no cell has all its folds yet\n";
    }
  }
  if (r.has_best) {
    out << "  best cell   C = " << rounded(r.best_c) << ", gamma = " << rounded(r.best_gamma)
        << ": cross-validation error " << percent(r.best_error) << " (standard deviation over folds "
        << percent(r.best_spread) << ")\n";
  } else {
    out << "  best cell   none yet: no cell has all its folds\n";
  }
  if (r.has_probability) {
    out << "  probability cross-validated log loss " << rounded(r.log_loss) << ", Brier score " << rounded(r.brier)
        << "\n";
  }
  if (r.has_test) {
    out << "  test error  " << percent(r.test_error) << " (" << r.test_wrong << " of " << r.test_samples
        << " wrong after the refit)\n";
  }
  if (!r.model.empty()) out << "  model       " << r.model << "\n";
  out << "  time        " << duration_text(r.seconds) << " on " << r.ranks << (r.ranks == 1 ? " rank" : " ranks");
  if (r.utilisation > 0) out << ", " << std::lround(100 * r.utilisation) << " % of the last run computing";
  out << "\n";
  for (const std::string& warning : r.warnings) out << "  warning: " << warning << "\n";
  return out.str();
}

std::string report_csv_rows(const storage::Container& result, const std::string& name) {
  const auto& gamma = result.values<double>(field::search_gamma.path);
  const auto& c = result.values<double>(field::search_c.path);
  const auto& error = result.values<double>(field::fold_error.path);
  const auto& seconds = result.values<double>(field::unit_seconds.path);
  const auto& status = result.values<std::int32_t>(field::unit_status.path);
  const std::size_t folds = result.at(field::fold_error.path).shape.at(2);
  const std::string file = csv_field(name);
  std::string lines;
  for (std::size_t g = 0; g < gamma.size(); ++g) {
    for (std::size_t k = 0; k < c.size(); ++k) {
      for (std::size_t f = 0; f < folds; ++f) {
        const std::size_t unit = g * folds + f;
        const char* const names[] = {"missing", "done", "failed"};
        lines += file + "," + shortest(gamma[g]) + "," + shortest(c[k]) + "," + std::to_string(f) + "," +
                 shortest(error[(g * c.size() + k) * folds + f]) + "," + shortest(seconds[unit]) + "," +
                 names[std::clamp(status[unit], 0, 2)] + "\n";
      }
    }
  }
  return lines;
}

}  // namespace krossfold::study
