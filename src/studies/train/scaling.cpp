// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/planning/farm_plan.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::studies {

namespace {

/// "1x2xSerial" is the formation 1x2.
bool is_own(const planning::Formation& formation, const std::string& own) {
  return own.starts_with(formation.name + "x");
}

ScalingRow row_of(const planning::MeasuredSteps& steps, int epochs, const planning::Formation& formation,
                  const planning::Link& link, const std::string& own) {
  ScalingRow row;
  row.formation = formation.name;
  row.ranks = formation.ranks();
  const double slowest = *std::min_element(formation.speed.begin(), formation.speed.end());
  if (steps.max_ranks > 0 && row.ranks > steps.max_ranks) {
    throw_input_error(text(formation.name, " has ", row.ranks, " ranks"),
                      text("a batch has samples for ", steps.max_ranks), "Use fewer.");
  }
  row.measured = row.ranks == steps.ranks && is_own(formation, own) && steps.measured;
  if (row.measured) {
    row.epoch = steps.seconds;
    row.exchange = steps.comm_seconds / steps.seconds;
  } else {
    const double all = planning::epoch_seconds(steps, row.ranks, link);
    const double computing = planning::computing_seconds(steps, row.ranks);
    row.epoch = all - computing + computing / slowest;
    row.exchange = (all - computing) / row.epoch;
  }
  row.seconds = row.epoch * epochs;
  row.rank_hours = row.seconds * row.ranks / 3600;
  return row;
}

/// 1x1, 1x2, 1x4, 2x4, ... up to the first where each added rank gains less than it must.
std::vector<ScalingRow> usual_rows(const planning::MeasuredSteps& steps, int epochs, const planning::Link& link,
                                   const std::string& own) {
  std::vector<ScalingRow> rows;
  const int most = steps.max_ranks > 0 ? std::min(planning::max_ranks, steps.max_ranks) : planning::max_ranks;
  for (int k = 0, ranks = 1; ranks <= most; ++k, ranks *= 2) {
    rows.push_back(row_of(steps, epochs, planning::step_of_ladder(k), link, own));
    if (k == 0) continue;
    const double one = rows.front().seconds, gain = one / rows.back().seconds - one / rows[rows.size() - 2].seconds;
    if (gain < planning::min_marginal_efficiency * (ranks / 2.0)) break;
  }
  return rows;
}

}  // namespace

std::vector<Scaling> scale_trainings(const TrainReport& report, const run::PlanRequest& request) {
  std::vector<Scaling> all;
  for (std::size_t k = 0; k < report.run.size(); ++k) {
    const TrainingReport& one = report.run[k];
    if (one.seconds.empty() || !(one.total_seconds() > 0)) continue;
    const planning::MeasuredSteps steps = report.steps_of(one);
    Scaling scaling;
    scaling.name = report.name;
    scaling.training =
        text(report.run.size() > 1 ? text("run ", k, ": ") : "", one.strategy, ", ",
             report::counted(one.workers, "worker"), ", batch ", one.batch, ", rate ", report::rounded(one.rate));
    scaling.epochs = static_cast<int>(one.seconds.size());
    scaling.replicated = steps.replicated;
    scaling.deadline = request.deadline;
    scaling.on_devices = !report.formation.ends_with("xSerial") && !report.formation.ends_with("xOpenMP");
    const auto measured = planning::measured_link(steps, request.latency.value_or(planning::Link().latency));
    scaling.link = measured.value_or(
        planning::Link{request.latency.value_or(planning::Link().latency), planning::Link().bandwidth});
    scaling.link_source = request.bandwidth ? "given" : measured ? "measured" : "assumed";
    if (request.bandwidth) scaling.link.bandwidth = *request.bandwidth;
    if (request.formations.empty()) {
      scaling.rows = usual_rows(steps, scaling.epochs, scaling.link, report.formation);
    } else {
      for (const planning::Formation& formation : request.formations) {
        scaling.rows.push_back(row_of(steps, scaling.epochs, formation, scaling.link, report.formation));
      }
    }
    const double alone =
        row_of(steps, scaling.epochs, planning::parse_formation("1x1"), scaling.link, report.formation).seconds;
    for (std::size_t r = 0; r < scaling.rows.size(); ++r) {
      ScalingRow& row = scaling.rows[r];
      row.speed_up = alone / row.seconds;
      row.in_time = request.deadline == 0 || row.seconds <= request.deadline;
      const bool cheaper = scaling.cheapest < 0 || row.rank_hours < scaling.rows[scaling.cheapest].rank_hours;
      if (request.deadline > 0 && row.in_time && cheaper) scaling.cheapest = static_cast<int>(r);
    }
    all.push_back(std::move(scaling));
  }
  if (all.empty())
    throw_input_error(text(report.name, " has no times"), "no training of it is done", "Finish it first.");
  return all;
}

