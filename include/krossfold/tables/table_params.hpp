// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills this struct.

#include <string>
#include <vector>

namespace krossfold::tables {

/// What the user says about a table. A COLUMN is a name of the header or a number: 1 is the first column, -1 the last.
/// A name is preferred to a number where the header has numbers.
struct TableParams {
  std::string label{};                 ///< COLUMN; "" for the last one that has no other use
  std::string group{};                 ///< COLUMN; "" for none
  std::string weight{};                ///< COLUMN; "" for none
  std::vector<std::string> drop{};     ///< COLUMNs that are left out
  std::string delimiter{};             ///< comma, semicolon, tab, pipe or blank; "" finds it
  std::string decimal{};               ///< what stands before decimals: point or comma; "" finds it
  int skip_lines = 0;                  ///< lines at the start of a file that are no part of the table
  std::string header = "find";         ///< find, yes, no, or 2 to 5: as many lines of names
  std::string missing = "refuse";      ///< refuse, mean, median (of the training part) or drop (the sample)
  bool kept = false;                   ///< no option: with refuse, missing features are kept, though no missing label
  std::string categorical = "refuse";  ///< what becomes of text: refuse, or onehot (a feature per category)
  /// WIDTHxHEIGHT or WIDTHxHEIGHTxCHANNELS; "" if the samples are no images; auto, the rule of version 1 of result files: square
  /// images if all values are whole numbers from 0 to 255, the highest at least 15, and the features the square of 4 or more.
  std::string image{};
  bool labelled =
      true;  ///< no option: false for data to predict, whose labels may be missing or unknown (OddLabel::no_class)
};

/// Throws an input error that names the parameter if a word is not one of those listed, for a bad image shape, or if skip_lines is
/// negative.
void check_table_params(const TableParams& params);

/// The options on the columns and the form of a table that were given: label, group, weight, drop, delimiter, decimal, skip-lines, header.
std::vector<std::string> given_columns(const TableParams& params);

}  // namespace krossfold::tables
