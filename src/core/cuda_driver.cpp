// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/kokkos_compat.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <cuda.h>
#include <dlfcn.h>

#define KROSSFOLD_WORD(name) #name
#define KROSSFOLD_NAME(name) KROSSFOLD_WORD(name)  // of what cuda.h makes of it, such as cuCtxPushCurrent_v2

namespace {

/// A function of the driver's library; null where there is no driver.
template <class Function>
Function* driver_function(Function*, const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

/// Kokkos calls three functions of the driver's library. That library comes with the driver, and a program that is linked to it does
/// not even start where there is none, such as a login node on which somebody wants a report. So the three are defined here and call
/// those of the library, which is opened when one is called; the CUDA runtime does the same.
#define KROSSFOLD_FORWARD(name, parameters, arguments)                              \
  extern "C" CUresult CUDAAPI name parameters {                                     \
    static auto* const function = driver_function(&name, KROSSFOLD_NAME(name));     \
    return function == nullptr ? CUDA_ERROR_NOT_INITIALIZED : (*function)arguments; \
  }

KROSSFOLD_FORWARD(cuCtxGetDevice, (CUdevice * device), (device))
KROSSFOLD_FORWARD(cuCtxPushCurrent, (CUcontext context), (context))
KROSSFOLD_FORWARD(cuStreamGetCtx, (CUstream stream, CUcontext* context), (stream, context))

namespace krossfold {

/// Called by visible_devices(), so that the linker finds the functions above here and not in the driver's library.
bool defines_cuda_driver() { return true; }

}  // namespace krossfold
#endif
