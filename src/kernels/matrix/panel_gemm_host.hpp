// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Register-blocked panel_gemm() and transposed_gemm() for the host, with the same arguments.

#include "krossfold/core/pack.hpp"
#include "krossfold/kernels/panel_gemm.hpp"

namespace krossfold::kernels {

struct PanelGemmHost {
  static constexpr int width = 2 * pack_size;  ///< columns of a panel

  template <class Exec>
  static void pack(const Exec& exec, const Panels<Exec>& panels, const Matrix<const float, Exec>& b,
                   Transpose transpose);
  template <class Exec>
  static void product(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                      const Panels<Exec>& b, bool add);
  template <class Exec>
  static void transposed(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                         const Matrix<const float, Exec>& b, bool add);
};

}  // namespace krossfold::kernels
