// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/layout.hpp"

#include <cmath>
#include <functional>
#include <set>

#include "krossfold/input/spec.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/studies/svm/run.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

using test::message_of;
using test::sample_task;

TEST(LogSpace, ends_exactly_at_the_ends_of_its_range) {
  for (const run::Range& range :
       {run::Range{-3, 6}, run::Range{-4.911, -0.911}, run::Range{-30, 30}, run::Range{0.1, 0.3}}) {
    for (const int count : {2, 3, 7, 24, 100}) {
      const std::vector<double> values = log_space(range, count);
      ASSERT_EQ(values.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(values.front(), std::pow(10.0, range.low));
      EXPECT_EQ(values.back(), std::pow(10.0, range.high));
    }
  }
}

TEST(LogSpace, has_the_same_ratio_between_all_neighbours) {
  const std::vector<double> values = log_space({-3, 6}, 24);
  for (std::size_t k = 1; k < values.size(); ++k) {
    EXPECT_NEAR(std::log10(values[k] / values[k - 1]), 9.0 / 23, 1e-13) << "at " << k;
  }
}

// 10.0 ** numpy.linspace(-3, 6, 24)
TEST(LogSpace, has_the_values_of_numpy) {
  const std::vector<double> values = log_space({-3, 6}, 24);
  EXPECT_NEAR(values[4], 0.0367466194073669, 1e-15);
  EXPECT_NEAR(values[8], 1.3503140378698735, 1e-14);
  EXPECT_NEAR(values[12], 49.619476030029084, 1e-12);
  EXPECT_NEAR(values[16], 1823.3480008684423, 1e-10);
}

TEST(LogSpace, one_value_is_the_middle_of_the_range) { EXPECT_DOUBLE_EQ(log_space({-3, 5}, 1).at(0), 10.0); }

TEST(RefinedAxis, reaches_three_quarters_of_the_way_to_the_neighbours_of_the_grid_before) {
  const run::Range range{-3, 6};
  const int count = 10;  // spacing 1
  const double centre = 123.456;
  for (int round = 1; round <= 4; ++round) {
    const std::vector<double> values = refined_axis(range, count, centre, round);
    ASSERT_EQ(values.size(), 7U);
    ASSERT_EQ(refined_count(count), 7);
    EXPECT_EQ(values[3], centre);  // the very value
    const double before = std::pow(4.0, 1 - round);
    for (int k = -3; k <= 3; ++k) EXPECT_NEAR(std::log10(values[3 + k] / centre), k * before / 4, 1e-13);
  }
}

TEST(RefinedAxis, of_a_single_value_stays_single) {
  EXPECT_EQ(refined_axis({-3, 5}, 1, 10.0, 2), std::vector<double>{10.0});
  EXPECT_EQ(refined_count(1), 1);
}

TEST(RefinedAxis, may_leave_the_range_of_the_grid) {
  const std::vector<double> values = refined_axis({-3, 6}, 4, 1e6, 1);
  EXPECT_NEAR(values.back(), std::pow(10.0, 6 + 9.0 / 4), 1e-3);
}

TEST(PlanSvm, the_default_gamma_range_follows_the_number_of_features) {
  for (const int features : {1, 64, 784, 3000}) {
    const SvmLayout search = lay_out_svm({}, sample_task(60, features));
    ASSERT_EQ(search.gamma.size(), 24U);
    // The kernel exp(-gamma |x - y|^2) is the same function of the mean square difference of the features.
    EXPECT_NEAR(search.gamma.front() * features, 784e-6, 1e-15);
    EXPECT_NEAR(search.gamma.back() * features, 784e-2, 1e-11);
  }
}

TEST(PlanSvm, a_given_gamma_range_is_not_shifted) {
  SvmParams params;
  params.log10_gamma = run::Range{-2, 1};
  const SvmLayout search = lay_out_svm(params, sample_task());
  EXPECT_EQ(search.gamma.front(), 0.01);
  EXPECT_EQ(search.gamma.back(), 10.0);
}

TEST(PlanSvm, digits_have_the_folds_and_the_scale_of_the_study) {
  SvmParams params;
  params.fold_kind = "contiguous";
  const SvmLayout search = lay_out_svm(params, input::load_task({.train = "digits", .test_part = "last"}));
  EXPECT_EQ(search.samples, 1438);
  EXPECT_EQ(search.test_samples, 359);
  EXPECT_EQ(search.features, 64);
  EXPECT_EQ(search.classes, 10);
  std::vector<int> bounds{0};
  for (const auto& held : search.folds.held) {
    EXPECT_EQ(held.front(), bounds.back());
    bounds.push_back(held.back() + 1);
  }
  EXPECT_EQ(bounds, (std::vector<int>{0, 288, 575, 863, 1150, 1438}));
  ASSERT_TRUE(search.scale.uniform());
  EXPECT_EQ(search.scale.offset_of(0), 8);
  EXPECT_NEAR(search.scale.divisor_of(0), 16 / std::sqrt(12.0), 1e-12);
}

TEST(PlanSvm, folds_hold_every_sample_once_for_every_kind) {
  for (const char* kind : {"contiguous", "stratified", "shuffled", "stratified-shuffled"}) {
    for (const int folds : {2, 5, 60}) {
      SvmParams params;
      params.fold_kind = kind;
      params.folds = folds;
      const SvmLayout search = lay_out_svm(params, sample_task(60));
      ASSERT_EQ(search.folds.folds(), folds);
      std::multiset<int> samples;
      for (const auto& held : search.folds.held) samples.insert(held.begin(), held.end());
      ASSERT_EQ(samples.size(), 60U) << kind;
      int next = 0;
      for (const int sample : samples) EXPECT_EQ(sample, next++) << kind;
    }
  }
}

TEST(PlanSvm, names_the_option_that_is_wrong) {
  const auto task = sample_task(60);
  const std::vector<std::pair<std::string, std::function<void(SvmParams&)>>> wrong = {
      {"grid", [](SvmParams& p) { p.grid_c = 0; }},
      {"grid", [](SvmParams& p) { p.grid_gamma = 10001; }},
      {"multiclass", [](SvmParams& p) { p.multiclass = "tree"; }},
      {"tolerance", [](SvmParams& p) { p.tolerance = 0; }},
      {"tolerance", [](SvmParams& p) { p.tolerance = std::nan(""); }},
      {"tolerance", [](SvmParams& p) { p.tolerance = 1; }},
      {"gap", [](SvmParams& p) { p.gap = -0.1; }},
      {"gap", [](SvmParams& p) { p.gap = std::nan(""); }},
      {"gap", [](SvmParams& p) { p.gap = 1; }},
      {"max-iterations", [](SvmParams& p) { p.max_iterations = 0; }},
      {"log10-c",
       [](SvmParams& p) {
         p.log10_c = {2, 1};
       }},
      {"log10-c",
       [](SvmParams& p) {
         p.log10_c = {1, 1};
       }},
      {"log10-c",
       [](SvmParams& p) {
         p.log10_c = {-400, 1};
       }},
      {"log10-gamma",
       [](SvmParams& p) {
         p.log10_gamma = run::Range{0, std::nan("")};
       }},
      {"c-values",
       [](SvmParams& p) {
         p.c_values = {1, 0};
       }},
      {"c-values",
       [](SvmParams& p) {
         p.c_values = {1, 1};
       }},
      {"gamma-values",
       [](SvmParams& p) {
         p.gamma_values = {3, 2};
       }},
      {"gamma-values", [](SvmParams& p) { p.gamma_values = {std::nan("")}; }},
      {"gamma-values",
       [](SvmParams& p) {
         p.kernel_function = "linear";
         p.gamma_values = {1};
       }},
      {"folds", [](SvmParams& p) { p.folds = 1; }},
      {"folds", [](SvmParams& p) { p.folds = 61; }},
      {"fold-kind", [](SvmParams& p) { p.fold_kind = "stratifed"; }},
      {"scale", [](SvmParams& p) { p.scale = "1:0"; }},
  };
  for (const auto& [option, change] : wrong) {
    SvmParams params;
    change(params);
    const std::string message = message_of(ExitCode::usage, [&] { lay_out_svm(params, task); });
    EXPECT_NE(message.find(option), std::string::npos) << message;
  }
}

TEST(PlanSvm, weights_whose_sum_is_infinite_measure_nothing) {
  auto task = sample_task(60);
  const Vector<double> weight("krossfold::test::weight", 60);
  Kokkos::deep_copy(weight, 1e308);
  task.train.weight = weight;
  EXPECT_NO_THROW(lay_out_svm({}, task));
  SvmParams weighted;
  weighted.weighted_measures = true;
  const std::string message = message_of(ExitCode::usage, [&] { lay_out_svm(weighted, task); });
  EXPECT_NE(message.find("the sum of all weights is infinite"), std::string::npos) << message;
}

TEST(PlanSvm, values_that_are_given_take_the_place_of_those_of_the_grid) {
  SvmParams params;
  params.c_values = {0.1, 1, 50};
  params.gamma_values = {0.3};
  const SvmLayout search = lay_out_svm(params, sample_task());
  EXPECT_EQ(search.c, params.c_values);
  EXPECT_EQ(search.gamma, params.gamma_values);
  EXPECT_EQ(search.params.grid_c, 3);
  EXPECT_EQ(search.params.grid_gamma, 1);
  // What a result file says of its options gives the same search.
  const SvmLayout again = lay_out_svm(search.params, sample_task());
  EXPECT_EQ(again.c, search.c);
  EXPECT_EQ(again.gamma, search.gamma);
  EXPECT_EQ(run::fingerprint_text(options_of(again.params)), run::fingerprint_text(options_of(search.params)));
}

/// Records of the second round of an older version are those of other values of C and gamma.
TEST(SvmFingerprint, tells_searches_whose_second_round_had_another_centre_from_those_of_older_versions) {
  const data::Task task = sample_task();
  for (const std::string select_by : {"error", "error,1se"}) {
    for (const int refine : {0, 1, 2}) {
      SvmParams params;
      params.select_by = select_by;
      params.refine = refine;
      const SvmLayout search = lay_out_svm(params, task);
      storage::Fingerprint older = svm_fingerprint(search, task);
      const std::size_t line = older.config.find("centre of refinement = ");
      EXPECT_EQ(line != std::string::npos, select_by == "error,1se" && refine == 2) << select_by << ", " << refine;
      if (line == std::string::npos) continue;
      older.config.erase(line, older.config.find('\n', line) + 1 - line);
      EXPECT_NE(storage::difference(older, svm_fingerprint(search, task)).find("centre of refinement was not set"),
                std::string::npos);
    }
  }
}

TEST(PlanSvm, one_value_in_the_grid_needs_no_range) {
  SvmParams params;
  params.grid_c = 1;
  params.log10_c = {2, 2};
  EXPECT_EQ(lay_out_svm(params, sample_task()).c, std::vector<double>{100.0});
}

}  // namespace
}  // namespace krossfold::studies
