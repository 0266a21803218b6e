// SPDX-License-Identifier: BSD-3-Clause
#include "conv2d_forms.hpp"
#include "krossfold/core/bounded_teams.hpp"
#include "sum_table.hpp"

namespace krossfold::kernels {

/// What a thread computes at once, so that each value it reads is used several times: outputs of so many channels at so many positions, if
/// there are enough of them, or gradients of so many channels for so many taps.
inline constexpr int channels_at_once = 4, taps_at_once = 4, positions_at_once = 4;

/// The gradients of some channels for some taps, reduced over the threads of a team.
using TapSums = SumTable<channels_at_once, taps_at_once>;

namespace {

/// Offset in pixels of window element `tap` from the window's corner in an image.
KOKKOS_INLINE_FUNCTION int pixel_of_tap(const ConvShape& shape, int tap) {
  const int column = tap % shape.kernel, row = tap / shape.kernel % shape.kernel;
  const int input_channel = tap / (shape.kernel * shape.kernel);
  return (input_channel * shape.height + row) * shape.width + column;
}

/// A thread computes some channels at several positions, which are one warp apart, so that adjacent threads read adjacent pixels. What it
/// does not change is the order of any sum.
template <int channels, int positions, class Exec>
void forward_at_once(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                     const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                     const ConvShape& shape) {
  constexpr int apart = 32, taps = 4;  // taps whose loads wait for memory together
  const int batch = shape.batch, area = shape.out_width() * shape.out_height(), all = area * batch;
  const int threads = (all + positions * apart - 1) / (positions * apart) * apart;
  const int groups = (shape.channels + channels - 1) / channels;
  const float *image_of = image.data(), *weight_of = weight.data();
  Kokkos::parallel_for(
      "krossfold::kernels::conv2d_relu",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t{groups} * threads),
      KOKKOS_LAMBDA(std::int64_t index) {
        const int first = static_cast<int>(index / threads) * channels;
        const int thread = static_cast<int>(index % threads);
        int k[positions], channel[channels];
        const float* corner[positions];
        float sum[channels][positions];
        // Channels and positions beyond the last are computed from others, and not stored.
        for (int c = 0; c < channels; ++c) channel[c] = first + c < shape.channels ? first + c : first;
        for (int p = 0; p < positions; ++p) {
          k[p] = thread / apart * (apart * positions) + p * apart + thread % apart;
          const int position = (k[p] < all ? k[p] : 0) / batch, row = position / shape.out_width();
          corner[p] = image_of + (k[p] < all ? k[p] : 0) + row * (shape.kernel - 1) * batch;
          for (int c = 0; c < channels; ++c) sum[c][p] = bias(channel[c]);
        }
        const float* w = weight_of;
        for (int i = 0; i < shape.input_channels; ++i) {
          for (int a = 0; a < shape.kernel; ++a, w += shape.kernel * shape.channels) {
            const int line = (i * shape.height + a) * shape.width * batch;
            for (int b = 0; b < shape.kernel; b += taps) {
              float pixel[taps][positions], one[taps][channels];
              for (int t = 0; t < taps; ++t) {
                const int tap = b + t < shape.kernel ? b + t : b;
                for (int p = 0; p < positions; ++p) pixel[t][p] = corner[p][line + tap * batch];
                for (int c = 0; c < channels; ++c) one[t][c] = w[tap * shape.channels + channel[c]];
              }
              for (int t = 0; t < taps; ++t) {
                if (b + t >= shape.kernel) break;
                for (int c = 0; c < channels; ++c) {
                  for (int p = 0; p < positions; ++p) sum[c][p] += one[t][c] * pixel[t][p];
                }
              }
            }
          }
        }
        for (int c = 0; c < channels; ++c) {
          for (int p = 0; p < positions; ++p) {
            if (first + c < shape.channels && k[p] < all) {
              y(std::int64_t{first + c} * all + k[p]) = sum[c][p] < 0 ? 0.0f : sum[c][p];
            }
          }
        }
      });
}

}  // namespace

template <class Exec>
void ConvThreads::forward(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                          const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                          const ConvShape& shape) {
  constexpr std::int64_t enough_threads = 1 << 15;  // fewer leave a device idle
  if (shape.outputs() * shape.batch >= enough_threads * channels_at_once * positions_at_once) {
    forward_at_once<channels_at_once, positions_at_once>(exec, y, image, weight, bias, shape);
  } else {
    forward_at_once<2, 1>(exec, y, image, weight, bias, shape);
  }
}

template <class Exec>
void ConvThreads::gradient(const Exec& exec, const Vector<float, Exec>& dweight, const Vector<float, Exec>& dbias,
                           const Vector<const float, Exec>& dy, const Vector<const float, Exec>& image,
                           const ConvShape& shape) {
  const int area = shape.out_width() * shape.out_height(), batch = shape.batch, taps = shape.taps();
  // One extra "tap" per channel, the last, stands for its bias.
  const int tap_groups = taps / taps_at_once + 1;
  const int channel_groups = (shape.channels + channels_at_once - 1) / channels_at_once;
  const float *dy_of = dy.data(), *image_of = image.data();
  Kokkos::parallel_for(
      "krossfold::kernels::conv2d_gradient", bounded_teams<256, 2>(exec, tap_groups * channel_groups, 256),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first_tap = member.league_rank() / channel_groups * taps_at_once;
        const int first_channel = member.league_rank() % channel_groups * channels_at_once;
        const float *d[channels_at_once], *from[taps_at_once];
        // Those beyond the last are computed from others, and not stored.
        for (int c = 0; c < channels_at_once; ++c) {
          const int channel = first_channel + c < shape.channels ? first_channel + c : first_channel;
          d[c] = dy_of + static_cast<std::size_t>(channel) * area * batch;
        }
        for (int t = 0; t < taps_at_once; ++t) {
          from[t] = image_of + (first_tap + t < taps ? pixel_of_tap(shape, first_tap + t) * batch : 0);
        }
        TapSums total;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, area * batch),
            [&](int k, TapSums& sum) {
              const int position = k / batch, row = position / shape.out_width();
              const int at = k + row * (shape.width - shape.out_width()) * batch;
              float value[taps_at_once];
              for (int t = 0; t < taps_at_once; ++t) value[t] = first_tap + t < taps ? from[t][at] : 1.0f;
              for (int c = 0; c < channels_at_once; ++c) {
                const float gradient = d[c][k];
                for (int t = 0; t < taps_at_once; ++t) sum.value[c][t] += gradient * value[t];
              }
            },
            Kokkos::Sum<TapSums>(total));
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          for (int c = 0; c < channels_at_once && first_channel + c < shape.channels; ++c) {
            for (int t = 0; t < taps_at_once; ++t) {
              if (first_tap + t < taps) {
                dweight((first_tap + t) * shape.channels + first_channel + c) = total.value[c][t];
              } else if (first_tap + t == taps) {
                dbias(first_channel + c) = total.value[c][t];
              }
            }
          }
        });
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                   \
  template void ConvThreads::forward<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<const float, Exec>&, \
                                           const Vector<const float, Exec>&, const Vector<const float, Exec>&,        \
                                           const ConvShape&);                                                         \
  template void ConvThreads::gradient<Exec>(const Exec&, const Vector<float, Exec>&, const Vector<float, Exec>&,      \
                                            const Vector<const float, Exec>&, const Vector<const float, Exec>&,       \
                                            const ConvShape&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
