// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/studies/bag/schema.hpp"

namespace krossfold::studies {

/// The fields of the result file, as the sources of this folder call them.
static const BagSchema& field = bag_schema();

}  // namespace krossfold::studies
