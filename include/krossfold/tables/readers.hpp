// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::tables {

/// Options common to all readers.
struct ReadParams {
  std::vector<std::string> known_classes{};  ///< if not empty, labels must be among these
  int features = 0;  ///< if not 0, the required number of features (read_libsvm pads to it and leaves others out)
  data::ImageShape
      image{};  ///< of the training data, if they are images: others are refused, and pictures get its channels
  bool labelled = true;  ///< false also accepts files without labels, and odd labels
  int limit = 0;         ///< if not 0, read_idx keeps only the first `limit` samples, but all class names
  int first_index = -1;  ///< of read_libsvm: 0 or 1; -1 takes it from the file
  bool imported =
      false;  ///< of read_libsvm: the features are those of an imported model; its training data may have had more
  bool sparse = false;  ///< samples may stay sparse, as data::stays_sparse() says: the caller takes both forms

  data::OddLabel odd_label() const { return labelled ? data::OddLabel::refused : data::OddLabel::no_class; }
};

/// Reads LIBSVM's text format, plain or .gz: "label index:value ..." with ascending indices; omitted features
/// are 0. Indices start at 0 if there is one of 0 in the file (as scikit-learn writes them), else at 1; a part of a file that
/// counts from 0 may lack feature 0 and needs params.first_index = 0, that of the training data. '#' starts a comment. With
/// !params.labelled, all lines may lack the label; an empty line between two of these is refused, as it may be a sample of zeros, and one below
/// is warned of. Features above params.features are left out, with a warning, if params.first_index and `warning` are given, and, if the former is 0,
/// the file has an index of 0; else, and with params.imported, they are an input error.
/// Throws an input error naming the line if a label or value is not a finite number, or if
/// an index is below the first, above ten million or not above the previous one; also if the samples do not fit in memory.
/// With params.sparse, large samples with few values are kept sparse. Adds what looks wrong to `warning`, if that is given, such as
/// indices that may count from 0 or from 1 where params.features is given and params.first_index is not.
data::Dataset read_libsvm(const std::string& path, const ReadParams& params = {},
                          std::vector<std::string>* warning = nullptr);

/// The 1,797 handwritten digits of 8x8 pixels (0 to 16) built into the library: the test part of "Optical Recognition
/// of Handwritten Digits" (E. Alpaydin, C. Kaynak, UCI Machine Learning Repository, CC BY 4.0).
data::Dataset embedded_digits(const std::vector<std::string>& known_classes = {});

/// Like read_libsvm, but from bytes; `name` is used in messages.
data::Dataset parse_libsvm(std::span<const std::byte> bytes, const std::string& name, const ReadParams& params = {},
                           std::vector<std::string>* warning = nullptr);

}  // namespace krossfold::tables
