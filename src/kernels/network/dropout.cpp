// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/dropout.hpp"

#include <type_traits>

#include "dropout_mask.hpp"
#include "krossfold/core/philox.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::kernels {

template <class Exec>
void dropout(const Exec& exec, const Matrix<float, Exec>& y, const Matrix<const float, Exec>& x,
             const Vector<const int, Exec>& row, int steps, const DropoutParams& params) {
  // On the host, each iteration generates a vector of random blocks.
  constexpr int lanes = std::is_same_v<Exec, Host> ? 16 : 1;
  const int hidden = static_cast<int>(x.extent(1)), batch = static_cast<int>(x.extent(0)) / steps;
  const int blocks = (hidden + 7) / 8, groups = (blocks + lanes - 1) / lanes, first_row = params.first;
  const DropoutMask mask(params);
  const std::uint32_t least = mask.least;
  const float scale = mask.scale;
  Kokkos::parallel_for(
      "krossfold::kernels::dropout",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                 static_cast<std::int64_t>(x.extent(0)) * groups),
      KOKKOS_LAMBDA(std::int64_t k) {
        const StreamId stream = mask.stream_now();
        const std::int64_t r = k / groups;
        const int first = static_cast<int>(k % groups) * lanes;
        const std::int64_t sample = row(first_row + r % batch);
        const auto draw = static_cast<std::uint64_t>((sample * steps + r / batch) * blocks + first);
        std::uint32_t word[4][lanes];
        KROSSFOLD_SIMD()
        for (int lane = 0; lane < lanes; ++lane) {
          const PhiloxWords words = philox_words(stream, draw + static_cast<std::uint64_t>(lane));
          for (int w = 0; w < 4; ++w) word[w][lane] = words.word[w];
        }
        for (int part = 0; part < 8; ++part) {
          const int from = part * blocks + first;
          const int in_part = blocks - first < lanes ? blocks - first : lanes;
          const int count = hidden - from < in_part ? hidden - from : in_part;
          const std::uint32_t* bits = word[part / 2];
          const int shift = part % 2 * 16;
          float* to = y.data() + r * y.stride_0() + from;
          const float* in = x.data() + r * x.stride_0() + from;
          KROSSFOLD_SIMD()
          for (int lane = 0; lane < count; ++lane) {
            to[lane] = (bits[lane] >> shift & 0xffffu) >= least ? in[lane] * scale : 0.0f;
          }
        }
      });
}

template <class Exec>
void dropout_units(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& x,
                   const Vector<const int, Exec>& row, int units, int batch, const DropoutParams& params) {
  const int blocks = (units + 7) / 8, first_row = params.first;
  const DropoutMask mask(params);
  Kokkos::parallel_for(
      "krossfold::kernels::dropout_units", Kokkos::RangePolicy<Exec>(exec, 0, blocks * batch), KOKKOS_LAMBDA(int k) {
        const int block = k / batch, s = k % batch;
        const std::int64_t sample = row(first_row + s);
        const PhiloxWords words = philox_words(mask.stream_now(), static_cast<std::uint64_t>(sample * blocks + block));
        for (int part = 0; part < 8; ++part) {
          const int h = part * blocks + block;
          if (h >= units) break;
          const bool kept = (words.word[part / 2] >> (part % 2 * 16) & 0xffffu) >= mask.least;
          y(h * batch + s) = kept ? x(h * batch + s) * mask.scale : 0.0f;
        }
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                            \
  template void dropout<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&,       \
                              const Vector<const int, Exec>&, int, const DropoutParams&);                      \
  template void dropout_units<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                    const Vector<const int, Exec>&, int, int, const DropoutParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
