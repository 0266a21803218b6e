// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/class_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::run {

measures::Confusion read_confusion(const storage::FieldReader& file, const storage::Field<std::int32_t>& of,
                                   int classes) {
  if (!file.has(of)) return {};
  const auto& count = file.get(of);
  return {classes, std::vector<double>(count.begin(), count.end())};
}

void warn_of_lost_classes(ResultSummary& summary, const measures::Confusion& confusion,
                          const std::vector<std::string>& class_name, const std::string& of, int repeats) {
  if (confusion.classes == 0) return;
  constexpr std::size_t most_lines = 3, most_names = 10;
  const double enough = 5.0 * repeats;
  const std::string in = repeats > 1 ? text(" in ", repeats, " repeats") : "";
  const measures::ClassMeasures each = measures::class_measures(confusion);
  std::vector<std::size_t> lost;
  for (std::size_t c = 0; c < each.recall.size(); ++c) {
    if (each.support[c] >= enough && each.recall[c] < 0.5) lost.push_back(c);
  }
  if (lost.size() > most_lines) {
    std::string names;
    for (std::size_t k = 0; k < std::min(lost.size(), most_names); ++k) {
      names += text(k == 0 ? "" : ", ", class_name[lost[k]], " (", report::percent(each.recall[lost[k]]), ")");
    }
    if (lost.size() > most_names) names += text(" and ", lost.size() - most_names, " more");
    summary.warnings.push_back(
        text("fewer than half of the ", of, " samples", in, " are recognised of ", lost.size(), " classes: ", names));
    return;
  }
  for (const std::size_t c : lost) {
    if (each.recall[c] == 0) {
      summary.warnings.push_back(
          text("none of the ", each.support[c], " ", of, " samples of class ", class_name[c], in, " is recognised"));
      continue;
    }
    summary.warnings.push_back(text("of the ", each.support[c], " ", of, " samples of class ", class_name[c], in,
                                    ", only ", report::percent(each.recall[c]), " are recognised"));
  }
}

std::string measures_text(const std::vector<std::pair<std::string, double>>& values) {
  std::string all;
  for (const auto& [name, value] : values) {
    if (std::isnan(value)) continue;
    const bool percent = name.ends_with("error");
    all += text(all.empty() ? "" : ", ", name, " ", percent ? report::percent(value) : report::rounded(value));
  }
  return all;
}

void add_test_measures(report::Document& document, const measures::Confusion& confusion,
                       const std::vector<std::string>& class_name,
                       const std::vector<std::pair<std::string, double>>& scores) {
  if (confusion.classes == 0) return;
  const measures::MacroMeasures macro = measures::macro_measures(confusion);
  std::vector<std::pair<std::string, double>> values = {{"balanced error", measures::balanced_error(confusion)},
                                                        {"f1 macro", macro.f1},
                                                        {"precision macro", macro.precision},
                                                        {"recall macro", macro.recall},
                                                        {"mcc", measures::matthews_correlation(confusion)}};
  values.insert(values.end(), scores.begin(), scores.end());
  std::vector<report::Fact> facts;
  for (const auto& [name, value] : values) {
    std::string key = "test." + name;
    std::replace(key.begin(), key.end(), ' ', '_');
    facts.push_back({key, value});
  }
  document.line("", measures_text(values), facts);
  constexpr double uneven = 0.4;  // below, the error that always naming the largest class makes looks good
  const std::vector<double> support = measures::class_measures(confusion).support;
  const auto largest = std::max_element(support.begin(), support.end());
  const double samples = std::accumulate(support.begin(), support.end(), 0.0), wrong = 1 - *largest / samples;
  const auto at = static_cast<std::size_t>(largest - support.begin());
  if (wrong < uneven && at < class_name.size()) {
    document.line("baseline",
                  text(report::percent(wrong), " wrong if all were taken for ", class_name[at],
                       ", the largest class of the test part"),
                  {{"test.baseline_error", wrong}});
  } else {
    document.fact("test.baseline_error", wrong);
  }
}

void add_classes(report::Document& document, const measures::Confusion& confusion,
                 const std::vector<std::string>& class_name, const std::string& key, const std::string& heading) {
  if (confusion.classes == 0) return;
  constexpr int most_columns = 12, most_rows = 30;
  const measures::ClassMeasures each = measures::class_measures(confusion);
  report::Table table{key, heading, {}, {}};
  table.in_text = confusion.classes <= most_rows;
  table.left = 1;
  const auto by_class = [](const std::vector<double>& values) {
    return [&values](std::size_t k) -> report::Cell { return values[k]; };
  };
  table.rows.resize(class_name.size());
  table.add({"class", "class"}, [&](std::size_t k) -> report::Cell { return class_name[k]; });
  table.add({"samples", "samples"}, by_class(each.support));
  // scikit-learn counts the recall of a class without samples as 0 in means; as a figure of its own there is none.
  table.add({"recall", "recall", report::Format::percent}, [&](std::size_t k) -> report::Cell {
    return each.support[k] == 0 ? std::numeric_limits<double>::quiet_NaN() : each.recall[k];
  });
  table.add({"precision", "precision", report::Format::percent}, by_class(each.precision));
  table.add({"f1", "F1"}, [&](std::size_t k) -> report::Cell { return {each.f1[k], report::rounded(each.f1[k])}; });
  for (int c = 0; c < confusion.classes; ++c) {
    const std::string& name = class_name[static_cast<std::size_t>(c)];
    table.add(
        {text("as ", name), confusion.classes <= most_columns ? text("as ", name) : "", report::Format::number, true},
        [&](std::size_t k) -> report::Cell { return confusion(static_cast<int>(k), c); });
  }
  document.table(std::move(table));
}

}  // namespace krossfold::run
