// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

/// Why visible_devices() is 0, in the words of the accelerator's runtime ("CUDA driver version is insufficient for CUDA runtime
/// version"); empty if it gives no reason, and on a CPU backend.
std::string device_error();

/// What is wrong with the device of this process, found by kernels whose results are known: that they place the parts of what they are
/// given elsewhere than the host does (nvcc from 12.9 on with Views of Kokkos that are made of mdspan), or compute nothing; empty if
/// nothing is, and on a CPU backend. Kokkos must be initialised.
std::string device_fault();

/// Whether the processes that share the device of this one run their kernels at the same time, by NVIDIA's multi-process service (MPS);
/// false if they take turns, if the CUDA runtime cannot tell, and on other backends.
bool device_shared_by_mps();

/// Throws a run error with device_fault() if there is one.
void require_working_device();

}  // namespace krossfold
