// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/lstm_cell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test/kernels/random_matrix.hpp"
#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Cell {
  double i, f, g, o, cell, output;
};

/// Reference by the definition: unit h of a sample with pre-activations a (4 blocks).
Cell reference(const std::vector<double>& a, const Vector<float>& bias, double before, int h, int hidden) {
  const auto with_bias = [&](int block) {
    return a[block * hidden + h] + static_cast<double>(bias(block * hidden + h));
  };
  Cell c{sigmoid(with_bias(0)), sigmoid(with_bias(1)), std::tanh(with_bias(2)), sigmoid(with_bias(3)), 0, 0};
  c.cell = c.f * before + c.i * c.g;
  c.output = c.o * std::tanh(c.cell);
  return c;
}

struct Step {
  int batch, hidden;
  Matrix<float> a, before;
  Vector<float> bias;
  Matrix<float, Device> gates, cell, tanh_cell, output, cell_before;

  Step(int samples, int units, unsigned seed)
      : batch(samples),
        hidden(units),
        a(test::random_matrix<float>(samples, 4 * units, seed, -3, 3)),
        before(test::random_matrix<float>(samples, units, seed + 1, -2, 2)),
        bias(test::random_vector(4 * units, seed + 2, -1, 1)),
        gates("krossfold::test::gates", samples, 4 * units),
        cell("krossfold::test::cell", samples, units),
        tanh_cell("krossfold::test::tanh_cell", samples, units),
        output("krossfold::test::output", samples, units),
        cell_before("krossfold::test::cell_before", samples, units) {
    Kokkos::deep_copy(gates, a);
    Kokkos::deep_copy(cell_before, before);
    kernels::lstm_cell<Device>(Device(), gates, cell, tanh_cell, output, cell_before, test::to_device(bias));
  }
  std::vector<double> pre_activations(int s) const {
    std::vector<double> row;
    for (int j = 0; j < 4 * hidden; ++j) row.push_back(static_cast<double>(a(s, j)));
    return row;
  }
};

class LstmCell : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(LstmCell, follows_its_definition) {
  const Step step(GetParam().first, GetParam().second, 1);
  const auto gates = on_host(step.gates), cell = on_host(step.cell), output = on_host(step.output);
  for (int s = 0; s < step.batch; ++s) {
    for (int h = 0; h < step.hidden; ++h) {
      const Cell expected =
          reference(step.pre_activations(s), step.bias, static_cast<double>(step.before(s, h)), h, step.hidden);
      EXPECT_NEAR(gates(s, h), expected.i, 4e-7);
      EXPECT_NEAR(gates(s, step.hidden + h), expected.f, 4e-7);
      EXPECT_NEAR(gates(s, 2 * step.hidden + h), expected.g, 4e-7);
      EXPECT_NEAR(gates(s, 3 * step.hidden + h), expected.o, 4e-7);
      EXPECT_NEAR(cell(s, h), expected.cell, 1e-6);
      EXPECT_NEAR(output(s, h), expected.output, 1e-6);
    }
  }
}

TEST_P(LstmCell, backward_agrees_with_finite_differences_in_double) {
  const Step step(GetParam().first, GetParam().second, 7);
  const auto dy = test::random_matrix<float>(step.batch, step.hidden, 11, -1, 1);
  const auto dc = test::random_matrix<float>(step.batch, step.hidden, 12, -1, 1);
  const Matrix<float, Device> dgates("krossfold::test::dgates", step.batch, 4 * step.hidden);
  const Matrix<float, Device> dcell("krossfold::test::dcell", step.batch, step.hidden);
  Kokkos::deep_copy(dcell, dc);
  const Matrix<const float, Device> dy_device = on_device<Device>(dy);
  kernels::lstm_cell_backward<Device>(Device(), dgates, dcell, dy_device, step.gates, step.tanh_cell, step.cell_before);
  const auto found = on_host(dgates), found_cell = on_host(dcell);
  for (int s = 0; s < step.batch; ++s) {
    for (int h = 0; h < step.hidden; ++h) {
      const double before = static_cast<double>(step.before(s, h));
      // The loss to first order.
      const auto loss = [&](const std::vector<double>& a, double cell_before) {
        const Cell cell = reference(a, step.bias, cell_before, h, step.hidden);
        return static_cast<double>(dy(s, h)) * cell.output + static_cast<double>(dc(s, h)) * cell.cell;
      };
      for (int block = 0; block < 4; ++block) {
        auto up = step.pre_activations(s), down = up;
        up[block * step.hidden + h] += 1e-5;
        down[block * step.hidden + h] -= 1e-5;
        EXPECT_NEAR(found(s, block * step.hidden + h), (loss(up, before) - loss(down, before)) / 2e-5, 2e-6);
      }
      const auto a = step.pre_activations(s);
      EXPECT_NEAR(found_cell(s, h), (loss(a, before + 1e-5) - loss(a, before - 1e-5)) / 2e-5, 2e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LstmCell,
                         testing::Values(std::pair(1, 1), std::pair(3, 17), std::pair(5, 32), std::pair(2, 100)));

TEST(LstmCellLimits, of_huge_pre_activations_are_finite_and_nan_stays) {
  const Matrix<float> a("krossfold::test::a", 2, 4);
  for (int j = 0; j < 4; ++j) a(0, j) = j % 2 == 0 ? 1e30f : -1e30f;
  a(1, 2) = NAN;
  const Matrix<float, Device> gates("krossfold::test::gates", 2, 4), cell("krossfold::test::cell", 2, 1),
      bounded("krossfold::test::tanh", 2, 1), output("krossfold::test::output", 2, 1),
      before("krossfold::test::before", 2, 1);
  const Vector<float, Device> bias("krossfold::test::bias", 4);
  Kokkos::deep_copy(gates, a);
  kernels::lstm_cell<Device>(Device(), gates, cell, bounded, output, before, bias);
  EXPECT_EQ(on_host(cell)(0, 0), 1);
  EXPECT_EQ(on_host(output)(0, 0), 0);
  EXPECT_TRUE(std::isnan(on_host(output)(1, 0)));
}

}  // namespace
}  // namespace krossfold
