// SPDX-License-Identifier: BSD-3-Clause
// Repeated and nested cross-validation against scikit-learn's, on iris: test/reference/record_nested.py.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <map>
#include <sstream>

#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/units.hpp"
#include "test/run/memory_sink.hpp"
#include "test/source_folder.hpp"

namespace krossfold::studies {
namespace {

using Row = std::vector<double>;

/// The lines of the recording by their first word.
std::map<std::string, std::vector<Row>> recorded() {
  std::map<std::string, std::vector<Row>> lines;
  std::ifstream file(test::source_path(KROSSFOLD_REFERENCE_FOLDER, "test/reference") + "/nested_sklearn.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string word;
    std::getline(fields, word, ',');
    Row& row = lines[word].emplace_back();
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
  }
  return lines;
}

std::vector<int> samples(const Row& row, std::size_t first) {
  std::vector<int> all;
  for (std::size_t k = first; k < row.size(); ++k) all.push_back(static_cast<int>(row[k]));
  return all;
}

/// Runs every unit of the study, one after the other.
void run_all(SvmStudy& study, const SvmLayout& search, const data::Task& task) {
  test::MemorySink sink;
  UnitContext context{{}, sink};
  SvmExecutor executor(search, task);
  std::deque<Unit> waiting;
  for (Unit& unit : study.initial()) waiting.push_back(std::move(unit));
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto records = executor.run(waiting.front(), context);
    ASSERT_EQ(records.size(), 1U);
    for (Unit& unit : study.on_record(records[0])) waiting.push_back(std::move(unit));
  }
}

TEST(SklearnReference, repeated_and_nested_cross_validation_have_the_same_errors) {
  auto lines = recorded();
  const std::vector<Row>& rows = lines["sample"];
  ASSERT_EQ(rows.size(), 150U);
  const Matrix<float> raw("krossfold::test::iris", rows.size(), 4);
  const Vector<int> label("krossfold::test::species", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < 4; ++j) raw(i, j) = static_cast<float>(rows[i][j]);
    label(i) = static_cast<int>(rows[i][4]);
  }
  data::Task task;
  task.train = data::make_dataset("iris", raw, label, {"setosa", "versicolor", "virginica"});
  SvmParams params;
  params.grid_c = params.grid_gamma = 4;
  params.log10_c = {-1, 2};
  params.log10_gamma = run::Range{-2.5, 0.5};
  params.scale = "none";
  params.tolerance = 1e-9;
  params.repeats = 3;
  params.outer = 4;
  params.refit = false;
  SvmLayout search = lay_out_svm(params, task);
  ASSERT_EQ(search.folds.folds(), 15);
  for (const Row& row : lines["repeat"]) search.folds.held.at(static_cast<std::size_t>(row[0])) = samples(row, 1);
  for (const Row& row : lines["outer"]) search.nested.outer.held.at(static_cast<std::size_t>(row[0])) = samples(row, 1);
  for (const Row& row : lines["inner"]) {
    search.nested.inner.at(static_cast<std::size_t>(row[0])).held.at(static_cast<std::size_t>(row[1])) =
        samples(row, 2);
  }
  SvmStudy study(search, task.train.label);
  run_all(study, search, task);

  ASSERT_EQ(lines["repeated"].size(), 4U * 4 * 15);
  int differences = 0;
  const auto compare = [&](double error, double wrong, std::size_t held) {
    differences += std::lround(error * static_cast<double>(held)) != std::lround(wrong) ? 1 : 0;
  };
  for (const Row& row : lines["repeated"]) {
    const auto g = static_cast<std::size_t>(row[0]), c = static_cast<std::size_t>(row[1]),
               f = static_cast<std::size_t>(row[2]);
    compare(study.rounds()[0].fold_error[(g * 4 + c) * 15 + f], row[3], search.folds.held[f].size());
  }
  ASSERT_EQ(lines["nested"].size(), 4U * 4 * 4 * 5);
  for (const Row& row : lines["nested"]) {
    const auto o = static_cast<std::size_t>(row[0]), g = static_cast<std::size_t>(row[1]),
               c = static_cast<std::size_t>(row[2]), f = static_cast<std::size_t>(row[3]);
    compare(study.outer()[o].search.fold_error[(g * 4 + c) * 5 + f], row[4], search.nested.inner[o].held[f].size());
  }
  EXPECT_EQ(differences, 0) << "of 560 counts of errors";
  ASSERT_EQ(lines["tested"].size(), 4U);
  for (const Row& row : lines["tested"]) {
    const OuterFold& outer = study.outer()[static_cast<std::size_t>(row[0])];
    ASSERT_TRUE(outer.best);
    EXPECT_EQ(outer.best->gamma, static_cast<int>(row[1]));
    EXPECT_EQ(outer.best->c, static_cast<int>(row[2]));
    const std::vector<int>& held = search.nested.outer.held[static_cast<std::size_t>(row[0])];
    ASSERT_EQ(outer.decision.size(), 3 * held.size());
    int wrong = 0;
    for (std::size_t k = 0; k < held.size(); ++k) {
      int best = 0;
      for (int p = 1; p < 3; ++p) {
        if (outer.decision[p * held.size() + k] > outer.decision[best * held.size() + k]) best = p;
      }
      wrong += best != label(held[k]) ? 1 : 0;
    }
    EXPECT_EQ(wrong, static_cast<int>(row[3])) << "outer fold " << row[0];
  }
}

}  // namespace
}  // namespace krossfold::studies
