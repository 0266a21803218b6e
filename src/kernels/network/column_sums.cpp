// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/column_sums.hpp"

#include <type_traits>

#include "krossfold/core/simd.hpp"
#include "row_parts.hpp"

namespace krossfold::kernels {
namespace {

template <class Exec>
auto range(const Exec& exec, std::int64_t size) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size);
}

constexpr int team_columns = 32, team_blocks = 32;

/// In one launch, for rows too few to need more teams: one for 32 columns, whose rows it sums in 32 blocks.
template <class Exec>
void sum_by_teams(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                  const Vector<float, Exec>& same) {
  using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const auto rows = static_cast<std::int64_t>(x.extent(0)), each = (rows + team_blocks - 1) / team_blocks;
  const int columns = static_cast<int>(x.extent(1));
  const bool twice = same.extent(0) > 0;
  const auto bytes = Kokkos::PerTeam(Scratch::shmem_size(team_blocks * team_columns));
  Kokkos::parallel_for(
      "krossfold::kernels::column_sums",
      Kokkos::TeamPolicy<Exec>(exec, (columns + team_columns - 1) / team_columns, Kokkos::AUTO)
          .set_scratch_size(0, bytes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const Scratch scratch(member.team_scratch(0), team_blocks * team_columns);
        float* part = scratch.data();  // (block, column)
        const int first = member.league_rank() * team_columns;
        const int own = columns - first < team_columns ? columns - first : team_columns;
        for (int e = member.team_rank(); e < team_blocks * team_columns; e += member.team_size()) {
          const int c = e % team_columns;
          const std::int64_t begin = e / team_columns * each, end = begin + each < rows ? begin + each : rows;
          float total = 0;
          for (std::int64_t r = begin; c < own && r < end; ++r) total += x(r, first + c);
          part[e] = total;
        }
        member.team_barrier();
        for (int c = member.team_rank(); c < own; c += member.team_size()) {
          float total = add ? sum(first + c) : 0.0f;
          for (int b = 0; b < team_blocks; ++b) total += part[b * team_columns + c];
          sum(first + c) = total;
          if (twice) same(first + c) = total;
        }
      });
}

template <class Exec>
void sum_by_blocks(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                   const Vector<float, Exec>& partial, const Vector<float, Exec>& same) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1));
  const RowParts<Exec> parts(static_cast<std::size_t>(sum_blocks(rows)), columns);
  Kokkos::parallel_for(
      "krossfold::kernels::column_sums", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t block = part.row;
        const int first = part.first, last = part.last;
        const std::int64_t end = (block + 1) * sum_block < rows ? (block + 1) * sum_block : rows;
        float* total = &partial(block * columns);
        for (int c = first; c < last; ++c) total[c] = 0;
        for (std::int64_t r = block * sum_block; r < end; ++r) {
          const float* from = &x(r, 0);
          KROSSFOLD_SIMD()
          for (int c = first; c < last; ++c) total[c] += from[c];
        }
      });
  const auto blocks = sum_blocks(rows);
  const bool twice = same.extent(0) > 0;
  Kokkos::parallel_for(
      "krossfold::kernels::add_blocks", range(exec, columns), KOKKOS_LAMBDA(std::int64_t c) {
        float total = add ? sum(c) : 0.0f;
        for (std::int64_t b = 0; b < blocks; ++b) total += partial(b * columns + c);
        sum(c) = total;
        if (twice) same(c) = total;
      });
}

}  // namespace

template <class Exec>
void column_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                 const Vector<float, Exec>& partial, const Vector<float, Exec>& same) {
  if constexpr (!std::is_same_v<Exec, Host>) {
    if (x.extent(0) <= std::size_t{team_blocks} * sum_block) {
      sum_by_teams<Exec>(exec, sum, x, add, same);
      return;
    }
  }
  sum_by_blocks<Exec>(exec, sum, x, add, partial, same);
}

template <class Exec>
void symbol_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x,
                 const Vector<const int, Exec>& symbol, int symbols, bool add, const Vector<float, Exec>& partial) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1));
  const RowParts<Exec> parts(static_cast<std::size_t>(sum_blocks(rows)), columns);
  Kokkos::parallel_for(
      "krossfold::kernels::symbol_sums", parts.policy(exec), KOKKOS_LAMBDA(std::int64_t k) {
        const auto part = parts.part(k);  // no structured binding: clang 14 takes none as the bound of a simd loop
        const std::int64_t block = part.row;
        const int first = part.first, last = part.last;
        const std::int64_t end = (block + 1) * sum_block < rows ? (block + 1) * sum_block : rows;
        float* all = &partial(block * symbols * columns);
        for (int s = 0; s < symbols; ++s) {
          for (int c = first; c < last; ++c) all[s * columns + c] = 0;
        }
        for (std::int64_t r = block * sum_block; r < end; ++r) {
          const float* from = &x(r, 0);
          float* total = all + symbol(r) * columns;
          KROSSFOLD_SIMD()
          for (int c = first; c < last; ++c) total[c] += from[c];
        }
      });
  const auto blocks = sum_blocks(rows), all = std::int64_t{symbols} * columns;
  Kokkos::parallel_for(
      "krossfold::kernels::add_blocks", range(exec, all), KOKKOS_LAMBDA(std::int64_t k) {
        float total = 0;
        for (std::int64_t b = 0; b < blocks; ++b) total += partial(b * all + k);
        const std::int64_t to = k % columns * symbols + k / columns;
        sum(to) = add ? sum(to) + total : total;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                \
  template void column_sums<Exec>(const Exec&, const Vector<float, Exec>&, const Matrix<const float, Exec>&, bool, \
                                  const Vector<float, Exec>&, const Vector<float, Exec>&);                         \
  template void symbol_sums<Exec>(const Exec&, const Vector<float, Exec>&, const Matrix<const float, Exec>&,       \
                                  const Vector<const int, Exec>&, int, bool, const Vector<float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
