// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Products of tall matrices with small ones that are used again and again, as the weights of a recurrent network are. A general GEMM
// copies both factors into a form of its own at each call, which took a tenth of the time of a training step of the character model; here the
// small one is brought into that form once, and the tall one is read where it lies. On devices: gemm().
//
// The bits of a row of C depend on that row of A (of a column of A, for transposed_gemm) and on B only, not on the number of rows.

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::kernels {

/// A k x n matrix in panels of neighbouring columns.
template <class Exec>
struct Panels {
  int k = 0, n = 0;
  Vector<float, Exec> value;
};

/// Room for the panels of a k x n matrix.
template <class Exec>
Panels<Exec> make_panels(const std::string& label, int k, int n);

/// Fills the panels with op(B): k x n.
template <class Exec>
void pack_panels(const Exec& exec, const Panels<Exec>& panels, const Matrix<const float, Exec>& b, Transpose transpose);

/// C = A B, or C += A B if `add`. A: m x k, C: m x n.
template <class Exec>
void panel_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                const Panels<Exec>& b, bool add);

/// C = A^T B, or C += A^T B if `add`. A: k x m, B: k x n with many rows, C: m x n. The rows are summed in blocks of 256.
template <class Exec>
void transposed_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                     const Matrix<const float, Exec>& b, bool add);

}  // namespace krossfold::kernels
