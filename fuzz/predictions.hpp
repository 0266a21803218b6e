// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What must hold of every model that a reader gives.

#include <cstdint>

#include "fuzz/target.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/model/predictor.hpp"

namespace krossfold::fuzz {

inline constexpr std::uint64_t most_numbers = 1 << 16;  // of a sample, so that an input takes milliseconds

/// Predicts three samples of zeros.
inline void predict(const model::Predictor& predictor) {
  must(predictor.features() > 0 && !predictor.class_name().empty(), "a model has features and classes");
  if (static_cast<std::uint64_t>(predictor.features()) > most_numbers) return;
  const int samples = 3;
  const Matrix<float> raw("krossfold::fuzz::raw", samples, predictor.features());
  const model::Prediction found =
      predictor.predict(data::make_dataset("zeros", raw, Vector<const int>(), predictor.class_name()));
  for (const int predicted : found.predicted)
    must(predicted >= 0 && predicted < static_cast<int>(predictor.class_name().size()), "a class is predicted");
}

}  // namespace krossfold::fuzz
