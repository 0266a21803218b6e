// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: the command line fills this struct.

#include <string>

#include "krossfold/tables/table_params.hpp"

namespace krossfold::input {

/// Which data a study learns from, and what is held out to test.
struct TaskParams {
  std::string train = "digits";      ///< SPEC
  std::string test{};                ///< SPEC, or "" for the data set's own test part, else `test_part`
  int limit = 0;                     ///< keep only so many training samples; 0 keeps all
  std::string test_part = "random";  ///< random, last, none or a share: what split_off_test_part() holds out
  tables::TableParams table{};       ///< how tables are read
  bool kernel_matrix = false;        ///< the training file is a whole kernel matrix, see data/kernel_matrix.hpp
  bool sparse = false;               ///< the caller takes sparse samples too; images are always dense
};

}  // namespace krossfold::input
