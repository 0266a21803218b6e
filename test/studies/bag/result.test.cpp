// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/result.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "krossfold/core/error.hpp"
#include "krossfold/studies/bag/report.hpp"
#include "test/studies/bag/sample_result.hpp"

namespace krossfold {
namespace {

using test::BagResult;
using testing::HasSubstr;

const studies::BagSchema& field = studies::bag_schema();

TEST_F(BagResult, says_what_each_network_and_the_ensemble_get_wrong) {
  const storage::Container content = result(all_records());
  const auto& error = content.values<double>(field.final_test_error.path);
  for (int b = 0; b < 3; ++b) {
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += i % 10 == b ? 1 : 0;
    EXPECT_DOUBLE_EQ(error[b], static_cast<double>(wrong) / n);
  }
  // No two are wrong about the same image: two of three are always right.
  EXPECT_THAT(content.values<double>(field.error.path), testing::Each(0.0));
  EXPECT_THAT(content.values<std::int32_t>(field.final_trial.path), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(content.values<double>(field.validation_error.path), testing::Each(testing::DoubleNear(0.1, 1e-15)));
  EXPECT_THAT(content.values<double>(field.out_of_bag_error.path), testing::Each(0.1));
  // Equal probabilities of all classes are as strange as can be, but no model disagrees with another about them: they tie with
  // the test images that all models are right about.
  double agreed = 0;
  for (int i = 0; i < n; ++i) agreed += i % 10 > 2 ? 1 : 0;
  for (std::size_t set = 0; set < 4; ++set) {
    const auto& auroc = content.values<double>(field.ood_auroc.path);
    EXPECT_EQ(auroc[3 * set], 1);
    EXPECT_DOUBLE_EQ(auroc[3 * set + 1], agreed / n / 2);
    EXPECT_EQ(auroc[3 * set + 2], 1);
  }
  EXPECT_THAT(content.values<std::string>(field.ood_name.path),
              testing::ElementsAre("noise", "inverted", "shuffled pixels", "photograph-like"));
  const auto& confusion = content.values<std::int32_t>(field.confusion.path);
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
  EXPECT_FALSE(empty.has(field.error.path));
  EXPECT_EQ(storage::container_from_bytes(storage::to_bytes(empty), "r.h5").arrays.size(), empty.arrays.size());
  EXPECT_THAT(empty.values<std::int32_t>(field.final_trial.path), testing::Each(-1));
  EXPECT_NE(to_text(studies::bag_document({"r.h5", empty})).find("0 of 21 units"), std::string::npos);
  auto records = trials();
  records.push_back(final_fit(1, 10, 0.9F));
  const storage::Container one = result(records);
  const auto& error = one.values<double>(field.final_test_error.path);
  EXPECT_TRUE(std::isnan(error[0]));
  EXPECT_EQ(one.values<double>(field.error.path)[0], error[1]) << "an ensemble of one";
}

TEST_F(BagResult, failures_and_divergences_are_told_with_their_reasons) {
  auto records = trials();
  studies::FinalResult diverged;
  diverged.training = {{2.5}, true, "loss inf in step 7 of epoch 2"};
  records.push_back(record_of({studies::bag_unit_final, {0, 0, 0}}, diverged.to_bytes()));
  records.push_back({.key = {studies::bag_unit_final, {1, 1, 0}}, .status = Status::failed, .reason = "no memory"});
  records.push_back(final_fit(2, 10, 0.9F));
  const storage::Container content = result(records);
  const run::ResultFile file{"there/r.h5", content};
  const studies::BagReport report(file);
  EXPECT_EQ(report.units.failed, 1);
  EXPECT_EQ(report.trainings_diverged, 1);
  EXPECT_EQ(report.network[2].model, "there/r.models/bootstrap_02.h5");
  const std::string shown = to_text(studies::bag_document(file));
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
  const auto& status = all.values<std::int32_t>(field.unit.status.path);
  EXPECT_THAT(std::vector(status.begin(), status.begin() + 6), testing::ElementsAre(1, 1, 1, 1, 1, 3));
  EXPECT_EQ(without.values<std::int32_t>(field.unit.status.path), status);
  EXPECT_EQ(without.values<std::string>(field.unit.reason.path), all.values<std::string>(field.unit.reason.path));
  EXPECT_TRUE(std::isnan(all.values<double>(field.fold_error.path)[5]));
  EXPECT_EQ(studies::BagReport({"r.h5", all}).units.pruned, 2);
}

TEST_F(BagResult, names_its_models_and_their_checksums_in_attributes) {
  EXPECT_EQ(result(trials()).attribute("model"), "");
  auto records = trials();
  records.push_back(final_fit(2, 10, 0.9F));
  records.push_back(final_fit(0, 10, 0.9F));
  const storage::Container content = result(records);
  EXPECT_EQ(content.attribute("model"), "bootstrap_00.h5 bootstrap_02.h5");
  EXPECT_EQ(content.attribute("model_checksum"), "abc abc");
  EXPECT_THAT(content.values<std::string>(field.model.path),
              testing::ElementsAre("bootstrap_00.h5", "", "bootstrap_02.h5"));
}

/// What a report on a damaged file says; "" if it finds nothing wrong.
std::string refusal_of(const storage::Container& bad) {
  try {
    studies::bag_document({"r.h5", bad});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return error.what();
  }
  return "";
}

TEST_F(BagResult, report_refuses_files_whose_parts_do_not_fit) {
  const storage::Container good = result(all_records());
  EXPECT_EQ(refusal_of(good), "");
  for (std::size_t k = 0; k < good.arrays.size(); ++k) {
    SCOPED_TRACE(good.arrays[k].path);
    for (const bool missing : {true, false}) {
      storage::Container bad = good;
      if (missing) {
        bad.arrays.erase(bad.arrays.begin() + static_cast<std::ptrdiff_t>(k));
      } else {
        bad.arrays[k].values = std::vector<std::int64_t>(1);
        bad.arrays[k].shape = {1};
      }
      const std::string message = refusal_of(bad);
      if (!message.empty()) {
        EXPECT_THAT(message, testing::AllOf(HasSubstr("r.h5"), HasSubstr("/")));
      }
    }
  }
  for (const char* path :
       {"/fold_error", "/unit/status", "/bootstrap", "/final/model", "/ensemble/rule", "/ood/kept"}) {
    storage::Container bad = good;
    std::erase_if(bad.arrays, [&](const storage::Array& a) { return a.path == path; });
    EXPECT_THAT(refusal_of(bad), HasSubstr(path));
  }
  storage::Container bad = good;
  for (storage::Array& array : bad.arrays) {
    if (array.path == field.final_trial.path) std::get<std::vector<std::int32_t>>(array.values)[1] = 2;
  }
  EXPECT_THAT(refusal_of(bad), HasSubstr("/final/trial names trial 2"));
}

TEST_F(BagResult, report_has_a_line_for_every_training_and_one_object) {
  const std::vector documents{studies::bag_document({"a,b.h5", result(all_records())})};
  const std::string table = to_csv(documents);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 18);
  EXPECT_THAT(table, testing::StartsWith("file,bootstrap,trial,fold,channels,kernel,hidden,rate,momentum,epochs,loss,"
                                         "error,unit_seconds,unit_status\n\"a,b.h5\",0,0,0,"));
  const std::string json = to_json(documents);
  for (const char* part : {R"("networks": [)", R"("majority vote": 0.0)", R"("mean_single_error")", R"("auroc")",
                           R"("not_converged": 0)", R"("validation_error")"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
  const std::string shown = to_text(documents[0]);
  for (const char* part :
       {"out of bag", "single networks", "majority vote 0.00 %", "negative log likelihood", "95 % of the test samples",
        "noise (", "3 bootstraps x 2 trials x 3 stratified-shuffled folds"}) {
    EXPECT_THAT(shown, HasSubstr(part));
  }
}

}  // namespace
}  // namespace krossfold
