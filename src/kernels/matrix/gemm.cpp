// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gemm.hpp"

#include <KokkosBlas3_gemm.hpp>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::kernels {

template <class Exec, class T>
void gemm(const Exec& exec, const Matrix<T, Exec>& c, const Matrix<const T, Exec>& a, Transpose transpose_a,
          const Matrix<const T, Exec>& b, Transpose transpose_b, T alpha, T beta) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const auto m = a.extent(ta ? 1 : 0), k = a.extent(ta ? 0 : 1), n = b.extent(tb ? 0 : 1);
  if (c.extent(0) != m || c.extent(1) != n || b.extent(tb ? 1 : 0) != k) {
    throw_run_error("gemm was given shapes that do not match",
                    text("C ", c.extent(0), "x", c.extent(1), ", A ", a.extent(0), "x", a.extent(1), ", B ",
                         b.extent(0), "x", b.extent(1)));
  }
  const char *a_is = ta ? "T" : "N", *b_is = tb ? "T" : "N";
  if constexpr (requires { KokkosBlas::gemm(exec, a_is, b_is, alpha, a, b, beta, c); }) {
    KokkosBlas::gemm(exec, a_is, b_is, alpha, a, b, beta, c);
  } else {  // KokkosBlas 3.4 does not accept an execution space instance and runs in the default one
    fence(exec, "krossfold::kernels::gemm");
    KokkosBlas::gemm(a_is, b_is, alpha, a, b, beta, c);
    fence(Exec(), "krossfold::kernels::gemm");
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                             \
  template void gemm<Exec, float>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&,    \
                                  Transpose, const Matrix<const float, Exec>&, Transpose, float, float);        \
  template void gemm<Exec, double>(const Exec&, const Matrix<double, Exec>&, const Matrix<const double, Exec>&, \
                                   Transpose, const Matrix<const double, Exec>&, Transpose, double, double);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
