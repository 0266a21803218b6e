// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "krossfold/core/fused_launch.hpp"
#include "krossfold/core/launch_graph.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// A training step that is launched for one batch after another with the same arguments (core/launch_graph.hpp). The step reads its rows
/// from a list of its own and writes the losses there, which one more kernel moves on to the next batch.
template <class Exec>
class RepeatedStep {
public:
  /// A step on samples row(0) ... row(count - 1); loss(s) = the loss of sample row(s).
  using Step = std::function<void(const Vector<const int, Exec>& row, const Vector<double, Exec>& loss)>;

  /// `order`: the rows of an epoch; `loss`: of these rows, as long; both are read and written when a step runs. The first launch calls
  /// `step`, which must have run once before.
  RepeatedStep(const Exec& exec, int count, const Vector<const int, Exec>& order, const Vector<double, Exec>& loss,
               const Step& step);

  /// Starts the step on order(first) ... order(first + count - 1), and writes their losses to the same places of `loss`.
  void launch(std::int64_t first);
  /// To be called when the values of `order` have changed: the next batch is read anew.
  void order_changed() { next_ = -1; }
  bool recorded() const { return graph_ && graph_->recorded(); }

private:
  template <class Space>
  friend class FusedSteps;

  void go_to(std::int64_t first);

  Exec exec_;
  int count_;
  Vector<const int, Exec> order_;
  Vector<std::int64_t, Exec> position_;  ///< of the batch whose rows are in row_
  Vector<int, Exec> row_;
  Vector<double, Exec> step_loss_;
  std::int64_t next_ = -1;  ///< the value of position_ once all that was started has run; -1 before the first step
  std::function<void()> kernels_;  ///< launches the step
  std::optional<LaunchGraph<Exec>> graph_;
};

/// The same steps of several trainings, each on batches of its own, by one kernel for all of them (core/fused_launch.hpp).
template <class Exec>
class FusedSteps {
public:
  /// The steps must outlive this, and are called once. They do not fit if they have several instances of the execution space.
  explicit FusedSteps(std::vector<RepeatedStep<Exec>*> steps);
  /// False if the steps do not launch the same kernels one after another; launch() must not be called then.
  bool fits() const { return kernels_.fits(); }
  /// As step->launch(first) for each step and its first.
  void launch(const std::vector<std::int64_t>& first);
  const std::vector<RepeatedStep<Exec>*>& steps() const { return steps_; }
  bool recorded() const { return kernels_.recorded(); }

private:
  /// None if the steps have several instances: then nothing fits.
  static std::vector<std::function<void()>> kernels_of(const std::vector<RepeatedStep<Exec>*>& steps);

  std::vector<RepeatedStep<Exec>*> steps_;
  FusedLaunch<Exec> kernels_;
};

}  // namespace krossfold::nn