report::Document scaling_document(const Scaling& s) {
  const bool has_deadline = s.deadline > 0;
  report::Document document;
  document.title = text(s.name, ": ", s.training, ", ", s.epochs, " epochs");
  document.facts({{"file", s.name}, {"training", s.training}, {"epochs", s.epochs}});
  document.fact("hours_of", s.on_devices ? "GPU" : "rank");
  document.line(
      "link",
      text(report::rounded(s.link.bandwidth / 1e9), " GB/s and ", report::rounded(s.link.latency * 1e6), " us (",
           s.link_source, "; see --bandwidth and --latency)"),
      {{"link.latency", s.link.latency}, {"link.bandwidth", s.link.bandwidth}, {"link.source", s.link_source}});
  report::Table table{"formations", "", {}, std::vector<std::vector<report::Cell>>(s.rows.size())};
  const auto add = [&](const char* key, const std::string& title, const auto& value, report::Format format = {}) {
    table.add({key, title, format}, [&](std::size_t k) { return value(s.rows[k]); });
  };
  using Row = const ScalingRow&;
  add("file", "", [&](Row) { return s.name; });
  add("training", "", [&](Row) { return s.training; });
  add("formation", "formation", [](Row row) { return row.formation; });
  add("ranks", "ranks", [](Row row) { return row.ranks; });
  add("measured", "how", [](Row row) { return report::Cell(row.measured, row.measured ? "measured" : "modelled"); });
  add(
      "epoch_seconds", "epoch", [](Row row) { return row.epoch; }, report::Format::duration);
  add(
      "seconds", "all", [](Row row) { return row.seconds; }, report::Format::duration);
  add(
      "exchange", "exchange", [](Row row) { return row.exchange; }, report::Format::percent);
  add(
      "speed_up", "speed-up", [](Row row) { return row.speed_up; }, report::Format::two_decimals);
  add("rank_hours", s.on_devices ? "GPU-hours" : "rank-hours", [](Row row) { return row.rank_hours; });
  add("in_time", has_deadline ? "in time" : "",
      [&](Row row) { return has_deadline ? report::Value(row.in_time) : report::Value(); });
  table.left = 1;
  table.in_csv = true;
  document.table(std::move(table));
  document.line("", "seconds of steps; evaluating the held-out part and storing are not included");
  if (s.replicated > 0) {
    document.line("", report::percent(s.replicated) +
                          " of the operations of a step are products of gathered factors, which every rank repeats");
  }
  document.fact("replicated", s.replicated);
  if (has_deadline) {
    const std::string cheapest = s.cheapest < 0 ? "" : s.rows[s.cheapest].formation;
    document.line("deadline",
                  text(duration_text(s.deadline), ": ",
                       s.cheapest < 0 ? "none of these meets it" : cheapest + " is the cheapest of these"),
                  {{"deadline.seconds", s.deadline},
                   {"deadline.cheapest", s.cheapest < 0 ? report::Value() : report::Value(cheapest)}});
  } else {
    document.fact("deadline", {});
  }
  return document;
}

}  // namespace krossfold::studies
