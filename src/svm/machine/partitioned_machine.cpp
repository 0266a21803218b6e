// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/partitioned_machine.hpp"

#include <cstddef>

namespace krossfold::svm {

namespace {

template <class Exec>
Matrix<double> of_nearest(const Exec& exec, const PartitionedMachine& machine, const data::Dataset& samples,
                          const Poll& poll) {
  const std::vector<int> nearest = nearest_centre(machine.centre, machine.first().scale, samples);
  std::vector<std::vector<int>> of(machine.part.size());
  for (std::size_t i = 0; i < nearest.size(); ++i)
    of[static_cast<std::size_t>(nearest[i])].push_back(static_cast<int>(i));
  const Matrix<double> decision(uninitialized("krossfold::svm::part_decision"), samples.size(),
                                machine.first().problems());
  for (std::size_t p = 0; p < of.size(); ++p) {
    if (of[p].empty()) continue;
    const Matrix<double> own = decision_values(exec, machine.part[p], part_of(samples, of[p]), poll);
    for (std::size_t k = 0; k < of[p].size(); ++k) {
      for (std::size_t b = 0; b < own.extent(1); ++b) decision(of[p][k], b) = own(k, b);
    }
  }
  return decision;
}

template <class Exec>
Matrix<double> mean_of_all(const Exec& exec, const PartitionedMachine& machine, const data::Dataset& samples,
                           const Poll& poll) {
  const Matrix<double> mean("krossfold::svm::mean_decision", samples.size(), machine.first().problems());
  for (const Machine& part : machine.part) {
    const Matrix<double> own = decision_values(exec, part, samples, poll);
    for (std::size_t i = 0; i < own.extent(0); ++i) {
      for (std::size_t b = 0; b < own.extent(1); ++b) mean(i, b) += own(i, b);
    }
  }
  for (std::size_t i = 0; i < mean.extent(0); ++i) {
    for (std::size_t b = 0; b < mean.extent(1); ++b) mean(i, b) /= machine.parts();
  }
  return mean;
}

}  // namespace

template <class Exec>
Matrix<double> decision_values(const Exec& exec, const PartitionedMachine& machine, const data::Dataset& samples,
                               const Poll& poll) {
  return machine.kind == PartitionKind::voronoi ? of_nearest(exec, machine, samples, poll)
                                                : mean_of_all(exec, machine, samples, poll);
}

data::Dataset part_of(const data::Dataset& whole, const std::vector<int>& of) {
  data::Dataset part = data::select(whole, of);
  part.integer = whole.integer;
  part.lowest = whole.lowest;
  part.highest = whole.highest;
  return part;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                           \
  template Matrix<double> decision_values<Exec>(const Exec&, const PartitionedMachine&, const data::Dataset&, \
                                                const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
