// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/precise_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "krossfold/data/scale.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/svm/overlapping.hpp"

namespace krossfold {
namespace {

using svm::PreciseKernel;

/// trace(K - T^T T) / n by definition; every element of the difference is at most that of the diagonal.
double residual_by_definition(const Matrix<const double>& t, int rank, const std::vector<double>& k, int n) {
  double trace = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double left = k[static_cast<std::size_t>(i) * n + j];
      for (int r = 0; r < rank; ++r) left -= t(r, i) * t(r, j);
      if (i == j) trace += left;
    }
  }
  return trace / n;
}

TEST(PreciseKernel, ItsFactorLeavesTheResidualThatItSays) {
  const test::Overlapping set(150, 2, 1);
  for (const double gamma : {0.01, 0.3, 5.0}) {
    auto kernel = set.kernel(gamma);
    for (const double tolerance : {1e-2, 1e-5, 1e-9}) {
      const int rank = kernel.rank_for(tolerance, 150);
      if (rank == 0) continue;
      EXPECT_LE(kernel.residual(rank), tolerance);
      EXPECT_GT(kernel.residual(rank - 1), tolerance) << "a smaller rank would do";
      EXPECT_NEAR(residual_by_definition(on_host(kernel.factor()), rank, set.exact(gamma), 150), kernel.residual(rank),
                  1e-13);
    }
  }
  EXPECT_GT(set.kernel(0.01).rank_for(1e-9, 75), 0);
  EXPECT_EQ(set.kernel(5.0).rank_for(1e-9, 75), 0) << "more than half the samples";
}

TEST(PreciseKernel, DoesNotDependOnWhatWasAskedBefore) {
  const test::Overlapping set(700, 2, 2);
  auto once = set.kernel(0.2), often = set.kernel(7.0);
  often.rank_for(1e-3, 350);
  often.set_gamma(0.2);
  EXPECT_EQ(often.rank_for(1e-12, 5), 0);
  often.rank_for(1e-2, 350);
  const int rank = once.rank_for(1e-10, 350);
  ASSERT_GT(rank, 32) << "the memory grows on the way";
  EXPECT_EQ(often.rank_for(1e-10, 350), rank);
  const auto left = on_host(once.factor()), right = on_host(often.factor());
  for (int r = 0; r < rank; ++r) {
    for (int i = 0; i < 700; ++i) ASSERT_EQ(left(r, i), right(r, i)) << r << ", " << i;
  }
}

TEST(PreciseKernel, RowsThatACostAffordsDependOnSamplesAndFeaturesAlone) {
  const auto of = [](int samples, double features) {
    return PreciseKernel<Device>(Device(), samples, features, [] { return svm::Points<Device>(); });
  };
  const auto narrow = of(2000, 20), images = of(2000, 784), wide = of(2000, 10000);
  EXPECT_EQ(narrow.affordable_rows(0), 0);
  EXPECT_EQ(narrow.affordable_rows(1e30), 2000);
  EXPECT_EQ(narrow.affordable_rows(3e7), 750)
      << "the factor of a fit with few features is looked at as soon as its price allows";
  EXPECT_EQ(images.affordable_rows(3e7), 23);
  EXPECT_EQ(wide.affordable_rows(3e7), 0) << "80 MB do not fit a cache";
  EXPECT_EQ(wide.affordable_rows(1e9), 12);
  const test::Overlapping set(700, 2, 2);
  auto grown = set.kernel(0.2);
  const int before = grown.affordable_rows(1e6);
  grown.rank_for(1e-3, 350);
  EXPECT_EQ(grown.affordable_rows(1e6), before) << "what other problems asked for must not change a fit";
}

TEST(PreciseKernel, WholeIsTheDefinition) {
  const test::Overlapping set(60, 3, 3);
  auto kernel = set.kernel(0.5);
  const auto whole = on_host(kernel.whole());
  const auto exact = set.exact(0.5);
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 60; ++j) {
      // exp() to 4 units in the last place, and its argument to one.
      const double k = exact[static_cast<std::size_t>(i) * 60 + j];
      EXPECT_NEAR(whole(i, j), k, 0x1p-52 * (4 - std::log(k)) * k);
    }
  }
  kernel.set_gamma(1.5);
  EXPECT_DOUBLE_EQ(on_host(kernel.whole())(0, 1), set.exact(1.5)[1]);
}

TEST(PreciseKernel, MultipliesWithTheWholeMatrixOrFromTheSamples) {
  for (const int n : {70, 4100}) {
    ASSERT_EQ(PreciseKernel<Device>::may_be_whole(n), n < 100);
    const test::Overlapping set(n, 2, 6);
    const Vector<double> beta("beta", n);
    for (int i = 0; i < n; ++i) beta(i) = i % 3 == 0 ? 0.0 : std::sin(i);
    const Vector<double, Device> product("product", n);
    auto kernel = set.kernel(0.4);
    kernel.multiply(on_device<Device>(beta), product);
    const auto found = on_host(product);
    for (int i = 0; i < n; i += 69) {
      double right = 0;
      for (int j = 0; j < n; ++j) {
        double d2 = 0;
        for (int f = 0; f < 2; ++f) d2 += (set.x(i, f) - set.x(j, f)) * (set.x(i, f) - set.x(j, f));
        right += beta(j) * std::exp(-0.4 * d2);
      }
      EXPECT_NEAR(found(i), right, 1e-10) << i;
    }
  }
}

