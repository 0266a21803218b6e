// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gemm.hpp"

#include <gtest/gtest.h>

#include "krossfold/core/error.hpp"
#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

using kernels::Transpose;

class Gemm : public ::testing::TestWithParam<test::Shape> {};

/// Reference: C = alpha op(A) op(B) + beta C by the definition, in double.
template <class T>
double expected(const Matrix<T>& a, bool ta, const Matrix<T>& b, bool tb, int i, int j, int k) {
  double sum = 0;
  for (int l = 0; l < k; ++l) {
    sum += static_cast<double>(ta ? a(l, i) : a(i, l)) * static_cast<double>(tb ? b(j, l) : b(l, j));
  }
  return sum;
}

template <class T>
void agrees_with_definition(const test::Shape& s) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const auto a = test::random_matrix<T>(ta ? s.k : s.m, ta ? s.m : s.k, s.seed, -1, 1);
      const auto b = test::random_matrix<T>(tb ? s.n : s.k, tb ? s.k : s.n, s.seed + 1, -1, 1);
      const auto before = test::random_matrix<T>(s.m, s.n, s.seed + 2, -1, 1);
      const auto c = padded_matrix<T, Device>("krossfold::test::c", s.m, s.n);
      const auto c_host = host_mirror(c);
      for (int i = 0; i < s.m; ++i) {
        for (int j = 0; j < s.n; ++j) c_host(i, j) = before(i, j);
      }
      copy_into(c, c_host);
      const Matrix<const T, Device> a_device = on_device<Device>(a), b_device = on_device<Device>(b);
      kernels::gemm<Device, T>(Device(), c, a_device, ta ? Transpose::yes : Transpose::no, b_device,
                               tb ? Transpose::yes : Transpose::no, T(2), T(0.5));
      const auto found = on_host(c);
      const double tolerance = 4.0 * s.k * std::numeric_limits<T>::epsilon();
      for (int i = 0; i < s.m; ++i) {
        for (int j = 0; j < s.n; ++j) {
          ASSERT_NEAR(found(i, j), 2 * expected(a, ta, b, tb, i, j, s.k) + 0.5 * before(i, j), tolerance)
              << "element " << i << ", " << j << " transposed " << ta << tb;
        }
      }
    }
  }
}

TEST_P(Gemm, agrees_with_its_definition_in_float) { agrees_with_definition<float>(GetParam()); }
TEST_P(Gemm, agrees_with_its_definition_in_double) { agrees_with_definition<double>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(RandomShapes, Gemm,
                         ::testing::Values(test::Shape{1, 2, 1, 10}, test::Shape{3, 4, 5, 11},
                                           test::Shape{17, 33, 64, 12}, test::Shape{65, 31, 129, 13}));

TEST(GemmShapes, refuses_shapes_that_do_not_fit) {
  const Matrix<double, Device> a("krossfold::test::a", 3, 4), b("krossfold::test::b", 5, 6),
      c("krossfold::test::c", 3, 6);
  EXPECT_THROW((kernels::gemm<Device, double>(Device(), c, a, Transpose::no, b, Transpose::no)), Error);
}

}  // namespace
}  // namespace krossfold
