// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/table_encoding.hpp"
#include "krossfold/tables/table_params.hpp"

namespace krossfold::tables {

/// Words by number: the distinct words of a column, and which of them each sample has.
struct WordColumn {
  std::vector<std::string> word{};  ///< distinct, in the order of appearance
  std::vector<int> code{};          ///< (sample), into `word`; -1 if it is missing
};

using data::FeatureColumn;
using data::TableEncoding;

/// A table as read: nothing is filled in, encoded or scaled yet.
struct Table {
  std::string name;                         ///< the file
  std::string format;                       ///< "CSV (semicolons)", for people
  bool named = false;                       ///< the file has a header
  int columns = 0;                          ///< of the file
  std::vector<FeatureColumn> column{};      ///< those that features are made of
  Matrix<const float> value;                ///< (sample, column), NaN where missing; unused in text columns
  SparseMatrix<float> sparse{}, across{};   ///< of sparse samples, instead of `value`: (sample, column), and transposed
  std::vector<WordColumn> words{};          ///< (column), empty for columns of numbers
  std::string label_name{};                 ///< of the label column
  int label_column = 0;                     ///< from 1; 0 if there are no labels, -1 if they lie in a file of their own
  bool label_by_default = false;            ///< no parameter named the label: it is the last column in use
  std::string group_name{}, weight_name{};  ///< of their columns; empty if there are none or the file has no names
  WordColumn label{}, group{};              ///< empty if there is none
  bool indexed = false;                     ///< the words of `label` are the classes, in their order
  std::vector<double> weight{};             ///< (sample), or empty
  std::vector<int> line{};                  ///< (sample), in the file
  std::vector<int> row{};                   ///< (sample), from 0, counting those that were left out; empty if none was
  std::string line_word = "line";           ///< "row" in arrays
  bool converted = false;  ///< read from a file of data that was made of another, with its columns chosen then
  std::vector<std::string> dropped{};       ///< what was left out, for people: "column 1 (id)", "3 incomplete samples"
  std::vector<std::string> dropped_name{};  ///< of the columns that were left out and have one
  std::vector<std::string> warning{};       ///< sentences without a full stop
  bool incomplete = false;                  ///< a value is missing
  std::vector<char> vanished{};             ///< (column): numbers too small for single precision became 0; may be empty
  std::vector<char> rounded{};  ///< (column): single precision merges some of its large numbers; may be empty
  data::ImageShape image{};     ///< of samples that the file itself calls images

