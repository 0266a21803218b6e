// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All that differs between Kokkos 3.4 (Debian) and 5: nothing else in Krossfold looks at KOKKOS_VERSION.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace krossfold {

/// Where kernels run: CUDA in a CUDA build, OpenMP in an OpenMP build, else Serial.
using Device = Kokkos::DefaultExecutionSpace;
/// Where host references, readers and results live.
using Host = Kokkos::DefaultHostExecutionSpace;

/// Memory that kernels write and the host reads after a fence, without a copy: for flags and counters.
#if defined(KOKKOS_ENABLE_CUDA)
using HostVisible = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HostVisible = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostVisible = Kokkos::HostSpace;
#endif

/// Explicit instantiation for Device and, where it is another type, for Host:
///   #define KROSSFOLD_INSTANTIATE(Exec) template void f<Exec>(const Exec&, ...);
///   KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
#define KROSSFOLD_FOR_EACH_SPACE(MACRO) MACRO(::krossfold::Device) MACRO(::krossfold::Host)
#else
#define KROSSFOLD_FOR_EACH_SPACE(MACRO) MACRO(::krossfold::Device)
#endif

/// 1 in code that is being compiled for the host, 0 for a device.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define KROSSFOLD_ON_HOST 0
#else
#define KROSSFOLD_ON_HOST 1
#endif

/// Waits for all kernels of an execution space instance. `label` (krossfold::layer::what) shows in profiles.
template <class Exec>
void fence(const Exec& exec, [[maybe_unused]] const std::string& label) {
#if KOKKOS_VERSION >= 30500
  exec.fence(label);
#else
  exec.fence();
#endif
}

/// `count` instances of an execution space, whose kernels may run at the same time: on accelerators that can do so, streams of the
/// default instance's device. On processors, and before Kokkos 4, all of them are the default instance.
template <class Exec>
std::vector<Exec> instances(int count) {
#if KOKKOS_VERSION >= 40000
  if constexpr (!std::is_same_v<Exec, Host>) {
    return Kokkos::Experimental::partition_space(Exec(), std::vector<int>(static_cast<std::size_t>(count), 1));
  }
#endif
  return std::vector<Exec>(static_cast<std::size_t>(count));
}

/// Without initialising the allocation: for views that a kernel fills at once.
inline auto uninitialized(const std::string& label) { return Kokkos::view_alloc(Kokkos::WithoutInitializing, label); }

/// Initialises Kokkos at construction and finalises it at the end of its scope; quiet, one device a process.
/// `device` is the number of the accelerator to use, or -1 for Kokkos' own choice.
class KokkosRuntime {
public:
  explicit KokkosRuntime(int device = -1) {
#if KOKKOS_VERSION >= 30700
    Kokkos::InitializationSettings settings;
    settings.set_disable_warnings(true);
    if (device >= 0) settings.set_device_id(device);
    Kokkos::initialize(settings);
#else
    Kokkos::InitArguments settings;
    settings.disable_warnings = true;
    if (device >= 0) settings.device_id = device;
    Kokkos::initialize(settings);
#endif
  }
  ~KokkosRuntime() { Kokkos::finalize(); }
  KokkosRuntime(const KokkosRuntime&) = delete;
  KokkosRuntime& operator=(const KokkosRuntime&) = delete;
};

/// "3.4.1", from KOKKOS_VERSION.
std::string kokkos_version();

/// True if kernels run on the processor in this build (Serial, OpenMP), false if on accelerators.
bool cpu_backend();

/// Bytes of memory of the accelerator that this process uses; 0 on a CPU backend and where it is not known.
std::uint64_t device_memory();

/// The number of accelerators this process could use; 0 on a CPU backend. May be called before Kokkos starts.
int visible_devices();

/// What kernels of this process run on: "Serial", "OpenMP (4 threads)", "CUDA (NVIDIA H100)". After Kokkos has started.
std::string backend_description();

}  // namespace krossfold
