// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/repeated_step.hpp"

#include <utility>

namespace krossfold::nn {
namespace {

/// position(0) = first, row(s) = order(first + s).
template <class Exec>
void go_to_batch(const Exec& exec, const Vector<std::int64_t, Exec>& position, const Vector<int, Exec>& row,
                 const Vector<const int, Exec>& order, std::int64_t first) {
  Kokkos::parallel_for(
      "krossfold::nn::go_to_batch", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(row.extent(0))),
      KOKKOS_LAMBDA(int s) {
        if (s == 0) position(0) = first;
        row(s) = order(first + s);
      });
}

/// Moves the losses of the batch at position(0) to their places, and goes on to the next batch; rows beyond the end stay what they are.
template <class Exec>
void next_batch(const Exec& exec, const Vector<std::int64_t, Exec>& position, const Vector<int, Exec>& row,
                const Vector<const int, Exec>& order, const Vector<double, Exec>& loss,
                const Vector<const double, Exec>& step_loss) {
  const int count = static_cast<int>(row.extent(0));
  const auto end = static_cast<std::int64_t>(order.extent(0));
  launch_teams<Exec>(
      "krossfold::nn::next_batch", 1, [exec](int teams) { return Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO); },
      KOKKOS_LAMBDA(const Team<Exec>& team, int) {
        const std::int64_t first = position(0);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int s) {
          loss(first + s) = step_loss(s);
          if (first + count + s < end) row(s) = order(first + count + s);
        });
        team.team_barrier();  // all threads have read the position
        Kokkos::single(Kokkos::PerTeam(team), [&] { position(0) = first + count; });
      });
}

}  // namespace

template <class Exec>
RepeatedStep<Exec>::RepeatedStep(const Exec& exec, int count, const Vector<const int, Exec>& order,
                                 const Vector<double, Exec>& loss, const Step& step)
    : exec_(exec),
      count_(count),
      order_(order),
      position_("krossfold::nn::position", 1),
      row_("krossfold::nn::row", count),
      step_loss_("krossfold::nn::step_loss", count),
      kernels_([exec, order, loss, step, position = position_, row = row_, step_loss = step_loss_] {
        step(row, step_loss);
        next_batch<Exec>(exec, position, row, order, loss, step_loss);
      }) {}

template <class Exec>
void RepeatedStep<Exec>::go_to(std::int64_t first) {
  if (first != next_) go_to_batch<Exec>(exec_, position_, row_, order_, first);
  next_ = first + count_;
}

template <class Exec>
void RepeatedStep<Exec>::launch(std::int64_t first) {
  if (!graph_) graph_.emplace(exec_, kernels_);
  go_to(first);
  graph_->launch();
}

template <class Exec>
std::vector<std::function<void()>> FusedSteps<Exec>::kernels_of(const std::vector<RepeatedStep<Exec>*>& steps) {
  std::vector<std::function<void()>> kernels;
  for (const RepeatedStep<Exec>* step : steps) {
    if constexpr (repeats_launches<Exec>) {
      if (step->exec_.impl_instance_id() != steps.front()->exec_.impl_instance_id()) return {};
    }
    kernels.push_back(step->kernels_);
  }
  return kernels;
}

template <class Exec>
FusedSteps<Exec>::FusedSteps(std::vector<RepeatedStep<Exec>*> steps)
    : steps_(std::move(steps)), kernels_(steps_.front()->exec_, kernels_of(steps_)) {}

template <class Exec>
void FusedSteps<Exec>::launch(const std::vector<std::int64_t>& first) {
  for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k]->go_to(first[k]);
  kernels_.launch();
}

#define KROSSFOLD_INSTANTIATE(Exec)  \
  template class RepeatedStep<Exec>; \
  template class FusedSteps<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
