// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::ensemble {

/// What the models of an ensemble say of some samples, and which of the models take part. Made by `members`.
template <class Exec>
struct Members {
  Cube<const float, Exec> probability;  ///< (model, sample, class): of each class, not negative, with sum 1
  Vector<const int, Exec> model;        ///< those that take part, in this order

  int models() const { return static_cast<int>(model.extent(0)); }
  int samples() const { return static_cast<int>(probability.extent(1)); }
  int classes() const { return static_cast<int>(probability.extent(2)); }
};

/// The given models of `probability` as an ensemble. A model that diverged (its probabilities are NaN) or that failed is
/// left out by not naming it: nothing of it is read then.
/// Throws a run error if `models` is empty, names a model that is not there or one twice, or for no samples or classes.
template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability, std::span<const int> models);

/// All models as an ensemble. Throws as above.
template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability);

/// The models all of whose probabilities are finite, ascending: the list for `members`.
template <class Exec>
std::vector<int> finite_models(const Exec& exec, const Cube<const float, Exec>& probability);

}  // namespace krossfold::ensemble
