// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// What each column of a file is read for.
struct ColumnRoles {
  static constexpr int dropped = -1, label = -2, group = -3, weight = -4;

  std::vector<int> of{};                 ///< (column of the file): an index into `feature`, or one of these
  std::vector<FeatureColumn> feature{};  ///< in the order of the features
  int label_column = 0;                  ///< from 1; 0 if there are no labels
  bool label_by_default = false;         ///< no parameter named the label: it is the last column
  std::string label_name{}, group_name{}, weight_name{};
  std::vector<std::string> left_out{}, left_out_name{}, warning{};
};

/// What the first column is where it holds the names of rows.
enum class RowNameKind { none, numbers, words };

/// The roles of columns called `names` (empty names if !named), by `params` or by `encoding`; see read_table(). With
/// `labels_apart`, the labels are no column of the file; with `row_names`, the first column is one of names of rows, which is left out
/// unless `params` use it, and which a model without names does not count.
/// Throws an input error for an unknown column, a column with two uses, or if nothing is left for the features.
ColumnRoles find_roles(const std::vector<std::string>& names, bool named, const TableParams& params,
                       const TableEncoding* encoding, const std::string& file, bool labels_apart = false,
                       RowNameKind row_names = RowNameKind::none);

/// Stores the names and the place of the columns that are no features, and what was left out.
void store_roles(Table& table, const ColumnRoles& roles);

}  // namespace krossfold::tables
