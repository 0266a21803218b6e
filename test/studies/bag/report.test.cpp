// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/report.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "test/storage/temporary_folder.hpp"
#include "test/studies/bag/sample_result.hpp"

namespace krossfold {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const studies::BagSchema& field = studies::bag_schema();

class BagReport : public test::BagResult {
protected:
  static Record& at(std::vector<Record>& records, int bootstrap, int trial, int fold) {
    return *std::find_if(records.begin(), records.end(), [&](const Record& r) {
      return r.key == UnitKey{studies::bag_unit_trial, {bootstrap, trial, fold}};
    });
  }
  static void fail(Record& record) {
    record.status = Status::failed;
    record.reason = "no memory";
    record.payload.clear();
  }
  studies::BagReport report_of(const std::vector<Record>& records) const {
    return studies::BagReport({"r.h5", result(records)});
  }
};

TEST_F(BagReport, compares_the_ensemble_with_single_networks) {
  std::vector<Record> records = trials();
  double sum = 0, least = 1;
  for (int b = 0; b < 3; ++b) {
    records.push_back(final_fit(b, 5 + b, 0.9F));
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += i % (5 + b) == b ? 1 : 0;
    const double error = static_cast<double>(wrong) / n;
    sum += error;
    least = std::min(least, error);
  }
  const studies::BagReport all = report_of(records);
  EXPECT_NEAR(all.mean_error, sum / 3, 1e-12);
  EXPECT_NEAR(all.best_error, least, 1e-12);
  records.erase(records.end() - 2, records.end());
  EXPECT_NEAR(report_of(records).best_error, report_of(records).mean_error, 1e-12) << "of one network";
  EXPECT_FALSE(report_of(trials()).has_ensemble);
}

TEST_F(BagReport, tells_the_reasons_of_failures_with_their_number) {
  std::vector<Record> records = all_records();
  fail(at(records, 0, 1, 0));
  fail(at(records, 1, 0, 2));
  const studies::BagReport of_failures = report_of(records);
  EXPECT_EQ(of_failures.units.all, 21);
  EXPECT_EQ(of_failures.units.failed, 2);
  EXPECT_THAT(of_failures.warnings, Contains("2 of 21 units failed: no memory"));
}

TEST_F(BagReport, of_a_finished_study_warns_of_a_bootstrap_without_a_network) {
  std::vector<Record> records = trials();
  for (int t = 0; t < 2; ++t) fail(at(records, 1, t, 0));
  const std::string warning = "bootstrap 1 has no network: all its trials diverged or failed";
  const studies::BagReport finished = report_of(records);
  EXPECT_EQ(finished.network[1].trial, -1);
  EXPECT_THAT(finished.warnings, Contains(warning));
  facts.status = "stopped";
  EXPECT_THAT(report_of(records).warnings, Not(Contains(warning)));
}

TEST_F(BagReport, of_a_study_without_networks_has_null_for_the_best_and_the_ensemble) {
  const std::string json = report::to_json({studies::bag_document({"r.h5", result({})})});
  for (const char* part :
       {"\"networks\": []", "\"best\": null", "\"ensemble\": null", "\"test_error\": null", "\"ood\": []"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST_F(BagReport, has_the_best_network_of_all_bootstraps) {
  std::vector<Record> records = trials();
  for (int f = 0; f < 3; ++f) {
    studies::TrialResult trial;
    trial.held = 128;
    trial.wrong = 4;
    at(records, 2, 1, f) = record_of({studies::bag_unit_trial, {2, 1, f}}, trial.to_bytes());
  }
  const storage::Container content = result(records);
  const std::string json = report::to_json({studies::bag_document({"r.h5", content})});
  const std::string best = json.substr(json.find("\"best\": {"));
  EXPECT_THAT(best.substr(0, best.find('}')), HasSubstr("\"error\": 0.03125\n"));
  const int hidden = content.values<std::int32_t>(field.hidden.path)[2 * 2 + 1];
  EXPECT_THAT(best.substr(0, best.find('}')), HasSubstr(text("\"hidden\": ", hidden, ",")));
}

TEST_F(BagReport, csv_tells_what_became_of_every_unit) {
  std::vector<Record> records = trials();
  studies::TrialResult diverged;
  diverged.training = {{2.5}, true, "loss inf"};
  diverged.held = diverged.wrong = 100;
  at(records, 0, 0, 1) = record_of({studies::bag_unit_trial, {0, 0, 1}}, diverged.to_bytes());
  fail(at(records, 0, 0, 2));
  std::erase_if(records, [](const Record& r) { return r.key == UnitKey{studies::bag_unit_trial, {0, 1, 0}}; });
  std::istringstream csv(report::to_csv({studies::bag_document({"r.h5", result(records)})}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 1u + 3 * 2 * 3);
  EXPECT_THAT(lines[1], EndsWith(",2,1,0.1,2,done"));  // epochs, loss, error, seconds
  EXPECT_THAT(lines[2], EndsWith(",1,2.5,1,2,diverged"));
  EXPECT_THAT(lines[3], EndsWith(",failed"));
  EXPECT_THAT(lines[4], EndsWith(",nan,nan,nan,missing"));
}

TEST_F(BagReport, refuses_names_that_would_begin_objects_of_json) {
  for (const char* path : {"/ensemble/rule", "/ood/score"}) {
    storage::Container bad = result(all_records());
    for (storage::Array& array : bad.arrays) {
      if (array.path == path) std::get<std::vector<std::string>>(array.values)[0] = "a.b";
    }
    EXPECT_THAT(test::message_of(ExitCode::usage,
                                 [&] {
                                   studies::bag_document({"r.h5", bad});
                                 }),
                HasSubstr(text(path, " has a name with a dot")));
  }
}

}  // namespace
}  // namespace krossfold
