// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/panel_gemm.hpp"

#include <type_traits>

#include "panel_gemm_host.hpp"
#include "rounded_copy.hpp"

namespace krossfold::kernels {

template <class Exec>
Panels<Exec> make_panels(const std::string& label, int k, int n) {
  if constexpr (std::is_same_v<Exec, Host>) {
    constexpr int width = PanelGemmHost::width;
    return {k, n, Vector<float, Exec>(label, std::int64_t{(n + width - 1) / width * width} * k), {}, {}, {}};
  } else {
    return {k, n, {}, {}, {}, {}};
  }
}

template <class Exec>
void pack_panels([[maybe_unused]] const Exec& exec, Panels<Exec>& panels, const Matrix<const float, Exec>& b,
                 Transpose transpose, Precision precision) {
  panels.precision = precision;
  if constexpr (std::is_same_v<Exec, Host>) {
    PanelGemmHost::pack<Exec>(exec, panels, rounded_copy<Exec>(exec, b, precision), transpose);
  } else {
    panels.matrix = b;
    panels.transpose = transpose;
  }
}

template <class Exec>
void panel_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                const Panels<Exec>& b, bool add) {
  if constexpr (std::is_same_v<Exec, Host>) {
    PanelGemmHost::product<Exec>(exec, c, rounded_copy<Exec>(exec, a, b.precision), b, add);
  } else {
    gemm<Exec, float>(exec, c, a, Transpose::no, b.matrix, b.transpose, 1, add ? 1 : 0, b.precision);
  }
}

template <class Exec>
void transposed_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                     const Matrix<const float, Exec>& b, bool add, Precision precision) {
  if constexpr (std::is_same_v<Exec, Host>) {
    PanelGemmHost::transposed<Exec>(exec, c, rounded_copy<Exec>(exec, a, precision),
                                    rounded_copy<Exec>(exec, b, precision), add);
  } else {
    gemm<Exec, float>(exec, c, a, Transpose::yes, b, Transpose::no, 1, add ? 1 : 0, precision);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template Panels<Exec> make_panels<Exec>(const std::string&, int, int);                                               \
  template void pack_panels<Exec>(const Exec&, Panels<Exec>&, const Matrix<const float, Exec>&, Transpose, Precision); \
  template void panel_gemm<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&,            \
                                 const Panels<Exec>&, bool);                                                           \
  template void transposed_gemm<Exec>(const Exec&, const Matrix<float, Exec>&, const Matrix<const float, Exec>&,       \
                                      const Matrix<const float, Exec>&, bool, Precision);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
