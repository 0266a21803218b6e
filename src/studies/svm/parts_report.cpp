// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/parts_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::studies {

namespace {

/// Smallest, median (the lower one of two) and largest.
template <class T>
struct Range {
  T least, median, most;

  explicit Range(std::vector<T> values) {
    std::sort(values.begin(), values.end());
    least = values.front();
    median = values[(values.size() - 1) / 2];
    most = values.back();
  }
};

std::string between(const std::vector<double>& values) {
  const Range range(values);
  return range.least == range.most ? report::rounded(range.least)
                                   : text(report::rounded(range.least), " to ", report::rounded(range.most));
}

void check(const storage::FieldReader& file, bool right) { file.require(right, "its parts do not fit together"); }

/// Calls of_unit(index in (part, gamma, fold), index in (gamma, fold)) for each unit that there is.
template <class OfUnit>
void for_each_unit(const storage::FieldReader& file, const OfUnit& of_unit) {
  const std::size_t gammas = file.length(field.gamma), folds = file.length(field.fold);
  const auto& held = file.get(field.part_held);
  for (std::size_t part = 0; part < file.length(field.part); ++part) {
    for (std::size_t g = 0; g < gammas; ++g) {
      for (std::size_t f = 0; f < folds; ++f) {
        if (held[part * folds + f] > 0) of_unit((part * gammas + g) * folds + f, g * folds + f);
      }
    }
  }
}

}  // namespace

bool is_in_parts(const storage::FieldReader& file) { return file.has(field.part); }

void read_parts(SvmReport& report, const storage::FieldReader& file) {
  PartsReport& parts = report.parts;
  parts.parts = static_cast<int>(file.length(field.part));
  check(file, parts.parts > 0);
  const std::string option = report.option("partition");
  parts.kind = option.substr(0, option.find(':'));
  parts.samples = file.get(field.part_samples);
  parts.own_cells = report.option("part-cell") == "own";
  if (file.has(field.part_error)) {
    parts.gamma = file.get(field.part_gamma);
    parts.c = file.get(field.part_c);
    parts.error = file.get(field.part_error);
  }
  const auto& status = file.get(field.part_unit.status);
  const auto& seconds = file.get(field.part_unit.seconds);
  const auto& reason = file.get(field.part_unit.reason);
  const auto problems = static_cast<std::int64_t>(file.has(field.pair_name) ? file.length(field.pair_name)
                                                                            : file.length(field.class_name));
  for_each_unit(file, [&](std::size_t unit, std::size_t) {
    ++report.units.all;
    report.units.done += status[unit] == 1 ? 1 : 0;
    report.units.seconds += std::isnan(seconds[unit]) ? 0 : seconds[unit];
    if (status[unit] == 2 && report.units.failed++ == 0) report.units.first_reason = reason[unit];
  });
  report.unit_seconds = report.units.seconds;
  report.fits = report.units.done * problems * report.cs;
  for (const std::int32_t open : file.get(field.part_not_converged)) report.fits_not_converged += open;
  std::int64_t open = 0;
  if (file.has(field.part_refit_open)) {
    for (const std::int32_t one : file.get(field.part_refit_open)) open += one;
  }
  if (open > 0) report.warnings.push_back(text(open, " fits of the refits did not converge: raise --max-iterations"));
  if (!parts.own_cells || !file.has(field.best_error)) return;
  report.best_error = file.one(field.best_error);
  const auto& of_fold = file.get(field.best_fold_error);
  double sum = 0;
  for (const double error : of_fold) sum += std::pow(error - report.best_error, 2);
  report.best_spread = std::sqrt(sum / std::max(1, report.folds - 1));
}

std::vector<double> seconds_of_parts(const storage::FieldReader& file) {
  std::vector<double> sum(file.length(field.gamma) * file.length(field.fold), 0);
  const auto& seconds = file.get(field.part_unit.seconds);
  for_each_unit(file, [&](std::size_t unit, std::size_t at) { sum[at] += seconds[unit]; });
  return sum;
}

std::vector<std::int32_t> status_of_parts(const storage::FieldReader& file) {
  std::vector<std::int32_t> all(file.length(field.gamma) * file.length(field.fold), 1);
  const auto& status = file.get(field.part_unit.status);
  for_each_unit(file, [&](std::size_t unit, std::size_t at) {
    if (status[unit] == 2 || all[at] == 2) {
      all[at] = 2;
    } else if (status[unit] != 1) {
      all[at] = 0;
    }
  });
  return all;
}

void add_parts(report::Document& document, const SvmReport& r) {
  const PartsReport& parts = r.parts;
  const Range size(parts.samples);
  const bool random = parts.kind == "random";
  document.line("parts",
                text(parts.parts, " (", parts.kind, ") of ", size.least, " to ", size.most,
                     " samples, half of them of at most ", size.median, "; a point is predicted by the ",
                     random ? "mean of the machines of all parts" : "machine of the part whose centre is nearest"),
                {{"parts.number", parts.parts},
                 {"parts.kind", parts.kind},
                 {"parts.smallest", size.least},
                 {"parts.largest", size.most}});
  if (parts.error.empty()) return;
  const Range error(parts.error);
  const auto worst =
      static_cast<std::size_t>(std::max_element(parts.error.begin(), parts.error.end()) - parts.error.begin());
  document.line("", text("cross-validation errors in the parts ", report::percent(error.least), " to ",
                         report::percent(error.most), ", half of them at most ", report::percent(error.median),
                         "; the largest is that of part ", worst, " (", parts.samples[worst], " samples)"));
  if (random) {
    document.line("",
                  "in cross-validation each sample is predicted by the machine of its own part alone; the mean of "
                  "all machines, which predicts the test part, usually errs less");
  }
  report::Table table{"part_table", "", {}, {}};
  table.in_text = false;
  table.add({"samples", ""}, parts.samples, [](std::int32_t n) { return report::Cell(int{n}); });
  table.add({"C", ""}, [&](std::size_t p) { return report::Cell(parts.c[p]); });
  if (r.has_gamma) table.add({"gamma", ""}, [&](std::size_t p) { return report::Cell(parts.gamma[p]); });
  table.add({"error", ""}, [&](std::size_t p) { return report::Cell(parts.error[p]); });
  document.table(std::move(table));
}

void add_own_cells(report::Document& document, const SvmReport& r) {
  document.line(
      "best cells",
      text("one for each part, C = ", between(r.parts.c),
           r.has_gamma ? text(", gamma = ", between(r.parts.gamma)) : std::string(), ": cross-validation error ",
           report::percent(r.best_error), " (standard deviation over folds ", report::percent(r.best_spread), ")",
           r.select_by == "error" ? "" : text(", chosen by ", r.select_by)),
      {{"best.error", r.best_error},
       {"best.spread", r.best_spread},
       {"best.standard_error", r.best_spread / std::sqrt(r.folds)},
       {"best.selected_by", r.select_by}});
  document.line(
      "", "chosen by the same samples in many parts, which makes this error better than it is: see the test part");
}

}  // namespace krossfold::studies
