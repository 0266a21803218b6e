// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/weighted_gram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/gemm.hpp"

// From the BLAS that KokkosKernels links.
extern "C" void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
                       const double* a, const int* lda, const double* beta, double* c, const int* ldc);

namespace krossfold::kernels {

namespace {

/// G = A A^T (trans N) or A^T A (trans T) in the lower triangle, added to what is there unless it is the first part. A: column-major.
void add_symmetric(char trans, int size, int count, const std::vector<double>& a, bool first, double* g) {
  const double one = 1, keep = first ? 0 : 1;
  const int stride = std::max(trans == 'N' ? size : count, 1);
  dsyrk_("L", &trans, &size, &count, &one, a.data(), &stride, &keep, g, &size);
}

/// The columns that count, scaled by the roots of their weights, in blocks that stay in the cache.
void gram_on_host(double* g, const Matrix<const double>& t, const double* w, double least) {
  constexpr int width = 512;
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  std::vector<int> counting;
  for (int i = 0; i < columns; ++i) {
    if (w[i] > least) counting.push_back(i);
  }
  std::vector<double> scaled(static_cast<std::size_t>(rows) * width), root(width);
  const int blocks = (static_cast<int>(counting.size()) + width - 1) / width;
  for (int b = 0; b < std::max(blocks, 1); ++b) {
    const int count = std::min(width, static_cast<int>(counting.size()) - b * width);
    const int* column = counting.data() + static_cast<std::ptrdiff_t>(b) * width;
    for (int k = 0; k < count; ++k) root[k] = std::sqrt(w[column[k]]);
    const bool adjacent = count > 0 && column[count - 1] - column[0] == count - 1;
    for (int r = 0; r < rows; ++r) {
      const double* from = &t(r, 0);
      double* to = scaled.data() + static_cast<std::size_t>(r) * std::max(count, 1);
      if (adjacent) {
        const double* part = from + column[0];
        KROSSFOLD_SIMD()
        for (int k = 0; k < count; ++k) to[k] = root[k] * part[k];
      } else {
        KROSSFOLD_SIMD()
        for (int k = 0; k < count; ++k) to[k] = root[k] * from[column[k]];
      }
    }
    add_symmetric('T', rows, count, scaled, b == 0, g);
  }
}

template <class Exec>
void gram_by_product(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                     const Vector<const double, Exec>& w, double least) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  const Matrix<double, Exec> scaled(uninitialized("krossfold::kernels::scaled_rows"), rows, columns);
  Kokkos::parallel_for(
      "krossfold::kernels::scale_rows", Kokkos::TeamPolicy<Exec>(exec, rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const double* from = &t(member.league_rank(), 0);
        double* to = &scaled(member.league_rank(), 0);
        const double* weight = w.data();
        team_simd_for(member, columns, [=](int i) { to[i] = weight[i] > least ? weight[i] * from[i] : 0.0; });
      });
  // The product is symmetric: its row-major order is also the column-major one.
  const Matrix<double, Exec> square(g.data(), rows, rows);
  gemm<Exec, double>(exec, square, scaled, Transpose::no, t, Transpose::yes);
}

void listed_gram_on_host(double* g, const Matrix<const double>& t, const int* list, int count, const double* weight) {
  constexpr int block = 256;
  const int columns = static_cast<int>(t.extent(1));
  std::vector<double> scaled(static_cast<std::size_t>(columns) * block);
  for (int first = 0; first == 0 || first < count; first += block) {
    const int rows = std::min(block, count - first);
    for (int k = 0; k < rows; ++k) {
      const double root = std::sqrt(weight[list[first + k]]);
      const double* from = &t(list[first + k], 0);
      double* to = scaled.data() + static_cast<std::size_t>(k) * columns;
      KROSSFOLD_SIMD()
      for (int r = 0; r < columns; ++r) to[r] = root * from[r];
    }
    add_symmetric('N', columns, rows, scaled, first == 0, g);
  }
}

template <class Exec>
void listed_gram_by_product(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                            const Vector<const int, Exec>& list, int count, const Vector<const double, Exec>& weight) {
  const int columns = static_cast<int>(t.extent(1));
  if (count == 0) return Kokkos::deep_copy(exec, g, 0.0);
  // For results of less than 100 elements KokkosKernels adds parts of a product T^T T in an order that changes from run to run, but not
  // those of a product T T^T: so few columns are gathered as rows.
  const bool turned = columns * columns < 100;
  const Matrix<double, Exec> scaled(uninitialized("krossfold::kernels::scaled_rows"), turned ? columns : count,
                                    turned ? count : columns);
  Kokkos::parallel_for(
      "krossfold::kernels::gather_listed", Kokkos::TeamPolicy<Exec>(exec, count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank(), i = list(k);
        const double root = sqrt(weight(i));
        const double* from = &t(i, 0);
        team_simd_for(member, columns, [&](int r) { (turned ? scaled(r, k) : scaled(k, r)) = root * from[r]; });
      });
  // The product is symmetric: its row-major order is also the column-major one.
  const Matrix<double, Exec> square(g.data(), columns, columns);
  gemm<Exec, double>(exec, square, scaled, turned ? Transpose::no : Transpose::yes, scaled,
                     turned ? Transpose::yes : Transpose::no);
}

}  // namespace

template <class Exec>
void weighted_gram(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                   const Vector<const double, Exec>& w, double least) {
  if (w.extent(0) != t.extent(1) || g.extent(0) < 1 || g.extent(1) < t.extent(0) * t.extent(0)) {
    throw_run_error("weighted_gram was given shapes that do not match",
                    text("G ", g.extent(0), "x", g.extent(1), ", T ", t.extent(0), "x", t.extent(1), ", ", w.extent(0),
                         " weights"));
  }
  if constexpr (std::is_same_v<Exec, Host>) {
    fence(exec, "krossfold::kernels::weighted_gram");
    gram_on_host(g.data(), t, w.data(), least);
  } else {
    gram_by_product<Exec>(exec, g, t, w, least);
  }
}

template <class Exec>
void listed_gram(const Exec& exec, const Matrix<double, Exec>& g, const Matrix<const double, Exec>& t,
                 const Vector<const int, Exec>& list, int count, const Vector<const double, Exec>& weight) {
  if (g.extent(0) != 1 || g.extent(1) != t.extent(1) * t.extent(1) || weight.extent(0) != t.extent(0)) {
    throw_run_error("listed_gram was given shapes that do not match",
                    text("G ", g.extent(0), "x", g.extent(1), ", T ", t.extent(0), "x", t.extent(1), ", ",
                         weight.extent(0), " weights"));
  }
  if constexpr (std::is_same_v<Exec, Host>) {
    fence(exec, "krossfold::kernels::listed_gram");
    listed_gram_on_host(g.data(), t, list.data(), count, weight.data());
  } else {
    listed_gram_by_product<Exec>(exec, g, t, list, count, weight);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                              \
  template void weighted_gram<Exec>(const Exec&, const Matrix<double, Exec>&, const Matrix<const double, Exec>&, \
                                    const Vector<const double, Exec>&, double);                                  \
  template void listed_gram<Exec>(const Exec&, const Matrix<double, Exec>&, const Matrix<const double, Exec>&,   \
                                  const Vector<const int, Exec>&, int, const Vector<const double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
