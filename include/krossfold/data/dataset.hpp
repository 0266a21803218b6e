// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::data {

/// Shape of a sample that is an image; width 0 where it is none.
struct ImageShape {
  int width = 0, height = 0, channels = 1;

  bool operator==(const ImageShape&) const = default;
};

/// Labelled samples in host memory. Values are as in the file, unscaled.
struct Dataset {
  std::string name;  ///< "digits", or the file it came from
  Digest digest = 0;
  Matrix<const float> raw;              ///< (sample, feature)
  Vector<const int> label;              ///< index into class_name; empty where the file had no labels
  std::vector<std::string> class_name;  ///< as in the file; numbers ascending, else in byte order
  ImageShape image;
  bool integer = false;  ///< every value is a whole number
  float lowest = 0, highest = 0;

  int size() const { return static_cast<int>(raw.extent(0)); }
  int features() const { return static_cast<int>(raw.extent(1)); }
  int classes() const { return static_cast<int>(class_name.size()); }
  bool labelled() const { return label.extent(0) == raw.extent(0); }
};

/// Makes a data set of freshly read values: finds `integer`, `lowest`, `highest`, computes the digest (CRC-64 of the
/// numbers of samples and features, the values, the labels and the class names).
/// Throws an input error for no samples, no features, a NaN or an infinity (naming its row and column).
Dataset make_dataset(std::string name, Matrix<const float> raw, Vector<const int> label,
                     std::vector<std::string> class_name, ImageShape image = {});

/// Maps the labels as written in a file to class indices. With `known` classes every label must be one of them
/// (else an input error that names it); otherwise the classes are those present, ascending as numbers if all are, else
/// in byte order. "3", "3.0" and "+3" are the same class, named "3". Throws an input error for a label that is empty or
/// says NaN or infinity.
struct Labels {
  Vector<const int> label;
  std::vector<std::string> class_name;
};
Labels index_labels(const std::vector<std::string>& written, const std::vector<std::string>& known,
                    const std::string& file);

/// Rows first ... first + count - 1, at least one; shares memory with `whole`; integer, lowest, highest and digest are
/// those of the part. Throws an input error if there are no such rows.
Dataset rows(const Dataset& whole, int first, int count);

/// What a study works on.
struct Task {
  Dataset train, test;  ///< test.size() == 0 where there is none
};

}  // namespace krossfold::data
