// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/lstm_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "test/kernels/random_matrix.hpp"
#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Shape {
  int windows, hidden, steps;
};

/// A layer in double by its definition, with the loss sum dy output.
struct PlainLayer {
  Shape shape;
  Matrix<float> before;  ///< (step * windows + window, 4 hidden): what is in `gates` at first
  Matrix<float> weight;  ///< (4 hidden, hidden)
  Vector<float> bias;
  Matrix<float> dy;  ///< (row, hidden)
  std::vector<double> gates, cell, output, dgates;

  explicit PlainLayer(const Shape& s)
      : shape(s),
        before(test::random_matrix<float>(s.steps * s.windows, 4 * s.hidden, 1, -2, 2)),
        weight(test::random_matrix<float>(4 * s.hidden, s.hidden, 2, -1, 1)),
        bias(test::random_vector(4 * s.hidden, 3, -1, 1)),
        dy(test::random_matrix<float>(s.steps * s.windows, s.hidden, 4, -1, 1)) {
    for (int j = 0; j < 4 * s.hidden; ++j) {
      for (int h = 0; h < s.hidden; ++h) weight(j, h) /= static_cast<float>(std::sqrt(s.hidden));
    }
    const std::size_t all = static_cast<std::size_t>(s.steps) * s.windows * s.hidden;
    gates.resize(4 * all);
    dgates.resize(4 * all);
    cell.resize(all);
    output.resize(all);
    for (int w = 0; w < s.windows; ++w) {
      for (int t = 0; t < s.steps; ++t) forward(w, t);
      std::vector<double> dcell(s.hidden, 0);
      for (int t = s.steps; t-- > 0;) backward(w, t, dcell);
    }
  }

  std::size_t row(int w, int t) const { return static_cast<std::size_t>(t) * shape.windows + w; }
  double& gate(std::vector<double>& all, int w, int t, int j) const { return all[row(w, t) * 4 * shape.hidden + j]; }

  void forward(int w, int t) {
    const int hidden = shape.hidden;
    for (int j = 0; j < 4 * hidden; ++j) {
      double a = static_cast<double>(before(row(w, t), j)) + static_cast<double>(bias(j));
      for (int h = 0; t > 0 && h < hidden; ++h)
        a += static_cast<double>(weight(j, h)) * output[row(w, t - 1) * hidden + h];
      gate(gates, w, t, j) = j / hidden == 2 ? std::tanh(a) : sigmoid(a);
    }
    for (int h = 0; h < hidden; ++h) {
      const std::size_t at = row(w, t) * hidden + h;
      const double old = t > 0 ? cell[row(w, t - 1) * hidden + h] : 0;
      cell[at] = gate(gates, w, t, hidden + h) * old + gate(gates, w, t, h) * gate(gates, w, t, 2 * hidden + h);
      output[at] = gate(gates, w, t, 3 * hidden + h) * std::tanh(cell[at]);
    }
  }

  void backward(int w, int t, std::vector<double>& dcell) {
    const int hidden = shape.hidden;
    for (int h = 0; h < hidden; ++h) {
      double by = static_cast<double>(dy(row(w, t), h));
      for (int j = 0; t + 1 < shape.steps && j < 4 * hidden; ++j)
        by += static_cast<double>(weight(j, h)) * gate(dgates, w, t + 1, j);
      const double i = gate(gates, w, t, h), f = gate(gates, w, t, hidden + h), g = gate(gates, w, t, 2 * hidden + h),
                   o = gate(gates, w, t, 3 * hidden + h), bounded = std::tanh(cell[row(w, t) * hidden + h]),
                   old = t > 0 ? cell[row(w, t - 1) * hidden + h] : 0, d = dcell[h] + by * o * (1 - bounded * bounded);
      gate(dgates, w, t, h) = d * g * i * (1 - i);
      gate(dgates, w, t, hidden + h) = d * old * f * (1 - f);
      gate(dgates, w, t, 2 * hidden + h) = d * i * (1 - g * g);
      gate(dgates, w, t, 3 * hidden + h) = by * bounded * o * (1 - o);
      dcell[h] = d * f;
    }
  }
};

