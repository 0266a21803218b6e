// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/device_error.hpp"

#include <type_traits>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold {

#if defined(KOKKOS_ENABLE_CUDA)
bool defines_cuda_driver();
#endif

/// The member is static in some spaces and versions of Kokkos.
template <class Exec>
int threads_of(const Exec& exec) {
  return exec.concurrency();
}

bool cpu_backend() { return std::is_same_v<Device, Host>; }

int visible_devices() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  return defines_cuda_driver() && cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess ? count : 0;
#elif defined(KROSSFOLD_FIBRES)
  return 1;
#else
  return 0;
#endif
}

std::string device_error() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  return error == cudaSuccess ? std::string() : cudaGetErrorString(error);
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  return error == hipSuccess ? std::string() : hipGetErrorString(error);
#else
  return {};
#endif
}

DeviceState device_state() {
  DeviceState state;
#if defined(KOKKOS_ENABLE_CUDA)
  int device = 0;
  char id[32] = "";
  std::size_t left = 0, all = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetPCIBusId(id, sizeof id, device) == cudaSuccess) {
    state.id = id;
  }
  if (cudaMemGetInfo(&left, &all) == cudaSuccess) state.free_bytes = left;
#elif defined(KOKKOS_ENABLE_HIP)
  int device = 0;
  char id[32] = "";
  std::size_t left = 0, all = 0;
  if (hipGetDevice(&device) == hipSuccess && hipDeviceGetPCIBusId(id, sizeof id, device) == hipSuccess) state.id = id;
  if (hipMemGetInfo(&left, &all) == hipSuccess) state.free_bytes = left;
#elif defined(KROSSFOLD_FIBRES)
  state = {"fibres", std::uint64_t{2} << 30};  // as a small device
#endif
  return state;
}

bool device_shared_by_mps() {
#if defined(KOKKOS_ENABLE_CUDA)
  constexpr auto attribute =
      static_cast<cudaDeviceAttr>(133);  // cudaDevAttrMpsEnabled, which older headers do not have
  int device = 0, shared = 0;
  const bool known =
      cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&shared, attribute, device) == cudaSuccess;
  if (!known) cudaGetLastError();
  return known && shared != 0;
#else
  return false;
#endif
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
  const int threads = threads_of(Device());
  return threads > 1 ? text(name, " (", threads, " threads)") : name;
}

}  // namespace krossfold
