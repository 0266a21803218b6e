// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/leaderboard.hpp"

#include <algorithm>
#include <cmath>
#include <ios>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/run_facts.hpp"

namespace krossfold::run {

namespace {

/// One of the files.
struct Row : Standing {
  std::string file, kind, data, test, test_digest, status;  ///< test: the option
  int test_number = 0;                                      ///< of the test part, from 1; 0 for files without one
  int place = 0;                                            ///< within the test part, from 1; 0 if it has no error
  int train_samples = 0, test_samples = 0, ranks = 1;
  double seconds = 0;
  bool by_weight = false;  ///< its validation error is a share of weights, not of samples

  Interval interval{NAN, NAN};  ///< of the test error

  bool is_tested() const { return !test_part.empty() && !(std::isnan(test_error) && std::isnan(loss)); }
  /// Of a test part, errors go before losses, with which they cannot be compared, and both before what was not tested.
  auto order() const {
    const bool by_loss = is_tested() && std::isnan(test_error);
    const double figure = !is_tested() ? 0 : by_loss ? loss : test_error;
    return std::tuple(test_number == 0, test_number, !is_tested(), by_loss, figure);
  }
};

Row row_of(const StudyKind& kind, const ResultFile& file) {
  const ResultSummary summary(file);
  Row row;
  static_cast<Standing&>(row) = kind.standing(file);
  row.file = file.name;
  row.kind = kind.name();
  row.data = summary.data;
  row.test = summary.option("test");
  row.test_digest = file.content.attribute("test_digest");
  row.status = summary.status;
  row.train_samples = summary.train_samples;
  row.test_samples = summary.test_samples;
  row.ranks = summary.ranks;
  row.by_weight = summary.option("weighted-measures") == "true";
  row.seconds = summary.seconds;
  if (!std::isnan(row.test_error) && row.test_samples > 0) {
    row.interval = wilson_interval(row.test_error, row.test_samples);
  }
  return row;
}

/// Numbers the test parts in the order of the files: rows share one if they have the same values and labels, whatever their data are called,
/// or data and labels of the same name and --test. Warns of other values within a part.
void number_test_parts(std::vector<Row>& rows, std::vector<std::string>& warnings) {
  const auto same = [](const Row& a, const Row& b) {
    return (!a.test_digest.empty() && a.test_digest == b.test_digest) ||
           (a.data == b.data && a.test == b.test && a.test_part == b.test_part);
  };
  int numbers = 0;
  for (Row& row : rows) {
    if (row.test_part.empty() || row.test_number != 0) continue;
    row.test_number = ++numbers;
    const Row* known = nullptr;  // the first of the part with known values
    std::vector<Row*> part{&row};
    for (std::size_t next = 0; next < part.size(); ++next) {
      for (Row& other : rows) {
        if (other.test_part.empty() || other.test_number != 0 || !same(*part[next], other)) continue;
        other.test_number = numbers;
        part.push_back(&other);
      }
    }
    std::sort(part.begin(), part.end());
    for (const Row* one : part) {
      if (one->test_digest.empty()) continue;
      if (known == nullptr) known = one;
      if (one->test_digest == known->test_digest) continue;
      warnings.push_back(
          text(known->file, " and ", one->file,
               " have the same test labels but other features, groups or weights: their errors compare only if "
               "the samples are the same, as with --drop"));
    }
  }
}

/// Sorts by the test parts and gives places; equal errors share a place.
void give_places(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.order() < b.order(); });
  for (std::size_t k = 0, first = 0; k < rows.size(); ++k) {
    if (rows[k].test_number != rows[first].test_number) first = k;
    if (!rows[k].is_tested()) continue;
    const bool equal = k > first && rows[k].order() == rows[k - 1].order();
    rows[k].place = equal ? rows[k - 1].place : static_cast<int>(k - first) + 1;
  }
}

/// Null for what a study has not.
report::Value known(double value) { return std::isnan(value) ? report::Value() : report::Value(value); }

report::Cell interval_text(const Row& row) {
  if (std::isnan(row.interval.low)) return {};
  return {report::Value(), text(fixed(100 * row.interval.low, 2), " to ", fixed(100 * row.interval.high, 2), " %")};
}

