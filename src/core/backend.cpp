// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold {

bool cpu_backend() { return Kokkos::SpaceAccessibility<Kokkos::HostSpace, Device::memory_space>::accessible; }

int visible_devices() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
#else
  return 0;
#endif
}

std::uint64_t device_memory() {
#if defined(KOKKOS_ENABLE_CUDA)
  std::size_t left = 0, all = 0;
  if (cudaMemGetInfo(&left, &all) == cudaSuccess) return all;
#elif defined(KOKKOS_ENABLE_HIP)
  std::size_t left = 0, all = 0;
  if (hipMemGetInfo(&left, &all) == hipSuccess) return all;
#endif
  return 0;
}

std::string backend_description() {
  const std::string name = Device::name();
#if defined(KOKKOS_ENABLE_CUDA)
  cudaDeviceProp properties;
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess) {
    return text("CUDA (", properties.name, ")");
  }
#endif
  const int threads = Device().concurrency();
  return threads > 1 ? text(name, " (", threads, " threads)") : name;
}

}  // namespace krossfold
