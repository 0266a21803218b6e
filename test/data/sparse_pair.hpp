// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <string>

#include "krossfold/data/sparse_samples.hpp"

namespace krossfold::test {

/// The same samples in both forms.
struct SparsePair {
  data::Dataset dense, sparse;
};

/// n samples of d features of `classes` classes in turn. A feature has an entry with a probability of `share`, twice as often as that
/// where it belongs to the class; sample 1 has none. Whole numbers from -3 to 9, or normal ones.
inline SparsePair sparse_pair(int n, int d, double share, unsigned seed, bool whole, int classes = 3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<float> normal(1, 1);
  const Matrix<float> raw("krossfold::test::raw", n, d);
  const Vector<int> label("krossfold::test::label", n);
  std::vector<std::string> names;
  for (int c = 0; c < classes; ++c) names.push_back(std::string("class ") + std::to_string(c));
  for (int i = 0; i < n; ++i) {
    label(i) = i % classes;
    for (int j = 0; j < d; ++j) {
      const bool there = uniform(random) < (j % classes == label(i) ? 2 : 1) * share && i != 1;
      const float value = whole ? static_cast<float>(static_cast<int>(random() % 13) - 3) : normal(random);
      raw(i, j) = there ? value : 0.0f;
    }
  }
  SparsePair pair;
  pair.dense = data::make_dataset("pair", raw, label, names);
  pair.sparse = data::make_sparse_dataset("pair", data::sparse_values(pair.dense), label, names);
  return pair;
}

}  // namespace krossfold::test
