// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/column_sums.hpp"

#include <type_traits>

#include "kernels/row_parts.hpp"
#include "krossfold/core/bounded_teams.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {
namespace {

template <class Exec>
auto range(const Exec& exec, std::int64_t size) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size);
}

/// sum(c) = the sum of the partial sums of all blocks, or sum(c) += it if `add`. `same`, if given, gets the same numbers.
template <class Exec>
void add_blocks(const Exec& exec, const Vector<float, Exec>& sum, const Vector<float, Exec>& partial,
                std::int64_t blocks, int columns, bool add, const Vector<float, Exec>& same) {
  const bool twice = same.extent(0) > 0;
  Kokkos::parallel_for(
      "krossfold::kernels::add_blocks", range(exec, columns), KOKKOS_LAMBDA(std::int64_t c) {
        float total = add ? sum(c) : 0.0f;
        for (std::int64_t b = 0; b < blocks; ++b) total += partial(b * columns + c);
        sum(c) = total;
        if (twice) same(c) = total;
      });
}

template <class Exec>
using Scratch = Kokkos::View<float*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

constexpr int team_columns = 32, team_parts = 32, team_threads = team_columns * team_parts;
constexpr std::int64_t rows_of_one_launch =
    1024;  // with more, each thread of a team would read too many one after another

/// A team sums 32 columns of a block of rows, in 32 parts. Of few rows there is one block, and one launch.
template <class Exec>
void sum_by_teams(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                  const Vector<float, Exec>& partial, const Vector<float, Exec>& same) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1)), groups = (columns + team_columns - 1) / team_columns;
  const bool whole = rows <= rows_of_one_launch || partial.extent(0) == 0, twice = same.extent(0) > 0;
  const std::int64_t block_rows = whole ? rows : sum_block, blocks = whole ? 1 : sum_blocks(rows);
  const auto bytes = Kokkos::PerTeam(Scratch<Exec>::shmem_size(team_threads));
  Kokkos::parallel_for(
      "krossfold::kernels::column_sums",
      bounded_teams<team_threads>(exec, static_cast<int>(groups * blocks), team_threads).set_scratch_size(0, bytes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const Scratch<Exec> scratch(member.team_scratch(0), team_threads);
        float* part = scratch.data();  // (part, column)
        const int first = member.league_rank() % groups * team_columns;
        const int own = columns - first < team_columns ? columns - first : team_columns;
        const std::int64_t block = member.league_rank() / groups, begin = block * block_rows;
        const std::int64_t end = begin + block_rows < rows ? begin + block_rows : rows;
        const std::int64_t each = (block_rows + team_parts - 1) / team_parts;
        for (int e = member.team_rank(); e < team_threads; e += member.team_size()) {
          const int c = e % team_columns;
          const std::int64_t from = begin + e / team_columns * each, to = from + each < end ? from + each : end;
          float total = 0;
          for (std::int64_t r = from; c < own && r < to; ++r) total += x(r, first + c);
          part[e] = total;
        }
        member.team_barrier();
        for (int c = member.team_rank(); c < own; c += member.team_size()) {
          float total = whole && add ? sum(first + c) : 0.0f;
          for (int b = 0; b < team_parts; ++b) total += part[b * team_columns + c];
          if (!whole) {
            partial(block * columns + first + c) = total;
            continue;
          }
          sum(first + c) = total;
          if (twice) same(first + c) = total;
        }
      });
  if (!whole) add_blocks<Exec>(exec, sum, partial, blocks, columns, add, same);
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
  add_blocks<Exec>(exec, sum, partial, sum_blocks(rows), columns, add, same);
}

constexpr int symbol_parts = 8, most_symbols_of_teams = 256;
constexpr int table_floats = symbol_parts * 1024;  // 32 KiB

/// Threads of a team for each column, as many as have room for a table of all symbols.
constexpr int symbol_threads(int symbols) {
  const int fitting = table_floats / (symbols * team_columns);
  return fitting < symbol_parts ? fitting : symbol_parts;
}

/// partial(block, k, c) = sum of x(r, c) over the rows of a block with symbol(r) = k. A team takes 32 columns of a block of rows; its
/// threads add in tables of their own in scratch memory.
template <class Exec>
void sum_symbols_by_teams(const Exec& exec, const Vector<float, Exec>& partial, const Matrix<const float, Exec>& x,
                          const Vector<const int, Exec>& symbol, int symbols) {
  const auto rows = static_cast<std::int64_t>(x.extent(0));
  const int columns = static_cast<int>(x.extent(1)), groups = (columns + team_columns - 1) / team_columns;
  const int parts = symbol_threads(symbols), table = symbols * team_columns;
  const auto bytes = Kokkos::PerTeam(Scratch<Exec>::shmem_size(parts * table));
  Kokkos::parallel_for(
      "krossfold::kernels::symbol_sums",
      bounded_teams<symbol_parts * team_columns>(exec, static_cast<int>(groups * sum_blocks(rows)),
                                                 parts * team_columns)
          .set_scratch_size(0, bytes),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const Scratch<Exec> scratch(member.team_scratch(0), parts * table);
        float* all = scratch.data();  // (part, symbol, column)
        const int first = member.league_rank() % groups * team_columns;
        const int own = columns - first < team_columns ? columns - first : team_columns;
        const std::int64_t block = member.league_rank() / groups, begin = block * sum_block;
        const std::int64_t end = begin + sum_block < rows ? begin + sum_block : rows;
        for (int e = member.team_rank(); e < parts * team_columns; e += member.team_size()) {
          const int c = e % team_columns, part = e / team_columns;
          float* total = all + part * table + c;
          for (int k = 0; k < symbols; ++k) total[k * team_columns] = 0;
          for (std::int64_t r = begin + part; c < own && r < end; r += parts) {
            total[symbol(r) * team_columns] += x(r, first + c);
          }
        }
        member.team_barrier();
        for (int e = member.team_rank(); e < table; e += member.team_size()) {
          const int k = e / team_columns, c = e % team_columns;
          if (c >= own) continue;
          float total = 0;
          for (int part = 0; part < parts; ++part) total += all[part * table + e];
          partial((block * symbols + k) * columns + first + c) = total;
        }
      });
}

template <class Exec>
void sum_symbols_by_blocks(const Exec& exec, const Vector<float, Exec>& partial, const Matrix<const float, Exec>& x,
                           const Vector<const int, Exec>& symbol, int symbols) {
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
}

}  // namespace

template <class Exec>
void column_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x, bool add,
                 const Vector<float, Exec>& partial, const Vector<float, Exec>& same) {
  if constexpr (!std::is_same_v<Exec, Host>) {
    sum_by_teams<Exec>(exec, sum, x, add, partial, same);
  } else {
    sum_by_blocks<Exec>(exec, sum, x, add, partial, same);
  }
}

template <class Exec>
void symbol_sums(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x,
                 const Vector<const int, Exec>& symbol, int symbols, bool add, const Vector<float, Exec>& partial) {
  bool by_teams = false;
  if constexpr (!std::is_same_v<Exec, Host>) {
    by_teams = symbols <= most_symbols_of_teams;
    if (by_teams) sum_symbols_by_teams<Exec>(exec, partial, x, symbol, symbols);
  }
  if (!by_teams) sum_symbols_by_blocks<Exec>(exec, partial, x, symbol, symbols);
  const auto blocks = sum_blocks(static_cast<std::int64_t>(x.extent(0)));
  const auto columns = static_cast<std::int64_t>(x.extent(1)), all = symbols * columns;
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
