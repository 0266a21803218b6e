// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Products of tall matrices with small ones that are reused many times, such as the weights of a recurrent network. A
// general GEMM packs both factors on every call, which took 10 % of a training step of the character model; here the
// small factor is packed once and the tall one is read in place. On devices this is gemm(), and nothing is packed.
//
// Each row of C depends bitwise only on its row of A (column for transposed_gemm) and on B, not on the number of rows.

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::kernels {

/// A k x n matrix packed in panels of adjacent columns; on devices the matrix that pack_panels() was given.
template <class Exec>
struct Panels {
  int k = 0, n = 0;
  Vector<float, Exec> value;         ///< on hosts
  Matrix<const float, Exec> matrix;  ///< on devices: k x n, or n x k with Transpose::yes
  Transpose transpose = Transpose::no;
  Precision precision = Precision::single;  ///< of the products with them
};

/// The panels of a k x n matrix, allocated on hosts.
template <class Exec>
Panels<Exec> make_panels(const std::string& label, int k, int n);

/// Packs op(B), which is k x n, into the panels. On devices they refer to B, which must stay as it is while they are used.
template <class Exec>
void pack_panels(const Exec& exec, Panels<Exec>& panels, const Matrix<const float, Exec>& b, Transpose transpose,
                 Precision precision = Precision::single);

/// C = A B, or C += A B if `add`. A: m x k, C: m x n.
template <class Exec>
void panel_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                const Panels<Exec>& b, bool add);

/// C = A^T B, or C += A^T B if `add`. A: k x m, B: k x n with large k, C: m x n. Rows are summed in blocks of 256.
template <class Exec>
void transposed_gemm(const Exec& exec, const Matrix<float, Exec>& c, const Matrix<const float, Exec>& a,
                     const Matrix<const float, Exec>& b, bool add, Precision precision = Precision::single);

}  // namespace krossfold::kernels
