// SPDX-License-Identifier: BSD-3-Clause
#include "conv2d_forms.hpp"

namespace krossfold::kernels {
namespace {

/// Offset in pixels of window element `tap` from the window's corner in an image.
KOKKOS_INLINE_FUNCTION int pixel_of_tap(const ConvShape& shape, int tap) {
  const int column = tap % shape.kernel, row = tap / shape.kernel % shape.kernel;
  const int input_channel = tap / (shape.kernel * shape.kernel);
  return (input_channel * shape.height + row) * shape.width + column;
}

}  // namespace

template <class Exec>
void ConvThreads::forward(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                          const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                          const ConvShape& shape) {
  Kokkos::parallel_for(
      "krossfold::kernels::conv2d_relu",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, shape.outputs() * shape.batch),
      KOKKOS_LAMBDA(std::int64_t k) {
        const std::int64_t position = k / shape.batch;
        const int s = static_cast<int>(k - position * shape.batch), area = shape.out_width() * shape.out_height();
        const int c = static_cast<int>(position / area), in_channel = static_cast<int>(position % area);
        const int row = in_channel / shape.out_width(), column = in_channel % shape.out_width();
        const float* corner = &image((row * shape.width + column) * shape.batch + s);
        float sum = bias(c);
        int tap = 0;
        for (int i = 0; i < shape.input_channels; ++i) {
          for (int a = 0; a < shape.kernel; ++a) {
            const float* from = corner + (i * shape.height + a) * shape.width * shape.batch;
            for (int b = 0; b < shape.kernel; ++b, ++tap) {
              sum += weight(tap * shape.channels + c) * from[b * shape.batch];
            }
          }
        }
        y(k) = sum < 0 ? 0.0f : sum;
      });
}

template <class Exec>
void ConvThreads::gradient(const Exec& exec, const Vector<float, Exec>& dweight, const Vector<float, Exec>& dbias,
                           const Vector<const float, Exec>& dy, const Vector<const float, Exec>& image,
                           const ConvShape& shape) {
  const int area = shape.out_width() * shape.out_height();
  // One extra "tap" per channel, the last, stands for its bias.
  Kokkos::parallel_for(
      "krossfold::kernels::conv2d_gradient",
      Kokkos::TeamPolicy<Exec>(exec, (shape.taps() + 1) * shape.channels, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int tap = member.league_rank() / shape.channels, c = member.league_rank() % shape.channels;
        const float* d = &dy(std::int64_t{c} * area * shape.batch);
        const bool is_bias = tap == shape.taps();
        const int shift = is_bias ? 0 : pixel_of_tap(shape, tap);
        float total = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, area * shape.batch),
            [&](int k, float& sum) {
              const int position = k / shape.batch, s = k - position * shape.batch;
              const int pixel = position / shape.out_width() * shape.width + position % shape.out_width() + shift;
              sum += is_bias ? d[k] : d[k] * image(pixel * shape.batch + s);
            },
            total);
        Kokkos::single(Kokkos::PerTeam(member), [&] {
          if (is_bias) {
            dbias(c) = total;
          } else {
            dweight(tap * shape.channels + c) = total;
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
