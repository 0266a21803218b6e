// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "krossfold/core/error.hpp"
#include "krossfold/input/spec.hpp"

namespace krossfold {
namespace {

using studies::BagParams;
using studies::Trial;

class BagLayout : public ::testing::Test {
protected:
  const data::Task task = input::load_task({});
  studies::BagLayout search(const std::function<void(BagParams&)>& change = {}) const {
    BagParams params;
    if (change) change(params);
    return studies::lay_out_bag(params, task);
  }
  std::string refusal(const std::function<void(BagParams&)>& change) const {
    try {
      search(change);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return error.what();
    }
    return "";
  }
};

TEST_F(BagLayout, windows_are_not_larger_than_the_images) {
  EXPECT_EQ(search().kernel.low, 2);
  EXPECT_EQ(search().kernel.high, 8);
  EXPECT_EQ(search([](BagParams& p) { p.kernel = run::WholeRange{3, 5}; }).kernel.high, 5);
  EXPECT_THAT(refusal([](BagParams& p) {
                p.kernel = run::WholeRange{2, 9};
              }),
              testing::HasSubstr("bad range 2:9 of --kernel"));
}

TEST_F(BagLayout, default_ranges_shrink_with_size_and_number_of_the_images) {
  EXPECT_EQ(search().channels.high, 999 * 64 / 784);
  EXPECT_EQ(search().hidden.high, 1999 * 64 / 784);
  for (const auto& [side, channels, hidden] :
       {std::array{28, 999, 1999}, {32, 999, 1999}, {2, 8, 16}, {14, 249, 499}, {-28, 99, 200}}) {
    const int n = side < 0 ? 400 : 40'000, width = std::abs(side),
              pixels = width * width;  // 999 sqrt(400 / 40,000) = 99.9
    const Matrix<float> raw("krossfold::test::images", n, pixels);
    const Vector<int> label("krossfold::test::label", n);
    for (int i = 0; i < n; ++i) raw(i, i % pixels) = static_cast<float>(label(i) = i % 2);
    data::Task images;
    images.train = data::make_dataset("images", raw, label, {"a", "b"}, {width, width});
    const auto layout = studies::lay_out_bag({}, images);
    EXPECT_EQ(layout.channels.low, 1);
    EXPECT_EQ(layout.channels.high, channels) << side;
    EXPECT_EQ(layout.hidden.high, hidden) << side;
  }
}

TEST_F(BagLayout, trials_fill_their_ranges_evenly) {
  const auto all = search([](BagParams& p) {
    p.channels = run::WholeRange{1, 999};
    p.hidden = run::WholeRange{1, 1999};
  });
  double channels = 0, hidden = 0, rate = 0, momentum = 0;
  int kernels[9] = {};
  constexpr int n = 4000;
  for (int k = 0; k < n; ++k) {
    const Trial trial = draw_trial(all, k / 40, k % 40);
    ASSERT_TRUE(trial.channels >= 1 && trial.channels <= 999);
    ASSERT_TRUE(trial.hidden >= 1 && trial.hidden <= 1999);
    ASSERT_TRUE(trial.rate >= 1e-5 && trial.rate <= 0.1);
    ASSERT_TRUE(trial.momentum >= 0.01 && trial.momentum <= 1);
    channels += trial.channels;
    hidden += trial.hidden;
    rate += std::log10(trial.rate);
    momentum += std::log10(trial.momentum);
    ++kernels[trial.kernel];
  }
  const double five_sigma = 5 / std::sqrt(12.0 * n);  // of the mean, in units of the range
  EXPECT_NEAR(channels / n, 500, five_sigma * 999);
  EXPECT_NEAR(hidden / n, 1000, five_sigma * 1999);
  EXPECT_NEAR(rate / n, -3, five_sigma * 4);
  EXPECT_NEAR(momentum / n, -1, five_sigma * 2);
  for (int kernel = 2; kernel <= 8; ++kernel) EXPECT_NEAR(kernels[kernel], n / 7, 5 * std::sqrt(n / 7.0)) << kernel;
}

TEST_F(BagLayout, a_trial_depends_on_seed_bootstrap_and_number_alone) {
  const auto all = search(), other = search([](BagParams&p) { p.seed = 1; });
  const Trial trial = draw_trial(all, 2, 3);
  EXPECT_EQ(trial.rate, draw_trial(search([](BagParams& p) { p.trials = 99; }), 2, 3).rate);
  EXPECT_NE(trial.rate, draw_trial(other, 2, 3).rate);
  EXPECT_NE(trial.rate, draw_trial(all, 3, 2).rate);
}

TEST_F(BagLayout, options_that_make_no_sense_are_named) {
  EXPECT_THAT(refusal([](BagParams& p) { p.bootstraps = 0; }), testing::HasSubstr("bootstraps 0"));
  EXPECT_THAT(refusal([](BagParams& p) { p.trials = 0; }), testing::HasSubstr("trials 0"));
  EXPECT_THAT(refusal([](BagParams& p) { p.batch = 2000; }), testing::HasSubstr("1438 of the training part"));
  EXPECT_THAT(refusal([](BagParams& p) { p.epochs = 0; }), testing::HasSubstr("epochs 0"));
  EXPECT_THAT(refusal([](BagParams& p) { p.stop_ratio = NAN; }), testing::HasSubstr("stop-ratio"));
  EXPECT_THAT(refusal([](BagParams& p) {
                p.channels = run::WholeRange{5, 4};
              }),
              testing::HasSubstr("5:4 of --channels"));
  EXPECT_THAT(refusal([](BagParams& p) { p.hidden = run::WholeRange{0, 4}; }), testing::HasSubstr("hidden"));
  EXPECT_THAT(refusal([](BagParams& p) { p.log10_momentum = {-1, 0.5}; }), testing::HasSubstr("log10-momentum"));
  EXPECT_THAT(refusal([](BagParams& p) { p.log10_rate = {-1, INFINITY}; }), testing::HasSubstr("log10-rate"));
  EXPECT_THAT(refusal([](BagParams& p) { p.folds = 1; }), testing::HasSubstr("folds"));
}

TEST_F(BagLayout, folds_of_one_group_are_refused_because_bootstraps_would_all_be_equal) {
  data::Task grouped = task;
  const auto lay_out = [&](int groups, int in_first = 0) {
    const Vector<int> group("krossfold::test::group", task.train.size());
    for (int i = 0; i < task.train.size(); ++i) group(i) = i < in_first ? 0 : i % groups;
    grouped.train.group = group;
    return studies::lay_out_bag({}, grouped);
  };
  EXPECT_EQ(lay_out(50).folds.folds(), 5);
  EXPECT_EQ(lay_out(50, task.train.size() / 2).folds.folds(), 5);  // a group as large as a fold, or larger
  try {
    lay_out(5);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("5 folds of one group each"));
  }
}

TEST_F(BagLayout, data_without_images_are_refused) {
  data::Task table = task;
  table.train.image = {};
  EXPECT_THROW(studies::lay_out_bag({}, table), Error);
}

TEST_F(BagLayout, cost_grows_with_the_network) {
  const auto all = search();
  const auto cost = [&](Trial trial) { return studies::training_cost(all.architecture(trial), 10, 1000); };
  EXPECT_LT(cost({10, 3, 50}), cost({20, 3, 50}));
  EXPECT_LT(cost({10, 3, 50}), cost({10, 3, 100}));
  EXPECT_LT(studies::training_cost(all.architecture({10, 3, 50}), 10, 1000),
            studies::training_cost(all.architecture({10, 3, 50}), 1, 1000));
}

TEST(BagOptions, are_listed_with_their_defaults_marked) {
  BagParams params;
  params.channels = run::WholeRange{1, 32};
  const auto options = studies::options_of(params);
  const auto find = [&](const std::string& name) {
    return *std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.name == name; });
  };
  EXPECT_EQ(find("channels").value, "1:32");
  EXPECT_FALSE(find("channels").is_default);
  EXPECT_EQ(find("kernel").value, "auto");
  EXPECT_TRUE(find("kernel").is_default);
  EXPECT_EQ(find("log10-momentum").value, "-2:0");
}

}  // namespace
}  // namespace krossfold
