// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "krossfold/core/launch_graph.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// A training step that is recorded once and launched for one batch after another (core/launch_graph.hpp). The step reads its rows from
/// a list of its own and writes the losses there, which one more kernel moves on to the next batch, so that its arguments never change.
template <class Exec>
class RepeatedStep {
public:
  /// A step on samples row(0) ... row(count - 1); loss(s) = the loss of sample row(s).
  using Step = std::function<void(const Vector<const int, Exec>& row, const Vector<double, Exec>& loss)>;

  /// `order`: the rows of an epoch; `loss`: of these rows, as long; both are read and written when a step runs. `step` must have run
  /// once before, and is recorded here.
  RepeatedStep(const Exec& exec, int count, const Vector<const int, Exec>& order, const Vector<double, Exec>& loss,
               const Step& step);

  /// Starts the step on order(first) ... order(first + count - 1), and writes their losses to the same places of `loss`.
  void launch(std::int64_t first);
  /// To be called when the values of `order` have changed: the next batch is read anew.
  void order_changed() { next_ = -1; }
  bool recorded() const { return graph_.recorded(); }

private:
  Exec exec_;
  int count_;
  Vector<const int, Exec> order_;
  Vector<std::int64_t, Exec> position_;  ///< of the batch whose rows are in row_
  Vector<int, Exec> row_;
  Vector<double, Exec> step_loss_;
  std::int64_t next_ = -1;  ///< the value of position_ once all that was started has run; -1 before the first step
  LaunchGraph<Exec> graph_;
};

}  // namespace krossfold::nn
