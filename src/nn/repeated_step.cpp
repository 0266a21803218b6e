// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/repeated_step.hpp"

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
  Kokkos::parallel_for(
      "krossfold::nn::next_batch", Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& team) {
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
      graph_(exec, [exec, order, loss, step, position = position_, row = row_, step_loss = step_loss_] {
        step(row, step_loss);
        next_batch<Exec>(exec, position, row, order, loss, step_loss);
      }) {}

template <class Exec>
void RepeatedStep<Exec>::launch(std::int64_t first) {
  if (first != next_) go_to_batch<Exec>(exec_, position_, row_, order_, first);
  graph_.launch();
  next_ = first + count_;
}

#define KROSSFOLD_INSTANTIATE(Exec) template class RepeatedStep<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
