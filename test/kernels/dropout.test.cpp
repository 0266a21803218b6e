// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/dropout.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "src/kernels/network/dropout_mask.hpp"
#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

constexpr StreamId stream{.seed = 5, .purpose = random_purpose_dropout, .fold = 2, .trial = 9};

Matrix<float> dropped(const Matrix<float>& x, const std::vector<int>& row, int steps, double p, int first = 0) {
  const Matrix<float, Device> y("krossfold::test::y", x.extent(0), x.extent(1));
  const Matrix<const float, Device> in = on_device<Device>(x);
  kernels::dropout<Device>(Device(), y, in, list_on<Device>("krossfold::test::row", row), steps, {stream, p, first});
  const Matrix<float> found("krossfold::test::found", x.extent(0), x.extent(1));
  Kokkos::deep_copy(found, y);
  return found;
}

/// Reference: the definition, using random_block().
bool is_kept(int sample, int steps, int t, int h, int hidden, double p) {
  const int blocks = (hidden + 7) / 8;
  const auto block =
      random_block(stream, (static_cast<std::uint64_t>(sample) * steps + t) * static_cast<std::uint64_t>(blocks) +
                               static_cast<std::uint64_t>(h % blocks));
  const int part = h / blocks;
  return (block[part / 2] >> (16 * (part % 2)) & 0xffff) >= std::lround(65536 * p);
}

TEST(Dropout, of_one_unit_is_that_of_the_kernel) {
  for (const int hidden : {1, 5, 8, 20, 257}) {
    const int steps = 3, batch = 4;
    const std::vector<int> row = {99, 3, 0, 70000, 12};
    const auto x = test::random_matrix<float>(steps * batch, hidden, 1, 1, 2);
    const auto y = dropped(x, row, steps, 0.3, 1);
    const kernels::DropoutMask mask({stream, 0.3, 1});
    for (int r = 0; r < steps * batch; ++r) {
      for (int h = 0; h < hidden; ++h) {
        ASSERT_EQ(mask.of(x(r, h), row[1 + r % batch], r / batch, steps, h, hidden), y(r, h)) << r << ' ' << h;
      }
    }
  }
}

TEST(Dropout, keeps_the_units_that_its_definition_says_and_scales_them) {
  for (const int hidden : {1, 7, 8, 100, 128, 300}) {
    const int steps = 3, batch = 4;
    const std::vector<int> row = {99, 3, 0, 70000, 12};
    const auto x = test::random_matrix<float>(steps * batch, hidden, 1, 1, 2);
    const auto y = dropped(x, row, steps, 0.25, 1);
    for (int t = 0; t < steps; ++t) {
      for (int s = 0; s < batch; ++s) {
        for (int h = 0; h < hidden; ++h) {
          const int r = t * batch + s;
          const bool kept = is_kept(row[1 + s], steps, t, h, hidden, 0.25);
          ASSERT_EQ(y(r, h), kept ? x(r, h) * static_cast<float>(1 / 0.75) : 0.0f) << hidden << " " << r << " " << h;
        }
      }
    }
  }
}

TEST(Dropout, of_a_sample_does_not_depend_on_the_batch_it_is_in) {
  const auto x = test::random_matrix<float>(6, 20, 1, 1, 2);
  const auto both = dropped(x, {4, 9}, 3, 0.5);
  const Matrix<float> second("krossfold::test::second", 3, 20);
  for (int t = 0; t < 3; ++t) {
    for (int h = 0; h < 20; ++h) second(t, h) = x(2 * t + 1, h);
  }
  const auto alone = dropped(second, {9}, 3, 0.5);
  for (int t = 0; t < 3; ++t) {
    for (int h = 0; h < 20; ++h) EXPECT_EQ(alone(t, h), both(2 * t + 1, h));
  }
}

TEST(DropoutUnits, drops_what_dropout_does_with_the_samples_side_by_side) {
  const std::vector<int> row = {99, 3, 0, 70000, 12, 8, 1};
  for (const int units : {1, 8, 17, 100}) {
    const auto x = test::random_matrix<float>(5, units, 1, 1, 2);
    const auto expected = dropped(x, row, 1, 0.25, 2);
    const Vector<float> side("krossfold::test::side", 5 * units);
    for (int s = 0; s < 5; ++s) {
      for (int h = 0; h < units; ++h) side(h * 5 + s) = x(s, h);
    }
    const auto y = on_device<Device>(side);
    kernels::dropout_units<Device>(Device(), y, y, list_on<Device>("krossfold::test::row", row), units, 5,
                                   {stream, 0.25, 2});
    const auto found = on_host(y);
    for (int s = 0; s < 5; ++s) {
      for (int h = 0; h < units; ++h) ASSERT_EQ(found(h * 5 + s), expected(s, h)) << units << " " << s << " " << h;
    }
  }
}

TEST(Dropout, drops_its_share) {
  std::vector<int> row(500);
  std::iota(row.begin(), row.end(), 0);
  const auto x = test::random_matrix<float>(500, 128, 1, 1, 2);
  for (const double p : {0.0, 0.1, 0.5}) {
    const auto y = dropped(x, row, 1, p);
    int zeros = 0;
    for (std::size_t k = 0; k < y.size(); ++k) zeros += y.data()[k] == 0 ? 1 : 0;
    const double n = 64000;
    EXPECT_NEAR(zeros, n * p, 4 * std::sqrt(n * p * (1 - p)) + 1e-9);
  }
}

}  // namespace
}  // namespace krossfold
