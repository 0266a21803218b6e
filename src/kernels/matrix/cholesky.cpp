// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "cholesky_device.hpp"
#include "krossfold/core/simd.hpp"

// From the BLAS and LAPACK that KokkosKernels links. Their matrices are column-major, like those here.
extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* beta, double* c, const int* ldc);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
}

namespace krossfold::kernels {

namespace {

/// Recursive factorisation for the host. Diagonal blocks are inverted, so that nearly all work is in matrix products
/// and none in triangular solves, which take half of LAPACK's time (n = 100 ... 2,000; docs/performance.md).
class BlockedCholesky {
public:
  explicit BlockedCholesky(int n)
      : n_(n),
        inverse_(static_cast<std::size_t>((n + block - 1) / block) * block * block),
        panel_(static_cast<std::size_t>(n) * block) {}

  /// Factors the n x n matrix a; returns false if it is not positive definite.
  bool factor(double* a) { return factor(a, 0, n_); }

private:
  static constexpr int block = 32;
  static constexpr double zero = 0, one = 1, minus_one = -1;

  int n_;                        // number of rows and stride between columns
  std::vector<double> inverse_;  // inverses of the diagonal blocks of L
  std::vector<double> panel_;    // a copy of `block` columns

  double* at(double* a, int r, int c) const { return a + static_cast<std::size_t>(c) * n_ + r; }
  /// Size of the first part of a split: about half, in whole blocks.
  static int half(int size) { return (size + block - 1) / block / 2 * block; }

  /// Factors the diagonal block of `size` rows at a(first, first).
  bool factor(double* a, int first, int size) {
    if (size <= block) return factor_block(at(a, first, first), first, size);
    const int k = half(size), rest = size - k, second = first + k;
    if (!factor(a, first, k)) return false;
    divide(a, second, rest, first, k);
    subtract_product(a, second, rest, first, k);
    return factor(a, second, rest);
  }

  /// Solves X L^T = A for rows [row, row + rows) in the columns of a factored diagonal block.
  void divide(double* a, int row, int rows, int first, int size) {
    if (size <= block) {
      for (int c = 0; c < size; ++c) {
        const double* from = at(a, row, first + c);
        std::copy(from, from + rows, panel_.data() + static_cast<std::size_t>(c) * rows);
      }
      const double* inverse = inverse_.data() + static_cast<std::size_t>(first) * block;
      dgemm_("N", "T", &rows, &size, &size, &one, panel_.data(), &rows, inverse, &block, &zero, at(a, row, first), &n_);
      return;
    }
    const int k = half(size), rest = size - k, second = first + k;
    divide(a, row, rows, first, k);
    dgemm_("N", "T", &rows, &rest, &k, &minus_one, at(a, row, first), &n_, at(a, second, first), &n_, &one,
           at(a, row, second), &n_);
    divide(a, row, rows, second, rest);
  }

  /// Subtracts P P^T from the lower triangle at (row, row); P is the panel left of it in columns [first, first + k).
  void subtract_product(double* a, int row, int rows, int first, int k) {
    constexpr int small = 128;
    if (rows <= small) {
      dsyrk_("L", "N", &rows, &k, &minus_one, at(a, row, first), &n_, &one, at(a, row, row), &n_);
      return;
    }
    const int top = half(rows), rest = rows - top, below = row + top;
    subtract_product(a, row, top, first, k);
    dgemm_("N", "T", &rest, &top, &k, &minus_one, at(a, below, first), &n_, at(a, row, first), &n_, &one,
           at(a, below, row), &n_);
    subtract_product(a, below, rest, first, k);
  }

  bool factor_block(double* a, int first, int size) {
    double l[block * block];
    for (int c = 0; c < size; ++c) {
      for (int r = c; r < size; ++r) l[c * block + r] = *at(a, r, c);
    }
    for (int j = 0; j < size; ++j) {
      double* column = l + j * block;
      if (!(column[j] > 0)) return false;
      const double scale = 1 / std::sqrt(column[j]);
      for (int r = j; r < size; ++r) column[r] *= scale;
      for (int c = j + 1; c < size; ++c) {
        const double by = column[c];
        double* other = l + c * block;
        KROSSFOLD_SIMD()
        for (int r = c; r < size; ++r) other[r] -= by * column[r];
      }
    }
    for (int c = 0; c < size; ++c) {
      for (int r = c; r < size; ++r) *at(a, r, c) = l[c * block + r];
    }
    double* x = inverse_.data() + static_cast<std::size_t>(first) * block;  // L X = 1
    std::fill(x, x + block * block, 0.0);
    for (int k = 0; k < size; ++k) x[k * block + k] = 1;
    for (int k = 0; k < size; ++k) {
      const double* column = l + k * block;
      const double scale = 1 / column[k];
      for (int c = 0; c <= k; ++c) {
        const double by = x[c * block + k] *= scale;
        double* other = x + c * block;
        KROSSFOLD_SIMD()
        for (int r = k + 1; r < size; ++r) other[r] -= by * column[r];
      }
    }
    return true;
  }
};

}  // namespace

template <class Exec>
CholeskyWork<Exec> make_cholesky_work([[maybe_unused]] int matrices) {
  if constexpr (std::is_same_v<Exec, Host>) {
    return {};
  } else {
    return blocked_cholesky::make_work<Exec>(matrices);
  }
}

template <class Exec>
void cholesky(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size, const Flags<int>& failed,
              [[maybe_unused]] const CholeskyWork<Exec>& work) {
  const int matrices = static_cast<int>(size.extent(0));
  if constexpr (std::is_same_v<Exec, Host>) {
    Kokkos::parallel_for("krossfold::kernels::cholesky_blocked",
                         Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, matrices), [=](int k) {
                           const int n = size(k);
                           failed(k) = n > 0 && !BlockedCholesky(n).factor(&a(k, 0)) ? 1 : 0;
                         });
  } else {
    blocked_cholesky::factor(exec, a, size, failed, work);
  }
  fence(exec, "krossfold::kernels::cholesky");
}

template <class Exec>
void cholesky_solve(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
                    const Matrix<double, Exec>& b) {
  const int matrices = static_cast<int>(size.extent(0));
  if constexpr (std::is_same_v<Exec, Host>) {
    Kokkos::parallel_for("krossfold::kernels::cholesky_solve_lapack",
                         Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, matrices), [=](int k) {
                           int info = 0;
                           const int n = size(k);
                           if (n > 0) dpotrs_("L", &n, &sets, &a(k, 0), &n, &b(k, 0), &n, &info);
                         });
  } else {
    blocked_cholesky::solve_all(exec, a, size, sets, b);
  }
  fence(exec, "krossfold::kernels::cholesky_solve");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                  \
  template CholeskyWork<Exec> make_cholesky_work<Exec>(int);                                                         \
  template void cholesky<Exec>(const Exec&, const Matrix<double, Exec>&, const Flags<const int>&, const Flags<int>&, \
                               const CholeskyWork<Exec>&);                                                           \
  template void cholesky_solve<Exec>(const Exec&, const Matrix<const double, Exec>&, const Flags<const int>&, int,   \
                                     const Matrix<double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
