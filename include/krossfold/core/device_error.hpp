// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

/// Why visible_devices() is 0, in the words of the accelerator's runtime ("CUDA driver version is insufficient for CUDA runtime
/// version"); empty if it gives no reason, and on a CPU backend.
std::string device_error();

}  // namespace krossfold
