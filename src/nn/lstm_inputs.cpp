// SPDX-License-Identifier: BSD-3-Clause
#include "lstm_inputs.hpp"

#include <type_traits>

#include "krossfold/core/simd.hpp"

namespace krossfold::nn {
namespace {

template <class Exec>
auto range(const Exec& exec, std::int64_t size) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size);
}

/// Where the recurrent weights of a layer begin in all weights; its two biases follow them.
struct RecurrentBegin {
  std::int64_t first, second, apart;  ///< of the first layer, of the second one, and from it to the next

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t layer) const {
    return layer == 0 ? first : second + (layer - 1) * apart;
  }
};

}  // namespace

template <class Exec>
void gather_steps(const Exec& exec, const Vector<int, Exec>& symbol, const Vector<int, Exec>& next,
                  const Windows<Exec>& windows, const Vector<const int, Exec>& row, std::int64_t first, int count,
                  int steps) {
  const Vector<const int, Exec> from_symbol = windows.symbol, from_next = windows.next;
  Kokkos::parallel_for(
      "krossfold::nn::gather_steps", range(exec, std::int64_t{count} * steps), KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t from = std::int64_t{row(first + k % count)} * steps + k / count;
        symbol(k) = from_symbol(from);
        next(k) = from_next(from);
      });
}

template <class Exec>
void fill_tables(const Exec& exec, const LstmTables<Exec>& tables, const Vector<const float, Exec>& weight,
                 const LstmArchitecture& architecture) {
  const std::int64_t hidden = architecture.hidden, columns = 4 * hidden, symbols = architecture.symbols;
  const std::int64_t first = columns * symbols, apart = 2 * columns * hidden + 2 * columns;
  const RecurrentBegin begin{first, first + apart, apart};
  const std::int64_t biases = architecture.layers * columns, rows = symbols * columns;
  const auto by_symbol = tables.symbol, bias = tables.bias, recurrent = tables.recurrent;
  Kokkos::parallel_for(
      "krossfold::nn::fill_tables", range(exec, biases + rows + static_cast<std::int64_t>(recurrent.extent(0))),
      KOKKOS_LAMBDA(std::int64_t k) {
        if (k < biases) {
          const std::int64_t at = begin(k / columns) + columns * hidden + k % columns;
          bias(k) = weight(at) + weight(at + columns);
        } else if (k < biases + rows) {
          const std::int64_t at = k - biases;
          by_symbol(at) = weight(at % columns * symbols + at / columns);
        } else {
          const std::int64_t at = k - biases - rows, in_layer = at % (hidden * columns);
          recurrent(at) = weight(begin(at / (hidden * columns)) + in_layer % columns * hidden + in_layer / columns);
        }
      });
}

template <class Exec>
void gather_rows(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& table,
                 const Vector<const int, Exec>& symbol) {
  // Whole rows on the host, single entries on devices.
  const auto columns = static_cast<std::int64_t>(out.extent(1)), width = std::is_same_v<Exec, Host> ? columns : 1,
             parts = columns / width;
  Kokkos::parallel_for(
      "krossfold::nn::gather_rows", range(exec, static_cast<std::int64_t>(out.extent(0)) * parts),
      KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t r = k / parts, first = k % parts * width;
        const float* from = &table(symbol(r) * columns + first);
        float* to = &out(r, first);
        KROSSFOLD_SIMD()
        for (std::int64_t j = 0; j < width; ++j) to[j] = from[j];
      });
}

template <class Exec>
void repeat_columns(const Exec& exec, const Matrix<float, Exec>& out, const Vector<const float, Exec>& column) {
  const auto columns = static_cast<std::int64_t>(out.extent(1));
  Kokkos::parallel_for(
      "krossfold::nn::repeat_columns", range(exec, static_cast<std::int64_t>(out.extent(0)) * columns),
      KOKKOS_LAMBDA(std::int64_t k) { out(k / columns, k % columns) = column(k / columns); });
}

template <class Exec>
void sum_over_steps(const Exec& exec, const Vector<double, Exec>& loss, const Vector<const double, Exec>& step_loss,
                    int count, int steps) {
  Kokkos::parallel_for(
      "krossfold::nn::sum_over_steps", range(exec, count), KOKKOS_LAMBDA(std::int64_t w) {
        double sum = 0;
        for (int t = 0; t < steps; ++t) sum += step_loss(std::int64_t{t} * count + w);
        loss(w) = sum;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template void gather_steps<Exec>(const Exec&, const Vector<int, Exec>&, const Vector<int, Exec>&,                    \
                                   const Windows<Exec>&, const Vector<const int, Exec>&, std::int64_t, int, int);      \
  template void fill_tables<Exec>(const Exec&, const LstmTables<Exec>&, const Vector<const float, Exec>&,              \
                                  const LstmArchitecture&);                                                            \
  template void gather_rows<Exec>(const Exec&, const Matrix<float, Exec>&, const Vector<const float, Exec>&,           \
                                  const Vector<const int, Exec>&);                                                     \
  template void repeat_columns<Exec>(const Exec&, const Matrix<float, Exec>&, const Vector<const float, Exec>&);       \
  template void sum_over_steps<Exec>(const Exec&, const Vector<double, Exec>&, const Vector<const double, Exec>&, int, \
                                     int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
