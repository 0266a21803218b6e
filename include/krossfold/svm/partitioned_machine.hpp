// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/partition.hpp"

namespace krossfold::svm {

/// The machines of the parts of a training set, in host memory; all are of the same classes, decomposition, features and scale.
struct PartitionedMachine {
  PartitionKind kind = PartitionKind::voronoi;
  Matrix<const double> centre;  ///< (part, scaled feature) of PartitionKind::voronoi
  std::vector<Machine> part;    ///< at least one

  int parts() const { return static_cast<int>(part.size()); }
  const Machine& first() const { return part.front(); }
};

/// Decision values (sample, problem). Voronoi: those of the machine of the part whose centre is nearest (see nearest_centre()).
/// Random: the mean over the machines of all parts, summed in their order. Throws an input error if the number of features differs.
template <class Exec>
Matrix<double> decision_values(const Exec& exec, const PartitionedMachine& machine, const data::Dataset& samples,
                               const Poll& poll = {});

/// The samples `of` a set, with the range of the whole: a few of them may be whole numbers by chance, and distances would be
/// computed in another form.
data::Dataset part_of(const data::Dataset& whole, const std::vector<int>& of);

}  // namespace krossfold::svm
