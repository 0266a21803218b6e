// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/sparse_matrix.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/data/table_encoding.hpp"

namespace krossfold::data {

/// Shape of a sample that is an image; the width is 0 if it is not one.
struct ImageShape {
  int width = 0, height = 0, channels = 1;

  bool is_image() const { return width > 0; }
  bool operator==(const ImageShape&) const = default;
};

/// Labelled samples in host memory, with unscaled values as in the file.
struct Dataset {
  std::string name;  ///< "digits", or the source file
  Digest digest = 0;
  Matrix<const float> raw;  ///< (sample, feature); empty if the samples are sparse
  Vector<const int> label;  ///< index into class_name, or -1 (OddLabel::no_class); empty if the file has no labels
  std::vector<std::string> class_name;  ///< ascending if all are numbers, else in byte order
  ImageShape image;
  bool integer = false;  ///< every value is a whole number
  float lowest = 0, highest = 0;
  float white =
      0;  ///< what white is in samples that were decoded from pictures, where black is 0; 0 if only the values tell
  Vector<const int> group{};      ///< (sample), numbers from 0 of what belongs together; or empty
  Vector<const double> weight{};  ///< (sample), 0 or more; or empty
  std::shared_ptr<const TableEncoding>
      encoding{};           ///< how columns of a table became the features; null if they are not
  int first_index = -1;     ///< 0 or 1 of a libsvm file, so that other files can be read alike; -1 of any other
  Vector<const int> row{};  ///< (sample), its number in the file, from 0; empty if sample i is number i
  SparseMatrix<float>
      sparse{};  ///< (sample, feature), instead of `raw`, where most values are 0: see sparse_samples.hpp

  bool is_sparse() const { return sparse.columns > 0; }
  int size() const { return is_sparse() ? sparse.rows() : static_cast<int>(raw.extent(0)); }
  int features() const { return is_sparse() ? sparse.columns : static_cast<int>(raw.extent(1)); }
  int classes() const { return static_cast<int>(class_name.size()); }
  std::vector<std::string> feature_names() const;  ///< (feature); empty if there are no names
  std::vector<int> file_rows() const;              ///< (sample): `row`, or 0, 1, 2, ... where that is empty
  bool labelled() const { return static_cast<int>(label.extent(0)) == size(); }
};

/// Makes a data set from values just read: determines `integer`, `lowest` and `highest` and computes the digest (CRC-64
/// of the numbers of samples and features, the values, the labels and the class names). Throws an input error if there
/// are no samples or features, if the number of labels is wrong, or for a NaN or infinity (naming its row and column).
Dataset make_dataset(std::string name, Matrix<const float> raw, Vector<const int> label,
                     std::vector<std::string> class_name, ImageShape image = {});

/// Adds the encoding that made the features, groups and weights, each of which may be empty. Groups and weights become part
/// of the digest; names do not, because it identifies values. Throws an input error if a number of them is wrong.
Dataset with_columns(Dataset dataset, std::shared_ptr<const TableEncoding> encoding, Vector<const int> group,
                     Vector<const double> weight);

/// Maps labels as written in a file to class indices. If `known` is not empty, every label must be one of these classes
/// (otherwise an input error names it); if it is, the classes are those present, in ascending order if all are numbers,
/// else in byte order. Numbers are one class in whatever way they are written: "3", "3.0", "+3" and "3.0e+00" are "3"; codes
/// such as 007, 1E2 or numbers of more than 15 digits are classes as they are written. Throws an input error for a label
/// that is empty, NaN or infinite.
struct Labels {
  Vector<const int> label;
  std::vector<std::string> class_name;
};
/// What becomes of a label that is missing, or none of the known classes.
enum class OddLabel {
  refused,
  no_class  ///< the sample gets -1: right for data to predict
};
Labels index_labels(const std::vector<std::string>& written, const std::vector<std::string>& known,
                    const std::string& file, OddLabel odd = OddLabel::refused);

/// Like index_labels(), but of names that are classes as they are written: "1.1" and "1.10" are two.
Labels index_names(const std::vector<std::string>& written, const std::vector<std::string>& known,
                   const std::string& file, OddLabel odd = OddLabel::refused);

/// Rows first ... first + count - 1, at least one. The result shares memory with `whole`; its integer, lowest, highest
/// and digest are those of the rows; encoding, groups and weights are kept, and `row` says where the rows were. Throws an input
/// error if the range is empty or out of bounds.
Dataset rows(const Dataset& whole, int first, int count);

/// A copy of the rows named by `samples`, in this order; integer, lowest, highest and digest are those of the copy,
/// and `row` says where they were.
/// Throws an input error if there are none or one is out of range.
Dataset select(const Dataset& whole, const std::vector<int>& samples);

/// The data of a study.
struct Task {
  Dataset train, test;  ///< test.size() == 0 if there is no test part
  std::vector<std::string> understood{},
      warning{};  ///< sentences about the files, for people; of the rank that read them
};

}  // namespace krossfold::data
