// SPDX-License-Identifier: BSD-3-Clause
#include <iomanip>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "krossfold/study/plan.hpp"
#include "krossfold/study/report.hpp"
#include "text_table.hpp"

namespace krossfold::study {

namespace {

std::string hours_name(const Plan& plan) { return plan.work.on_devices ? "GPU-hours" : "rank-hours"; }

std::string table_of(const Plan& plan) {
  std::vector<Cells> lines{
      {"formation", "schedule", "ranks", "makespan", "bound", "utilisation", "speed-up", hours_name(plan)}};
  if (plan.deadline > 0) lines[0].push_back("in time");
  for (const PlanRow& row : plan.rows) {
    lines.push_back({row.formation, row.schedule, text(row.ranks), duration_text(row.makespan),
                     duration_text(row.bound), text(fixed(100 * row.utilisation, 1), " %"), fixed(row.speed_up, 2),
                     rounded(row.rank_hours, 3)});
    if (plan.deadline > 0) lines.back().push_back(row.in_time ? "yes" : "no");
  }
  return text_table(lines, 2);
}

std::string units_text(const PlanWork& work) {
  std::string line = text(work.units(), " units, ", duration_text(work.seconds()), " of computing time");
  const int estimated = work.estimated();
  if (estimated == 0) return line + ", all measured";
  return line + text("; ", estimated, " units (", duration_text(work.estimated_seconds()), ") are estimated");
}

std::string deadline_text(const Plan& plan) {
  if (plan.cheapest >= 0) {
    const PlanRow& row = plan.rows[static_cast<std::size_t>(plan.cheapest)];
    return text("within ", duration_text(plan.deadline), ": ", row.formation, " (", row.schedule,
                ") is the cheapest of these, ", duration_text(row.seconds), " and ", rounded(row.rank_hours, 3), " ",
                hours_name(plan));
  }
  return text("within ", duration_text(plan.deadline),
              ": none of these; the shortest that ranks of this speed reach is ", duration_text(plan.shortest),
              " (the longest chain of units", plan.work.setup_seconds > 0 ? " and what comes before it)" : ")");
}

std::string limit_text(const Plan& plan) {
  const PlanLimit& limit = plan.limit;
  const std::string rule = text("each added rank must gain ", shortest(least_marginal_efficiency), " of speed-up");
  if (limit.formation.empty()) return text("more ranks pay up to the last of these (", rule, ")");
  return text("more ranks do not pay from ", limit.formation, " on: against ", limit.before, " each added rank gains ",
              fixed(limit.marginal, 2), " of speed-up (", rule, ")");
}

}  // namespace

std::string plan_text(const Plan& plan) {
  const PlanWork& work = plan.work;
  std::ostringstream out;
  out << work.name << ": " << work.description << ", " << work.status << ", on " << work.formation << "\n";
  out << "  times      " << units_text(work) << "\n";
  out << "  claims     " << fixed(1e3 * work.root_claim_seconds, 2) << " ms on rank 0, "
      << fixed(1e3 * work.claim_seconds, 2) << " ms on others"
      << (work.claim_seconds == usual_claim_seconds ? " (assumed)" : "") << "\n";
  out << "  set-up     ";
  if (work.setup_seconds >= 0) {
    out << duration_text(work.setup_seconds)
        << " before the farm, counted in hours and deadline, not in the makespan\n";
  } else {
    out << "unknown: the file does not say how long the start before the farm took; it is not counted\n";
  }
  if (plan.own_makespan > 0 && work.farm_seconds > 0) {
    out << "  check      this study on " << work.formation << ": measured " << duration_text(work.farm_seconds)
        << ", predicted " << duration_text(plan.own_makespan) << " (" << std::showpos
        << fixed(100 * (plan.own_makespan / work.farm_seconds - 1), 1) << " %)\n";
  }
  for (const std::string& warning : work.warnings) out << "  warning: " << warning << "\n";
  out << "\n" << table_of(plan) << "\n";
  if (plan.rows.front().formation != plan.rows.back().formation) out << "  " << limit_text(plan) << "\n";
  if (plan.deadline > 0) out << "  " << deadline_text(plan) << "\n";
  return out.str();
}

std::string plan_csv_rows(const Plan& plan) {
  std::string lines;
  for (const PlanRow& row : plan.rows) {
    const std::string in_time = plan.deadline > 0 ? (row.in_time ? "yes" : "no") : "";
    lines +=
        text(csv_field(plan.work.name), ",", row.formation, ",", row.ranks, ",", row.schedule, ",",
             shortest(row.makespan), ",", shortest(row.seconds), ",", shortest(row.bound), ",",
             shortest(row.utilisation), ",", shortest(row.speed_up), ",", shortest(row.rank_hours), ",", in_time, "\n");
  }
  return lines;
}

}  // namespace krossfold::study
