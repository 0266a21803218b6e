// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"
#include "krossfold/planning/farm_plan.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::planning {

namespace {

std::string hours_name(const Plan& plan) { return plan.work.on_devices ? "GPU-hours" : "rank-hours"; }

report::Table table_of(const Plan& plan) {
  const bool deadline = plan.deadline > 0;
  report::Table table;
  table.key = "formations";
  table.in_csv = true;
  table.left = 2;
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), plan.rows, cell); };
  add({"file", ""}, [&](const PlanRow&) { return plan.work.name; });
  add({"formation", "formation"}, &PlanRow::formation);
  add({"ranks", ""}, &PlanRow::ranks);
  add({"schedule", "schedule"}, &PlanRow::schedule);
  add({"", "ranks"}, &PlanRow::ranks);
  add({"makespan", "makespan", report::Format::duration}, &PlanRow::makespan);
  add({"seconds", ""}, &PlanRow::seconds);
  add({"bound", "bound", report::Format::duration}, &PlanRow::bound);
  add({"utilisation", "utilisation"},
      [](const PlanRow& row) { return report::Cell(row.utilisation, text(fixed(100 * row.utilisation, 1), " %")); });
  add({"speed_up", "speed-up", report::Format::two_decimals}, &PlanRow::speed_up);
  add({"rank_hours", hours_name(plan)},
      [](const PlanRow& row) { return report::Cell(row.rank_hours, report::rounded(row.rank_hours, 3)); });
  add({"nodes", ""}, &PlanRow::nodes);
  const bool priced = plan.rows.front().price.has_value();
  add({"price", priced ? "price" : ""}, [](const PlanRow& row) { return price_cell(row.price); });
  add({"in_time", deadline ? "in time" : ""},
      [&](const PlanRow& row) { return deadline ? report::Value(row.in_time) : report::Value(); });
  return table;
}

std::string units_text(const PlannedWork& work) {
  std::string line = text(work.units(), " units, ", duration_text(work.seconds()), " of computing time");
  const int estimated = work.estimated();
  if (estimated == 0) return line + ", all measured";
  return line + text("; ", estimated, " units (", duration_text(work.estimated_seconds()), ") are estimated");
}

std::string deadline_text(const Plan& plan) {
  if (plan.cheapest >= 0) {
    const PlanRow& row = plan.rows[static_cast<std::size_t>(plan.cheapest)];
    return text("within ", duration_text(plan.deadline), ": ", row.formation, " (", row.schedule,
                ") is the cheapest of these, ", duration_text(row.seconds), " and ", report::rounded(row.rank_hours, 3),
                " ", hours_name(plan), row.price ? text(", price ", report::rounded(*row.price, 3)) : "");
  }
  return text("within ", duration_text(plan.deadline),
              ": none of these; the shortest that ranks of this speed reach is ", duration_text(plan.shortest),
              " (the longest chain of units", plan.work.setup_seconds > 0 ? " and what comes before it)" : ")");
}

std::string limit_text(const Plan& plan) {
  const PlanLimit& limit = plan.limit;
  const std::string rule = text("each added rank must gain ", shortest(min_marginal_efficiency), " of speed-up");
  if (limit.formation.empty()) return text("more ranks pay up to the last of these (", rule, ")");
  return text("more ranks do not pay from ", limit.formation, " on: against ", limit.before, " each added rank gains ",
              fixed(limit.marginal, 2), " of speed-up (", rule, ")");
}

}  // namespace

report::Cell price_cell(const std::optional<double>& price) {
  return price ? report::Cell(*price, report::rounded(*price, 3)) : report::Cell(report::Value());
}

report::Document plan_document(const Plan& plan) {
  const PlannedWork& work = plan.work;
  report::Document document;
  document.title = text(work.name, ": ", work.description, ", ", work.status, ", on ", work.formation);
  document.facts({{"file", work.name},
                  {"status", work.status},
                  {"formation", work.formation},
                  {"hours_of", work.on_devices ? "GPU" : "rank"}});
  document.line("times", units_text(work),
                {{"units.all", work.units()},
                 {"units.estimated", work.estimated()},
                 {"computing_seconds.all", work.seconds()},
                 {"computing_seconds.estimated", work.estimated_seconds()}});
  document.line("claims",
                text(fixed(1e3 * work.root_claim_seconds, 2), " ms on rank 0, ", fixed(1e3 * work.claim_seconds, 2),
                     " ms on others", work.claim_seconds == usual_claim_seconds ? " (assumed)" : ""),
                {{"claim_seconds.rank_0", work.root_claim_seconds}, {"claim_seconds.others", work.claim_seconds}});
  const bool known = work.setup_seconds >= 0;
  document.line(
      "set-up",
      known ? duration_text(work.setup_seconds) + " before the farm, counted in hours and deadline, not in the makespan"
            : "unknown: the file does not say how long the start before the farm took; it is not counted",
      {{"setup_seconds", known ? report::Value(work.setup_seconds) : report::Value()}});
  if (plan.own_makespan > 0 && work.farm_seconds > 0) {
    const double off = 100 * (plan.own_makespan / work.farm_seconds - 1);
    document.line(
        "check", text("this study on ", work.formation, ": measured ", duration_text(work.farm_seconds), ", predicted ",
                      duration_text(plan.own_makespan), " (", off >= 0 ? "+" : "", fixed(off, 1), " %)"));
  }
  if (plan.own_makespan > 0) {
    document.facts({{"own.measured", work.farm_seconds}, {"own.predicted", plan.own_makespan}});
  } else {
    document.fact("own", {});
  }
  document.warnings = work.warnings;
  document.table(table_of(plan));
  const PlanLimit& limit = plan.limit;
  if (limit.formation.empty()) {
    document.fact("does_not_pay", {});
  } else {
    document.facts({{"does_not_pay.from", limit.formation},
                    {"does_not_pay.against", limit.before},
                    {"does_not_pay.marginal_efficiency", limit.marginal},
                    {"does_not_pay.least", min_marginal_efficiency}});
  }
  if (plan.rows.front().formation != plan.rows.back().formation) document.line("pays", limit_text(plan));
  document.fact("critical_path", work.critical_path());
  if (plan.deadline <= 0) {
    document.fact("deadline", {});
    return document;
  }
  document.line("deadline", deadline_text(plan),
                {{"deadline.seconds", plan.deadline}, {"deadline.cheapest", {}}, {"deadline.shortest", plan.shortest}});
  if (plan.cheapest < 0) return document;
  const PlanRow& row = plan.rows[static_cast<std::size_t>(plan.cheapest)];
  document.facts({{"deadline.cheapest.formation", row.formation},
                  {"deadline.cheapest.schedule", row.schedule},
                  {"deadline.cheapest.ranks", row.ranks},
                  {"deadline.cheapest.seconds", row.seconds},
                  {"deadline.cheapest.rank_hours", row.rank_hours},
                  {"deadline.cheapest.price", row.price ? report::Value(*row.price) : report::Value()}});
  return document;
}

}  // namespace krossfold::planning
