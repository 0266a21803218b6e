// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Hides all differences between Kokkos 3.4 (Debian) and 5: no other file in Krossfold tests KOKKOS_VERSION.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#ifdef KROSSFOLD_FIBRES
#include "krossfold/core/fibre_space.hpp"
#endif

namespace krossfold {

/// The execution space kernels run in: CUDA in a CUDA build, OpenMP in an OpenMP build, else Serial; Fibres with that preset.
#ifdef KROSSFOLD_FIBRES
using Device = Fibres;
#else
using Device = Kokkos::DefaultExecutionSpace;
#endif
/// The host execution space, used for reference implementations, file readers and results.
using Host = Kokkos::DefaultHostExecutionSpace;

/// Memory for flags and counters that kernels write and the host reads after a fence, without a copy.
#if defined(KOKKOS_ENABLE_CUDA)
using HostVisible = Kokkos::CudaHostPinnedSpace;
#elif defined(KOKKOS_ENABLE_HIP)
using HostVisible = Kokkos::Experimental::HIPHostPinnedSpace;
#else
using HostVisible = Kokkos::HostSpace;
#endif

/// Explicitly instantiates a template for Device and, where that is a different type, for Host:
///   `#define KROSSFOLD_INSTANTIATE(Exec) template void f<Exec>(const Exec&, ...);`
///   `KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)`
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(KROSSFOLD_FIBRES)
#define KROSSFOLD_FOR_EACH_SPACE(MACRO) MACRO(::krossfold::Device) MACRO(::krossfold::Host)
#else
#define KROSSFOLD_FOR_EACH_SPACE(MACRO) MACRO(::krossfold::Device)
#endif

/// 1 in code compiled for the host, 0 in code compiled for a device, or for Fibres, which run the code of a device.
#if defined(KROSSFOLD_FIBRES) || defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || \
    defined(__SYCL_DEVICE_ONLY__)
#define KROSSFOLD_ON_HOST 0
#else
#define KROSSFOLD_ON_HOST 1
#endif

/// Waits for all kernels of an execution space instance. `label` (krossfold::layer::what) appears in profiles.
template <class Exec>
void fence(const Exec& exec, [[maybe_unused]] const std::string& label) {
#if KOKKOS_VERSION >= 30500
  exec.fence(label);
#else
  exec.fence();
#endif
}

/// `count` instances of an execution space whose kernels may run concurrently: on accelerators, streams on the default
/// instance's device. On CPUs, and before Kokkos 4, every one is the default instance.
template <class Exec>
std::vector<Exec> instances(int count) {
#if KOKKOS_VERSION >= 40000
  if constexpr (!std::is_same_v<Exec, Host>) {
    return Kokkos::Experimental::partition_space(Exec(), std::vector<int>(static_cast<std::size_t>(count), 1));
  }
#endif
  return std::vector<Exec>(static_cast<std::size_t>(count));
}

/// Allocation properties of a view that is left uninitialised because a kernel fills it next.
inline auto uninitialized(const std::string& label) { return Kokkos::view_alloc(Kokkos::WithoutInitializing, label); }

/// Initialises Kokkos, without its warnings, and finalises it at the end of the scope; each process uses one device.
/// `device` is the index of the accelerator, or -1 to let Kokkos choose.
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

/// True if kernels run on the CPU in this build (Serial, OpenMP), false if they run on an accelerator.
bool cpu_backend();

/// The accelerator that this process uses: what tells it from the others of its host, however many of them each process sees, and its
/// free memory. Kokkos must be initialised.
struct DeviceState {
  std::string id;                ///< PCI bus id; empty on a CPU backend or if unknown
  std::uint64_t free_bytes = 0;  ///< 0 on a CPU backend or if unknown
};
DeviceState device_state();

/// Number of accelerators visible to this process; 0 on a CPU backend. May be called before Kokkos is initialised.
int visible_devices();

/// The backend of this process: "Serial", "OpenMP (4 threads)", "CUDA (NVIDIA H100)". Kokkos must be initialised.
std::string backend_description();

}  // namespace krossfold
