// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/left_out.hpp"

#include <algorithm>

#include "krossfold/svm/decomposition.hpp"

namespace krossfold::studies {

bool may_join_folds(const SvmLayout& search) {
  return !search.class_weights.balanced && !search.weights_of_fold && search.params.factor == 0;
}

std::vector<int> is_left_out(const LeftOut& training, int samples) {
  std::vector<int> out(static_cast<std::size_t>(samples), 0);
  for (const int i : training.held) out[static_cast<std::size_t>(i)] = 1;
  for (const int i : training.others) out[static_cast<std::size_t>(i)] = 1;
  return out;
}

Matrix<const std::int8_t, Device> signs_of(const Device& exec, const SvmLayout& search,
                                           const Vector<const int, Device>& label,
                                           const std::vector<LeftOut>& trainings) {
  const auto of = [&](const LeftOut& training) {
    const auto out = list_on<Device>("krossfold::studies::left_out", is_left_out(training, search.samples));
    return svm::make_signs<Device>(exec, search.multiclass, search.classes, label, out);
  };
  if (trainings.size() == 1) return of(trainings.front());
  const int each = search.problems;
  const Matrix<std::int8_t, Device> all(uninitialized("krossfold::studies::signs"),
                                        trainings.size() * static_cast<std::size_t>(each), search.samples);
  int first = 0;
  for (const LeftOut& training : trainings) {
    const auto one = of(training);
    Kokkos::deep_copy(exec, Kokkos::subview(all, Kokkos::make_pair(first, first + each), Kokkos::ALL), one);
    fence(exec, "krossfold::studies::signs");
    first += each;
  }
  return all;
}

svm::Outside<Device> outside_of(const std::vector<LeftOut>& trainings) {
  std::size_t width = 0;
  for (const LeftOut& training : trainings) width = std::max(width, training.held.size());
  std::vector<int> list(width * trainings.size(), -1);
  for (std::size_t t = 0; t < trainings.size(); ++t) {
    std::copy(trainings[t].held.begin(), trainings[t].held.end(),
              list.begin() + static_cast<std::ptrdiff_t>(t * width));
  }
  return {list_on<Device>("krossfold::studies::outside", list), static_cast<int>(trainings.size())};
}

}  // namespace krossfold::studies
