// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/launch_graph.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// The number of the epoch in memory of the device, where recorded kernels read it.
template <class Exec>
class EpochOnDevice {
public:
  /// For kernels that `exec` starts from now on; nothing where no launches are repeated.
  void set(const Exec& exec, int epoch) {
    if (!repeats_launches<Exec> || epoch == epoch_) return;
    if (value_.extent(0) == 0) value_ = Vector<std::uint32_t, Exec>("krossfold::nn::epoch", 1);
    Kokkos::deep_copy(exec, value_, static_cast<std::uint32_t>(epoch));
    epoch_ = epoch;
  }
  /// nullptr before the first set().
  const std::uint32_t* get() const { return value_.data(); }

private:
  Vector<std::uint32_t, Exec> value_;
  int epoch_ = -1;
};

}  // namespace krossfold::nn
