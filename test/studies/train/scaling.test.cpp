// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;

/// Two epochs of 4 s on 2 ranks, a tenth of it for the exchange.
TrainReport sample_report() {
  return TrainReport({"r.h5", test::train_result("cnn", {test::record_of(0, test::done_training({2, 1}, 4, 2))})});
}

Scaling scaling_on(const std::string& formations, double deadline = 0) {
  run::PlanRequest request;
  request.formations = planning::parse_formations(formations);
  request.deadline = deadline;
  return scale_trainings(sample_report(), request).at(0);
}

TEST(Scaling, takes_the_formation_of_the_training_as_measured_and_models_others) {
  const Scaling scaling = scaling_on("1x1,1x2,1x4");
  ASSERT_EQ(scaling.rows.size(), 3U);
  EXPECT_TRUE(scaling.rows[1].measured);
  EXPECT_EQ(scaling.rows[1].seconds, 8);
  EXPECT_DOUBLE_EQ(scaling.rows[1].exchange, 0.1);
  EXPECT_FALSE(scaling.rows[0].measured);
  EXPECT_GT(scaling.rows[0].seconds, 8);
  EXPECT_EQ(scaling.rows[0].speed_up, 1);
  EXPECT_EQ(scaling.rows[0].exchange, 0);  // one rank exchanges nothing
}

TEST(Scaling, claims_to_have_measured_the_bandwidth_alone) {
  const Scaling scaling = scaling_on("1x1");
  EXPECT_EQ(scaling.bandwidth_source, "measured");
  EXPECT_THAT(to_text(scaling_document(scaling)), HasSubstr(" GB/s (measured) and 5 us (assumed); see"));
  run::PlanRequest request;
  request.latency = 1e-6;
  const Scaling given = scale_trainings(sample_report(), request).at(0);
  EXPECT_THAT(to_text(scaling_document(given)), HasSubstr(" GB/s (measured) and 1 us (given); see"));
}

TEST(Scaling, ranks_of_half_the_speed_compute_twice_as_long) {
  const Scaling scaling = scaling_on("1x1,1x1@0.5");
  EXPECT_DOUBLE_EQ(scaling.rows[1].seconds, 2 * scaling.rows[0].seconds);
}

TEST(Scaling, a_deadline_names_the_cheapest_formation_that_meets_it) {
  const Scaling met = scaling_on("1x1,1x2,1x4", 8.5);
  EXPECT_FALSE(met.rows[0].in_time);
  EXPECT_EQ(met.cheapest, 1);
  EXPECT_THAT(to_text(scaling_document(met)), HasSubstr("1x2 is the cheapest of these"));
  const Scaling missed = scaling_on("1x1,1x2", 0.001);
  EXPECT_EQ(missed.cheapest, -1);
  EXPECT_THAT(report::to_json({scaling_document(missed)}), HasSubstr(R"("cheapest": null)"));
}

TEST(Scaling, refuses_what_was_not_trained_and_more_ranks_than_samples_of_a_batch) {
  const TrainReport empty({"r.h5", test::train_result("cnn", {})});
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { scale_trainings(empty, {}); }), HasSubstr("r.h5 has no times"));
  EXPECT_THAT(test::message_of(ExitCode::usage, [] { scaling_on("1x21"); }), HasSubstr("1x21 has 21 ranks"));
}

TEST(ScalingDocument, says_which_formations_need_other_workers) {
  const auto says = [](const std::string& formations) { return to_text(scaling_document(scaling_on(formations))); };
  EXPECT_THAT(says("1x1,1x2"), testing::Not(HasSubstr("--workers")));
  EXPECT_THAT(says("1x2,1x3"), HasSubstr("on ranks that do not divide 2 workers the training has other workers"));
}

TEST(ScalingDocument, says_the_same_in_every_form) {
  const report::Document document = scaling_document(scaling_on("1x2"));
  EXPECT_THAT(to_text(document), HasSubstr("r.h5: ddp, 2 workers, batch 20, rate 0.01, 2 epochs\n"));
  EXPECT_THAT(to_text(document), HasSubstr("measured"));
  const std::string csv = report::to_csv({document});
  EXPECT_THAT(
      csv,
      HasSubstr("file,training,formation,ranks,measured,epoch_seconds,seconds,exchange,speed_up,"
                "rank_hours,nodes,price,in_time\nr.h5,\"ddp, 2 workers, batch 20, rate 0.01\",1x2,2,yes,4,8,0.1,"));
  EXPECT_TRUE(csv.ends_with(",\n")) << csv;  // no deadline, no answer
  const std::string json = report::to_json({document});
  EXPECT_THAT(json, HasSubstr(R"("hours_of": "rank")"));
  EXPECT_THAT(json, HasSubstr(R"("deadline": null)"));
  EXPECT_THAT(json, HasSubstr(R"("in_time": null)"));
}

}  // namespace
}  // namespace krossfold::studies
