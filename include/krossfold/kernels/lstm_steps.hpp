// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All time steps of an LSTM layer (lstm_cell.hpp). A host has a matrix product and a cell for each step; a device one launch for all
// steps, as a step is too short to fill one: a team takes a few windows and keeps what goes from step to step in scratch memory.

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/dropout.hpp"
#include "krossfold/kernels/panel_gemm.hpp"

namespace krossfold::kernels {

/// Of larger layers a device takes the steps one by one: each team would read all weights at each step, which takes longer than a product
/// and a cell of all teams together.
inline constexpr int most_hidden_of_teams = 256;

/// What a layer computes for `windows` windows: one row for each (step, window), at step * windows + window.
template <class Exec>
struct LstmSteps {
  int windows = 0;
  Matrix<float, Exec> gates;                    ///< (row, 4 hidden)
  Matrix<float, Exec> cell, tanh_cell, output;  ///< (row, hidden)
  Matrix<float, Exec> zero, dcell;  ///< (window, hidden), rows adjacent: 0, and what backwards goes from step to step

  int hidden() const { return static_cast<int>(cell.extent(1)); }
  int steps() const { return windows > 0 ? static_cast<int>(gates.extent(0)) / windows : 0; }
};

/// Dropout of what a layer hands to the next one (dropout.hpp). Without rows there is none.
template <class Exec>
struct LstmDropout {
  Vector<const int, Exec> row;
  DropoutParams params;
  Matrix<float, Exec> dropped;  ///< (row, hidden), rows adjacent: the outputs after it, written by lstm_steps()

  bool on() const { return row.extent(0) > 0; }
};

/// With W, 4 hidden x hidden, the weights of the output of the step before, and y that output (0 before the first step),
///   gates = lstm_cell(gates + W y, bias)
/// step by step. recurrent: W^T, packed. A device reads it fastest where it is stored as such.
template <class Exec>
void lstm_steps(const Exec& exec, const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                const Vector<const float, Exec>& bias, const LstmDropout<Exec>& dropout = {});

/// The gradient of the loss w.r.t. the pre-activations of all steps, backwards from the last one: with dy the gradient w.r.t. the
/// outputs (after dropout) from all later layers,
///   dgates = lstm_cell_backward(dy + W^T dgates of the next step).
/// recurrent: W, packed. dy is overwritten.
template <class Exec>
void lstm_steps_backward(const Exec& exec, const Matrix<float, Exec>& dgates, const Matrix<float, Exec>& dy,
                         const LstmSteps<Exec>& layer, const Panels<Exec>& recurrent,
                         const LstmDropout<Exec>& dropout = {});

}  // namespace krossfold::kernels
