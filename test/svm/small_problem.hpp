// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/data/readers.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::test {

/// The first n embedded digits of the given classes, relabelled 0, 1, ....
inline data::Dataset some_digits(int n, const std::vector<int>& classes) {
  const data::Dataset digits = data::embedded_digits();
  const Matrix<float> raw("krossfold::test::raw", n, digits.features());
  const Vector<int> label("krossfold::test::label", n);
  int kept = 0;
  for (int i = 0; i < digits.size() && kept < n; ++i) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (digits.label(i) != classes[c]) continue;
      for (int j = 0; j < digits.features(); ++j) raw(kept, j) = digits.raw(i, j);
      label(kept++) = static_cast<int>(c);
      break;
    }
  }
  std::vector<std::string> names;
  for (const int c : classes) names.push_back(std::to_string(c));
  return data::make_dataset("digits", Kokkos::subview(raw, Kokkos::make_pair(0, kept), Kokkos::ALL),
                            Kokkos::subview(label, Kokkos::make_pair(0, kept)), names, digits.image);
}

/// The kernel of a data set: less one in float on the device, and in double on the host by the definition.
struct KernelPair {
  Matrix<float, Device> minus_one;
  std::vector<double> exact;
  Vector<const int, Device> label;
};

inline KernelPair make_kernel(const data::Dataset& set, double gamma) {
  const data::Scale scale = data::fit_scale(set, "");
  const auto points = svm::make_points<Device>(set, scale, svm::best_form(set, scale));
  KernelPair pair;
  pair.minus_one = padded_matrix<float, Device>("krossfold::test::kernel", set.size(), set.size());
  svm::squared_distance(Device(), pair.minus_one, points);
  kernels::rbf_minus_one<Device>(Device(), pair.minus_one, pair.minus_one, gamma * points.unit);
  const auto x = data::apply_scale(scale, set.raw);
  const auto n = static_cast<std::size_t>(set.size());
  pair.exact.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double d2 = 0;
      for (int k = 0; k < set.features(); ++k) d2 += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
      pair.exact[i * n + j] = std::exp(-gamma * d2);
    }
  }
  pair.label = on_device<Device>(set.label);
  return pair;
}

}  // namespace krossfold::test
