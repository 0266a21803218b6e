// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Plain data without Kokkos: what a model remembers of the table that it was trained on.

#include <limits>
#include <string>
#include <vector>

#include "krossfold/core/serialize.hpp"

namespace krossfold::data {

/// A column that features are made of.
struct FeatureColumn {
  std::string name{};                                      ///< "" if the file has no names
  int column = 0;                                          ///< in the file, from 1
  bool text = false;                                       ///< its words become one feature for each of `category`
  std::vector<std::string> category{};                     ///< of the training part, in byte order
  double fill = std::numeric_limits<double>::quiet_NaN();  ///< takes the place of a missing number; NaN refuses it
};

/// How the columns of a table become features. tables::fit_encoding() fits it on the training part; it travels with a model,
/// so that data to predict are read alike.
struct TableEncoding {
  std::vector<FeatureColumn> column{};  ///< in the order of the features
  bool named = false;                   ///< the file has a header
  int columns = 0;                      ///< of the file
  std::string label{};                  ///< name of the label column
  int label_column = 0;                 ///< from 1; 0 if there are no labels, -1 if they lie in a file of their own

  /// Of the columns of groups and weights and of those left out, for the test data that come with the training data; not stored.
  std::string group{}, weight{};
  std::vector<std::string> dropped{};

  int features() const;                            ///< after encoding
  std::vector<std::string> feature_names() const;  ///< "COLUMN" or "COLUMN=CATEGORY"; empty if the file has no names

  void write(ByteWriter& writer) const;
  static TableEncoding read(ByteReader& reader);
};

/// The encoding of a file without names whose columns are the features in their order, then the label.
TableEncoding plain_encoding(int features);

}  // namespace krossfold::data
