// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "krossfold/core/error.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/bag_records.hpp"
#include "krossfold/study/bag_report.hpp"
#include "krossfold/study/file_report.hpp"

namespace krossfold {
namespace {

namespace field = storage::field;
using testing::HasSubstr;

/// Three bootstraps of two trials of three folds on a few digits; records are made up, but for what is said of them.
class BagResult : public ::testing::Test {
protected:
  const data::Task task = data::load_task({.limit = 300});
  const study::OodImages ood = study::gather_ood(task, 1, {});
  study::BagSearch search;
  study::RunFacts facts;
  const int n = task.test.size();

  BagResult() {
    study::BagParams params;
    params.bootstraps = 3;
    params.trials = 2;
    params.folds = 3;
    params.epochs = 4;
    search = study::plan_bag(params, task);
    facts.status = "finished";
    facts.seconds = 10;
    facts.ranks = 2;
  }
  static Record record_of(const UnitKey& key, const std::vector<std::byte>& payload) {
    return {.key = key, .status = Status::done, .started = 1, .seconds = 2, .rank = 1, .payload = payload};
  }
  std::vector<Record> trials() const {
    std::vector<Record> records;
    for (int b = 0; b < 3; ++b) {
      for (int t = 0; t < 2; ++t) {
        for (int f = 0; f < 3; ++f) {
          study::TrialResult trial;
          trial.held = 100;
          trial.wrong = t == b % 2 ? 10 : 20 + f;
          trial.training.epoch_loss = {2, 1};
          records.push_back(record_of({study::bag_unit_trial, {b, t, f}}, trial.to_bytes()));
        }
      }
    }
    return records;
  }
  /// A network that is right but for every `wrong_every`-th test image, and says so with this probability.
  Record final_fit(int bootstrap, int wrong_every, float sure) const {
    study::FinalResult fit;
    fit.training.epoch_loss = {2, 1, 0.5};
    fit.out_of_bag = 40;
    fit.out_of_bag_wrong = 4;
    for (int i = 0; i < n; ++i) {
      const int says = (task.test.label(i) + (i % wrong_every == bootstrap ? 1 : 0)) % 10;
      for (int c = 0; c < 10; ++c) fit.probability.push_back(c == says ? sure : (1 - sure) / 9);
    }
    fit.ood_probability.assign(static_cast<std::size_t>(ood.images.size()) * 10, 0.1F);
    fit.model_name = "bootstrap_0" + std::to_string(bootstrap) + ".h5";
    fit.model_checksum = 0xABC;
    return record_of({study::bag_unit_final, {bootstrap, bootstrap % 2, 0}}, fit.to_bytes());
  }
  storage::Container result(const std::vector<Record>& records) const {
    return make_bag_result(search, task, ood, records, facts);
  }
};

TEST_F(BagResult, says_what_each_network_and_the_ensemble_get_wrong) {
  auto records = trials();
  for (int b = 0; b < 3; ++b) records.push_back(final_fit(b, 10, 0.9F));
  const storage::Container content = result(records);
  const auto& error = content.values<double>(field::final_test_error.path);
  for (int b = 0; b < 3; ++b) {
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += i % 10 == b ? 1 : 0;
    EXPECT_DOUBLE_EQ(error[b], static_cast<double>(wrong) / n);
  }
  // No two are wrong about the same image: two of three are always right.
  EXPECT_THAT(content.values<double>(field::ensemble_error.path), testing::Each(0.0));
  EXPECT_THAT(content.values<std::int32_t>(field::final_trial.path), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(content.values<double>(field::final_validation_error.path),
              testing::Each(testing::DoubleNear(0.1, 1e-15)));
  EXPECT_THAT(content.values<double>(field::final_out_of_bag_error.path), testing::Each(0.1));
  // Equal probabilities of all classes are as strange as can be, but no model disagrees with another about them: they tie with
  // the test images that all models are right about.
  double agreed = 0;
  for (int i = 0; i < n; ++i) agreed += i % 10 > 2 ? 1 : 0;
  for (std::size_t set = 0; set < 4; ++set) {
    const auto& auroc = content.values<double>(field::ood_auroc.path);
    EXPECT_EQ(auroc[3 * set], 1);
    EXPECT_DOUBLE_EQ(auroc[3 * set + 1], agreed / n / 2);
    EXPECT_EQ(auroc[3 * set + 2], 1);
  }
  EXPECT_THAT(content.values<std::string>(field::ood_name.path),
              testing::ElementsAre("noise", "inverted", "shuffled pixels", "photograph-like"));
  const auto& confusion = content.values<std::int32_t>(field::ensemble_confusion.path);
  EXPECT_EQ(std::accumulate(confusion.begin(), confusion.end(), 0), n);
  EXPECT_EQ(storage::container_from_bytes(storage::to_bytes(content), "r.h5").arrays.size(), content.arrays.size());
}

TEST_F(BagResult, is_the_same_for_records_in_any_order) {
  auto records = trials();
  for (int b = 0; b < 3; ++b) records.push_back(final_fit(b, 7, 0.8F));
  const auto bytes = storage::to_bytes(result(records));
  std::mt19937 engine(5);
  std::shuffle(records.begin(), records.end(), engine);
  EXPECT_EQ(storage::to_bytes(result(records)), bytes);
}

TEST_F(BagResult, before_all_is_known_says_what_is) {
  const storage::Container empty = result({});
  EXPECT_FALSE(empty.has(field::ensemble_error.path));
  EXPECT_THAT(empty.values<std::int32_t>(field::final_trial.path), testing::Each(-1));
  EXPECT_NE(bag_report_text(study::make_bag_report(empty, "r.h5")).find("0 of 21 units"), std::string::npos);
  auto records = trials();
  records.push_back(final_fit(1, 10, 0.9F));
  const storage::Container one = result(records);
  const auto& error = one.values<double>(field::final_test_error.path);
  EXPECT_TRUE(std::isnan(error[0]));
  EXPECT_EQ(one.values<double>(field::ensemble_error.path)[0], error[1]) << "an ensemble of one";
}

TEST_F(BagResult, failures_and_divergences_are_told_with_their_reasons) {
  auto records = trials();
  study::FinalResult diverged;
  diverged.training = {{2.5}, true, "loss inf in step 7 of epoch 2"};
  records.push_back(record_of({study::bag_unit_final, {0, 0, 0}}, diverged.to_bytes()));
  records.push_back({.key = {study::bag_unit_final, {1, 1, 0}}, .status = Status::failed, .reason = "no memory"});
  records.push_back(final_fit(2, 10, 0.9F));
  const storage::Container content = result(records);
  const study::BagReport report = study::make_bag_report(content, "there/r.h5");
  EXPECT_EQ(report.units_failed, 1);
  EXPECT_EQ(report.trainings_diverged, 1);
  EXPECT_EQ(report.network[2].model, "there/r.models/bootstrap_02.h5");
  const std::string shown = bag_report_text(report);
  EXPECT_THAT(shown, testing::AllOf(HasSubstr("loss inf in step 7 of epoch 2"), HasSubstr("no memory"),
                                    HasSubstr("21 of 21 units, 1 failed"), HasSubstr("majority vote")))
      << shown;
}

TEST_F(BagResult, pruned_folds_leave_no_trace_of_having_been_computed) {
  search.params.prune = true;
  auto records = trials();  // 20 % of a fold leave trial 1 a chance against 10 % of three, 20 % and 21 % do not
  const storage::Container all = result(records);
  records.erase(std::find_if(records.begin(), records.end(), [](const Record& r) {
    return r.key.index == std::array<std::int32_t, 3>{0, 1, 2};
  }));
  const storage::Container without = result(records);
  const auto& status = all.values<std::int32_t>(field::unit_status.path);
  EXPECT_THAT(std::vector(status.begin(), status.begin() + 6), testing::ElementsAre(1, 1, 1, 1, 1, 3));
  EXPECT_EQ(without.values<std::int32_t>(field::unit_status.path), status);
  EXPECT_EQ(without.values<std::string>(field::unit_reason.path), all.values<std::string>(field::unit_reason.path));
  EXPECT_TRUE(std::isnan(all.values<double>(field::fold_error.path)[5]));
  EXPECT_EQ(study::make_bag_report(all, "r.h5").units_pruned, 2);
}

TEST_F(BagResult, report_refuses_files_whose_parts_do_not_fit) {
  auto records = trials();
  for (int b = 0; b < 3; ++b) records.push_back(final_fit(b, 10, 0.9F));
  const storage::Container good = result(records);
  for (const storage::Array& array : good.arrays) {
    storage::Container bad = good;
    std::erase_if(bad.arrays, [&](const storage::Array& a) { return a.path == array.path; });
    try {
      study::report_on({{"r.h5", bad}}, "csv");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("r.h5"));
    }
  }
  storage::Container bad = good;
  for (storage::Array& array : bad.arrays) {
    if (array.path == field::final_trial.path) std::get<std::vector<std::int32_t>>(array.values)[1] = 2;
  }
  EXPECT_THROW(study::report_on({{"r.h5", bad}}, "text"), Error);
}

TEST_F(BagResult, report_has_a_line_for_every_training_and_one_object) {
  auto records = trials();
  for (int b = 0; b < 3; ++b) records.push_back(final_fit(b, 10, 0.9F));
  const study::ResultFile file{"r.h5", result(records)};
  const std::string table = study::report_on({file}, "csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 18);
  const std::string json = study::report_on({file}, "json");
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(study::report_on({file, file}, "json").front(), '[');
  storage::Container svm;
  svm.attributes["kind"] = std::string("svm");
  EXPECT_THROW(study::report_on({file, {"s.h5", svm}}, "csv"), Error);
  svm.attributes["kind"] = std::string("network-model");
  EXPECT_THROW(study::report_on({{"m.h5", svm}}, "text"), Error);
}

}  // namespace
}  // namespace krossfold
