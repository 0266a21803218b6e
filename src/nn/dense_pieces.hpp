// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Passes over the weights of large dense layers in pieces, between which a training is polled: one pass over some gigabytes takes
// longer than a stop may wait. Rows do not depend on one another, so that the results are bitwise those of one pass.

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "krossfold/core/poll.hpp"
#include "krossfold/kernels/dense.hpp"
#include "part_of.hpp"

namespace krossfold::nn {

/// Polls within a step. A step that ends within a second is completed, because a network is of no use after half a step: only a
/// longer one throws Stopped.
class StepPoll {
public:
  explicit StepPoll(const Poll* poll = nullptr) : poll_(poll), began_(Clock::now()) {}
  bool on() const { return poll_ != nullptr && *poll_; }
  void operator()() const {
    try {
      call(*poll_);
    } catch (const Stopped&) {
      if (Clock::now() - began_ > std::chrono::seconds(1)) throw;
    }
  }

private:
  using Clock = std::chrono::steady_clock;
  const Poll* poll_;
  Clock::time_point began_;
};

/// Rows of weights between two polls: 16 MiB for each thread, and whole blocks of partial sums; 0 for all at once.
template <class Exec>
std::int64_t rows_between_polls(const Exec& exec, const StepPoll& poll, kernels::DenseForm form,
                                const kernels::DenseShape& shape) {
  constexpr std::int64_t floats = 1 << 22;
  const std::int64_t piece = floats * std::max(1, static_cast<int>(exec.concurrency()));
  if (!poll.on() || form != kernels::DenseForm::rows || shape.weights() <= 2 * piece) return 0;
  return std::max<std::int64_t>(1, piece / shape.stride() / kernels::dense_block) * kernels::dense_block;
}

template <class Exec>
Vector<const float, Exec> const_part_of(const Vector<const float, Exec>& all, std::int64_t first, std::int64_t count) {
  return Kokkos::subview(all, Kokkos::make_pair(first, first + count));
}

/// kernels::dense_forward() in pieces.
template <class Exec>
void dense_forward(const Exec& exec, kernels::DenseForm form, const kernels::DenseForward<Exec>& a,
                   const kernels::DenseShape& shape, const StepPoll& poll) {
  const std::int64_t rows = rows_between_polls(exec, poll, form, shape);
  if (rows == 0) return kernels::dense_forward<Exec>(exec, form, a, shape);
  for (std::int64_t first = 0; first < shape.inputs; first += rows) {
    poll();
    kernels::DenseShape piece = shape;
    piece.inputs = std::min(rows, shape.inputs - first);
    const std::int64_t sums = first / kernels::dense_block * shape.tile_size();
    kernels::dense_forward<Exec>(
        exec, form,
        {part_of<Exec>(a.partial, sums, kernels::dense_partials(form, piece.inputs) * std::int64_t{shape.tile_size()}),
         const_part_of<Exec>(a.weight, first * shape.stride(), piece.weights()),
         const_part_of<Exec>(a.x, first * shape.batch, piece.inputs * shape.batch), a.work},
        piece);
  }
}

/// kernels::dense_backward() in pieces.
template <class Exec>
void dense_backward(const Exec& exec, kernels::DenseForm form, const kernels::DenseBackward<Exec>& a,
                    const kernels::DenseShape& shape, const kernels::DenseUpdate& update, const StepPoll& poll) {
  const std::int64_t rows = rows_between_polls(exec, poll, form, shape);
  if (rows == 0) return kernels::dense_backward<Exec>(exec, form, a, shape, update);
  for (std::int64_t first = 0; first < shape.inputs; first += rows) {
    poll();
    kernels::DenseShape piece = shape;
    piece.inputs = std::min(rows, shape.inputs - first);
    const std::int64_t at = first * shape.batch, values = piece.inputs * shape.batch;
    kernels::dense_backward<Exec>(exec, form,
                                  {part_of<Exec>(a.weight, first * shape.stride(), piece.weights()),
                                   part_of<Exec>(a.velocity, first * shape.stride(), piece.weights()),
                                   update.input_gradient ? part_of<Exec>(a.dx, at, values) : a.dx,
                                   const_part_of<Exec>(a.x, at, values), a.dy, a.work},
                                  piece, update);
  }
}

}  // namespace krossfold::nn
