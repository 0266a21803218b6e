// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because options hold it.

#include <string>

namespace krossfold::interchange {

/// What a model file of LIBSVM does not say of its data.
struct LibsvmData {
  int features = 0;    ///< of a sample; 0: the largest number of a feature in support vectors and range file
  std::string range;   ///< file of svm-scale -s; "": the model takes raw features
  std::string labels;  ///< file of lines "LABEL NAME"; "": labels are the names
};

}  // namespace krossfold::interchange
