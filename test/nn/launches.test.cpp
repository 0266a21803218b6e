// SPDX-License-Identifier: BSD-3-Clause
// How many kernels a training step launches on a device, which decides its time where batches are small. Only with fibres: a host
// has other forms of the kernels.
#include "test/launches.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/network.hpp"
#include "test/nn/image_training.hpp"

namespace krossfold {
namespace {

Vector<const int, Device> first_rows(int count) {
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return list_on<Device>("krossfold::test::rows", rows);
}

TEST(Launches, of_a_step_of_the_character_model) {
  if (!test::forms_of_devices) GTEST_SKIP() << "the forms for hosts launch others";
  const nn::LstmArchitecture architecture{.symbols = 5, .steps = 8, .layers = 4, .hidden = 6, .dropout = 0.1};
  nn::LstmNetwork<Device> network(Device(), architecture, 4);
  network.initialize({.seed = 1, .purpose = random_purpose_initial_weights});
  std::vector<int> symbols(4 * 8);
  for (std::size_t k = 0; k < symbols.size(); ++k) symbols[k] = static_cast<int>(k % 5);
  const auto symbol = list_on<Device>("krossfold::test::symbol", symbols);
  const nn::Windows<Device> windows{symbol, symbol, 8};
  const Vector<float, Device> gradient("krossfold::test::gradient", architecture.parameters());
  const Vector<double, Device> loss("krossfold::test::loss", 4);
  const auto rows = first_rows(4);
  const auto launches = test::launches_of(
      [&] { network.backward(windows, rows, 0, 4, 4, {.on = true, .stream = {.seed = 2}}, gradient, loss); });
  SCOPED_TRACE(test::text_of(launches));
  EXPECT_LE(launches.total(), 37);
  EXPECT_EQ(launches.copies, 0);
  EXPECT_EQ(launches.of("krossfold::kernels::lstm_steps"), 4);
  EXPECT_EQ(launches.of("krossfold::kernels::lstm_steps_backward"), 4);
}

class LaunchesOfAnImageStep : public testing::TestWithParam<test::ImageCase> {};

TEST_P(LaunchesOfAnImageStep, are_no_more_than_were_counted) {
  if (!test::forms_of_devices) GTEST_SKIP() << "the forms for hosts launch others";
  const auto samples = test::digit_samples(0, 64);
  // Larger batches take products of KokkosBlas.
  for (const auto& [batch, most] : {std::pair(10, 18), std::pair(48, 29)}) {
    nn::Network<Device> network(Device(), GetParam().architecture, batch);
    network.initialize({.seed = 1, .purpose = random_purpose_initial_weights});
    const Vector<double, Device> loss("krossfold::test::loss", batch);
    const auto rows = first_rows(batch);
    const auto launches = test::launches_of(
        [&, count = batch] { network.step(samples, rows, 0, count, {.rate = 0.1, .momentum = 0.5}, loss); });
    SCOPED_TRACE(test::text_of(launches));
    EXPECT_LE(launches.total(), most) << batch;
    EXPECT_EQ(launches.copies, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, LaunchesOfAnImageStep, testing::ValuesIn(test::image_cases()));

}  // namespace
}  // namespace krossfold
