// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "krossfold/kernels/dense.hpp"
#include "krossfold/kernels/panel_gemm.hpp"
#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

using kernels::Precision;
using kernels::rounded;
using kernels::Transpose;

constexpr int bits_of(Precision precision) { return precision == Precision::tf32 ? 11 : 8; }

/// The reference: the nearest multiple of the last bit, by the library's rounding to even.
float nearest(float value, Precision precision) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(value), &exponent);
  const int bits = std::min(bits_of(precision), exponent + 126 - (24 - bits_of(precision)) + 23);  // fewer below 2^-126
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits));
}

TEST(Precision, rounds_to_the_nearest_number_and_to_even) {
  for (const Precision precision : {Precision::tf32, Precision::bf16}) {
    const float last = std::ldexp(1.0f, 1 - bits_of(precision));
    EXPECT_EQ(rounded(1 + last, precision), 1 + last);
    EXPECT_EQ(rounded(1 + last / 2, precision), 1);
    EXPECT_EQ(rounded(1 + last * 3 / 2, precision), 1 + 2 * last);
    EXPECT_EQ(rounded(-1 - last * 0.51f, precision), -1 - last);
    EXPECT_TRUE(std::isinf(rounded(std::numeric_limits<float>::max(), precision)));
    EXPECT_TRUE(std::isinf(rounded(std::numeric_limits<float>::infinity(), precision)));
    EXPECT_TRUE(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN(), precision)));
    EXPECT_TRUE(std::isnan(rounded(std::bit_cast<float>(0x7F800001u), precision)));
    EXPECT_TRUE(std::signbit(rounded(-0.0f, precision)));
    const auto values = test::random_matrix<float>(1000, 1, 5, -1, 1);
    for (int i = 0; i < 1000; ++i) {
      const float value = std::ldexp(values(i, 0), i % 240 - 120);
      ASSERT_EQ(rounded(value, precision), nearest(value, precision)) << value;
    }
  }
  EXPECT_EQ(rounded(0.1f, Precision::single), 0.1f);
}

/// A and B with what their product has to be: within the bound of rounded factors, and no nearer than rounding would come.
struct Product {
  static constexpr int m = 33, k = 70, n = 21;
  Matrix<float> a = test::random_matrix<float>(m, k, 1, -1, 1), b = test::random_matrix<float>(k, n, 2, -1, 1);

  void expect(const Matrix<const float>& found, Precision precision) const {
    const double u = std::ldexp(std::is_same_v<Device, Host> ? 1.0 : 2.0, -bits_of(precision));  // cuBLAS may cut off
    bool rounds = false;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double exact = 0, size = 0;
        for (int l = 0; l < k; ++l) {
          const double term = static_cast<double>(a(i, l)) * static_cast<double>(b(l, j));
          exact += term;
          size += std::abs(term);
        }
        ASSERT_LE(std::abs(found(i, j) - exact), (2 * u + u * u + k * 0x1p-24) * size) << i << " " << j;
        rounds = rounds || std::abs(found(i, j) - exact) > 0x1p-20 * size;
      }
    }
    EXPECT_TRUE(rounds) << "as exact as single precision";
  }
};

TEST(Precision, of_products_is_within_its_bound) {
  const Product product;
  const auto turned = [](const Matrix<float>& a) {
    const Matrix<float> t("krossfold::test::turned", a.extent(1), a.extent(0));
    for (std::size_t i = 0; i < a.extent(0); ++i) {
      for (std::size_t j = 0; j < a.extent(1); ++j) t(j, i) = a(i, j);
    }
    return t;
  };
  const auto a = on_device<Device>(product.a), at = on_device<Device>(turned(product.a));
  const auto b = on_device<Device>(product.b), bt = on_device<Device>(turned(product.b));
  const Matrix<float, Device> c("krossfold::test::c", Product::m, Product::n);
  for (const Precision precision : {Precision::tf32, Precision::bf16}) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        kernels::gemm<Device, float>(Device(), c, ta ? at : a, ta ? Transpose::yes : Transpose::no, tb ? bt : b,
                                     tb ? Transpose::yes : Transpose::no, 1, 0, precision);
        product.expect(on_host(c), precision);
      }
    }
    kernels::transposed_gemm<Device>(Device(), c, at, b, false, precision);
    product.expect(on_host(c), precision);
    auto panels = kernels::make_panels<Device>("krossfold::test::panels", Product::k, Product::n);
    kernels::pack_panels<Device>(Device(), panels, bt, Transpose::yes, precision);
    kernels::panel_gemm<Device>(Device(), c, a, panels, false);
    product.expect(on_host(c), precision);
  }
}

TEST(Precision, of_dense_layers_is_within_its_bound) {
  constexpr int stride = 32;
  const Product product;  // 33 samples of 70 inputs, 21 units
  const Vector<float> x("krossfold::test::x", Product::k * Product::m),
      weight("krossfold::test::w", Product::k * stride);
  for (int i = 0; i < Product::k; ++i) {
    for (int s = 0; s < Product::m; ++s) x(i * Product::m + s) = product.a(s, i);
    for (int h = 0; h < Product::n; ++h) weight(i * stride + h) = product.b(i, h);
  }
  for (const Precision precision : {Precision::tf32, Precision::bf16}) {
    const kernels::DenseShape shape{Product::k, Product::n, Product::m, precision};
    const Vector<float, Device> partial("krossfold::test::partial", shape.tile_size()),
        work("krossfold::test::work", shape.tile_size());
    kernels::dense_forward<Device>(Device(), kernels::DenseForm::gemm,
                                   {partial, on_device<Device>(weight), on_device<Device>(x), work}, shape);
    const auto found = on_host(partial);
    const Matrix<float> y("krossfold::test::y", Product::m, Product::n);
    for (int s = 0; s < Product::m; ++s) {
      for (int h = 0; h < Product::n; ++h) y(s, h) = found(shape.tile_index(h, s));
    }
    product.expect(y, precision);
  }
}

}  // namespace
}  // namespace krossfold
