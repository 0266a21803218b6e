// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/cholesky.hpp"

namespace krossfold::kernels {

/// The factorisation of all matrices at once on a device, a block of columns after the other, with three launches each:
///
///   diagonal   A_kk = L_kk L_kk^T and X_k = L_kk^-1        a team for each matrix
///   panel      L_ik = A_ik X_k^T                           a team for each matrix and block of rows i > k
///   trailing   A_ij -= L_ik L_jk^T                         a team for each matrix and blocks i >= j > k
///
/// (right-looking; Golub and Van Loan, Matrix Computations, 4.2.9). Nearly all operations are in the last one, whose teams keep both
/// blocks of L in scratch memory, 4 x 4 elements of A a thread in registers, and fill a GPU from one matrix of about 800 rows on.
namespace blocked_cholesky {

constexpr int block = 64;  // rows and columns; 32 KiB of scratch memory hold block x block
constexpr int side = 4,
              apart =
                  block / side;  // a thread's elements are rows r + apart u and columns c + apart v, u and v below side
constexpr int parts = apart * apart;  // threads that a block has work for
constexpr int depth = block / 2;      // columns of L that a team has at a time
constexpr int threads = 256;

template <class Exec>
using Scratch = Kokkos::View<double*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// Teams with so many doubles of scratch memory.
template <class Exec>
auto policy(const Exec& exec, int teams, int doubles) {
  const auto bytes = Kokkos::PerTeam(static_cast<int>(Scratch<Exec>::shmem_size(doubles)) + 64);
  return bounded_teams<threads, 2>(exec, teams, threads).set_scratch_size(0, bytes);
}

/// Columns of a block in scratch memory whose rows, too, are read by adjacent threads are so far apart that these are in different banks.
constexpr int pitch = block + 1;
constexpr int block_doubles = block * pitch;

/// to(c * apart_columns + r) = a(r, c), or 0 beyond `rows`; a has the stride n between columns.
template <int apart_columns, class Member>
KOKKOS_INLINE_FUNCTION void load(const Member& member, double* to, const double* a, int n, int rows, int columns) {
  for (int e = member.team_rank(); e < columns * block; e += member.team_size()) {
    const int c = e / block, r = e % block;
    to[c * apart_columns + r] = r < rows ? a[static_cast<std::size_t>(c) * n + r] : 0.0;
  }
}

/// sum(u, v) += sum over k of left(r + apart u, k) right(c + apart v, k).
KOKKOS_INLINE_FUNCTION void add_products(double (&sum)[side][side], const double* left, const double* right, int count,
                                         int r, int c) {
  for (int k = 0; k < count; ++k) {
    double a[side], b[side];
    for (int u = 0; u < side; ++u) a[u] = left[k * block + r + apart * u];
    for (int v = 0; v < side; ++v) b[v] = right[k * block + c + apart * v];
    for (int u = 0; u < side; ++u) {
      for (int v = 0; v < side; ++v) sum[u][v] += a[u] * b[v];
    }
  }
}

/// Factors m x m numbers A in s(c * pitch + r), r >= c, to L D L^T with a unit diagonal of L. Leaves L D and D there, and above the
/// diagonal, at s(r * pitch + c), r > c, L^-1. Returns false, to all threads, if an element of D is not positive.
template <class Member>
KOKKOS_INLINE_FUNCTION bool factor_block(const Member& member, double* s, int m) {
  for (int j = 0; j < m; ++j) {
    member.team_barrier();
    const double* row_and_column = s + j * pitch;
    const double pivot = row_and_column[j];
    if (!(pivot > 0)) return false;
    const double inverse = 1 / pivot;
    // Column c of A right of the pivot, or of L^-1: this step reads column and row j, and writes others only.
    for (int e = member.team_rank(); e < (m - 1 - j) * block; e += member.team_size()) {
      const int r = j + 1 + e / block, c = e % block;
      if (c > r) continue;
      const double by = row_and_column[r] * inverse;
      double& value = c > j ? s[c * pitch + r] : s[r * pitch + c];
      value -= c == j ? by : by * row_and_column[c];
    }
  }
  member.team_barrier();
  return true;
}

/// work.inverse: (matrix, c * block + r), X_k of each matrix.
template <class Exec>
void diagonal(const Exec& exec, const Matrix<double, Exec>& a, const CholeskyWork<Exec>& work, int first,
              const Flags<int>& failed) {
  const auto live = work.live;
  const auto inverse = work.inverse;
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_diagonal", policy(exec, static_cast<int>(failed.extent(0)), block_doubles),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank(), n = live(k);
        if (first >= n) return;
        const int m = n - first < block ? n - first : block;
        const Scratch<Exec> scratch(member.team_scratch(0), block_doubles);
        double* s = scratch.data();
        double* to = &a(k, static_cast<std::size_t>(first) * n + first);
        for (int e = member.team_rank(); e < m * block; e += member.team_size()) {
          const int c = e / block, r = e % block;
          s[c * pitch + r] = r >= c && r < m ? to[static_cast<std::size_t>(c) * n + r] : 0.0;
        }
        if (!factor_block(member, s, m)) {
          Kokkos::single(Kokkos::PerTeam(member), [&]() {
            failed(k) = 1;
            live(k) = 0;
          });
          return;
        }
        for (int e = member.team_rank(); e < m * block; e += member.team_size()) {
          const int c = e / block, r = e % block;
          if (r >= m) continue;
          if (r >= c) to[static_cast<std::size_t>(c) * n + r] = s[c * pitch + r] / std::sqrt(s[c * pitch + c]);
          // Column c of X, which is in a row of s.
          const double root = std::sqrt(s[r * pitch + r]);
          inverse(k, e) = r > c ? s[r * pitch + c] / root : r == c ? 1 / root : 0.0;
        }
      });
}