template <class View>
auto on_device_as(const std::string& label, const View& host) {
  const Matrix<float, Device> copy(label, host.extent(0), host.extent(1));
  Kokkos::deep_copy(copy, host);
  return copy;
}

kernels::LstmSteps<Device> layer_of(const PlainLayer& plain) {
  const Shape& s = plain.shape;
  const auto numbers = [&](const std::string& label, int rows) { return Matrix<float, Device>(label, rows, s.hidden); };
  const int all = s.steps * s.windows;
  return {s.windows,
          on_device_as("krossfold::test::gates", plain.before),
          numbers("krossfold::test::cell", all),
          numbers("krossfold::test::tanh_cell", all),
          numbers("krossfold::test::output", all),
          numbers("krossfold::test::zero", s.windows),
          numbers("krossfold::test::dcell", s.windows)};
}

kernels::Panels<Device> packed(const PlainLayer& plain, kernels::Transpose transpose) {
  const int hidden = plain.shape.hidden;
  const bool swap = transpose == kernels::Transpose::yes;
  auto panels =
      kernels::make_panels<Device>("krossfold::test::panels", swap ? hidden : 4 * hidden, swap ? 4 * hidden : hidden);
  kernels::pack_panels<Device>(Device(), panels, on_device_as("krossfold::test::weight", plain.weight), transpose);
  return panels;
}

std::size_t layer_rows(const PlainLayer& plain) { return plain.before.extent(0); }

class LstmSteps : public testing::TestWithParam<Shape> {};

TEST_P(LstmSteps, follow_their_definition_forwards_and_backwards) {
  const PlainLayer plain(GetParam());
  const int hidden = plain.shape.hidden;
  const auto layer = layer_of(plain);
  kernels::lstm_steps<Device>(Device(), layer, packed(plain, kernels::Transpose::yes), test::to_device(plain.bias));
  const auto dy = on_device_as("krossfold::test::dy", plain.dy);
  const Matrix<float, Device> dgates("krossfold::test::dgates", plain.before.extent(0), 4 * hidden);
  kernels::lstm_steps_backward<Device>(Device(), dgates, dy, layer, packed(plain, kernels::Transpose::no));
  const auto gates = on_host(layer.gates), cell = on_host(layer.cell), tanh_cell = on_host(layer.tanh_cell),
             output = on_host(layer.output), found = on_host(dgates);
  // Sums of `hidden` products of numbers below 1, in float, over the steps.
  const double allowed = 3e-7 * (8 + std::sqrt(hidden)) * plain.shape.steps;
  for (std::size_t row = 0; row < gates.extent(0); ++row) {
    for (int h = 0; h < hidden; ++h) {
      const std::size_t at = row * hidden + h;
      ASSERT_NEAR(cell(row, h), plain.cell[at], allowed) << row << ' ' << h;
      ASSERT_NEAR(tanh_cell(row, h), std::tanh(plain.cell[at]), allowed) << row << ' ' << h;
      ASSERT_NEAR(output(row, h), plain.output[at], allowed) << row << ' ' << h;
    }
    for (int j = 0; j < 4 * hidden; ++j) {
      ASSERT_NEAR(gates(row, j), plain.gates[row * 4 * hidden + j], allowed) << row << ' ' << j;
      ASSERT_NEAR(found(row, j), plain.dgates[row * 4 * hidden + j], 4 * allowed) << row << ' ' << j;
    }
  }
}

// A team of a device takes 8, 4, 2 or 1 windows, as many as leave enough teams and fit its scratch memory; the largest layers go step by step.
INSTANTIATE_TEST_SUITE_P(Shapes, LstmSteps,
                         testing::Values(Shape{1, 1, 1}, Shape{3, 5, 1}, Shape{11, 7, 4}, Shape{300, 9, 3},
                                         Shape{517, 6, 3}, Shape{1030, 5, 3}, Shape{1025, 160, 2}, Shape{5, 180, 2},
                                         Shape{3, 256, 2}, Shape{3, 257, 2}));

