// SPDX-License-Identifier: BSD-3-Clause
// Counts of errors against those of scikit-learn's OneVsRestClassifier(SVC), both at tolerance 1e-5, on the digits.
// How the reference was made, at 1e-5 and for the folds also at 1e-9: test/reference/record_sklearn.py.
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "krossfold/input/spec.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "test/run/memory_sink.hpp"
#include "test/source_folder.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

/// The numbers in the lines of a reference file, without its comments and column names.
std::vector<std::vector<double>> read_table(const std::string& name) {
  std::ifstream file(test::source_path(KROSSFOLD_REFERENCE_FOLDER, "test/reference") + "/" + name);
  std::vector<std::vector<double>> table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] < '0' || line[0] > '9') continue;
    std::vector<double>& row = table.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(std::stod(field));
  }
  return table;
}

using Cells = std::set<std::pair<int, int>>;  // gamma and C

/// The cells where tolerance 1e-5 does not determine the answer: some fold's count of scikit-learn differs between
/// the recordings `loose` and `tight`, which must have the same rows.
Cells find_undetermined(const std::vector<std::vector<double>>& loose, const std::vector<std::vector<double>>& tight) {
  Cells cells;
  for (std::size_t i = 0; i < loose.size(); ++i)
    if (loose[i][5] != tight[i][5]) cells.emplace(static_cast<int>(loose[i][0]), static_cast<int>(loose[i][1]));
  return cells;
}

struct Digits {
  data::Task task = input::load_task({.train = "digits", .test_part = "last"});
  SvmLayout search;
  test::MemorySink sink;
  Digits() {
    SvmParams params;
    params.tolerance = 1e-5;
    params.fold_kind = "contiguous";
    search = lay_out_svm(params, task);
  }
};

TEST(SklearnReference, every_fold_of_every_cell_has_the_same_errors_but_for_one_sample) {
  const auto table = read_table("digits_ovr_sklearn.csv");
  const auto tight = read_table("digits_ovr_sklearn_tight.csv");
  ASSERT_EQ(table.size(), 7U * 7U * 5U);
  ASSERT_EQ(tight.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    ASSERT_EQ(table[i].size(), 7U) << "row " << i;
    ASSERT_EQ(tight[i].size(), 7U) << "row " << i;
    for (const int column : {0, 1, 2, 3, 4, 6}) ASSERT_EQ(table[i][column], tight[i][column]) << "row " << i;
  }
  const Cells undetermined = find_undetermined(table, tight);
  // All of tiny C or tiny gamma; named here so that a new recording cannot leave out more of the grid unseen.
  const Cells expected = {{0, 0}, {0, 4}, {4, 0}, {8, 0}, {12, 0}};
  for (const auto& cell : undetermined)
    EXPECT_TRUE(expected.contains(cell)) << "gamma " << cell.first << ", C " << cell.second;
  Digits digits;
  SvmExecutor executor(digits.search, digits.task);
  UnitContext context{{}, digits.sink};
  std::map<std::pair<int, int>, FoldResult> computed;  // by gamma and fold
  std::map<std::pair<int, int>, int> worst;            // by gamma and C: the largest difference of a fold
  for (const auto& row : table) {
    const int g = static_cast<int>(row[0]), c = static_cast<int>(row[1]), fold = static_cast<int>(row[2]);
    ASSERT_NEAR(digits.search.gamma[g], row[3], 1e-12 * row[3]);
    ASSERT_NEAR(digits.search.c[c], row[4], 1e-12 * row[4]);
    auto found = computed.find({g, fold});
    if (found == computed.end()) {
      const auto records = executor.run({{svm_unit_fold, {g, fold, 0}}}, context);
      ASSERT_EQ(records.size(), 1U);
      found = computed.emplace(std::pair{g, fold}, FoldResult::from_bytes(records[0].payload)).first;
      for (const svm::FitSummary& fit : found->second.fit) {
        ASSERT_TRUE(fit.converged);
        ASSERT_LE(fit.violation, 1e-5);
      }
    }
    ASSERT_EQ(found->second.held, static_cast<int>(row[6]));
    const int difference = std::abs(found->second.wrong[c] - static_cast<int>(row[5]));
    int& largest = worst[{g, c}];
    largest = std::max(largest, difference);
    if (undetermined.contains({g, c})) continue;
    EXPECT_LE(difference, 1) << "gamma " << g << ", C " << c << ", fold " << fold << ": " << found->second.wrong[c]
                             << " wrong, scikit-learn " << row[5];
  }
  int compared = 0;
  std::array<int, 2> largest{};  // of the compared cells and of the others
  for (const auto& [cell, difference] : worst) {
    const bool left_out = undetermined.contains(cell);
    compared += left_out ? 0 : 1;
    largest[left_out ? 1 : 0] = std::max(largest[left_out ? 1 : 0], difference);
  }
  EXPECT_GE(compared, 40);
  std::cout << compared << " cells compared, largest difference of a fold " << largest[0] << "; in the "
            << undetermined.size() << " cells left out " << largest[1] << "\n";
}

TEST(SklearnReference, the_refit_has_the_same_test_errors_but_for_one_sample) {
  const auto table = read_table("digits_refit_sklearn.csv");
  ASSERT_EQ(table.size(), 7U * 7U);
  Digits digits;
  SvmExecutor executor(digits.search, digits.task);
  UnitContext context{{}, digits.sink};
  int compared = 0, largest = 0;
  for (const auto& row : table) {
    const int g = static_cast<int>(row[0]), c = static_cast<int>(row[1]);
    if (c != 12 && c != 23) continue;  // a refit solves the whole path up to its C: the others would add time only
    const auto records = executor.run(test::refit_unit(digits.search, g, c), context);
    ASSERT_EQ(records.size(), 1U);
    const RefitResult result = RefitResult::from_bytes(records[0].payload);
    ASSERT_EQ(result.prediction.size(), static_cast<std::size_t>(row[3]));
    const int difference = std::abs(result.wrong - static_cast<int>(row[2]));
    EXPECT_LE(difference, 1) << "gamma " << g << ", C " << c << ": " << result.wrong << " wrong, scikit-learn "
                             << row[2];
    largest = std::max(largest, difference);
    ++compared;
  }
  EXPECT_EQ(compared, 14);
  std::cout << compared << " refits compared, largest difference " << largest << "\n";
}

}  // namespace
}  // namespace krossfold::studies
