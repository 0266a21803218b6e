// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/svm/newton.hpp"
#include "sub_problem_rows.hpp"

namespace krossfold::svm {

/// NewtonWork, for kernels.
struct NewtonRows {
  template <class Exec>
  explicit NewtonRows(const NewtonWork<Exec>& work)
      : limit(work.limit),
        states(work.state.data()),
        sizes(work.size.data()),
        factor(work.factor),
        solution(work.solution),
        free(work.free),
        unknown(work.unknown),
        next(work.next),
        gradient(work.gradient),
        step(work.step),
        first_step(work.first_step),
        offset(work.offset),
        product(work.product) {}
  /// For a kernel of many teams, which only reads states and sizes.
  template <class Exec>
  NewtonRows(const Exec& exec, const NewtonWork<Exec>& work) : NewtonRows(work) {
    states = to_read(exec, work.state, work.copied_state);
    sizes = to_read(exec, work.size, work.copied_size);
  }
  KOKKOS_INLINE_FUNCTION NewtonState& state(int s) const { return states[s]; }
  KOKKOS_INLINE_FUNCTION int size(int s) const { return sizes[s]; }

  int limit;
  NewtonState* states;
  const int* sizes;
  Rows<double> factor, solution;
  Rows<int> free, unknown, next;
  Rows<double> gradient, step, first_step, offset, product;
};

}  // namespace krossfold::svm