template <class Exec>
void panel(const Exec& exec, const Matrix<double, Exec>& a, const CholeskyWork<Exec>& work, int matrices, int first,
           int largest) {
  const int tiles = (largest - first - 1) / block;
  if (tiles <= 0) return;
  const auto live = work.live;
  const auto inverse = work.inverse;
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_panel", policy(exec, matrices * tiles, block * block),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank() / tiles, n = live(k);
        const int row = first + block * (1 + member.league_rank() % tiles), rows = n - row < block ? n - row : block;
        if (rows <= 0) return;
        const Scratch<Exec> left(member.team_scratch(0), block * block);
        double* to = &a(k, static_cast<std::size_t>(first) * n + row);
        load<block>(member, left.data(), to, n, rows, block);
        member.team_barrier();
        for (int e = member.team_rank(); e < parts; e += member.team_size()) {
          double sum[side][side] = {};
          const int r = e % apart, c = e / apart;
          add_products(sum, left.data(), &inverse(k, 0), block, r, c);
          for (int u = 0; u < side; ++u) {
            for (int v = 0; v < side; ++v) {
              if (r + apart * u < rows) to[static_cast<std::size_t>(c + apart * v) * n + r + apart * u] = sum[u][v];
            }
          }
        }
      });
}

template <class Exec>
void trailing(const Exec& exec, const Matrix<double, Exec>& a, const Vector<int, Exec>& live, int matrices, int first,
              int largest) {
  const int tiles = (largest - first - 1) / block, pairs = tiles * (tiles + 1) / 2;
  if (tiles <= 0) return;
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_trailing", policy(exec, matrices * pairs, block * block),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank() / pairs, n = live(k), pair = member.league_rank() % pairs;
        int i = static_cast<int>((std::sqrt(8.0 * pair + 1) - 1) / 2);
        if (i * (i + 1) / 2 > pair) --i;
        if ((i + 1) * (i + 2) / 2 <= pair) ++i;
        const int j = pair - i * (i + 1) / 2, row = first + block * (1 + i), column = first + block * (1 + j);
        const int rows = n - row < block ? n - row : block, columns = n - column < block ? n - column : block;
        if (rows <= 0) return;
        const Scratch<Exec> scratch(member.team_scratch(0), block * block);
        double *left = scratch.data(), *right = left + depth * block;
        const double* from = &a(k, static_cast<std::size_t>(first) * n);
        double* to = &a(k, static_cast<std::size_t>(column) * n + row);
        // With fewer threads than parts some of these are for another round, in which all is read again.
        for (int begin = 0; begin < parts; begin += member.team_size()) {
          const int e = begin + member.team_rank(), r = e % apart, c = e / apart;
          double sum[side][side] = {};
          for (int half = 0; half < block; half += depth) {
            const double* part = from + static_cast<std::size_t>(half) * n;
            member.team_barrier();
            load<block>(member, left, part + row, n, rows, depth);
            load<block>(member, right, part + column, n, columns, depth);
            member.team_barrier();
            if (e < parts) add_products(sum, left, right, depth, r, c);
          }
          if (e >= parts) continue;
          for (int u = 0; u < side; ++u) {
            for (int v = 0; v < side; ++v) {
              const int at_row = r + apart * u, at_column = c + apart * v;
              if (at_row < rows && at_column < columns && row + at_row >= column + at_column)
                to[static_cast<std::size_t>(at_column) * n + at_row] -= sum[u][v];
            }
          }
        }
      });
}

