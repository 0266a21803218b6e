// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/names_report.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "krossfold/core/text.hpp"
#include "report_values.hpp"

namespace krossfold::study {

namespace {

constexpr double target_ratio = 1.05;

/// The slowest of those that were measured: what is modelled should not be promised too much.
std::optional<Link> slowest_link(const TrainReport& report) {
  std::optional<Link> slowest;
  for (const TrainingReport& one : report.run) {
    const auto link = measured_link(report.steps_of(one));
    if (link && (!slowest || link->bandwidth < slowest->bandwidth)) slowest = link;
  }
  return slowest;
}

RunSummary summarize(const TrainReport& report, const TrainingReport& one, const Link& link, double target) {
  RunSummary summary;
  summary.modelled = one.ranks < one.workers;
  if (one.seconds.empty()) {
    summary.seconds = std::numeric_limits<double>::quiet_NaN();
    return summary;
  }
  // An epoch as long as the mean one, with a rank for every worker.
  const MeasuredSteps steps = report.steps_of(one);
  const double ratio = summary.modelled ? epoch_seconds(steps, one.workers, link) / steps.seconds : 1;
  for (std::size_t e = 0; e < one.seconds.size(); ++e) {
    summary.seconds += one.seconds[e] * ratio;
    if (!summary.to_target && one.held_out_loss[e] <= target) summary.to_target = summary.seconds;
  }
  return summary;
}

std::string seconds_text(double seconds, bool modelled) {
  return rounded(seconds) + (modelled && std::isfinite(seconds) ? " m" : "  ");
}

std::string workers_text(int workers) { return text(workers, workers == 1 ? " worker" : " workers"); }

/// "4 workers reach it soonest, in 12.3 s (modelled) with batch 4096 and rate 0.004; 1 worker takes 30 s; 16 workers never do".
std::string who_pays(const TrainReport& r, const NamesSummary& s) {
  int best = -1;
  for (const int run : s.soonest) {
    if (run >= 0 && (best < 0 || *s.run[run].to_target < *s.run[best].to_target)) best = run;
  }
  if (best < 0) return "no run reached it";
  const auto duration = [&](int run) {
    return duration_text(*s.run[run].to_target) + (s.run[run].modelled ? " (modelled)" : "");
  };
  std::string line =
      text(workers_text(r.run[best].workers), r.run[best].workers == 1 ? " reaches" : " reach", " it soonest, in ",
           duration(best), " with batch ", r.run[best].batch, " and rate ", rounded(r.run[best].rate));
  for (std::size_t k = 0; k < s.workers.size(); ++k) {
    if (s.soonest[k] == best) continue;
    const bool one = s.workers[k] == 1;
    line += text("; ", workers_text(s.workers[k]),
                 s.soonest[k] < 0 ? (one ? " never does" : " never do")
                                  : text(one ? " takes " : " take ", duration(s.soonest[k])));
  }
  return line;
}

}  // namespace

NamesSummary summarize_names(const TrainReport& report) {
  NamesSummary summary;
  double lowest = std::numeric_limits<double>::infinity();
  for (const TrainingReport& one : report.run) {
    for (const double loss : one.held_out_loss) lowest = std::min(lowest, loss);
  }
  summary.target = std::isfinite(lowest) ? target_ratio * lowest : std::numeric_limits<double>::quiet_NaN();
  const auto link = slowest_link(report);
  summary.measured_link = link.has_value();
  if (link) summary.link = *link;
  std::map<std::pair<int, double>, std::vector<int>> alike;
  std::map<int, int> soonest;
  for (int k = 0; k < static_cast<int>(report.run.size()); ++k) {
    const TrainingReport& one = report.run[k];
    summary.run.push_back(summarize(report, one, summary.link, summary.target));
    if (!one.seconds.empty()) alike[{one.batch, one.rate}].push_back(k);
    const auto place = soonest.try_emplace(one.workers, -1).first;
    const auto& own = summary.run.back().to_target;
    if (own && (place->second < 0 || *own < *summary.run[place->second].to_target)) place->second = k;
  }
  for (const auto& [batch_and_rate, runs] : alike) {
    std::set<int> workers;
    for (const int run : runs) workers.insert(report.run[run].workers);
    if (workers.size() > 1) summary.fair.push_back(runs);
  }
  for (const auto& [workers, run] : soonest) {
    summary.workers.push_back(workers);
    summary.soonest.push_back(run);
  }
  return summary;
}

std::string names_report_text(const TrainReport& r) {
  const NamesSummary summary = summarize_names(r);
  std::ostringstream out;
  const auto cell = [&out](int width, const auto& value) { out << std::setw(width) << value; };
  out << r.name << ": names, " << r.status << "\n"
      << "  data     " << r.data << ": " << r.train_samples << " to train on, " << r.test_samples << " held out\n"
      << "  network  " << r.architecture << ", " << r.parameters << " parameters\n"
      << "  target   a held-out loss of " << rounded(summary.target) << ", 1.05 times the lowest\n"
      << "  seconds  with a rank for every worker; m: modelled from fewer ranks, at "
      << rounded(summary.link.bandwidth / 1e9) << " GB/s and " << rounded(summary.link.latency * 1e6) << " us ("
      << (summary.measured_link ? "the slowest exchange measured" : "assumed: no run had several ranks") << ")\n\n";
  for (const char* head : {"workers", "ranks", "batch", "rate", "loss", "held out", "lowest"}) cell(9, head);
  for (const char* head : {"seconds", "to target"}) cell(12, head);
  cell(10, "exchange");
  out << "\n";
  std::set<int> fair;
  for (const auto& group : summary.fair) fair.insert(group.begin(), group.end());
  for (std::size_t k = 0; k < r.run.size(); ++k) {
    const TrainingReport& one = r.run[k];
    const RunSummary& own = summary.run[k];
    cell(9, one.workers);
    cell(9, one.ranks);
    cell(9, one.batch);
    cell(9, rounded(one.rate));
    if (one.loss.empty()) {
      out << "  " << (one.reason.empty() ? "to do" : one.reason) << "\n";
      continue;
    }
    cell(9, rounded(one.loss.back()));
    cell(9, rounded(one.held_out_loss.back()));
    cell(9, rounded(*std::min_element(one.held_out_loss.begin(), one.held_out_loss.end())));
    cell(12, seconds_text(own.seconds, own.modelled));
    cell(12, own.to_target ? seconds_text(*own.to_target, own.modelled) : "-  ");
    cell(10, percent(one.comm_share()));
    out << (fair.contains(static_cast<int>(k)) ? "  fair" : "") << (one.reason.empty() ? "" : "  " + one.reason)
        << "\n";
  }
  if (!summary.fair.empty()) out << "\nfair comparisons: equal batch and rate, so that only the time differs\n";
  for (const auto& group : summary.fair) {
    const TrainingReport& first = r.run[group.front()];
    out << "  batch " << first.batch << ", rate " << rounded(first.rate) << ":";
    for (const int run : group) {
      out << (run == group.front() ? " " : ", ") << workers_text(r.run[run].workers) << " "
          << duration_text(summary.run[run].seconds) << (summary.run[run].modelled ? " (modelled)" : "");
    }
    out << "\n";
  }
  if (std::isfinite(summary.target)) out << "\nwhich pays: " << who_pays(r, summary) << "\n";
  return out.str();
}

}  // namespace krossfold::study
