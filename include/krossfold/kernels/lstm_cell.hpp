// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One step of a layer of LSTM cells (Hochreiter and Schmidhuber, Neural Computation 9 (1997) 1735, with the forget gate of
// Gers, Schmidhuber, Cummins, Neural Computation 12 (2000) 2451) in the form of torch.nn.LSTM.
//
// Matrices have a row for each sample s. gates: 4 blocks of `hidden` columns, in PyTorch's order i, f, g, o; the others have
// `hidden` columns. Rows are contiguous.

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// In: gates = the pre-activations a without their bias. Out, with sigma the logistic function:
///   i = sigma(a_i + b_i), f = sigma(a_f + b_f), g = tanh(a_g + b_g), o = sigma(a_o + b_o)  in gates
///   cell = f cell_before + i g, tanh_cell = tanh(cell), output = o tanh_cell
/// bias: 4 hidden numbers. cell_before is 0 at a sequence's first step.
template <class Exec>
void lstm_cell(const Exec& exec, const Matrix<float, Exec>& gates, const Matrix<float, Exec>& cell,
               const Matrix<float, Exec>& tanh_cell, const Matrix<float, Exec>& output,
               const Matrix<const float, Exec>& cell_before, const Vector<const float, Exec>& bias);

/// The gradient of the loss by the pre-activations of such a step, from what lstm_cell() left and dy, the gradient by its output
/// (all that comes from later layers and steps). dcell: in: the gradient by `cell` that comes from the step after, out: that by
/// cell_before. With d = dcell + dy o (1 - tanh_cell^2):
///   da_i = d g i (1 - i), da_f = d cell_before f (1 - f), da_g = d i (1 - g^2), da_o = dy tanh_cell o (1 - o), dcell = d f
template <class Exec>
void lstm_cell_backward(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dcell,
                        const Matrix<const float, Exec>& dy, const Matrix<const float, Exec>& gates,
                        const Matrix<const float, Exec>& tanh_cell, const Matrix<const float, Exec>& cell_before);

}  // namespace krossfold::kernels
