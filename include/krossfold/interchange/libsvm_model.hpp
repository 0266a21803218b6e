// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The model files of LIBSVM (Chang, Lin, ACM TIST 2 (2011) 27; the format is that of svm_save_model in its svm.cpp).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "krossfold/interchange/libsvm_data.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::interchange {

/// An SVM as files of LIBSVM.
struct LibsvmFiles {
  std::string model;  ///< for svm-predict
  std::string
      range;  ///< for svm-scale -r, where the scale cannot be part of the model; "" if the model takes raw features
  std::string labels;  ///< lines "LABEL NAME", where class names are no whole numbers; "" if labels are the names
};

/// The machine as LIBSVM predicts with it: with a label for each class, in their order, and the pairs (a, b) of classes as binary
/// problems. LIBSVM knows no scale, so the model takes raw features x where the kernel of scaled ones is such a kernel of raw ones:
///   rbf with one divisor d     gamma' = gamma / d^2 and unscaled support vectors, because offsets cancel in distances
///   linear                     z'_j = (z_j - o_j) / d_j^2, and the offsets become part of rho
///   polynomial without offset  z'_j = z_j / d_j^2
/// Other models have scaled support vectors, and `range` maps raw features to scaled ones as svm-scale does. Features have the
/// numbers of the file that the machine was trained on if that was one of LIBSVM, else numbers from 1. Feature 0 has the offset 0 in
/// `range`, because svm-scale leaves it 0 where a file omits it.
/// Throws an input error that names `name` for one-vs-rest of more than two classes, which LIBSVM does not know, for class names with line
/// breaks, and where feature 0 needs its offset: for a polynomial kernel, or because the offset is large beside the divisor.
LibsvmFiles libsvm_files(const svm::Machine& machine, const std::string& name);

/// The machine of a model file of svm-train: C-SVC or nu-SVC with the kernel rbf, linear, polynomial or precomputed; the classes are in
/// the order of its labels. C is not in such a file and becomes 0. Throws an input error with line and column of what is wrong; sizes
/// are checked before memory is allocated.
/// `difference`, if given, becomes the largest difference of decision values from those that LIBSVM computes in double from the numbers of
/// the file, for some of the support vectors: the machine has its features in single precision, and its coefficients may be large.
svm::Machine machine_from_libsvm(std::span<const std::byte> bytes, const std::string& name, const LibsvmData& data,
                                 double* difference = nullptr);

/// The lines of a range file of svm-scale: x = (raw - offset) / divisor of the features with these numbers, which ascend. A feature
/// with a single value has the divisor 1e30, which makes it 0.
struct Range {
  std::vector<int> number;
  std::vector<double> offset, divisor;
};

/// Throws an input error with the line of what is wrong.
Range read_range(std::span<const std::byte> bytes, const std::string& name);

/// The scale of `features` features that are numbered from `first_index`; all numbers of the range are among them. Features that are
/// not in the range had a single value; svm-scale makes them 0, and so does their divisor of 1e30.
data::Scale scale_of(const Range& range, int features, int first_index);

}  // namespace krossfold::interchange
