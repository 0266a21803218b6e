// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/train_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/plan.hpp"
#include "krossfold/study/report.hpp"
#include "report_values.hpp"
#include "text_table.hpp"

namespace krossfold::study {

namespace {

/// "1x2xSerial" is the formation 1x2.
bool is_own(const Formation& formation, const std::string& own) { return own.starts_with(formation.name + "x"); }

ScalingRow row_of(const MeasuredSteps& steps, int epochs, const Formation& formation, const Link& link,
                  const std::string& own) {
  ScalingRow row;
  row.formation = formation.name;
  row.ranks = formation.ranks();
  const double slowest = *std::min_element(formation.speed.begin(), formation.speed.end());
  if (steps.most_ranks > 0 && row.ranks > steps.most_ranks) {
    throw_input_error(text(formation.name, " has ", row.ranks, " ranks"),
                      text("a batch has samples for ", steps.most_ranks), "Use fewer.");
  }
  row.measured = row.ranks == steps.ranks && is_own(formation, own) && steps.measured;
  if (row.measured) {
    row.epoch = steps.seconds;
    row.exchange = steps.comm_seconds / steps.seconds;
  } else {
    const double all = epoch_seconds(steps, row.ranks, link);
    const double computing = computing_seconds(steps, row.ranks);
    row.epoch = all - computing + computing / slowest;
    row.exchange = (all - computing) / row.epoch;
  }
  row.seconds = row.epoch * epochs;
  row.rank_hours = row.seconds * row.ranks / 3600;
  return row;
}

/// 1x1, 1x2, 1x4, 2x4, ... up to the first where each added rank gains less than it must.
std::vector<ScalingRow> usual_rows(const MeasuredSteps& steps, int epochs, const Link& link, const std::string& own) {
  std::vector<ScalingRow> rows;
  const int most = steps.most_ranks > 0 ? std::min(most_ranks, steps.most_ranks) : most_ranks;
  for (int k = 0, ranks = 1; ranks <= most; ++k, ranks *= 2) {
    rows.push_back(row_of(steps, epochs, step_of_ladder(k), link, own));
    if (k == 0) continue;
    const double one = rows.front().seconds, gain = one / rows.back().seconds - one / rows[rows.size() - 2].seconds;
    if (gain < least_marginal_efficiency * (ranks / 2.0)) break;
  }
  return rows;
}

}  // namespace

std::vector<Scaling> scale_trainings(const TrainReport& report, const ScalingParams& params) {
  std::vector<Scaling> all;
  for (std::size_t k = 0; k < report.run.size(); ++k) {
    const TrainingReport& one = report.run[k];
    if (one.seconds.empty() || !(one.total_seconds() > 0)) continue;
    const MeasuredSteps steps = report.steps_of(one);
    Scaling scaling;
    scaling.name = report.name;
    scaling.training = text(report.run.size() > 1 ? text("run ", k, ": ") : "", one.strategy, ", ",
                            counted(one.workers, "worker"), ", batch ", one.batch, ", rate ", rounded(one.rate));
    scaling.epochs = static_cast<int>(one.seconds.size());
    scaling.replicated = steps.replicated;
    scaling.deadline = params.deadline;
    scaling.on_devices = !report.formation.ends_with("xSerial") && !report.formation.ends_with("xOpenMP");
    const auto measured = measured_link(steps, params.latency.value_or(Link().latency));
    scaling.link = measured.value_or(Link{params.latency.value_or(Link().latency), Link().bandwidth});
    scaling.link_source = params.bandwidth ? "given" : measured ? "measured" : "assumed";
    if (params.bandwidth) scaling.link.bandwidth = *params.bandwidth;
    if (params.formations.empty()) {
      scaling.rows = usual_rows(steps, scaling.epochs, scaling.link, report.formation);
    } else {
      for (const Formation& formation : params.formations) {
        scaling.rows.push_back(row_of(steps, scaling.epochs, formation, scaling.link, report.formation));
      }
    }
    const double alone = row_of(steps, scaling.epochs, parse_formation("1x1"), scaling.link, report.formation).seconds;
    for (std::size_t r = 0; r < scaling.rows.size(); ++r) {
      ScalingRow& row = scaling.rows[r];
      row.speed_up = alone / row.seconds;
      row.in_time = params.deadline == 0 || row.seconds <= params.deadline;
      const bool cheaper = scaling.cheapest < 0 || row.rank_hours < scaling.rows[scaling.cheapest].rank_hours;
      if (params.deadline > 0 && row.in_time && cheaper) scaling.cheapest = static_cast<int>(r);
    }
    all.push_back(std::move(scaling));
  }
  if (all.empty())
    throw_input_error(text(report.name, " has no times"), "no training of it is done", "Finish it first.");
  return all;
}

std::string scaling_text(const Scaling& scaling) {
  std::ostringstream out;
  const std::string hours = scaling.on_devices ? "GPU-hours" : "rank-hours";
  out << scaling.name << ": " << scaling.training << ", " << scaling.epochs << " epochs\n  link       "
      << rounded(scaling.link.bandwidth / 1e9) << " GB/s and " << rounded(scaling.link.latency * 1e6) << " us ("
      << scaling.link_source << "; see --bandwidth and --latency)\n\n";
  std::vector<Cells> lines{{"formation", "how", "ranks", "epoch", "all", "exchange", "speed-up", hours}};
  if (scaling.deadline > 0) lines[0].push_back("in time");
  for (const ScalingRow& row : scaling.rows) {
    lines.push_back({row.formation, row.measured ? "measured" : "modelled", text(row.ranks), duration_text(row.epoch),
                     duration_text(row.seconds), percent(row.exchange), fixed(row.speed_up, 2),
                     rounded(row.rank_hours, 3)});
    if (scaling.deadline > 0) lines.back().push_back(row.in_time ? "yes" : "no");
  }
  out << text_table(lines, 2) << "\n  seconds of steps; judging the held-out part and storing are not in them\n";
  if (scaling.replicated > 0) {
    out << "  " << percent(scaling.replicated)
        << " of a step's operations are products of gathered factors, which every rank forms whole\n";
  }
  if (scaling.deadline > 0) {
    out << "  within " << duration_text(scaling.deadline) << ": "
        << (scaling.cheapest < 0 ? "none of these"
                                 : text(scaling.rows[scaling.cheapest].formation, " is the cheapest of these"))
        << "\n";
  }
  return out.str();
}

std::string scaling_csv_rows(const Scaling& scaling) {
  std::string lines;
  for (const ScalingRow& row : scaling.rows) {
    lines += text(csv_field(scaling.name), ",", csv_field(scaling.training), ",", row.formation, ",", row.ranks, ",",
                  row.measured ? "yes" : "no", ",", shortest(row.epoch), ",", shortest(row.seconds), ",",
                  shortest(row.exchange), ",", shortest(row.speed_up), ",", shortest(row.rank_hours), ",",
                  scaling.deadline > 0 ? (row.in_time ? "yes" : "no") : "", "\n");
  }
  return lines;
}

}  // namespace krossfold::study
