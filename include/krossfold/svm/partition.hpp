// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::svm {

/// How the training samples are split into parts, each with a machine of its own.
enum class PartitionKind {
  whole,    ///< not at all
  voronoi,  ///< by the nearest of some centres; a point is predicted by the machine of its part
  random    ///< at random; a point is predicted by the mean of all machines' decision values
};

struct PartitionParams {
  PartitionKind kind = PartitionKind::whole;
  int size = 0;  ///< samples that a part is to have, about
};

/// Parses "none", "voronoi:SIZE" or "random:SIZE" with SIZE of at least 50. Throws an input error for anything else.
PartitionParams parse_partition(const std::string& word);

/// "voronoi" or "random".
const char* name_of(PartitionKind kind);

/// The parts of a training set.
struct Partition {
  PartitionKind kind = PartitionKind::whole;
  Matrix<const double> centre;           ///< (part, scaled feature); empty if the parts are random
  std::vector<std::vector<int>> sample;  ///< (part): its samples, ascending

  int parts() const { return static_cast<int>(sample.size()); }
  std::size_t largest() const;
};

/// Splits the samples of `train` into parts; a pure function of its arguments.
///
///   voronoi  ceil(n / size) centres are those of Lloyd's k-means on at most 100 samples a centre, drawn by the seed, from as many
///            of them as start (Lloyd, IEEE Trans. Inf. Theory 28 (1982) 129; 25 rounds). All samples go to their nearest centre. A
///            part of more than 1.2 size samples is split by k-means into ceil(its samples / size), and all samples
///            are assigned anew, up to 12 times. Then the centre of the smallest part is taken away, and its samples go to the
///            nearest of the others, as long as it has fewer than size / 8. Equal samples are never separated, so that a part of
///            them may be as large as there are.
///   random   ceil(n / size) parts, to which the samples of each class are dealt in a random order: their sizes and their
///            numbers of samples of each class differ by at most one.
///
/// No centre depends on labels. Throws an input error if centres are to be found of sparse samples.
Partition make_partition(const data::Dataset& train, const data::Scale& scale, const PartitionParams& params,
                         std::uint64_t seed);

/// The centre with the smallest sum_j (x_j - c_j)^2 of the scaled features x of each sample, in double; of equally near ones the
/// first. centre: (part, feature). Throws an input error if the number of features differs or the samples are sparse.
std::vector<int> nearest_centre(const Matrix<const double>& centre, const data::Scale& scale,
                                const data::Dataset& samples);

}  // namespace krossfold::svm
