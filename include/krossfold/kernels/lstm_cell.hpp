// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One time step of an LSTM layer (Hochreiter and Schmidhuber, Neural Computation 9 (1997) 1735, with the forget gate of
// Gers, Schmidhuber, Cummins, Neural Computation 12 (2000) 2451) in the form of torch.nn.LSTM.
//
// Matrices have one contiguous row per sample. `gates` has 4 blocks of `hidden` columns in PyTorch's order i, f, g, o;
// all others have `hidden` columns.

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// On entry, gates holds the pre-activations a without bias. On return, with sigma the logistic function:
///   i = sigma(a_i + b_i), f = sigma(a_f + b_f), g = tanh(a_g + b_g), o = sigma(a_o + b_o)  in gates
///   cell = f cell_before + i g, tanh_cell = tanh(cell), output = o tanh_cell
/// bias has 4 * hidden entries. cell_before must be 0 at the first step of a sequence.
template <class Exec>
void lstm_cell(const Exec& exec, const Matrix<float, Exec>& gates, const Matrix<float, Exec>& cell,
               const Matrix<float, Exec>& tanh_cell, const Matrix<float, Exec>& output,
               const Matrix<const float, Exec>& cell_before, const Vector<const float, Exec>& bias);

/// Gradient of the loss w.r.t. the pre-activations of that step, from the results of lstm_cell() and dy, the gradient
/// w.r.t. its output (from all later layers and steps). On entry, dcell is the next step's gradient w.r.t. `cell`; on
/// return, it is the gradient w.r.t. cell_before. With d = dcell + dy o (1 - tanh_cell^2):
///   da_i = d g i (1 - i), da_f = d cell_before f (1 - f), da_g = d i (1 - g^2), da_o = dy tanh_cell o (1 - o), dcell = d f
template <class Exec>
void lstm_cell_backward(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dcell,
                        const Matrix<const float, Exec>& dy, const Matrix<const float, Exec>& gates,
                        const Matrix<const float, Exec>& tanh_cell, const Matrix<const float, Exec>& cell_before);

}  // namespace krossfold::kernels
