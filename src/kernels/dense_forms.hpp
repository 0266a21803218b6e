// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The three forms of dense_forward() and dense_backward(), chosen by DenseForm; arguments as there.

#include "krossfold/kernels/dense.hpp"

namespace krossfold::kernels {

inline constexpr int dense_block = 512;  ///< inputs of one partial sum

/// Row after row on the host.
struct DenseRows {
  template <class Exec>
  static void forward(const Exec& exec, const Vector<float, Exec>& partial, const Vector<const float, Exec>& weight,
                      const Vector<const float, Exec>& x, const DenseShape& shape);
  template <class Exec>
  static void backward(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
                       const Vector<float, Exec>& dx, const Vector<const float, Exec>& x,
                       const Vector<const float, Exec>& dy, const DenseShape& shape, const DenseUpdate& update);
};

/// Teams of threads.
struct DenseTeams {
  template <class Exec>
  static void forward(const Exec& exec, const Vector<float, Exec>& partial, const Vector<const float, Exec>& weight,
                      const Vector<const float, Exec>& x, const DenseShape& shape);
  template <class Exec>
  static void backward(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
                       const Vector<float, Exec>& dx, const Vector<const float, Exec>& x,
                       const Vector<const float, Exec>& dy, const DenseShape& shape, const DenseUpdate& update);
};

/// Products of blocks of rows, with `work` as room for a copy of y or dy in rows of samples.
struct DenseGemm {
  template <class Exec>
  static void forward(const Exec& exec, const Vector<float, Exec>& partial, const Vector<const float, Exec>& weight,
                      const Vector<const float, Exec>& x, const DenseShape& shape, const Vector<float, Exec>& work);
  template <class Exec>
  static void backward(const Exec& exec, const Vector<float, Exec>& weight, const Vector<float, Exec>& velocity,
                       const Vector<float, Exec>& dx, const Vector<const float, Exec>& x,
                       const Vector<const float, Exec>& dy, const DenseShape& shape, const DenseUpdate& update,
                       const Vector<float, Exec>& work);
};

}  // namespace krossfold::kernels
