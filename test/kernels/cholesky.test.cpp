// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace krossfold {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

using Square = std::vector<double>;  // r * n + c

/// B B^T / n + 1/2, which is symmetric with eigenvalues between 0.5 and about 5.
Square random_definite(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Square b(static_cast<std::size_t>(n) * n), a(b.size());
  for (double& value : b) value = normal(random);
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) {
      double sum = r == c ? 0.5 * n : 0;
      for (int k = 0; k < n; ++k) sum += b[r * n + k] * b[c * n + k];
      a[r * n + c] = sum / n;
    }
  }
  return a;
}

/// Gaussian elimination with pivoting, an independent way to the solution.
std::vector<double> solve_plainly(Square a, std::vector<double> b) {
  const int n = static_cast<int>(b.size());
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r) pivot = std::abs(a[r * n + k]) > std::abs(a[pivot * n + k]) ? r : pivot;
    for (int c = 0; c < n; ++c) std::swap(a[k * n + c], a[pivot * n + c]);
    std::swap(b[k], b[pivot]);
    for (int r = k + 1; r < n; ++r) {
      const double factor = a[r * n + k] / a[k * n + k];
      for (int c = k; c < n; ++c) a[r * n + c] -= factor * a[k * n + c];
      b[r] -= factor * b[k];
    }
  }
  for (int r = n - 1; r >= 0; --r) {
    for (int c = r + 1; c < n; ++c) b[r] -= a[r * n + c] * b[c];
    b[r] /= a[r * n + r];
  }
  return b;
}

/// Matrices of several sizes side by side on the device, as in the Newton step: only c >= r is set.
struct Batch {
  static constexpr double untouched = -777;
  std::vector<Square> matrix;
  Flags<int> size, failed;
  Matrix<double, Device> factor;

  explicit Batch(const std::vector<Square>& matrices)
      : matrix(matrices),
        size("krossfold::test::size", matrices.size()),
        failed("krossfold::test::failed", matrices.size()) {
    std::size_t most = 1;
    for (const Square& a : matrix) most = std::max(most, a.size());
    const Matrix<double> host("krossfold::test::factor", matrix.size(), most);
    Kokkos::deep_copy(host, untouched);
    for (std::size_t k = 0; k < matrix.size(); ++k) {
      const int n = static_cast<int>(std::lround(std::sqrt(static_cast<double>(matrix[k].size()))));
      size(k) = n;
      failed(k) = -1;
      for (int r = 0; r < n; ++r) {
        for (int c = r; c < n; ++c) host(k, r * n + c) = matrix[k][r * n + c];
      }
    }
    factor = Matrix<double, Device>("krossfold::test::factor_device", matrix.size(), most);
    Kokkos::deep_copy(factor, host);
    kernels::cholesky<Device>(Device(), factor, size, failed,
                              kernels::make_cholesky_work<Device>(static_cast<int>(matrices.size())));
  }
};

/// max |A - L L^T|, where L(r, c) is at c * n + r of the factor, r >= c.
double reconstruction_error(const Square& a, const double* factor, int n) {
  double worst = 0;
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) {
      double sum = 0;
      for (int k = 0; k <= c; ++k) sum += factor[k * n + r] * factor[k * n + c];
      worst = std::fmax(worst, std::abs(sum - a[r * n + c]));
    }
  }
  return worst;
}

std::vector<Square> matrices_of(const std::vector<int>& sizes, unsigned seed) {
  std::vector<Square> matrices;
  for (const int n : sizes) matrices.push_back(random_definite(n, seed++));
  return matrices;
}

