// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/names_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::studies {

namespace {

constexpr double target_ratio = 1.05;
constexpr double common_ratio = 1.001;  // runs that learn the same differ by rounding
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The slowest of the measured links, so that models are not too optimistic.
std::optional<planning::Link> slowest_link(const TrainReport& report) {
  std::optional<planning::Link> slowest;
  for (const TrainingReport& one : report.run) {
    if (!one.has_times()) continue;
    const auto link = planning::measured_link(report.steps_of(one));
    if (link && (!slowest || link->bandwidth < slowest->bandwidth)) slowest = link;
  }
  return slowest;
}

RunSummary summarize(const TrainReport& report, const TrainingReport& one, const planning::Link& link) {
  RunSummary summary;
  summary.modelled = one.ranks < one.workers || !one.on_same_ranks();
  if (!one.has_times()) {
    summary.seconds = nan;
    return summary;
  }
  // All epochs are taken to be as long as the mean one, with one rank per worker.
  const planning::MeasuredSteps steps = report.steps_of(one);
  const auto epochs = static_cast<double>(one.seconds.size());
  summary.seconds =
      one.ranks < one.workers ? epochs * planning::epoch_seconds(steps, one.workers, link) : epochs * steps.seconds;
  return summary;
}

/// Infinite without epochs, and for a training without a model: one that diverged or failed.
double lowest_loss(const TrainingReport& one) {
  if (!one.reason.empty()) return infinity;
  return std::accumulate(one.held_out_loss.begin(), one.held_out_loss.end(), infinity,
                         [](double lowest, double loss) { return std::min(lowest, loss); });
}

/// A time that is not known is the longest.
bool is_sooner(double seconds, double other) { return seconds < other || (std::isnan(other) && !std::isnan(seconds)); }

Target target_of(double loss, const std::string& why, const TrainReport& report, const NamesSummary& summary) {
  Target target{loss, why, {}, std::vector<int>(summary.workers.size(), -1)};
  for (std::size_t k = 0; k < report.run.size(); ++k) {
    const TrainingReport& one = report.run[k];
    const auto& held_out = one.held_out_loss;
    const auto reached = std::find_if(held_out.begin(), held_out.end(), [&](double value) { return value <= loss; });
    target.seconds.emplace_back();
    if (reached == held_out.end() || !one.reason.empty()) continue;
    const auto epochs = reached - held_out.begin() + 1;
    const double measured = std::accumulate(one.seconds.begin(), one.seconds.begin() + epochs, 0.0);
    target.seconds.back() = measured * (summary.run[k].seconds / one.total_seconds());
    const auto place = std::find(summary.workers.begin(), summary.workers.end(), one.workers) - summary.workers.begin();
    int& first = target.soonest[static_cast<std::size_t>(place)];
    if (first < 0 || is_sooner(*target.seconds.back(), *target.seconds[static_cast<std::size_t>(first)]))
      first = static_cast<int>(k);
  }
  return target;
}

void set_targets(NamesSummary& summary, const TrainReport& report) {
  std::map<int, double> best;  // lowest loss by number of workers
  for (const TrainingReport& one : report.run) {
    const auto place = best.try_emplace(one.workers, infinity).first;
    place->second = std::min(place->second, lowest_loss(one));
  }
  double lowest = infinity, common = 0;
  for (const auto& [workers, loss] : best) {
    summary.workers.push_back(workers);
    lowest = std::min(lowest, loss);
    common = std::max(common, loss);
  }
  if (!std::isfinite(lowest)) return;
  if (std::isfinite(common) && best.size() > 1) {
    summary.target.push_back(
        target_of(common_ratio * common, "which every number of workers reaches", report, summary));
  }
  summary.target.push_back(target_of(target_ratio * lowest, "1.05 times the lowest", report, summary));
}

std::string seconds_text(double seconds, bool modelled) {
  return report::rounded(seconds) + (modelled && std::isfinite(seconds) ? " m" : "  ");
}

/// "4 workers reach it soonest, in 12.3 s (modelled) with batch 4096 and rate 0.004; 1 worker takes 30 s; 16 workers never do".
std::string soonest_text(const TrainReport& r, const NamesSummary& s, const Target& target) {
  int best = -1;
  for (const int run : target.soonest) {
    if (run >= 0 && (best < 0 || is_sooner(*target.seconds[run], *target.seconds[best]))) best = run;
  }
  if (best < 0) return "no training reaches it";  // as the file has no losses that compare
  const auto duration = [&](int run) -> std::string {
    if (std::isnan(*target.seconds[run])) return "a time that is not known (its ranks changed in every epoch)";
    return duration_text(*target.seconds[run]) + (s.run[run].modelled ? " (modelled)" : "");
  };
  std::string line = text(report::counted(r.run[best].workers, "worker"),
                          r.run[best].workers == 1 ? " reaches" : " reach", " it soonest, in ", duration(best),
                          " with batch ", r.run[best].batch, " and rate ", report::rounded(r.run[best].rate));
  for (std::size_t k = 0; k < s.workers.size(); ++k) {
    const int run = target.soonest[k];
    if (run == best) continue;
    const bool one = s.workers[k] == 1;
    line += text("; ", report::counted(s.workers[k], "worker"),
                 run < 0 ? (one ? " never does" : " never do") : text(one ? " takes " : " take ", duration(run)));
  }
  return line;
}

}  // namespace

