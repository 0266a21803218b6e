// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/ensemble.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "krossfold/ensemble/members.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using test::sample_dataset;
using test::sample_network;

TEST(SamplesOf, are_scaled_and_get_class_0_without_labels) {
  data::Dataset set = sample_dataset(5, 6, 3, 1);
  const data::Scale scale{{1, 2, 3, 4, 5, 6}, {0.5}};
  const auto samples = samples_of(set, scale);
  const auto value = on_host(samples.value);
  const auto label = on_host(samples.label);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(label(i), i % 3);
    for (int j = 0; j < 6; ++j) EXPECT_EQ(value(i, j), (set.raw(i, j) - static_cast<float>(j + 1)) * 2);
  }
  set.label = {};
  EXPECT_THAT(list_of(on_host(samples_of(set, scale).label)), testing::Each(0));
}

TEST(Probabilities, of_chosen_samples_are_rows_of_those_of_all) {
  const NetworkModel model = sample_network();
  nn::Network<Device> network(Device(), model.architecture, 4);
  network.set_parameters(model.parameters);
  const auto samples = samples_of(sample_dataset(10, 6, 3, 1), model.scale);
  int polls = 0;
  const auto all = probabilities(network, samples, [&] { ++polls; });
  ASSERT_EQ(all.size(), 30U);
  EXPECT_EQ(polls, 3) << "10 samples in batches of 4";
  const std::vector<int> rows{7, 0, 7, 9, 3, 2};
  const auto some = probabilities(network, samples, rows, {});
  ASSERT_EQ(some.size(), 18U);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_FLOAT_EQ(some[3 * k + c], all[3 * static_cast<std::size_t>(rows[k]) + c]);
      sum += static_cast<double>(some[3 * k + c]);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  EXPECT_THROW(probabilities(network, samples, [] { throw Stopped(); }), Stopped);
  EXPECT_THAT(probabilities(network, samples, std::vector<int>(), {}), testing::IsEmpty());
}

TEST(PredictEnsemble, votes_and_averages_over_the_networks_that_take_part) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // Eighths, so that sums are exact: four networks, two samples, three classes; the second network has diverged.
  const std::vector<float> probability{0.5F,   0.25F,  0.25F,  0.125F, 0.75F, 0.125F,  //
                                       nan,    nan,    nan,    nan,    nan,   nan,     //
                                       0.375F, 0.125F, 0.5F,   0.125F, 0.75F, 0.125F,  //
                                       0.625F, 0.375F, 0.000F, 0.125F, 0.75F, 0.125F};
  const auto cube = cube_of(probability, 4, 2, 3);
  const std::vector<int> finite = ensemble::finite_models<Host>(Host(), cube);
  EXPECT_THAT(finite, testing::ElementsAre(0, 2, 3));
  const EnsemblePrediction found = predict_ensemble(cube, finite);
  EXPECT_THAT(list_of(found.votes), testing::ElementsAre(2, 0, 1, 0, 3, 0));
  EXPECT_THAT(list_of(found.vote), testing::ElementsAre(0, 1));
  EXPECT_THAT(list_of(found.mean), testing::ElementsAre(0.5, 0.25, 0.25, 0.125, 0.75, 0.125));
  EXPECT_THAT(list_of(found.uncertainty.confidence), testing::ElementsAre(0.5, 0.75));
  EXPECT_NEAR(found.uncertainty.predictive_entropy(0), 1.5 * std::log(2), 1e-12);
  EXPECT_GT(found.uncertainty.mutual_information(0), 0.01);
  EXPECT_EQ(found.uncertainty.mutual_information(1), 0) << "all networks agree";
  EXPECT_THROW(predict_ensemble(cube, {}), Error);
}

}  // namespace
}  // namespace krossfold::model
