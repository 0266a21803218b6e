// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/result_summary.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "krossfold/model/locate.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/options.hpp"

namespace krossfold::run {

ResultSummary::ResultSummary(const ResultFile& file) : name(file.name) {
  const storage::Container& content = file.content;
  const auto number = [&](const char* attribute) { return static_cast<int>(report::whole(content, attribute)); };
  kind = content.attribute("kind");
  status = content.attribute("status");
  data = content.attribute("data");
  fold_kind = content.attribute("fold_kind");
  std::istringstream lines(content.attribute("data_warnings"));
  for (std::string warning; std::getline(lines, warning);) warnings.push_back(warning);
  formation = content.attribute("formation");
  devices = content.attribute("devices");
  options = content.attribute("config");
  schedule = content.attribute("schedule");
  train_samples = number("n_train");
  test_samples = number("n_test");
  features = number("n_features");
  ranks = std::max(1, number("ranks"));
  seconds = report::real(content, "seconds");
  if (const auto missing = model::missing_models(name, content); !missing.empty()) {
    warnings.push_back(text("the model ", missing.front(),
                            missing.size() > 1 ? text(" and ", missing.size() - 1, " others are") : " is",
                            " not there; move this result away and run its command again, which computes it anew"));
  }
}

void ResultSummary::set_utilisation(const ResultFile& file) {
  if (seconds > 0) utilisation = unit_seconds / (seconds * ranks);
  utilisation = report::real(file.content, "utilisation", utilisation);
}

std::string ResultSummary::option(const std::string& option_name) const {
  return options.empty() ? "" : value_from_json(options, name, option_name);
}

report::Document begin_document(const ResultSummary& summary, const std::string& title) {
  report::Document document;
  document.title = summary.name + ": " + title;
  document.facts({{"file", summary.name},
                  {"kind", summary.kind},
                  {"status", summary.status},
                  {"data.name", summary.data},
                  {"data.train", summary.train_samples},
                  {"data.test", summary.test_samples},
                  {"data.features", summary.features}});
  return document;
}

void add_units(report::Document& document, const ResultSummary& summary, const UnitCounts& units,
               const std::string& more, std::vector<report::Fact> facts) {
  std::vector<report::Fact> all{{"units.all", units.all},
                                {"units.done", units.done},
                                {"units.failed", units.failed},
                                {"units.pruned", units.pruned}};
  all.insert(all.end(), facts.begin(), facts.end());
  document.line("status",
                text(summary.status == "running"
                         ? "running, or killed (what a journal holds beyond this is kept and not computed again)"
                         : summary.status,
                     ": ", units.done + units.failed + units.pruned, " of ", units.all, " units, ", units.failed,
                     " failed", units.pruned > 0 ? text(", ", units.pruned, " pruned") : "", more),
                all);
}

void end_document(report::Document& document, const ResultSummary& summary) {
  std::string shown;
  std::vector<report::Fact> facts;
  if (!summary.options.empty()) {
    for (const OptionValue& option : options_from_json(summary.options, summary.name)) {
      facts.push_back({"options." + option.name, option.value});
      if (!option.is_default) shown += text(shown.empty() ? "" : ", ", option.name, " ", option.value);
    }
  }
  document.line("options",
                (shown.empty() ? "all at their defaults" : shown) +
                    (summary.schedule.empty() ? "" : "; schedule " + summary.schedule),
                facts);
  document.fact("schedule", summary.schedule);
  document.line(
      "time",
      text(duration_text(summary.seconds), " on ", report::counted(summary.ranks, "rank"),
           summary.utilisation > 0 ? text(", ", std::lround(100 * summary.utilisation), " % of the last run computing")
                                   : ""),
      {{"seconds", summary.seconds}, {"ranks", summary.ranks}, {"utilisation", summary.utilisation}});
  document.warnings = summary.warnings;
}

}  // namespace krossfold::run
