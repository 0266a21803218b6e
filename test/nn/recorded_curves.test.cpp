// SPDX-License-Identifier: BSD-3-Clause
// Tests the recorded PyTorch curves themselves: from what the files say, C++ reproduces the weights, orders and losses.
#include "test/nn/recorded_curves.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "test/nn/curve_files.hpp"
#include "test/nn/plain_network.hpp"
#include "test/source_folder.hpp"

namespace krossfold::test {
namespace {

RecordedCurve curve_of(const std::string& name) {
  return read_recorded_curve(source_path(KROSSFOLD_RECORDED_CURVES, "test/nn/recorded") + "/" + name);
}

bool diverges(const RecordedCurve& curve) { return !std::isfinite(curve.step.back().float32); }

class RecordedCurves : public testing::TestWithParam<std::string> {};

TEST_P(RecordedCurves, begin_with_weights_and_orders_that_the_formulas_give_in_cpp_too) {
  const RecordedCurve curve = curve_of(GetParam());
  std::uint64_t sum = 0, position = 0;
  for (const std::vector<float>& tensor : initial_weights(curve))
    for (const float value : tensor) sum += ++position * std::bit_cast<std::uint32_t>(value);
  EXPECT_EQ(sum, curve.weights);
  ASSERT_EQ(curve.orders.size(), 3U);
  for (int e = 0; e < 3; ++e) {
    std::vector<int> order = epoch_order(e, curve.samples);
    sum = position = 0;
    for (const int row : order) sum += ++position * static_cast<std::uint64_t>(row);
    EXPECT_EQ(sum, curve.orders[e]) << "epoch " << e;
    std::sort(order.begin(), order.end());
    for (int i = 0; i < curve.samples; ++i) ASSERT_EQ(order[i], i) << "epoch " << e;
  }
}

// The accuracy that the tests of nn demand of float arithmetic must be within reach of PyTorch's own.
TEST_P(RecordedCurves, in_float32_stay_near_those_in_float64) {
  const RecordedCurve curve = curve_of(GetParam());
  if (diverges(curve)) {
    EXPECT_TRUE(curve.epoch.empty());
  } else {
    EXPECT_EQ(curve.step.size(), 50U);
    EXPECT_EQ(curve.epoch.size(), 3U);
  }
  EXPECT_EQ(curve.after.size(), curve.epoch.size());
  for (std::size_t i = 0; i < curve.step.size(); ++i) {
    const auto [expected, found] = curve.step[i];
    if (std::isfinite(found)) {
      EXPECT_NEAR(found, expected, 2e-6 * expected) << "step " << i;
    }
  }
  for (const auto* losses : {&curve.epoch, &curve.after})
    for (const auto& [expected, found] : *losses) EXPECT_NEAR(found, expected, 1e-4 * expected);
}

// Verifies that layouts, update rule and losses are as the files say.
TEST_P(RecordedCurves, in_float64_are_those_of_plain_loops) {
  const RecordedCurve curve = curve_of(GetParam());
  const PlainImages images(curve.samples);
  PlainNetwork network(curve);
  std::size_t steps = 0;
  const std::size_t epochs = diverges(curve) ? 3 : curve.epoch.size();
  for (std::size_t e = 0; e < epochs; ++e) {
    const std::vector<int> order = epoch_order(static_cast<int>(e), curve.samples);
    double total = 0;
    for (int first = 0; first < curve.samples; first += curve.batch) {
      const int last = std::min(first + curve.batch, curve.samples);
      const double loss = network.step(images, order, first, last);
      total += loss * (last - first);
      if (steps < curve.step.size()) {
        const double expected = curve.step[steps].float64;
        if (std::isfinite(expected))
          ASSERT_NEAR(loss, expected, 1e-10 * expected) << "step " << steps;
        else
          ASSERT_FALSE(std::isfinite(loss)) << "step " << steps;
      }
      if (++steps == curve.step.size() && diverges(curve)) return;
    }
    EXPECT_NEAR(total / curve.samples, curve.epoch[e].float64, 1e-6 * curve.epoch[e].float64) << "epoch " << e;
    total = 0;
    for (int i = 0; i < curve.samples; ++i) total += network.loss(images.pixels[i], images.label[i]);
    EXPECT_NEAR(total / curve.samples, curve.after[e].float64, 1e-6 * curve.after[e].float64) << "epoch " << e;
  }
}

INSTANTIATE_TEST_SUITE_P(PyTorch, RecordedCurves, testing::ValuesIn(curve_files()), curve_test_name);

TEST(RecordedCurve, says_which_line_of_a_file_is_wrong) {
  EXPECT_THROW(curve_of("absent.csv"), std::runtime_error);
  const std::string path = testing::TempDir() + "krossfold_curve.csv";
  const std::string head =
      "# case: network=mlp hidden=3 samples=4 batch=2\nwhat,index,float64,float32\nstep,0,2.5,2.5\n";
  for (const char* wrong : {"step,2,1,1", "step,1,1", "stop,0,1,1"}) {
    std::ofstream(path) << head << wrong << "\n";
    try {
      read_recorded_curve(path);
      ADD_FAILURE() << "read " << wrong;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("line 4: '" + std::string(wrong)), std::string::npos) << error.what();
    }
  }
  std::ofstream(path) << head;
  const RecordedCurve curve = read_recorded_curve(path);
  EXPECT_EQ(curve.hidden, std::vector<int>{3});
  EXPECT_EQ(curve.step.size(), 1U);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace krossfold::test
