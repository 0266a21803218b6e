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

}  // namespace

template <class Exec>
void gather_steps(const Exec& exec, const Vector<int, Exec>& out, const Vector<const int, Exec>& in,
                  const Vector<const int, Exec>& row, std::int64_t first, int count, int steps) {
  Kokkos::parallel_for(
      "krossfold::nn::gather_steps", range(exec, std::int64_t{count} * steps),
      KOKKOS_LAMBDA(std::int64_t k) { out(k) = in(std::int64_t{row(first + k % count)} * steps + k / count); });
}

template <class Exec>
void transpose(const Exec& exec, const Vector<float, Exec>& out, const Vector<const float, Exec>& in, int rows,
               int columns, bool add) {
  Kokkos::parallel_for(
      "krossfold::nn::transpose", range(exec, std::int64_t{rows} * columns), KOKKOS_LAMBDA(std::int64_t k) {
        const float value = in(k % rows * columns + k / rows);
        out(k) = add ? out(k) + value : value;
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
void add_biases(const Exec& exec, const Vector<float, Exec>& sum, const Vector<const float, Exec>& a,
                const Vector<const float, Exec>& b) {
  Kokkos::parallel_for(
      "krossfold::nn::add_biases", range(exec, static_cast<std::int64_t>(a.extent(0))),
      KOKKOS_LAMBDA(std::int64_t j) { sum(j) = a(j) + b(j); });
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
  template void gather_steps<Exec>(const Exec&, const Vector<int, Exec>&, const Vector<const int, Exec>&,              \
                                   const Vector<const int, Exec>&, std::int64_t, int, int);                            \
  template void transpose<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, int, int,   \
                                bool);                                                                                 \
  template void gather_rows<Exec>(const Exec&, const Matrix<float, Exec>&, const Vector<const float, Exec>&,           \
                                  const Vector<const int, Exec>&);                                                     \
  template void add_biases<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&,            \
                                 const Vector<const float, Exec>&);                                                    \
  template void repeat_columns<Exec>(const Exec&, const Matrix<float, Exec>&, const Vector<const float, Exec>&);       \
  template void sum_over_steps<Exec>(const Exec&, const Vector<double, Exec>&, const Vector<const double, Exec>&, int, \
                                     int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
