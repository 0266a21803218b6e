// SPDX-License-Identifier: BSD-3-Clause
// Sparse samples against the dense form of the same.

#include <gtest/gtest.h>

#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "krossfold/svm/row_cache.hpp"
#include "krossfold/svm/train.hpp"
#include "test/data/sparse_pair.hpp"

namespace krossfold {
namespace {

using svm::PointForm;

svm::Points<Device> points_of(const data::Dataset& set, const data::Scale& scale) {
  return svm::make_points<Device>(set, scale, svm::best_form(set, scale));
}

Matrix<float> whole_distances(const svm::Points<Device>& points) {
  const auto d2 = padded_matrix<float, Device>("krossfold::test::d2", points.size(), points.size());
  svm::squared_distance<Device>(Device(), d2, points);
  const Matrix<float> host("krossfold::test::d2", points.size(), points.size());
  Kokkos::deep_copy(host, on_host(d2));
  return host;
}

TEST(SparsePoints, have_the_form_that_the_data_allow) {
  const auto whole = test::sparse_pair(20, 50, 0.1, 1, true), real = test::sparse_pair(20, 50, 0.1, 1, false);
  const data::Scale uniform{{0.3}, {2.0}}, each = data::fit_scale(whole.sparse, "standard");
  EXPECT_EQ(svm::best_form(whole.sparse, uniform), PointForm::sparse_whole);
  EXPECT_EQ(svm::best_form(whole.sparse, each), PointForm::sparse_scaled);
  EXPECT_EQ(svm::best_form(real.sparse, uniform), PointForm::sparse_scaled);
  using enum PointForm;
  EXPECT_EQ(svm::common_form(sparse_whole, whole_float), sparse_whole);
  EXPECT_EQ(svm::common_form(whole_double, sparse_whole), sparse_whole);
  EXPECT_EQ(svm::common_form(scaled_double, sparse_whole), sparse_scaled);
  EXPECT_EQ(svm::common_form(sparse_scaled, whole_float), sparse_scaled);
  EXPECT_EQ(svm::common_form(sparse_whole, sparse_scaled), sparse_scaled);
  EXPECT_THROW(svm::make_points<Device>(whole.sparse, uniform, whole_float), Error);
}

TEST(SparsePoints, have_the_distances_of_the_dense_form) {
  for (const bool whole : {true, false}) {
    for (const std::string scale : {"", "none", "1.5:2.25"}) {
      SCOPED_TRACE("whole " + std::to_string(whole) + ", scale '" + scale + "'");
      const auto pair = test::sparse_pair(70, 300, 0.05, 5, whole);
      const data::Scale fitted = data::fit_scale(pair.dense, scale);
      const auto dense = points_of(pair.dense, fitted), sparse = points_of(pair.sparse, fitted);
      EXPECT_EQ(sparse.size(), 70);
      EXPECT_EQ(dense.unit, sparse.unit);
      const auto right = whole_distances(dense), found = whole_distances(sparse);
      for (int i = 0; i < 70; ++i) {
        for (int j = 0; j < 70; ++j) {
          if (whole && fitted.uniform()) {
            ASSERT_EQ(found(i, j), right(i, j)) << i << ", " << j;
          } else {
            ASSERT_NEAR(found(i, j), right(i, j), 1.2e-7 * right(i, j) + 1e-10) << i << ", " << j;
          }
        }
      }
    }
  }
}

// nvcc takes no lambda for the device in a test's body, which is a private member function.
Matrix<float, Device> copy_of(const Vector<const svm::KernelRow, Device>& row, int count, int n) {
  const Matrix<float, Device> copy("krossfold::test::copy", count, n);
  Kokkos::parallel_for(
      "krossfold::test::copy_rows", Kokkos::RangePolicy<Device>(0, count), KOKKOS_LAMBDA(int k) {
        for (int j = 0; j < n; ++j) copy(k, j) = row(k).value[j];
      });
  Kokkos::fence();
  return copy;
}

TEST(SparsePoints, shared_out_and_on_demand_have_the_bits_of_the_whole_matrix) {
  const auto pair = test::sparse_pair(1100, 150, 0.02, 6, false);
  const auto points = points_of(pair.sparse, data::fit_scale(pair.sparse, ""));
  const auto whole = whole_distances(points);
  const auto shared = padded_matrix<float, Device>("krossfold::test::shared", 1100, 1100);
  for (const int part : {1, 0}) svm::squared_distance<Device>(Device(), shared, points, {part, 2});
  const auto found = on_host(shared);
  svm::PointDistances<Device> rows(points);
  const std::vector<int> list{1099, 3, 3, 512, 600};
  const auto demanded = rows.rows(Device(), list, list_on<Device>("krossfold::test::list", list));
  const int count = static_cast<int>(list.size());
  const auto copied = on_host(copy_of(demanded, count, 1100));
  for (int j = 0; j < 1100; ++j) {
    for (int i = 0; i < 1100; ++i) ASSERT_EQ(found(i, j), whole(i, j)) << i << ", " << j;
    for (int k = 0; k < count; ++k) ASSERT_EQ(copied(k, j), whole(list[k], j)) << list[k] << ", " << j;
  }
}

TEST(SparsePreciseKernel, is_the_one_of_the_dense_form) {
  const auto pair = test::sparse_pair(90, 200, 0.05, 8, false);
  const data::Scale scale = data::fit_scale(pair.dense, "");
  const auto dense = points_of(pair.dense, scale), sparse = points_of(pair.sparse, scale);
  svm::PreciseKernel<Device> right(Device(), 90, 60, [&] { return dense; }),
      found(Device(), 90, 3, [&] { return sparse; });
  right.set_gamma(0.002);
  found.set_gamma(0.002);
  ASSERT_EQ(found.rank_for(1e-4, 45), right.rank_for(1e-4, 45));
  const int rank = right.rank_for(1e-4, 45);
  const auto t = on_host(right.factor()), s = on_host(found.factor());
  for (int r = 0; r < rank; ++r) {
    for (int i = 0; i < 90; ++i) ASSERT_NEAR(s(r, i), t(r, i), 1e-9) << r << ", " << i;
  }
  const auto k = on_host(right.whole()), own = on_host(found.whole());
  for (int i = 0; i < 90; ++i) {
    for (int j = 0; j < 90; ++j) ASSERT_NEAR(own(i, j), k(i, j), 1e-14) << i << ", " << j;
  }
  const Matrix<double, Device> dense_shifted("krossfold::test::dense", 90, 90),
      shifted("krossfold::test::sparse", 90, 90);
  svm::precise_minus_one<Device>(Device(), dense_shifted, dense, dense, 1e-6);
  svm::precise_minus_one<Device>(Device(), shifted, sparse, sparse, 1e-6);
  const auto a = on_host(dense_shifted), b = on_host(shifted);
  for (int i = 0; i < 90; ++i) {
    for (int j = 0; j < 90; ++j) ASSERT_NEAR(b(i, j), a(i, j), 1e-12 * std::abs(a(i, j))) << i << ", " << j;
  }
}

TEST(SparsePreciseKernel, multiplies_as_its_whole_matrix_does) {
  // More samples than are kept whole.
  constexpr int n = 4200;
  const auto pair = test::sparse_pair(n, 60, 0.05, 9, false);
  const auto points = points_of(pair.sparse, data::fit_scale(pair.sparse, ""));
  svm::PreciseKernel<Device> kernel(Device(), n, 3, [&] { return points; });
  ASSERT_FALSE(kernel.may_be_whole(n));
  kernel.set_gamma(0.01);
  const Vector<double> beta("krossfold::test::beta", n);
  for (int i = 0; i < n; i += 5) beta(i) = std::sin(i);
  const Vector<double, Device> product("krossfold::test::product", n);
  kernel.multiply(on_device<Device>(beta), product);
  const auto found = on_host(product);
  const auto& x = pair.dense.raw;
  const data::Scale scale = data::fit_scale(pair.sparse, "");
  for (const int i : {0, 1, 63, 64, 2000, n - 1}) {
    double right = 0;
    for (int j = 0; j < n; ++j) {
      double d2 = 0;
      for (int f = 0; f < 60; ++f) d2 += std::pow((double{x(i, f)} - double{x(j, f)}) / scale.divisor_of(f), 2);
      right += beta(j) * std::exp(-0.01 * d2);
    }
    EXPECT_NEAR(found(i), right, 1e-11) << i;
  }
}

svm::Machine trained(const data::Dataset& set, const std::optional<data::Scale>& scale, double c = 10) {
  return svm::train(Device(), set, {.c = {c}, .gamma = 0.01, .scale = scale});
}

TEST(SparseMachine, of_whole_numbers_is_the_dense_one_bit_for_bit) {
  const auto pair = test::sparse_pair(150, 200, 0.06, 10, true), other = test::sparse_pair(60, 200, 0.06, 11, true);
  const data::Scale uniform{{0.0}, {3.0}};
  const svm::Machine dense = trained(pair.dense, uniform), sparse = trained(pair.sparse, uniform);
  EXPECT_TRUE(sparse.support.is_sparse());
  ASSERT_EQ(sparse.support.size(), dense.support.size());
  ASSERT_LT(sparse.support.size(), 150);
  EXPECT_EQ(sparse.bias, dense.bias);
  for (std::size_t k = 0; k < dense.coefficient.size(); ++k) {
    ASSERT_EQ(sparse.coefficient.data()[k], dense.coefficient.data()[k]);
  }
  const auto right = svm::decision_values(Device(), dense, other.dense);
  for (const svm::Machine* machine : {&dense, &sparse}) {
    for (const data::Dataset* set : {&other.dense, &other.sparse}) {
      const auto found = svm::decision_values(Device(), *machine, *set);
      for (std::size_t k = 0; k < right.size(); ++k) ASSERT_EQ(found.data()[k], right.data()[k]) << k;
    }
  }
}

TEST(SparseMachine, decides_as_the_dense_one) {
  const auto pair = test::sparse_pair(150, 200, 0.06, 12, false), other = test::sparse_pair(1100, 200, 0.06, 13, false);
  for (const double c : {10.0, 1e7}) {  // at the large C, decision values take the kernel in double
    const svm::Machine dense = trained(pair.dense, {}, c), sparse = trained(pair.sparse, {}, c);
    const auto right = svm::decision_values(Device(), dense, other.dense);
    for (const data::Dataset* set : {&other.dense, &other.sparse}) {
      const auto found = svm::decision_values(Device(), sparse, *set);
      for (std::size_t k = 0; k < right.size(); ++k) ASSERT_NEAR(found.data()[k], right.data()[k], 3e-3) << k;
    }
  }
}

TEST(SparseMachine, of_another_kernel_is_refused) {
  const auto pair = test::sparse_pair(30, 40, 0.1, 15, false);
  const auto refused = [](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("linear"), std::string::npos) << error.what();
    }
  };
  const svm::TrainParams linear{.c = {1}, .kernel = {.kind = svm::KernelKind::linear}};
  refused([&] { svm::train(Device(), pair.sparse, linear); });
  const svm::Machine machine = svm::train(Device(), pair.dense, linear);
  refused([&] { svm::decision_values(Device(), machine, pair.sparse); });
}

TEST(SparseMachine, without_support_vectors_decides_by_its_bias) {
  const auto pair = test::sparse_pair(9, 20, 0.3, 14, false);
  svm::Machine machine = svm::make_machine(pair.sparse, Matrix<double>("krossfold::test::beta", 3, 9), {1, 2, 3});
  EXPECT_TRUE(machine.support.is_sparse());
  EXPECT_EQ(machine.support.size(), 0);
  const auto decision = svm::decision_values(Device(), machine, pair.sparse);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(decision(i, 2), 3);
}

}  // namespace
}  // namespace krossfold
