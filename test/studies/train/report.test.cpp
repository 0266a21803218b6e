// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/studies/train/scaling.hpp"
#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;
using testing::Not;

run::ResultFile sample_file(const std::string& network = "cnn") {
  return {"r.h5", test::train_result(network, {test::record_of(0, test::done_training({2, 1}, 4, 2))})};
}

TEST(TrainReport, has_the_epochs_that_were_trained_and_their_times) {
  const TrainReport report(sample_file());
  ASSERT_EQ(report.run.size(), 1U);
  const TrainingReport& one = report.run.front();
  EXPECT_EQ(one.held_out_loss, (std::vector<double>{2, 1}));
  EXPECT_EQ(one.total_seconds(), 8);
  EXPECT_DOUBLE_EQ(one.comm_share(), 0.1);
  EXPECT_TRUE(one.on_same_ranks());
  EXPECT_EQ(report.best(), &one);
  EXPECT_EQ(report.units.done, 1);
  EXPECT_EQ(report.network, "cnn");
  EXPECT_EQ(report.test_samples, test::digits_task().held_out_size());
}

TEST(TrainReport, models_from_the_mean_epoch_of_the_ranks_that_ended_the_training) {
  TrainRecord continued = test::done_training({3, 2, 1}, 4, 2);
  continued.epoch_ranks = {1, 0, 2};
  continued.seconds = {10, 6, 4};
  const TrainReport report({"r.h5", test::train_result("cnn", {test::record_of(0, continued)})});
  const planning::MeasuredSteps steps = report.steps_of(report.run.front());
  EXPECT_EQ(steps.seconds, 4);
  EXPECT_FALSE(steps.measured);
  EXPECT_EQ(steps.steps, 3);  // 60 samples in batches of 20
  EXPECT_EQ(steps.max_ranks, 20);
  EXPECT_THAT(to_text(train_document({"r.h5", test::train_result("cnn", {test::record_of(0, continued)})})),
              HasSubstr("2 workers on 2 ranks in the end"));
}

TEST(TrainReport, has_no_times_where_every_epoch_had_other_ranks) {
  TrainRecord continued = test::done_training({3, 2}, 4, 2);
  continued.epoch_ranks = {1, 0};
  const run::ResultFile file{"r.h5", test::train_result("cnn", {test::record_of(0, continued)})};
  const TrainReport report(file);
  EXPECT_FALSE(report.run.front().has_times());
  EXPECT_THROW(scale_trainings(report, {}), Error);  // not: no time at all
}

TEST(TrainReport, that_diverged_is_never_the_best) {
  TrainRecord diverged = test::done_training({3, 2}, 4, 2);
  diverged.diverged = true;
  diverged.reason = "loss nan in step 3 of epoch 3";
  const TrainReport report({"r.h5", test::train_result("cnn", {test::record_of(0, diverged)})});
  EXPECT_EQ(report.best(), nullptr);
}

TEST(TrainDocument, reads_as_a_table_of_epochs) {
  const std::string shown = to_text(train_document(sample_file()));
  EXPECT_THAT(shown, HasSubstr("training on digits, 60 training and "));
  EXPECT_THAT(shown, HasSubstr("finished: 1 of 1 units, 0 failed\n"));
  EXPECT_THAT(shown, HasSubstr("ddp, 2 workers on 2 ranks, batch 20, rate 0.01\n"));
  EXPECT_THAT(shown, HasSubstr("8 s, 10.00 % of it for the exchange with other ranks\n"));
  EXPECT_THAT(shown, HasSubstr("error"));
  EXPECT_THAT(to_text(train_document(sample_file("lstm"))), Not(HasSubstr("error")));
}

TEST(TrainDocument, in_json_has_every_epoch_and_the_best_run) {
  const std::string json = report::to_json({train_document(sample_file())});
  std::string flat;
  std::remove_copy_if(json.begin(), json.end(), std::back_inserter(flat), [](char c) { return std::isspace(c) != 0; });
  for (const char* words :
       {R"("kind":"train")", R"("held_out_loss":[2.0,1.0])", R"("held_out_error":[0.25,0.25])", R"("comm_share":0.1)",
        R"("best":{"workers":2,"batch":20,"rate":0.01,"held_out_loss":1.0,"validation_error":null})",
        R"("test_error":0.25)", R"("not_converged":0)"}) {
    EXPECT_THAT(flat, HasSubstr(words));
  }
  EXPECT_THAT(report::to_json({train_document(sample_file("lstm"))}), Not(HasSubstr("held_out_error")));
  EXPECT_THAT(report::to_json({train_document({"r.h5", test::train_result("cnn", {})})}), HasSubstr(R"("best": null)"));
}

