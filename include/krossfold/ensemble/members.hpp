// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

/// The predictions of an ensemble's models and the list of models that take part. Made by `members`.
template <class Exec>
struct Members {
  Cube<const float, Exec> probability;  ///< (model, sample, class): non-negative, sums to 1 over the classes
  Vector<const int, Exec> model;        ///< the models that take part, in this order

  int models() const { return static_cast<int>(model.extent(0)); }
  int samples() const { return static_cast<int>(probability.extent(1)); }
  int classes() const { return static_cast<int>(probability.extent(2)); }
};

/// An ensemble of the given models of `probability`. Models that diverged (their probabilities are NaN) or failed are
/// excluded by leaving them out of the list; their data is then never read.
/// Throws a run error if `models` is empty, names a missing model or one model twice, or for no samples or classes.
template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability, std::span<const int> models);

/// An ensemble of all models. Throws as above.
template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability);

/// The models whose probabilities are all finite, in ascending order: the list for `members`.
template <class Exec>
std::vector<int> finite_models(const Exec& exec, const Cube<const float, Exec>& probability);

}  // namespace krossfold::ensemble
