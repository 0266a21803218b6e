// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// Where the columns of a model lie in a file.
struct ColumnMatch {
  std::vector<int> column{};           ///< (column of the encoding): column of the file, from 1
  int label_column = 0;                ///< of the file, from 1; 0 if it has none
  std::vector<int> surplus{};          ///< columns of the file without use
  bool listed = false;                 ///< the warning tells all of these
  std::vector<std::string> warning{};  ///< sentences without a full stop
};

/// Finds the columns of `encoding` in a file whose columns are called `names`, in any order. A column that is missing is
/// an input error that names it; surplus columns are listed. If either side has no names
/// (!named), columns are matched by position, and a warning says so, with what each was read as if some are no features: the file has
/// the columns of the training file with or, if `label` is 0, without its label column, or only those of the features, each in their
/// order, or the latter and `label` (from 1; 0: not known), anywhere. Any other number of columns is an input error, and so is one that
/// could mean two of these, if one column alone has no use. Names that occur twice match only a file with the very same names.
ColumnMatch match_columns(const TableEncoding& encoding, const std::vector<std::string>& names, bool named,
                          const std::string& file, int label = 0);

/// What read_table() does once it has read the columns, for a table that was read whole, from a file in which their roles are
/// settled: refuses missing values and text that `params` do not allow, chooses the columns of `encoding` if that is not null,
/// and adds the warnings about the content otherwise. Throws input errors as read_table().
Table finish_table(Table table, const TableParams& params, const TableEncoding* encoding = nullptr);

}  // namespace krossfold::tables
