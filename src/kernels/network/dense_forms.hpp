// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The three implementations of dense_forward() and dense_backward(), selected by DenseForm, with the same arguments.

#include "krossfold/kernels/dense.hpp"

namespace krossfold::kernels {

/// Row by row on the host.
struct DenseRows {
  template <class Exec>
  static void forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape);
  template <class Exec>
  static void backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                       const DenseUpdate& update);
};

/// Teams of threads.
struct DenseTeams {
  template <class Exec>
  static void forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape);
  template <class Exec>
  static void backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                       const DenseUpdate& update);
};

/// Matrix products of blocks of rows; a.work holds a copy of y or dy with one row per sample.
struct DenseGemm {
  template <class Exec>
  static void forward(const Exec& exec, const DenseForward<Exec>& a, const DenseShape& shape);
  template <class Exec>
  static void backward(const Exec& exec, const DenseBackward<Exec>& a, const DenseShape& shape,
                       const DenseUpdate& update);
};

}  // namespace krossfold::kernels
