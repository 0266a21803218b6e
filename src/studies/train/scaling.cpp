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

/// True if a study on `own`, such as "1x2xSerial", ran on this formation.
bool is_own(const planning::Formation& formation, const std::string& own) {
  return own.starts_with(formation.name + "x");
}

/// The measured steps of a training, from which its time on any formation follows.
struct Measured {
  planning::MeasuredSteps steps;
  int epochs;
  std::string formation;  ///< that it ran on
};

ScalingRow row_of(const Measured& measured, const planning::Link& link, const planning::Formation& formation,
                  const planning::NodePrices& prices) {
  const planning::MeasuredSteps& steps = measured.steps;
  ScalingRow row;
  row.formation = formation.name;
  row.ranks = formation.ranks();
  row.nodes = formation.node_count();
  require(steps.max_ranks == 0 || row.ranks <= steps.max_ranks, text(formation.name, " has ", row.ranks, " ranks"),
          text("a batch has samples for ", steps.max_ranks), "Use fewer.");
  row.measured = row.ranks == steps.ranks && is_own(formation, measured.formation) && steps.measured;
  if (row.measured) {
    row.epoch = steps.seconds;
    row.exchange = steps.comm_seconds / steps.seconds;
  } else {
    const double slowest = *std::min_element(formation.speed.begin(), formation.speed.end());
    const double all = planning::epoch_seconds(steps, row.ranks, link);
    const double computing = planning::computing_seconds(steps, row.ranks);
    row.epoch = all - computing + computing / slowest;
    row.exchange = (all - computing) / row.epoch;
  }
  row.seconds = row.epoch * measured.epochs;
  row.rank_hours = row.seconds * row.ranks / 3600;
  row.price = planning::price_of(formation, row.seconds, prices);
  return row;
}

/// 1x1, 1x2, 1x4, 2x4, ... up to the first whose added ranks do not pay.
std::vector<ScalingRow> default_rows(const Measured& measured, const planning::Link& link,
                                     const planning::NodePrices& prices) {
  std::vector<ScalingRow> rows;
  const int limit = measured.steps.max_ranks,
            most = limit > 0 ? std::min(planning::max_ranks, limit) : planning::max_ranks;
  for (int k = 0, ranks = 1; ranks <= most; ++k, ranks *= 2) {
    rows.push_back(row_of(measured, link, planning::default_formation(k), prices));
    if (k == 0) continue;
    const double one = rows.front().seconds, gain = one / rows.back().seconds - one / rows[rows.size() - 2].seconds;
    if (gain < planning::min_marginal_efficiency * (ranks / 2.0)) break;
  }
  return rows;
}

Scaling scale(const Measured& measured, const run::PlanRequest& request) {
  Scaling scaling;
  scaling.epochs = measured.epochs;
  scaling.replicated = measured.steps.replicated;
  scaling.deadline = request.deadline;
  scaling.on_devices = planning::has_devices(measured.formation);
  planning::Link assumed;
  assumed.latency = request.latency.value_or(assumed.latency);
  const auto link = planning::measured_link(measured.steps, assumed.latency);
  scaling.link = link.value_or(assumed);
  scaling.bandwidth_source = request.bandwidth ? "given" : link ? "measured" : "assumed";
  scaling.latency_source = request.latency ? "given" : "assumed";
  scaling.link.bandwidth = request.bandwidth.value_or(scaling.link.bandwidth);
  for (const planning::Formation& formation : request.formations) {
    scaling.rows.push_back(row_of(measured, scaling.link, formation, request.prices));
  }
  if (request.formations.empty()) scaling.rows = default_rows(measured, scaling.link, request.prices);
  const double alone = row_of(measured, scaling.link, planning::parse_formation("1x1"), {}).seconds;
  for (std::size_t r = 0; r < scaling.rows.size(); ++r) {
    ScalingRow& row = scaling.rows[r];
    row.speed_up = alone / row.seconds;
    row.in_time = request.deadline == 0 || row.seconds <= request.deadline;
    const auto cost = [](const ScalingRow& one) { return one.price.value_or(one.rank_hours); };
    const bool cheaper = scaling.cheapest < 0 || cost(row) < cost(scaling.rows[scaling.cheapest]);
    if (request.deadline > 0 && row.in_time && cheaper) scaling.cheapest = static_cast<int>(r);
  }
  return scaling;
}

}  // namespace

std::vector<Scaling> scale_trainings(const TrainReport& report, const run::PlanRequest& request) {
  std::vector<Scaling> all;
  for (std::size_t k = 0; k < report.run.size(); ++k) {
    const TrainingReport& one = report.run[k];
    if (!one.has_times() || !(one.total_seconds() > 0)) continue;
    Scaling& scaling = all.emplace_back(
        scale({report.steps_of(one), static_cast<int>(one.seconds.size()), report.formation}, request));
    scaling.name = report.name;
    scaling.workers = one.workers;
    scaling.split = one.strategy == "model-parallel";
    scaling.training =
        text(report.run.size() > 1 ? text("run ", k, ": ") : "", one.strategy, ", ",
             report::counted(one.workers, "worker"), ", batch ", one.batch, ", rate ", report::rounded(one.rate));
  }
  require(!all.empty(), text(report.name, " has no times"),
          "none of its trainings has an epoch that the ranks it has in the end computed from beginning to end");
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
      text(report::rounded(s.link.bandwidth / 1e9), " GB/s (", s.bandwidth_source, ") and ",
           report::rounded(s.link.latency * 1e6), " us (", s.latency_source, "); see bandwidth and latency"),
      {{"link.latency", s.link.latency}, {"link.bandwidth", s.link.bandwidth}, {"link.source", s.bandwidth_source}});
  report::Table table;
  table.key = "formations";
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), s.rows, cell); };
  using Row = const ScalingRow&;
  add({"file", ""}, [&](Row) { return s.name; });
  add({"training", ""}, [&](Row) { return s.training; });
  add({"formation", "formation"}, &ScalingRow::formation);
  add({"ranks", "ranks"}, &ScalingRow::ranks);
  add({"measured", "how"}, [](Row row) { return report::Cell(row.measured, row.measured ? "measured" : "modelled"); });
  add({"epoch_seconds", "epoch", report::Format::duration}, &ScalingRow::epoch);
  add({"seconds", "all", report::Format::duration}, &ScalingRow::seconds);
  add({"exchange", "exchange", report::Format::percent}, &ScalingRow::exchange);
  add({"speed_up", "speed-up", report::Format::two_decimals}, &ScalingRow::speed_up);
  add({"rank_hours", s.on_devices ? "GPU-hours" : "rank-hours"}, &ScalingRow::rank_hours);
  add({"nodes", ""}, &ScalingRow::nodes);
  const bool priced = s.rows.front().price.has_value();
  add({"price", priced ? "price" : ""}, [](Row row) { return planning::price_cell(row.price); });
  add({"in_time", has_deadline ? "in time" : ""},
      [&](Row row) { return has_deadline ? report::Value(row.in_time) : report::Value(); });
  table.left = 1;
  table.in_csv = true;
  document.table(std::move(table));
  document.line("", "seconds of steps; evaluating the held-out part and storing are not included");
  const auto shares = [&](Row row) { return s.split ? s.workers == row.ranks : s.workers % row.ranks == 0; };
  if (!std::all_of(s.rows.begin(), s.rows.end(), shares)) {
    document.line("", text("on ", s.split ? "other ranks than " : "ranks that do not divide ",
                           report::counted(s.workers, "worker"),
                           " the training has other workers, and so other results: change --workers and --strategy "
                           "where they are given"));
  }
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
