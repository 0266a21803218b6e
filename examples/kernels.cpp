// SPDX-License-Identifier: BSD-3-Clause
// Uses the kernels alone: smooths noisy values of a sine by kernel-weighted means (Nadaraya 1964, Watson 1964),
// f(x_i) = sum_j k_ij y_j / sum_j k_ij with k_ij = exp(-gamma |x_i - x_j|^2): a distance matrix, a kernel and one GEMM.
#include <cmath>
#include <cstdio>

#include "krossfold/kernels/gemm.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/kernels/squared_distance.hpp"

using namespace krossfold;

int main() {
  const KokkosRuntime kokkos;
  const Device exec;
  const int n = 1000;
  const double gamma = 50;

  // Row i: the place x_i, and beside it (1, y_i), whose weighted sums give both denominator and numerator.
  const Matrix<float> x("example::x", n, 1), values("example::values", n, 2);
  float total = 0;
  for (int i = 0; i < n; ++i) {
    x(i, 0) = 6.0F * static_cast<float>(i) / n;
    values(i, 0) = 1;
    values(i, 1) = std::sin(x(i, 0)) + (i % 2 == 0 ? 0.5F : -0.5F);
    total += values(i, 1);
  }
  const Matrix<const float, Device> place = on_device<Device>(x), value = on_device<Device>(values);

  const Matrix<float, Device> kernel("example::kernel", n, n);
  kernels::squared_distance<Device, float>(exec, kernel, place);
  kernels::rbf_minus_one<Device>(exec, kernel, kernel, gamma);  // k - 1, which float holds more exactly than k

  // The sums over k are those over k - 1, by one GEMM, plus the sums over the values alone.
  const Matrix<float, Device> product("example::product", n, 2);
  kernels::gemm<Device, float>(exec, product, kernel, kernels::Transpose::no, value, kernels::Transpose::no);
  exec.fence();

  const auto found = on_host(product);
  float worst = 0;
  for (int i = n / 10; i < n - n / 10; ++i) {  // near the ends the mean is one-sided
    const float smooth = (found(i, 1) + total) / (found(i, 0) + n);
    worst = std::fmax(worst, std::abs(smooth - std::sin(x(i, 0))));
  }
  std::printf("noise of 0.5, error of at most %.3f after smoothing\n", static_cast<double>(worst));
  return worst < 0.05F ? 0 : 1;
}