NamesSummary summarize_names(const TrainReport& report) {
  NamesSummary summary;
  const auto link = slowest_link(report);
  summary.measured_link = link.has_value();
  if (link) summary.link = *link;
  std::map<std::pair<int, double>, std::vector<int>> alike;
  for (int k = 0; k < static_cast<int>(report.run.size()); ++k) {
    const TrainingReport& one = report.run[k];
    summary.run.push_back(summarize(report, one, summary.link));
    if (!one.seconds.empty()) alike[{one.batch, one.rate}].push_back(k);
  }
  for (const auto& [batch_and_rate, runs] : alike) {
    std::set<int> workers;
    for (const int run : runs) workers.insert(report.run[run].workers);
    if (workers.size() > 1) summary.fair.push_back(runs);
  }
  set_targets(summary, report);
  return summary;
}

void add_names(report::Document& document, report::Table runs, const TrainReport& r) {
  const NamesSummary s = summarize_names(r);
  std::set<int> fair;
  for (const auto& group : s.fair) fair.insert(group.begin(), group.end());
  runs.add({"", "lowest"}, r.run, [](const TrainingReport& one) {
    return one.loss.empty() || !one.reason.empty() ? report::Value() : report::Value(lowest_loss(one));
  });
  runs.add({"seconds_of_all_workers", "seconds"}, s.run,
           [](const RunSummary& one) { return report::Cell(one.seconds, seconds_text(one.seconds, one.modelled)); });
  runs.add({"modelled", ""}, s.run, &RunSummary::modelled);
  const auto to_target = [](const Target& target, std::size_t k) { return target.seconds[k].value_or(nan); };
  for (const Target& target : s.target) {
    runs.add({"", text("to ", report::rounded(target.loss), "  ")}, [&](std::size_t k) {
      return report::Cell(report::Value(), seconds_text(to_target(target, k), s.run[k].modelled));
    });
  }
  runs.add({"seconds_to_target", ""}, [&](std::size_t k) {
    std::vector<double> seconds;
    for (const Target& target : s.target) seconds.push_back(to_target(target, k));
    return seconds;
  });
  runs.add({"", "remark"}, [&](std::size_t k) {
    const TrainingReport& one = r.run[k];
    return one.status == 2                      ? "failed"
           : !one.reason.empty()                ? "diverged"
           : one.loss.empty()                   ? "to do"
           : fair.contains(static_cast<int>(k)) ? "fair"
                                                : "";
  });
  document.line(
      "seconds",
      text("with a rank for every worker; m: modelled from fewer ranks, at ", report::rounded(s.link.bandwidth / 1e9),
           " GB/s and ", report::rounded(s.link.latency * 1e6), " us (",
           s.measured_link ? "the slowest exchange measured" : "assumed: no run had several ranks", ")"));
  document.table(std::move(runs));
  for (std::size_t k = 0; k < r.run.size(); ++k) {
    if (!r.run[k].reason.empty()) document.line(text("run ", k), r.run[k].reason);
  }
  if (!s.fair.empty()) {
    document.line("fair", "fair comparisons: equal batch and rate, so that only the time differs");
  }
  for (const auto& group : s.fair) {
    const TrainingReport& first = r.run[group.front()];
    std::string line = text("batch ", first.batch, ", rate ", report::rounded(first.rate), ":");
    for (const int run : group) {
      line += text(run == group.front() ? " " : ", ", report::counted(r.run[run].workers, "worker"), " ",
                   duration_text(s.run[run].seconds), s.run[run].modelled ? " (modelled)" : "");
    }
    document.line("", line);
  }
  report::Table targets;
  targets.key = "targets";
  targets.add({"loss", ""}, s.target, &Target::loss);
  targets.add({"why", ""}, s.target, &Target::why);
  targets.in_text = false;
  for (const Target& target : s.target) {
    document.line("target", text("to a held-out loss of ", report::rounded(target.loss), ", ", target.why, ": ",
                                 soonest_text(r, s, target)));
  }
  document.table(std::move(targets));
}

}  // namespace krossfold::studies
