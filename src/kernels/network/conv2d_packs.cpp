// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include "conv2d_forms.hpp"
#include "krossfold/core/pack.hpp"

namespace krossfold::kernels {
namespace {

// Block sizes that fit into 32 registers of 512 bits, or 16 of 256 bits.
constexpr int max_channels = pack_size == 16 ? 13 : 6;  ///< channels of an output block, each two packs wide
constexpr int max_square = pack_size == 16 ? 5 : 3;     ///< channels, and taps, of a block of weight gradients

/// Start of part number `part` when n items are split into `parts` nearly equal parts.
int part_begin(int n, int parts, int part) { return static_cast<int>(std::int64_t{n} * part / parts); }

int parts_of(int n, int most) { return (n + most - 1) / most; }

/// Computes one output row of `count` channels from c0: batch * out_width sums per channel, contiguous in y as in the
/// image.
template <int count>
void forward_row(const ConvShape& shape, float* y, const float* image, const float* weight, const float* bias, int c0,
                 int row) {
  const int length = shape.out_width() * shape.batch, area = shape.out_height() * length;
  const int image_row = shape.width * shape.batch;
  for (int at = 0; at < length; at += 2 * pack_size) {
    Pack low[count], high[count];
    KROSSFOLD_UNROLL
    for (int c = 0; c < count; ++c) low[c] = high[c] = all_lanes(bias[c0 + c]);
    const float* w = weight + c0;
    for (int i = 0; i < shape.input_channels; ++i) {
      for (int a = 0; a < shape.kernel; ++a) {
        const float* from = image + (i * shape.height + row + a) * image_row + at;
        for (int b = 0; b < shape.kernel; ++b, from += shape.batch, w += shape.channels) {
          const Pack first = load_pack(from), second = load_pack(from + pack_size);
          KROSSFOLD_UNROLL
          for (int c = 0; c < count; ++c) {
            const Pack factor = all_lanes(w[c]);
            low[c] += factor * first;
            high[c] += factor * second;
          }
        }
      }
    }
    const int left = length - at;
    KROSSFOLD_UNROLL
    for (int c = 0; c < count; ++c) {
      float* out = y + std::int64_t{c0 + c} * area + row * length + at;
      const Pack zero{};
      const Pack one = low[c] < zero ? zero : low[c], two = high[c] < zero ? zero : high[c];
      if (left >= 2 * pack_size) {
        store_pack(out, one);
        store_pack(out + pack_size, two);
      } else {
        float both[2 * pack_size];
        store_pack(both, one);
        store_pack(both + pack_size, two);
        for (int k = 0; k < left; ++k) out[k] = both[k];
      }
    }
  }
}

/// Computes the weight gradients of `channels` channels from c0 and `taps` adjacent taps in a row of the window; the
/// first is `tap`, whose image pixels start at `image`.
template <int channels, int taps>
void gradient_block(const ConvShape& shape, float* dweight, const float* dy, const float* image, int c0, int tap) {
  const int length = shape.out_width() * shape.batch, area = shape.out_height() * length;
  const int image_row = shape.width * shape.batch;
  Pack sum[channels * taps];
  KROSSFOLD_UNROLL
  for (int k = 0; k < channels * taps; ++k) sum[k] = Pack{};
  for (int row = 0; row < shape.out_height(); ++row) {
    const float *d = dy + std::int64_t{c0} * area + row * length, *from = image + row * image_row;
    const auto add = [&](const Pack* gradient, int at) __attribute__((always_inline)) {
      KROSSFOLD_UNROLL
      for (int t = 0; t < taps; ++t) {
        const Pack pixel = load_pack(from + at + t * shape.batch);
        KROSSFOLD_UNROLL
        for (int c = 0; c < channels; ++c) sum[c * taps + t] += gradient[c] * pixel;
      }
    };
    Pack gradient[channels];
    int at = 0;
    for (; at + pack_size <= length; at += pack_size) {
      KROSSFOLD_UNROLL
      for (int c = 0; c < channels; ++c) gradient[c] = load_pack(d + std::int64_t{c} * area + at);
      add(gradient, at);
    }
    if (at < length) {
      KROSSFOLD_UNROLL
      for (int c = 0; c < channels; ++c) {
        float rest[pack_size] = {};
        for (int k = 0; k < length - at; ++k) rest[k] = d[std::int64_t{c} * area + at + k];
        gradient[c] = load_pack(rest);
      }
      add(gradient, at);
    }
  }
  KROSSFOLD_UNROLL
  for (int c = 0; c < channels; ++c) {
    float total[pack_size];
    store_pack(total, lane_sums<taps>(sum + c * taps));
    for (int t = 0; t < taps; ++t) dweight[(tap + t) * shape.channels + c0 + c] = total[t];
  }
}

using ForwardRow = decltype(&forward_row<1>);
using GradientBlock = decltype(&gradient_block<1, 1>);

template <int... k>
constexpr std::array<ForwardRow, sizeof...(k)> forward_rows(std::integer_sequence<int, k...>) {
  return {&forward_row<k + 1>...};
}
template <int... k>
constexpr std::array<GradientBlock, sizeof...(k)> gradient_blocks(std::integer_sequence<int, k...>) {
  return {&gradient_block<k / max_square + 1, k % max_square + 1>...};
}

constexpr auto forward_row_of = forward_rows(std::make_integer_sequence<int, max_channels>());
constexpr auto gradient_block_of = gradient_blocks(std::make_integer_sequence<int, max_square * max_square>());

void gradient_of_channels(const ConvShape& shape, float* dweight, float* dbias, const float* dy, const float* image,
                          int c0, int channels) {
  const int groups = parts_of(shape.kernel, max_square);
  for (int line = 0; line < shape.input_channels * shape.kernel; ++line) {
    const int pixel = (line / shape.kernel * shape.height + line % shape.kernel) * shape.width;
    for (int g = 0; g < groups; ++g) {
      const int b = part_begin(shape.kernel, groups, g), taps = part_begin(shape.kernel, groups, g + 1) - b;
      gradient_block_of[(channels - 1) * max_square + taps - 1](shape, dweight, dy, image + (pixel + b) * shape.batch,
                                                                c0, line * shape.kernel + b);
    }
  }
  const int area = shape.out_height() * shape.out_width() * shape.batch;
  for (int c = c0; c < c0 + channels; ++c) {
    const float* d = dy + std::int64_t{c} * area;
    Pack sum{};
    int k = 0;
    for (; k + pack_size <= area; k += pack_size) sum += load_pack(d + k);
    float total = lane_sums<1>(&sum)[0];
    for (; k < area; ++k) total += d[k];
    dbias[c] = total;
  }
}

}  // namespace

template <class Exec>
void ConvPacks::forward(const Exec& exec, const Vector<float, Exec>& y, const Vector<const float, Exec>& image,
                        const Vector<const float, Exec>& weight, const Vector<const float, Exec>& bias,
                        const ConvShape& shape) {
  const int blocks = parts_of(shape.channels, max_channels), rows = shape.out_height();
  Kokkos::parallel_for("krossfold::kernels::conv2d_relu", Kokkos::RangePolicy<Exec>(exec, 0, blocks * rows),
                       [=](int k) {
                         const int block = k / rows, first = part_begin(shape.channels, blocks, block);
                         forward_row_of[part_begin(shape.channels, blocks, block + 1) - first - 1](
                             shape, y.data(), image.data(), weight.data(), bias.data(), first, k % rows);
                       });
}

template <class Exec>
void ConvPacks::gradient(const Exec& exec, const Vector<float, Exec>& dweight, const Vector<float, Exec>& dbias,
                         const Vector<const float, Exec>& dy, const Vector<const float, Exec>& image,
                         const ConvShape& shape) {
  const int blocks = parts_of(shape.channels, max_square);
  Kokkos::parallel_for("krossfold::kernels::conv2d_gradient", Kokkos::RangePolicy<Exec>(exec, 0, blocks),
                       [=](int block) {
                         const int first = part_begin(shape.channels, blocks, block);
                         gradient_of_channels(shape, dweight.data(), dbias.data(), dy.data(), image.data(), first,
                                              part_begin(shape.channels, blocks, block + 1) - first);
                       });
}

template void ConvPacks::forward<Host>(const Host&, const Vector<float, Host>&, const Vector<const float, Host>&,
                                       const Vector<const float, Host>&, const Vector<const float, Host>&,
                                       const ConvShape&);
template void ConvPacks::gradient<Host>(const Host&, const Vector<float, Host>&, const Vector<float, Host>&,
                                        const Vector<const float, Host>&, const Vector<const float, Host>&,
                                        const ConvShape&);

}  // namespace krossfold::kernels
