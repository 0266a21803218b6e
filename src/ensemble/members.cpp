// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/members.hpp"

#include <cmath>
#include <numeric>

#include "block_sum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::ensemble {

template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability, std::span<const int> models) {
  if (models.empty()) throw_run_error("an ensemble has no models", "all failed or diverged");
  if (probability.extent(1) == 0 || probability.extent(2) == 0) {
    throw_run_error(
        text("an ensemble has ", probability.extent(1), " samples and ", probability.extent(2), " classes"));
  }
  std::vector<bool> seen(probability.extent(0), false);
  for (const int model : models) {
    if (model < 0 || model >= static_cast<int>(seen.size()) || seen[model]) {
      throw_run_error(
          text("model ", model, " cannot be selected from an ensemble of ", seen.size()),
          model < 0 || model >= static_cast<int>(seen.size()) ? "there is no such model" : "it is listed twice");
    }
    seen[model] = true;
  }
  return {probability, list_on<Exec>("krossfold::ensemble::model", models)};
}

template <class Exec>
Members<Exec> members(const Cube<const float, Exec>& probability) {
  std::vector<int> all(probability.extent(0));
  std::iota(all.begin(), all.end(), 0);
  return members<Exec>(probability, all);
}

template <class Exec>
std::vector<int> finite_models(const Exec& exec, const Cube<const float, Exec>& probability) {
  const int samples = static_cast<int>(probability.extent(1)), classes = static_cast<int>(probability.extent(2));
  std::vector<int> finite;
  for (int model = 0; model < static_cast<int>(probability.extent(0)); ++model) {
    const int broken = block_sum<int>(
        exec, samples, KOKKOS_LAMBDA(int i) {
          int count = 0;
          for (int c = 0; c < classes; ++c) count += fabsf(probability(model, i, c)) < HUGE_VALF ? 0 : 1;
          return count != 0 ? 1 : 0;
        });
    if (broken == 0) finite.push_back(model);
  }
  return finite;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                           \
  template Members<Exec> members<Exec>(const Cube<const float, Exec>&, std::span<const int>); \
  template Members<Exec> members<Exec>(const Cube<const float, Exec>&);                       \
  template std::vector<int> finite_models<Exec>(const Exec&, const Cube<const float, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::ensemble