TEST(PreciseKernel, TakesSamplesInEveryForm) {
  const data::Dataset digits = tables::embedded_digits();
  const data::Scale scale = data::fit_scale(digits, "");
  PreciseKernel<Device> in_float(Device(), digits.size(), 64,
                                 [&] { return svm::make_points<Device>(digits, scale, svm::PointForm::whole_float); });
  PreciseKernel<Device> in_double(Device(), digits.size(), 64, [&] {
    return svm::make_points<Device>(digits, scale, svm::PointForm::scaled_double);
  });
  in_float.set_gamma(0.001);
  in_double.set_gamma(0.001);
  const int rank = in_float.rank_for(1e-2, 800);
  ASSERT_GT(rank, 10);
  const auto distance = padded_matrix<float, Device>("d2", digits.size(), digits.size());
  svm::squared_distance<Device>(Device(), distance,
                                svm::make_points<Device>(digits, scale, svm::PointForm::whole_float));
  const auto from_points = on_host(in_float.whole());
  PreciseKernel<Device> from_distances(Device(), digits.size(), 64, [&] {
    return svm::make_points<Device>(digits, scale, svm::PointForm::whole_float);
  });
  from_distances.use_distances(distance);
  from_distances.set_gamma(0.001);
  EXPECT_EQ(on_host(from_distances.whole())(17, 900), from_points(17, 900));
  EXPECT_NEAR(in_double.residual(in_double.rank_for(1e-2, 800)), in_float.residual(rank), 1e-12);
}

/// Row i, empty if it is not in memory.
std::vector<double> row_in(const PreciseKernel<Device>& kernel, int i) {
  const int n = kernel.samples();
  const auto table = kernel.rows();
  const Vector<double, Device> out("krossfold::test::row", n);
  int there = 0;
  Kokkos::parallel_reduce(
      "krossfold::test::row", Kokkos::RangePolicy<Device>(0, n),
      KOKKOS_LAMBDA(int j, int& sum) {
        if (table(i).value == nullptr) return;
        out(j) = table(i).value[j];
        ++sum;
      },
      there);
  const auto host = on_host(out);
  return there == n ? std::vector<double>(host.data(), host.data() + n) : std::vector<double>();
}

TEST(PreciseKernel, KeepsRowsOfTheSameBitsAsTheWholeMatrix) {
  const test::Overlapping set(60, 3, 3);
  auto all = set.kernel(0.5), kernel = set.kernel(0.5, 8);
  ASSERT_EQ(all.places(), 60);
  for (const double gamma : {0.5, 2.0}) {
    for (auto* of : {&all, &kernel}) of->set_gamma(gamma);
    all.fetch({}, {});
    kernel.fetch(std::vector<int>{3, 59}, {});
    EXPECT_FALSE(row_in(kernel, 3).empty());
    for (int i = 4; i < 40; ++i) {
      kernel.fetch(std::vector<int>{i, i + 1}, std::vector<int>{3, 59});
      for (const int k : {3, 59, i, i + 1}) {
        ASSERT_EQ(row_in(kernel, k), row_in(all, k)) << i << ", " << k;
        ASSERT_FALSE(row_in(kernel, k).empty());
      }
    }
    EXPECT_TRUE(row_in(kernel, 20).empty());
  }
  EXPECT_GT(set.kernel(1).row_cost(), 0);
}

TEST(PreciseKernel, KeepsFewerRowsOfMoreSamples) {
  EXPECT_EQ(PreciseKernel<Device>::row_places(4096), 4096);
  EXPECT_EQ(PreciseKernel<Device>::row_places(8192), 2048);
  EXPECT_EQ(PreciseKernel<Device>::row_places(60000), 512);
  EXPECT_EQ(PreciseKernel<Device>::row_places(70000), 0);
}

TEST(PreciseKernel, EqualSamplesHaveRankOne) {
  const Matrix<double> x("x", 20, 2);
  svm::Points<Device> points;
  points.in_double = on_device<Device>(x);
  PreciseKernel<Device> kernel(Device(), 20, 2, [&] { return points; });
  kernel.set_gamma(1);
  EXPECT_EQ(kernel.rank_for(1e-14, 10), 1);
}

TEST(PreciseKernel, GoesOnAfterAPollThatThrew) {
  const test::Overlapping set(100, 2, 4);
  auto kernel = set.kernel(0.3);
  int calls = 0;
  EXPECT_THROW(kernel.rank_for(1e-5, 50,
                               [&] {
                                 if (++calls == 7) throw std::runtime_error("stop");
                               }),
               std::runtime_error);
  auto undisturbed = set.kernel(0.3);
  const int rank = undisturbed.rank_for(1e-5, 50);
  ASSERT_GT(rank, 7);
  EXPECT_EQ(kernel.rank_for(1e-5, 50), rank);
  EXPECT_EQ(on_host(kernel.factor())(rank - 1, 3), on_host(undisturbed.factor())(rank - 1, 3));
}

}  // namespace
}  // namespace krossfold
