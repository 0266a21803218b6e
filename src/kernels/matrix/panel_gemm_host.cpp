// SPDX-License-Identifier: BSD-3-Clause
#include "panel_gemm_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace krossfold::kernels {
namespace {

constexpr int width = PanelGemmHost::width;
constexpr int tile_rows = pack_size == 16 ? 12 : 6;  ///< rows of C: two registers each, leaving some for the factors
constexpr int sum_rows = 256;                        ///< rows per block in transposed_gemm()

/// The factors of a tile of C. Row r of A is contiguous and starts at a + r * a_step; if A is to be transposed, column
/// r starts at a + r and has stride a_step.
struct Factors {
  const float* a;
  std::int64_t a_step;
  const float* b;
  std::int64_t b_step;
  int k;
};

enum class Left { rows, columns };

/// Computes `rows` x `width` entries of C, of which only the first `columns` columns exist.
template <Left left, int rows>
void tile(const Factors& of, float* c, std::int64_t c_step, int columns, bool add) {
  // One pointer serves three rows, which is what address modes can reach without extra registers.
  constexpr int pointers = (rows + 2) / 3;
  Pack sum[rows][2];
  KROSSFOLD_UNROLL
  for (int r = 0; r < rows; ++r) sum[r][0] = sum[r][1] = Pack{};
  const float *a[pointers], *b = of.b;
  KROSSFOLD_UNROLL
  for (int p = 0; p < pointers; ++p) a[p] = of.a + 3 * p * (left == Left::rows ? of.a_step : 1);
  for (int i = 0; i < of.k; ++i, b += of.b_step) {
    const Pack first = load_pack(b), second = load_pack(b + pack_size);
    KROSSFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Pack x = all_lanes(left == Left::rows ? a[r / 3][r % 3 * of.a_step] : a[0][r]);
      sum[r][0] += x * first;
      sum[r][1] += x * second;
    }
    if (left == Left::columns) {
      a[0] += of.a_step;
    } else {
      KROSSFOLD_UNROLL
      for (int p = 0; p < pointers; ++p) ++a[p];
    }
  }
  for (int r = 0; r < rows; ++r, c += c_step) {
    if (columns == width) {
      store_pack(c, add ? load_pack(c) + sum[r][0] : sum[r][0]);
      store_pack(c + pack_size, add ? load_pack(c + pack_size) + sum[r][1] : sum[r][1]);
    } else {
      float whole[width];
      store_pack(whole, sum[r][0]);
      store_pack(whole + pack_size, sum[r][1]);
      for (int j = 0; j < columns; ++j) c[j] = add ? c[j] + whole[j] : whole[j];
    }
  }
}

using Tile = decltype(&tile<Left::rows, 1>);

template <Left left, int... rows>
constexpr std::array<Tile, sizeof...(rows)> tiles(std::integer_sequence<int, rows...>) {
  return {&tile<left, rows + 1>...};
}

template <Left left>
constexpr auto tile_of = tiles<left>(std::make_integer_sequence<int, tile_rows>());  // [rows - 1]

}  // namespace

template <class Exec>
void PanelGemmHost::pack(const Exec& exec, const Panels<Exec>& panels, const Matrix<const float, Exec>& b,
                         Transpose transpose) {
  const int k = panels.k, n = panels.n;
  Kokkos::parallel_for("krossfold::kernels::pack_panels", Kokkos::RangePolicy<Exec>(exec, 0, (n + width - 1) / width),
                       [=](int panel) {
                         float* to = panels.value.data() + std::int64_t{panel} * width * k;
                         const int first = panel * width, columns = std::min(width, n - first);
                         for (int i = 0; i < k; ++i, to += width) {
                           for (int j = 0; j < columns; ++j) {
                             to[j] = transpose == Transpose::yes ? b(first + j, i) : b(i, first + j);
                           }
                         }
                       });
}

template <class Exec>
void PanelGemmHost::product(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                            const Panels<Exec>& b, bool add) {
  const int m = static_cast<int>(a.extent(0)), k = b.k, n = b.n;
  // Number of rows of A that stay in the L1 cache while the panels stream past.
  const int block = std::max(1, 4096 / std::max(1, k) / tile_rows) * tile_rows;
  const auto a_step = static_cast<std::int64_t>(a.stride_0()), c_step = static_cast<std::int64_t>(c.stride_0());
  Kokkos::parallel_for(
      "krossfold::kernels::panel_gemm", Kokkos::RangePolicy<Exec>(exec, 0, (m + block - 1) / block), [=](int at) {
        const int last = std::min((at + 1) * block, m);
        for (int j = 0; j < n; j += width) {
          for (int i = at * block; i < last; i += tile_rows) {
            const int rows = std::min(tile_rows, last - i);
            const Factors factors{a.data() + i * a_step, a_step, b.value.data() + std::int64_t{j} * k, width, k};
            tile_of<Left::rows>[rows - 1](factors, c.data() + i * c_step + j, c_step, std::min(width, n - j), add);
          }
        }
      });
}

template <class Exec>
void PanelGemmHost::transposed(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                               const Matrix<const float, Exec>& b, bool add) {
  const int k = static_cast<int>(a.extent(0)), m = static_cast<int>(a.extent(1)), n = static_cast<int>(b.extent(1));
  constexpr int block = 4 * tile_rows;
  const auto a_step = static_cast<std::int64_t>(a.stride_0()), b_step = static_cast<std::int64_t>(b.stride_0()),
             c_step = static_cast<std::int64_t>(c.stride_0());
  Kokkos::parallel_for(
      "krossfold::kernels::transposed_gemm", Kokkos::RangePolicy<Exec>(exec, 0, (m + block - 1) / block), [=](int at) {
        const int last = std::min((at + 1) * block, m);
        float narrow[sum_rows * width];
        for (int first = 0; first < k; first += sum_rows) {
          const int count = std::min(sum_rows, k - first);
          for (int j = 0; j < n; j += width) {
            const int columns = std::min(width, n - j);
            const float* from = b.data() + first * b_step + j;
            std::int64_t step = b_step;
            if (columns < width) {  // full vectors would read past the end of the row
              for (int i = 0; i < count; ++i) {
                for (int x = 0; x < width; ++x) narrow[i * width + x] = x < columns ? from[i * b_step + x] : 0;
              }
              from = narrow;
              step = width;
            }
            for (int i = at * block; i < last; i += tile_rows) {
              const int rows = std::min(tile_rows, last - i);
              const Factors factors{a.data() + first * a_step + i, a_step, from, step, count};
              tile_of<Left::columns>[rows - 1](factors, c.data() + i * c_step + j, c_step, columns, add || first > 0);
            }
          }
        }
        if (k == 0 && !add) {
          for (int i = at * block; i < last; ++i) std::fill_n(c.data() + i * c_step, n, 0.0f);
        }
      });
}

template void PanelGemmHost::pack<Host>(const Host&, const Panels<Host>&, const Matrix<const float, Host>&, Transpose);
template void PanelGemmHost::product<Host>(const Host&, const Matrix<float, Host>&, const Matrix<const float, Host>&,
                                           const Panels<Host>&, bool);
template void PanelGemmHost::transposed<Host>(const Host&, const Matrix<float, Host>&, const Matrix<const float, Host>&,
                                              const Matrix<const float, Host>&, bool);

}  // namespace krossfold::kernels