template <class Exec>
CholeskyWork<Exec> make_work(int matrices) {
  return {Vector<int, Exec>(uninitialized("krossfold::kernels::cholesky_live"), matrices),
          Matrix<double, Exec>(uninitialized("krossfold::kernels::cholesky_inverse"), matrices, block * block)};
}

/// cholesky() on a device.
template <class Exec>
void factor(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size, const Flags<int>& failed,
            const CholeskyWork<Exec>& work) {
  const int matrices = static_cast<int>(size.extent(0));
  int largest = 0;
  for (int k = 0; k < matrices; ++k) largest = std::max(largest, size(k));
  const auto live = work.live;
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_sizes", Kokkos::RangePolicy<Exec>(exec, 0, matrices), KOKKOS_LAMBDA(int k) {
        live(k) = size(k);
        failed(k) = 0;
      });
  for (int first = 0; first < largest; first += block) {
    diagonal<Exec>(exec, a, work, first, failed);
    panel<Exec>(exec, a, work, matrices, first, largest);
    trailing<Exec>(exec, a, live, matrices, first, largest);
  }
}

constexpr int stretches = threads / block;  // of the rows of a block, for sums over them
constexpr int solve_doubles = block_doubles + (1 + stretches) * block;

/// A x = b by a team, b in place, in blocks: their triangles take a barrier a column, their other rows or columns are products.
/// s: solve_doubles of scratch memory.
template <class Member>
KOKKOS_INLINE_FUNCTION void solve(const Member& member, const double* a, int n, double* b, double* s) {
  const int rank = member.team_rank(), size = member.team_size();
  double *x = s + block_doubles, *partial = x + block;
  for (int first = 0; first < n; first += block) {  // L y = b
    const int m = n - first < block ? n - first : block;
    const double* column = a + static_cast<std::size_t>(first) * n + first;
    member.team_barrier();
    load<pitch>(member, s, column, n, m, m);
    for (int r = rank; r < m; r += size) x[r] = b[first + r];
    for (int j = 0; j < m; ++j) {
      member.team_barrier();
      const double y = x[j] / s[j * pitch + j];
      for (int r = j + 1 + rank; r < m; r += size) x[r] -= s[j * pitch + r] * y;
    }
    member.team_barrier();
    for (int r = rank; r < m; r += size) b[first + r] = x[r] / s[r * pitch + r];
    member.team_barrier();
    for (int r = m + rank; r < n - first; r += size) {
      double sum = 0;
      for (int c = 0; c < m; ++c) sum += column[static_cast<std::size_t>(c) * n + r] * b[first + c];
      b[first + r] -= sum;
    }
  }
  for (int first = (n - 1) / block * block; first >= 0; first -= block) {  // L^T x = y
    const int m = n - first < block ? n - first : block;
    const double* column = a + static_cast<std::size_t>(first) * n + first;
    for (int e = rank; e < stretches * m; e += size) partial[e] = 0;
    for (int below = m; below < n - first; below += block) {
      const int rows = n - first - below < block ? n - first - below : block;
      member.team_barrier();
      load<pitch>(member, s, column + below, n, rows, m);
      member.team_barrier();
      for (int e = rank; e < stretches * m; e += size) {
        const int c = e % m, stretch = e / m;
        double sum = 0;
        for (int r = rows * stretch / stretches; r < rows * (stretch + 1) / stretches; ++r)
          sum += s[c * pitch + r] * b[first + below + r];
        partial[e] += sum;
      }
    }
    member.team_barrier();
    load<pitch>(member, s, column, n, m, m);
    for (int c = rank; c < m; c += size) {
      double value = b[first + c];
      for (int k = 0; k < stretches; ++k) value -= partial[k * m + c];
      x[c] = value;
    }
    for (int j = m - 1; j >= 0; --j) {
      member.team_barrier();
      const double value = x[j] / s[j * pitch + j];
      for (int c = rank; c < j; c += size) x[c] -= s[c * pitch + j] * value;
    }
    member.team_barrier();
    for (int c = rank; c < m; c += size) b[first + c] = x[c] / s[c * pitch + c];
    member.team_barrier();
  }
}

/// cholesky_solve() on a device.
template <class Exec>
void solve_all(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
               const Matrix<double, Exec>& b) {
  Kokkos::parallel_for(
      "krossfold::kernels::cholesky_solve", policy(exec, static_cast<int>(size.extent(0)) * sets, solve_doubles),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank() / sets, set = member.league_rank() % sets, n = size(k);
        if (n == 0) return;
        const Scratch<Exec> scratch(member.team_scratch(0), solve_doubles);
        solve(member, &a(k, 0), n, &b(k, 0) + static_cast<std::size_t>(set) * n, scratch.data());
      });
}

}  // namespace blocked_cholesky
}  // namespace krossfold::kernels
