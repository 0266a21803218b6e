// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/gemm.hpp"

#include <KokkosBlas3_gemm.hpp>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "rounded_copy.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(KOKKOSKERNELS_ENABLE_TPL_CUBLAS)
#include <KokkosBlas_tpl_spec.hpp>
#endif

namespace krossfold::kernels {

namespace {

#ifdef KOKKOS_ENABLE_CUDA
#ifdef KOKKOSKERNELS_ENABLE_TPL_CUBLAS
/// In the stream of exec, with the handle of KokkosBlas. cuBLAS takes matrices by columns: what lies by rows is its transpose there, and
/// C^T = op(B)^T op(A)^T.
void cublas_product(const Kokkos::Cuda& exec, const Matrix<float, Kokkos::Cuda>& c,
                    const Matrix<const float, Kokkos::Cuda>& a, bool ta, const Matrix<const float, Kokkos::Cuda>& b,
                    bool tb, float alpha, float beta, Precision precision) {
  const auto whole = [](std::size_t n) { return static_cast<int>(n); };
  const auto form = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  cublasHandle_t handle = KokkosBlas::Impl::CudaBlasSingleton::singleton().handle;
  cublasStatus_t status = cublasSetStream(handle, exec.cuda_stream());
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = cublasGemmEx(handle, form(tb), form(ta), whole(c.extent(1)), whole(c.extent(0)),
                          whole(a.extent(ta ? 0 : 1)), &alpha, b.data(), CUDA_R_32F, whole(b.stride(0)), a.data(),
                          CUDA_R_32F, whole(a.stride(0)), &beta, c.data(), CUDA_R_32F, whole(c.stride(0)),
                          precision == Precision::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F_FAST_16BF,
                          CUBLAS_GEMM_DEFAULT);
  }
  cublasSetStream(handle, nullptr);  // as KokkosBlas leaves it
  if (status != CUBLAS_STATUS_SUCCESS)
    throw_run_error(text("cublasGemmEx failed with status ", static_cast<int>(status)));
}
#else
template <class... Arguments>
void cublas_product(const Arguments&...) {
  throw_run_error("there are no products of reduced precision", "this KokkosKernels was built without cuBLAS",
                  "build it with KokkosKernels_ENABLE_TPL_CUBLAS, or leave --precision out");
}
#endif
#endif

/// Whether the product was formed with rounded factors; else it is one of single precision.
template <class Exec>
bool rounded_product(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a, bool ta,
                     const Matrix<const float, Exec>& b, bool tb, float alpha, float beta, Precision precision) {
  if (precision == Precision::single || c.size() == 0) return false;
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    cublas_product(exec, c, a, ta, b, tb, alpha, beta, precision);
    return true;
  }
#endif
  const auto form = [](bool transposed) { return transposed ? Transpose::yes : Transpose::no; };
  gemm<Exec, float>(exec, c, rounded_copy<Exec>(exec, a, precision), form(ta), rounded_copy<Exec>(exec, b, precision),
                    form(tb), alpha, beta);
  return true;
}

}  // namespace

template <class Exec, class T>
void gemm(const Exec& exec, const Matrix<T, Exec>& c, const Matrix<const T, Exec>& a, Transpose transpose_a,
          const Matrix<const T, Exec>& b, Transpose transpose_b, T alpha, T beta, Precision precision) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const auto m = a.extent(ta ? 1 : 0), k = a.extent(ta ? 0 : 1), n = b.extent(tb ? 0 : 1);
  if (c.extent(0) != m || c.extent(1) != n || b.extent(tb ? 1 : 0) != k) {
    throw_run_error("gemm was given shapes that do not match",
                    text("C ", c.extent(0), "x", c.extent(1), ", A ", a.extent(0), "x", a.extent(1), ", B ",
                         b.extent(0), "x", b.extent(1)));
  }
  if constexpr (std::is_same_v<T, float>) {
    if (rounded_product<Exec>(exec, c, a, ta, b, tb, alpha, beta, precision)) return;
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

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                 \
  template void gemm<Exec, float>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&,        \
                                  Transpose, const Matrix<const float, Exec>&, Transpose, float, float, Precision); \
  template void gemm<Exec, double>(const Exec&, const Matrix<double, Exec>&, const Matrix<const double, Exec>&,     \
                                   Transpose, const Matrix<const double, Exec>&, Transpose, double, double,         \
                                   Precision);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
