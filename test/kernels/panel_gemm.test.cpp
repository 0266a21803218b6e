// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/panel_gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

using kernels::Transpose;
using test::Shape;

Matrix<float, Device> copy_of(const Matrix<float>& host) {
  const Matrix<float, Device> copy("krossfold::test::copy", host.extent(0), host.extent(1));
  Kokkos::deep_copy(copy, host);
  return copy;
}

class PanelGemm : public testing::TestWithParam<Shape> {
protected:
  Shape shape = GetParam();
  Matrix<float> a = test::random_matrix<float>(shape.m, shape.k, shape.seed, -1, 1);
  Matrix<float> b = test::random_matrix<float>(shape.k, shape.n, shape.seed + 1, -1, 1);
  Matrix<float> before = test::random_matrix<float>(shape.m, shape.n, shape.seed + 2, -1, 1);

  void expect_product(const Matrix<float, Device>& found, bool added) const {
    const auto c = on_host(found);
    for (int i = 0; i < shape.m; ++i) {
      for (int j = 0; j < shape.n; ++j) {
        double sum = added ? static_cast<double>(before(i, j)) : 0;
        for (int x = 0; x < shape.k; ++x) sum += static_cast<double>(a(i, x)) * static_cast<double>(b(x, j));
        ASSERT_NEAR(c(i, j), sum, 1e-6 * std::sqrt(shape.k + 1.0) * 3) << i << " " << j;
      }
    }
  }
};

TEST_P(PanelGemm, is_the_product_of_either_form_of_b) {
  const Matrix<float> turned("krossfold::test::turned", shape.n, shape.k);
  for (int i = 0; i < shape.k; ++i) {
    for (int j = 0; j < shape.n; ++j) turned(j, i) = b(i, j);
  }
  const Matrix<const float, Device> on_a = copy_of(a), on_b = copy_of(b), on_turned = copy_of(turned);
  auto panels = kernels::make_panels<Device>("krossfold::test::panels", shape.k, shape.n);
  for (const bool add : {false, true}) {
    for (const bool transposed : {false, true}) {
      kernels::pack_panels<Device>(Device(), panels, transposed ? on_turned : on_b,
                                   transposed ? Transpose::yes : Transpose::no);
      const auto c = copy_of(before);
      kernels::panel_gemm<Device>(Device(), c, on_a, panels, add);
      expect_product(c, add);
    }
  }
}

TEST_P(PanelGemm, transposed_is_the_product_with_many_rows) {
  const Matrix<float> turned("krossfold::test::turned", shape.k, shape.m);
  for (int i = 0; i < shape.m; ++i) {
    for (int x = 0; x < shape.k; ++x) turned(x, i) = a(i, x);
  }
  const Matrix<const float, Device> on_a = copy_of(turned), on_b = copy_of(b);
  for (const bool add : {false, true}) {
    const auto c = copy_of(before);
    kernels::transposed_gemm<Device>(Device(), c, on_a, on_b, add);
    expect_product(c, add);
  }
}

TEST_P(PanelGemm, bits_of_a_row_do_not_depend_on_the_rows_beside_it) {
  if (!std::is_same_v<Device, Host>) GTEST_SKIP() << "devices use the library's GEMM";
  const Matrix<const float, Device> on_a = copy_of(a), on_b = copy_of(b);
  auto panels = kernels::make_panels<Device>("krossfold::test::panels", shape.k, shape.n);
  kernels::pack_panels<Device>(Device(), panels, on_b, Transpose::no);
  const Matrix<float, Device> whole("krossfold::test::whole", shape.m, shape.n);
  kernels::panel_gemm<Device>(Device(), whole, on_a, panels, false);
  for (int i = 0; i < shape.m; i += 5) {
    const Matrix<float, Device> one("krossfold::test::one", 1, shape.n);
    const Matrix<const float, Device> row = Kokkos::subview(on_a, Kokkos::make_pair(i, i + 1), Kokkos::ALL);
    kernels::panel_gemm<Device>(Device(), one, row, panels, false);
    for (int j = 0; j < shape.n; ++j) ASSERT_EQ(on_host(one)(0, j), on_host(whole)(i, j));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, PanelGemm,
                         testing::Values(Shape{1, 1, 1, 1}, Shape{12, 32, 128, 2}, Shape{13, 33, 7, 3},
                                         Shape{61, 132, 33, 4}, Shape{7, 31, 600, 5}, Shape{100, 64, 512, 6},
                                         Shape{5, 40, 257, 7}, Shape{128, 16, 20, 8}));

}  // namespace
}  // namespace krossfold
