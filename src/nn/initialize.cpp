// SPDX-License-Identifier: BSD-3-Clause
#include "initialize.hpp"

#include <algorithm>

#include "krossfold/core/philox.hpp"

namespace krossfold::nn {

template <class Exec>
void fill_uniform(const Exec& exec, const Vector<float, Exec>& out, const ParameterLayout& layout,
                  const StreamId& stream, int tensor, double bound, const Poll& poll) {
  constexpr std::int64_t blocks = 1 << 20;
  const auto first_block = static_cast<std::uint64_t>(tensor) << 40;
  const std::int64_t begin = layout.first_input * layout.all_outputs, end = begin + layout.inputs * layout.all_outputs;
  const std::int64_t last_block = (end + 3) / 4;
  for (std::int64_t from = begin / 4; from < last_block; from += blocks) {
    call(poll);
    Kokkos::parallel_for(
        "krossfold::nn::fill_uniform",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, from, std::min(from + blocks, last_block)),
        KOKKOS_LAMBDA(std::int64_t k) {
          const auto block = philox(stream, first_block + static_cast<std::uint64_t>(k));
          for (int word = 0; word < 4; ++word) {
            const std::int64_t n = 4 * k + word;
            const std::int64_t i = n / layout.all_outputs - layout.first_input,
                               o = n % layout.all_outputs - layout.first_output;
            if (n < begin || n >= end || o < 0 || o >= layout.outputs) continue;
            const double u = static_cast<double>(block[word]) * 0x1p-31 - 1;
            out(i * layout.input_stride + o) = static_cast<float>(bound * u);
          }
        });
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                  \
  template void fill_uniform<Exec>(const Exec&, const Vector<float, Exec>&, const ParameterLayout&, const StreamId&, \
                                   int, double, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