TEST(TrainDocument, in_csv_has_a_line_for_each_epoch) {
  EXPECT_EQ(
      report::to_csv({train_document(sample_file())}),
      "file,run,workers,ranks,strategy,batch,rate,epoch,loss,held_out_loss,held_out_error,validation_error,seconds,"
      "comm_seconds\n"
      "r.h5,0,2,2,ddp,20,0.01,1,2.5,2,0.25,,4,0.4\n"
      "r.h5,0,2,2,ddp,20,0.01,2,1.5,1,0.25,,4,0.4\n");
  EXPECT_THAT(report::to_csv({train_document(sample_file("lstm"))}), HasSubstr(",2.5,2,,,4,0.4\n"));
}

TEST(TrainDocument, says_which_epoch_the_model_is_of_and_why) {
  TrainRecord training = test::done_training({2, 1, 1.5}, 4, 2);
  const auto shown = [&](double validation) {
    return to_text(train_document({"r.h5", test::train_result("cnn", {test::record_of(0, training)}, 2, validation)}));
  };
  EXPECT_THAT(shown(0), HasSubstr("of epoch 3 of 3, 25.00 % of the held-out samples wrong\n"));
  training.validation_loss = {0.5, 0.25, 0.75};
  training.validation_error = {0.5, 0.125, 0.25};
  training.kept_epoch = 2;
  EXPECT_THAT(shown(0.2),
              HasSubstr("of epoch 2 of 3, the best by validation (12.50 % wrong), 25.00 % of the held-out"));
  const TrainReport report({"r.h5", test::train_result("cnn", {test::record_of(0, training)}, 2, 0.2)});
  EXPECT_EQ(report.best()->kept_loss(), 1);
}

TEST(TrainDocument, says_why_a_training_diverged_or_failed) {
  TrainRecord diverged = test::done_training({2}, 4, 2);
  diverged.diverged = true;
  diverged.reason = "loss nan in step 1 of epoch 2";
  const std::string shown =
      to_text(train_document({"r.h5", test::train_result("mlp", {test::record_of(0, diverged)})}));
  EXPECT_THAT(shown, HasSubstr("diverged: loss nan in step 1 of epoch 2\n"));
  EXPECT_THAT(shown, HasSubstr("0 failed, 1 diverged\n"));
  const run::ResultFile failed{"r.h5", test::train_result("mlp", {test::failed_record(0, "out of memory")})};
  EXPECT_THAT(to_text(train_document(failed)), HasSubstr("failed: out of memory\n"));
  EXPECT_EQ(TrainReport(failed).units.failed, 1);
}

TEST(TrainReport, refuses_files_whose_datasets_do_not_fit_together) {
  const run::ResultFile whole = sample_file();
  for (const storage::Array& array : whole.content.arrays) {
    if (array.path.starts_with("/run/model") || array.path == "/test/prediction" || array.path == "/test/sample" ||
        array.path == "/training/held_out_error" || array.path == "/run/kept_epoch") {
      continue;  // files without errors, or of earlier versions, are read
    }
    SCOPED_TRACE(array.path);
    run::ResultFile file = whole;
    std::erase_if(file.content.arrays, [&](const storage::Array& one) { return one.path == array.path; });
    const std::string message = test::message_of(ExitCode::usage, [&] { TrainReport{file}; });
    EXPECT_THAT(message, HasSubstr("r.h5"));
  }
  const auto refuse = [&](const char* path, const storage::Values& values) {
    run::ResultFile file = whole;
    const_cast<storage::Array&>(file.content.at(path)).values = values;
    test::message_of(ExitCode::usage, [&] { TrainReport{file}; });
  };
  refuse("/run/ranks", std::vector<std::int32_t>{3});
  refuse("/run/workers", std::vector<std::int32_t>{0});
  refuse("/run/batch", std::vector<double>{20});
}

}  // namespace
}  // namespace krossfold::studies