  int size() const { return static_cast<int>(line.size()); }
  bool is_sparse() const { return sparse.columns > 0; }
  bool labelled() const { return label_column != 0; }
};

/// Reads a table of text, plain or .gz: a line per sample, its fields separated by a delimiter. Blank lines, lines that
/// start with '#', a byte order mark and blanks around fields are skipped; lines end with LF or CRLF; a field may be
/// quoted as in RFC 4180. The first params.skip_lines lines are no part of it. Columns at the end
/// with neither names nor values are ignored, unless a model without names knows them and fills them in, and, unless params.labelled is
/// false, lines of nothing but delimiters.
///
/// Delimiter: of tab, semicolon, comma and blank (any number of spaces and tabs), the one that gives all lines as many
/// fields as the first and the largest share of numbers. A first line "sep=;" gives it, too.
///
/// Decimal mark: params.decimal, or a comma if, in the first thousand lines, columns of numbers that are used have one that cannot separate
/// thousands, and no such point, and commas do not separate the fields; else a point.
///
/// Header: the first line, if (1) a name given in `params` or in `encoding` needs one, (2) a word in it that does not
/// occur below stands above a column of which most are numbers, (3) without `encoding`, its first field is empty above ten
/// or more fields that may be names of rows (words or ascending whole numbers) and words follow that differ and do not occur
/// below, (4) without `encoding`, it is of words that differ and none of which occurs below, as a first sample would be by
/// chance with a probability below 1e-4 if columns were independent, or (5) its fields, the first of which may be empty,
/// count 0, 1, 2, ... with the next number or a word that does not occur below last; two numbers are no header if there are only whole
/// numbers below, nor then are fewer than eight if `encoding` has no names. A line for which this is doubtful is warned
/// of, and so is one of other numbers that looks like a header (wavelengths, years, times), or like the second line of
/// one. Where the first line is none, the last comment above it is, if it has a word for each column (numpy.savetxt).
///
/// Missing values are empty fields, the words that pandas takes for missing (NA, nan, null, ...), "?" and errors of spreadsheets. They are
/// kept as NaN if params.missing is mean or median, if `encoding` has values to fill in, or if it has text columns alone and the data are to
/// be predicted; drop leaves such samples out, and mean, median and drop those without label, group or (without `encoding`) weight.
///
/// With `encoding` (that of a model), columns are found as match_columns() says, and labels are optional: the label
/// column is that of params.label, else the one the encoding names, if the file has it.
///
/// Groups are one for each number, however it is written: 3 and 3.0 are the same, as they are of labels.
///
/// Warnings: a first column that counts or has no name, and another one that counts in equal steps or holds whole numbers that differ by
/// design (an index?), columns with names of identifiers, words that all differ, dates, constant and equal columns, columns that are the
/// label once more, whole numbers that look like codes, words that look like numbers, labels of more than 50 distinct numbers, or of more
/// than two with fractions (a regression?), that are dates or different in every sample, words that differ in case alone, points that may
/// separate thousands, labels whose word counts as missing, equal samples with other labels, a doubtful header, words among numbers.
///
/// Throws an input error that names file, line and column for lines of unequal length, a missing value that is not
/// allowed, text (unless params.categorical is onehot), another decimal mark, separators of thousands, a number that is infinite or above the
/// range of float, a weight that is negative or infinite, unclosed quotes, lines above the table, text in UTF-16, line ends of CR alone, or unknown columns.
Table read_table(const std::string& path, const TableParams& params = {}, const TableEncoding* encoding = nullptr);

/// The same from bytes; `name` is used in messages.
Table parse_table(std::span<const std::byte> bytes, const std::string& name, const TableParams& params = {},
                  const TableEncoding* encoding = nullptr);

/// Fits the encoding on the samples `training` of the table (indices; empty for all): categories in byte order, and for
/// params.missing = mean or median the value to fill in. Throws an input error for a column without any value there.
TableEncoding fit_encoding(const Table& table, const std::vector<int>& training, const TableParams& params);

/// Makes samples of a table that was read with the same parameters (or with `encoding`): numbers with missing ones filled in,
/// text one-hot. A word that is no category, but the same number as one of these alone (1.0 and 1), is that one. A missing or
/// unknown category gives zeros only: one new word must not keep all other samples from being predicted; `warning`, if not
/// null, gets a sentence for each column that has them, or one for all if more than three have. Labels become classes: those
/// in the file, or `known` if it is not empty. The shape of images is params.image, or else that of the table. Throws an
/// input error if a value is missing that has no fill, a label is not in `known`, or the image shape does not fit.
data::Dataset encode(const Table& table, const TableEncoding& encoding, const TableParams& params,
                     const std::vector<std::string>& known = {}, std::vector<std::string>* warning = nullptr);

/// The shape that TableParams::image gives to samples. Throws an input error if it does not fit their features.
data::ImageShape image_shape(const std::string& image, const data::Dataset& dataset);

/// The classes of the samples, for splitting a table before its encoding is fitted.
data::Labels table_labels(const Table& table, const std::vector<std::string>& known = {},
                          data::OddLabel odd = data::OddLabel::refused);

/// Reads, fits on all samples and encodes: for files that are not split.
data::Dataset table_dataset(const Table& table, const TableParams& params = {});

}  // namespace krossfold::tables
