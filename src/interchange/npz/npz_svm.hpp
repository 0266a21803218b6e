// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/svm/machine.hpp"
#include "npz_reader.hpp"

namespace krossfold::interchange {

svm::Machine read_npz_svm(const NpzReader& file, double* difference);

}  // namespace krossfold::interchange