TEST(LstmStepsWithDropout, are_those_of_the_kernel_that_drops) {
  // A team of a device takes 1, 2, 4 and 8 windows; the largest layer goes step by step.
  for (const auto& [windows, hidden] : {std::pair(13, 5), {13, 20}, {300, 9}, {517, 6}, {1030, 5}, {13, 257}}) {
    const PlainLayer plain({windows, hidden, 3});
    std::vector<int> sample;
    for (int k = 0; k < windows + 2; ++k) sample.push_back(7 * k % 5000);
    const kernels::LstmDropout<Device> dropout{
        list_on<Device>("krossfold::test::row", sample),
        {.stream = {.seed = 3, .trial = 4}, .probability = 0.3, .first = 2},
        Matrix<float, Device>("krossfold::test::dropped", layer_rows(plain), hidden)};
    const auto layer = layer_of(plain), other = layer_of(plain);
    const auto bias = test::to_device(plain.bias);
    kernels::lstm_steps<Device>(Device(), layer, packed(plain, kernels::Transpose::yes), bias, dropout);
    kernels::lstm_steps<Device>(Device(), other, packed(plain, kernels::Transpose::yes), bias);
    const Matrix<float, Device> expected("krossfold::test::expected", layer.output.extent(0), hidden);
    kernels::dropout<Device>(Device(), expected, other.output, dropout.row, 3, dropout.params);
    const auto dy = on_device_as("krossfold::test::dy", plain.dy),
               masked = on_device_as("krossfold::test::dy", plain.dy);
    kernels::dropout<Device>(Device(), masked, masked, dropout.row, 3, dropout.params);
    const Matrix<float, Device> dgates("krossfold::test::dgates", layer.output.extent(0), 4 * hidden),
        expected_dgates("krossfold::test::dgates", layer.output.extent(0), 4 * hidden);
    const auto backwards = packed(plain, kernels::Transpose::no);
    kernels::lstm_steps_backward<Device>(Device(), dgates, dy, layer, backwards, dropout);
    kernels::lstm_steps_backward<Device>(Device(), expected_dgates, masked, other, backwards);
    const auto found = on_host(dropout.dropped), wanted = on_host(expected), back = on_host(dgates),
               wanted_back = on_host(expected_dgates);
    int dropped = 0;
    for (std::size_t row = 0; row < wanted.extent(0); ++row) {
      for (int h = 0; h < hidden; ++h) {
        ASSERT_EQ(found(row, h), wanted(row, h)) << row << ' ' << h;
        dropped += wanted(row, h) == 0;
      }
      for (int j = 0; j < 4 * hidden; ++j) ASSERT_EQ(back(row, j), wanted_back(row, j)) << row << ' ' << j;
    }
    EXPECT_GT(dropped, 0);
  }
}

TEST(LstmStepsOfAWindow, hang_on_no_other_window) {
  const PlainLayer plain({13, 20, 3});
  PlainLayer one = plain;
  one.shape.windows = 1;
  one.before = Matrix<float>("krossfold::test::before", 3, 80);
  for (int t = 0; t < 3; ++t) {
    for (int j = 0; j < 80; ++j) one.before(t, j) = plain.before(t * 13 + 9, j);
  }
  const auto all = layer_of(plain), alone = layer_of(one);
  for (const auto* layer : {&all, &alone})
    kernels::lstm_steps<Device>(Device(), *layer, packed(plain, kernels::Transpose::yes), test::to_device(plain.bias));
  const auto many = on_host(all.output), few = on_host(alone.output);
  for (int t = 0; t < 3; ++t) {
    for (int h = 0; h < 20; ++h) EXPECT_EQ(many(t * 13 + 9, h), few(t, h));
  }
}

}  // namespace
}  // namespace krossfold