report::Table table_of(const std::vector<Row>& rows) {
  const bool losses = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !std::isnan(row.loss); });
  report::Table table;
  table.key = "files";
  table.left = 5;
  table.in_csv = true;
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), rows, cell); };
  add({"test_part", "test part"}, [](const Row& row) {
    return row.test_number == 0 ? report::Cell(report::Value(), "none")
                                : report::Cell(row.test_number, text(row.test_number, ": ", row.data));
  });
  add({"place", "place"}, [](const Row& row) { return row.place == 0 ? report::Value() : report::Value(row.place); });
  add({"file", "file"}, &Row::file);
  add({"kind", "kind"}, &Row::kind);
  add({"work", "work"}, &Row::work);
  add({"data", ""}, &Row::data);
  add({"status", ""}, &Row::status);
  add({"test_error", "test error", report::Format::percent}, [](const Row& row) { return known(row.test_error); });
  add({"interval_low", ""}, [](const Row& row) { return known(row.interval.low); });
  add({"interval_high", ""}, [](const Row& row) { return known(row.interval.high); });
  add({"", "95 % interval"}, interval_text);
  add({"validation_error", "validation", report::Format::percent},
      [](const Row& row) { return known(row.validation_error); });
  add({"loss", losses ? "loss" : ""}, [](const Row& row) { return known(row.loss); });
  add({"train_samples", "training"}, &Row::train_samples);
  add({"test_samples", "test"}, &Row::test_samples);
  add({"ranks", "ranks"}, &Row::ranks);
  add({"seconds", "time", report::Format::duration}, &Row::seconds);
  add({"rank_hours", ""}, [](const Row& row) { return row.seconds * row.ranks / 3600; });
  return table;
}

std::vector<std::string> warnings_of(const std::vector<Row>& rows) {
  std::map<std::string, std::set<int>> parts;
  std::vector<std::string> warnings;
  for (const Row& row : rows) {
    if (row.test_number > 0) parts[row.data].insert(row.test_number);
    if (!has_ended(row.status)) warnings.push_back(text(row.file, " is not finished (", row.status, ")"));
    if (row.status == "diverged") warnings.push_back(text(row.file, " has no model: its trainings diverged"));
  }
  for (const auto& [data, numbers] : parts) {
    if (numbers.size() < 2) continue;
    warnings.push_back(text("the studies of ", data, " have ", numbers.size(),
                            " different test parts, whose errors do not compare; give them the same --test or "
                            "--test-part, --seed and --limit, and --group and --missing"));
  }
  const auto validated = [&](bool by_weight) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.by_weight == by_weight && !std::isnan(row.validation_error); });
  };
  if (validated(true) && validated(false)) {
    warnings.emplace_back(
        "validation errors of some files are shares of weights (--weighted-measures) and those of others shares of "
        "samples, which do not compare");
  }
  if (std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.test_number == 0; })) {
    warnings.emplace_back("files without a stored test part have no place");
  }
  return warnings;
}

}  // namespace

std::string test_part_of(const ResultFile& file, const std::string& group) {
  const storage::Container& content = file.content;
  if (!content.has(group + "/label") || !content.has(group + "/sample")) return "";
  std::uint64_t sum = 0;
  for (const char* name : {"/label", "/sample"}) {
    sum = crc64(std::as_bytes(std::span(content.values<std::int32_t>(group + name))), sum);
  }
  if (content.has("/class_name")) {
    for (const std::string& name : content.values<std::string>("/class_name")) {
      sum = crc64(std::as_bytes(std::span(name.c_str(), name.size() + 1)), sum);
    }
  }
  return text(std::hex, sum);
}

Interval wilson_interval(double error, int samples) {
  constexpr double z = 1.959963984540054;
  const double n = samples, spread = z * std::sqrt(error * (1 - error) / n + z * z / (4 * n * n));
  const double middle = error + z * z / (2 * n), all = 1 + z * z / n;
  return {std::max(0.0, (middle - spread) / all), std::min(1.0, (middle + spread) / all)};
}

report::Document leaderboard(const StudyRegistry& registry, const std::vector<ResultFile>& files) {
  require(files.size() >= 2, "a comparison needs at least two result files");
  std::vector<Row> rows;
  rows.reserve(files.size());
  for (const ResultFile& file : files) rows.push_back(row_of(registry.kind_of(file), file));
  std::vector<std::string> of_parts;
  number_test_parts(rows, of_parts);
  give_places(rows);
  report::Document document;
  document.title = text("leaderboard of ", files.size(), " studies");
  document.table(table_of(rows));
  document.line("interval", "Wilson's of the test error; studies whose intervals overlap may differ by chance");
  document.line("choice", "choose by the validation error: the best of many test errors is too optimistic");
  document.warnings = warnings_of(rows);
  document.warnings.insert(document.warnings.end(), of_parts.begin(), of_parts.end());
  return document;
}

}  // namespace krossfold::run
