// SPDX-License-Identifier: BSD-3-Clause
// A thousand trainings need no more memory than ten.
#include <gtest/gtest.h>

#include <numeric>

#include "krossfold/nn/network.hpp"
#include "krossfold/nn/training.hpp"
#include "test/memory_in_use.hpp"
#include "test/nn/image_training.hpp"

namespace krossfold {
namespace {

TEST(NetworkMemory, is_that_of_ten_trainings_after_a_thousand) {
  const auto samples = test::digit_samples(0, 40);
  std::vector<int> rows(40);
  std::iota(rows.begin(), rows.end(), 0);
  for (const test::ImageCase& one : {test::image_cases()[0], test::image_cases()[2]}) {
    test::expect_no_memory_is_kept([&] {
      nn::Network<Device> network(Device(), one.architecture, one.batch);
      network.initialize({.seed = 3, .purpose = random_purpose_initial_weights});
      nn::TrainingParams params;
      params.epochs = 1;
      params.batch = one.batch;
      nn::train(network, samples, std::span<const int>(rows), params);
    });
  }
}

}  // namespace
}  // namespace krossfold