TEST(Cholesky, gives_factors_whose_product_is_the_matrix_for_all_sizes_at_once) {
  const Batch batch(matrices_of({3, 0, 1, 2, 16, 33, 130, 65, 64, 128, 197}, 500));
  const auto factor = on_host(batch.factor);
  for (std::size_t k = 0; k < batch.matrix.size(); ++k) {
    const int n = batch.size(k);
    EXPECT_EQ(batch.failed(k), 0) << "seed " << 500 + k << ", n " << n;
    // |A - L L^T| <= (n + 1) epsilon / (1 - ...) |L| |L^T| (Higham 2002, theorem 10.3), |L| |L^T| < 6.
    ASSERT_LE(reconstruction_error(batch.matrix[k], &factor(k, 0), n), 6.0 * (n + 1) * epsilon)
        << "seed " << 500 + k << ", n " << n;
    for (int r = 0; r < n; ++r) {
      EXPECT_GT(factor(k, r * n + r), 0.0);
      for (int c = 0; c < r; ++c) ASSERT_EQ(factor(k, r * n + c), Batch::untouched) << "seed " << 500 + k;
    }
    for (std::size_t i = static_cast<std::size_t>(n) * n; i < factor.extent(1); ++i) {
      ASSERT_EQ(factor(k, i), Batch::untouched) << "wrote behind the matrix, n " << n;
    }
  }
}

TEST(CholeskySolve, agrees_with_gaussian_elimination_for_every_right_hand_side) {
  const int sets = 3;
  const Batch batch(matrices_of({1, 40, 0, 7, 97, 2, 64, 130}, 520));
  const Matrix<double> right("krossfold::test::right", batch.matrix.size(), sets * 130 + 1);
  std::mt19937 random(521);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < right.size(); ++i) right.data()[i] = normal(random);
  const Matrix<double, Device> solution("krossfold::test::solution", right.extent(0), right.extent(1));
  Kokkos::deep_copy(solution, right);
  kernels::cholesky_solve<Device>(Device(), batch.factor, batch.size, sets, solution);
  const auto found = on_host(solution);
  for (std::size_t k = 0; k < batch.matrix.size(); ++k) {
    const int n = batch.size(k);
    for (int set = 0; set < sets; ++set) {
      const double* b = &right(k, 0) + set * n;
      const auto expected = solve_plainly(batch.matrix[k], std::vector<double>(b, b + n));
      double norm = 0;
      for (const double x : expected) norm = std::fmax(norm, std::abs(x));
      for (int r = 0; r < n; ++r) {
        // The condition numbers are about 10.
        ASSERT_NEAR(found(k, set * n + r), expected[r], 10 * 10.0 * n * epsilon * norm)
            << "seeds " << 520 + k << ", 521, n " << n << ", set " << set;
      }
    }
    for (std::size_t i = static_cast<std::size_t>(sets) * n; i < right.extent(1); ++i) {
      ASSERT_EQ(found(k, i), right(k, i)) << "wrote behind the right-hand sides, n " << n;
    }
  }
}

TEST(Cholesky, reports_the_matrices_that_are_not_positive_definite_and_factors_the_others) {
  auto matrices = matrices_of({20, 20, 5, 1, 0, 1, 30, 140, 140}, 540);
  matrices[1][13 * 20 + 13] = -0.1;  // a negative diagonal entry
  matrices[2] = Square(25, 0.0);     // zero
  matrices[3][0] = -1e-3;
  // The minor of rows 7 and 22 is negative, so the factorisation fails late.
  matrices[6][7 * 30 + 22] = matrices[6][22 * 30 + 7] = 100;
  matrices[7][70 * 140 + 100] = matrices[7][100 * 140 + 70] = 100;  // in the second of a device's blocks
  const Batch batch(matrices);
  const std::vector<int> expected{0, 1, 1, 1, 0, 0, 1, 1, 0};
  const auto factor = on_host(batch.factor);
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    EXPECT_EQ(batch.failed(k), expected[k]) << "matrix " << k << ", seed " << 540 + k;
    if (expected[k] != 0) continue;
    EXPECT_LE(reconstruction_error(matrices[k], &factor(k, 0), batch.size(k)), 6.0 * (batch.size(k) + 1) * epsilon);
  }
}

TEST(Cholesky, does_not_hide_what_is_not_a_number) {
  auto matrices = matrices_of({1, 9}, 560);
  matrices[0][0] = matrices[1][4 * 9 + 4] = std::nan("");
  const Batch batch(matrices);
  const auto factor = on_host(batch.factor);
  EXPECT_TRUE(batch.failed(0) == 1 || std::isnan(factor(0, 0)));
  EXPECT_TRUE(batch.failed(1) == 1 || std::isnan(factor(1, 4 * 9 + 4)));
}

}  // namespace
}  // namespace krossfold
