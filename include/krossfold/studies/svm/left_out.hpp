// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::studies {

/// The samples that one training leaves out.
struct LeftOut {
  std::vector<int> held;      ///< their decision values are wanted
  std::vector<int> others{};  ///< they are not
};

/// Whether the problems of several folds may be solved in one path: not if the weights of the samples depend on the fold, nor on a
/// factor of the kernel matrix.
bool may_join_folds(const SvmLayout& search);

/// The signs of the problems of all these trainings, one after another, see svm::DualProblems.
/// label: (sample), the class.
Matrix<const std::int8_t, Device> signs_of(const Device& exec, const SvmLayout& search,
                                           const Vector<const int, Device>& label,
                                           const std::vector<LeftOut>& trainings);

/// The samples whose decision values these trainings give.
svm::Outside<Device> outside_of(const std::vector<LeftOut>& trainings);

/// 1 for each sample that the training leaves out, (sample).
std::vector<int> is_left_out(const LeftOut& training, int samples);

}  // namespace krossfold::studies
