// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/kernels/listed_rows.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "svm/interior/block_sums.hpp"
#include "svm/interior/box.hpp"

namespace krossfold::svm {

KOKKOS_INLINE_FUNCTION double clipped(double wanted, double upper) {
  return wanted <= 0 ? 0.0 : wanted >= upper ? upper : wanted;
}

/// A problem in the space of the factor with one more dimension, the bias. Vectors (m) are over the members.
template <class Exec>
struct Lagrangian {
  Box<Exec> box;
  Matrix<double, Exec> rows;        ///< (m, r + 1): q_i, and y_i
  double reach = 1;                 ///< the largest |row|
  Vector<double, Exec> multiplier;  ///< (m): a
  Vector<double, Exec> alpha;       ///< (m): at the present slacks
  Vector<double, Exec> slack;       ///< (m)
  Vector<double, Exec> change;  ///< (m): by how much a whole step makes the slack less, or other numbers of the members
  Vector<int, Exec> list;       ///< (m): some members
  Vector<double, Exec> w, image;      ///< (r + 1); image: sum alpha_i rows_i
  Matrix<double, Exec> partial_rows;  ///< (blocks of members, r + 1)
  Matrix<double, Exec> factored;      ///< (1, (r + 1)^2): the Newton matrix
  Matrix<double, Exec> small;         ///< (1, r + 1): minus the gradient, then the direction
  Flags<int> size, failed;            ///< of the factorisation
  kernels::CholeskyWork<Exec> work;
  Flags<int> count;       ///< of the list
  Flags<double> partial;  ///< for sums over m or r
  double h = 1;

  int members() const { return box.members(); }
  int rank() const { return static_cast<int>(rows.extent(1)) - 1; }
};

/// rows(i, .) = y_i (T(., sample_i), 1).
template <class Exec>
void fill_lagrangian_rows(const Exec& exec, const Lagrangian<Exec>& l, const Matrix<const double, Exec>& factor) {
  constexpr int width = 32;  // members that are read together, and whose rows stay in the cache while they are written
  const int m = l.members(), rank = l.rank();
  const auto rows = l.rows;
  const auto sample = l.box.sample;
  const auto sign = l.box.sign;
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_rows", Kokkos::TeamPolicy<Exec>(exec, (m + width - 1) / width, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * width;
        team_simd_for(member, (rank + 1) * width, [=](int place) {
          const int r = place / width, i = first + place % width;
          if (i < m) rows(i, r) = r < rank ? sign(i) * factor(r, sample(i)) : sign(i);
        });
      });
}

template <class Exec>
Lagrangian<Exec> make_lagrangian(const Exec& exec, const Box<Exec>& box, PreciseKernel<Exec>& kernel, int rank) {
  const int m = box.members();
  const std::size_t size = static_cast<std::size_t>(rank) + 1;
  Lagrangian<Exec> l;
  l.box = box;
  l.rows = Matrix<double, Exec>(uninitialized("krossfold::svm::lagrangian_rows"), m, size);
  for (auto* view : {&l.multiplier, &l.alpha, &l.slack, &l.change}) *view = numbers<Exec>(m);
  for (auto* view : {&l.w, &l.image}) *view = numbers<Exec>(rank + 1);
  l.list = Vector<int, Exec>(uninitialized("krossfold::svm::lagrangian_list"), m);
  l.partial_rows =
      Matrix<double, Exec>(uninitialized("krossfold::svm::lagrangian_blocks"), kernels::listed_blocks(m), size);
  l.factored = Matrix<double, Exec>(uninitialized("krossfold::svm::lagrangian_matrix"), 1, size * size);
  l.small = Matrix<double, Exec>(uninitialized("krossfold::svm::lagrangian_small"), 1, size);
  l.size = Flags<int>("krossfold::svm::lagrangian_size", 1);
  l.failed = Flags<int>("krossfold::svm::lagrangian_failed", 1);
  l.work = kernels::make_cholesky_work<Exec>(1);
  l.count = Flags<int>("krossfold::svm::lagrangian_count", 1);
  l.size(0) = rank + 1;
  l.partial = Flags<double>("krossfold::svm::lagrangian_partial", reduction_blocks(std::max(m, rank + 1)));
  fill_lagrangian_rows<Exec>(exec, l, kernel.factor());
  const auto rows = l.rows;
  l.reach = std::sqrt(max_over(
      exec, m, l.partial, KOKKOS_LAMBDA(int i) {
        double squares = 0;
        for (int r = 0; r <= rank; ++r) squares += rows(i, r) * rows(i, r);
        return squares;
      }));
  return l;
}

/// Lists the members for which `takes` is true. Returns how many there are.
template <class Exec, class Takes>
int list_members(const Exec& exec, const Lagrangian<Exec>& l, const Takes& takes) {
  const int m = l.members();
  const auto list = l.list;
  const auto count = l.count;
  Kokkos::parallel_scan(
      "krossfold::svm::list_members", Kokkos::RangePolicy<Exec>(exec, 0, m),
      KOKKOS_LAMBDA(int i, int& before, bool last_pass) {
        const bool taken = takes(i);
        if (last_pass && taken) list(before) = i;
        before += taken ? 1 : 0;
        if (last_pass && i == m - 1) count(0) = before;
      });
  fence(exec, "krossfold::svm::list_members");
  return count(0);
}

/// The multiplier that the present slack asks for, before it is brought back to its bounds: a + u s / 2h.
template <class Exec>
struct Wanted {
  Vector<const double, Exec> multiplier, slack, upper;
  double by;
  KOKKOS_INLINE_FUNCTION double operator()(int i) const { return multiplier(i) + upper(i) * by * slack(i); }
};

template <class Exec>
Wanted<Exec> wanted_of(const Lagrangian<Exec>& l) {
  return {l.multiplier, l.slack, l.box.upper, 1 / (2 * l.h)};
}

/// image = sum alpha_i rows_i.
template <class Exec>
void find_image(const Exec& exec, const Lagrangian<Exec>& l) {
  const auto alpha = l.alpha;
  const int count = list_members(
      exec, l, KOKKOS_LAMBDA(int i) { return alpha(i) > 0; });
  Kokkos::deep_copy(exec, l.image, 0.0);
  kernels::add_listed_rows<Exec>(exec, l.rows, l.list, count, alpha, l.partial_rows, l.image);
}

}  // namespace krossfold::svm
