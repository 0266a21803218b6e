// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a device is asked to do: kernels by label, products of KokkosBlas, and copies, through Kokkos' callbacks for tools.

#include <cstdint>
#include <map>
#include <string>

#include "krossfold/core/view.hpp"

namespace krossfold::test {

/// Whether kernels take their forms for devices; a host's launch others.
#ifdef KROSSFOLD_FIBRES
inline constexpr bool forms_of_devices = true;
#else
inline constexpr bool forms_of_devices = false;
#endif

struct Launches {
  std::map<std::string, int> kernel;  ///< a product of KokkosBlas counts as one, "gemm"
  int copies = 0;

  int total() const {
    int sum = 0;
    for (const auto& [label, count] : kernel) sum += count;
    return sum;
  }
  int of(const std::string& label) const { return kernel.contains(label) ? kernel.at(label) : 0; }
};

inline Launches& counted_launches() {  // the callbacks take no context
  static Launches one;
  return one;
}

inline std::string text_of(const Launches& launches) {
  std::string all = std::to_string(launches.total()) + " kernels, " + std::to_string(launches.copies) + " copies:";
  for (const auto& [label, count] : launches.kernel) all += "\n  " + std::to_string(count) + "  " + label;
  return all;
}

/// What `work` launches. Values of Views that are filled or initialised count as kernels only where Kokkos launches one for it.
template <class Work>
Launches launches_of(const Work& work) {
  namespace tools = Kokkos::Tools::Experimental;
  const tools::EventSet before = tools::get_callbacks();
  counted_launches() = {};
  const auto count = [](const char* label, std::uint32_t, std::uint64_t*) { ++counted_launches().kernel[label]; };
  tools::set_begin_parallel_for_callback(count);
  tools::set_begin_parallel_reduce_callback(count);
  tools::set_begin_parallel_scan_callback(count);
  tools::set_push_region_callback([](const char* label) {
    if (std::string(label).starts_with("KokkosBlas::gemm[TPL")) ++counted_launches().kernel["gemm"];
  });
  tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                         Kokkos_Profiling_SpaceHandle, const char*, const void*,
                                         std::uint64_t) { ++counted_launches().copies; });
  work();
  Kokkos::fence();
  tools::set_callbacks(before);
  return counted_launches();
}

}  // namespace krossfold::test
