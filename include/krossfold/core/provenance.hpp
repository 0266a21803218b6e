// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

/// How this binary was built; every result file records it.
struct BuildInfo {
  std::string version;     ///< "0.1.0"
  std::string git_commit;  ///< with "-dirty" where the tree had changes; "unknown" outside a checkout
  std::string compiler;    ///< "GNU 12.2.0"
  std::string flags;       ///< as given to the compiler
  std::string kokkos;      ///< "3.4.1 (Serial)"
};
BuildInfo build_info();

/// The BLAS kernel in use, "OpenBLAS SkylakeX", or "unknown BLAS" where the library does not tell.
/// Results are the same bits only for the same one.
std::string blas_kernel();

/// OpenBLAS picks a kernel by the processor's model number and takes a slow one for models it does not know.
/// If the kernel in use is older than what the processor can do, the value for OPENBLAS_CORETYPE that suits it;
/// else "". The variable has to be set before the library is loaded.
std::string better_blas_kernel();

/// The same decision for a kernel of OpenBLAS by its name ("Haswell", in any case) and what the processor has: AVX-512
/// (F, BW, DQ, VL) and AVX2 with FMA. "SKYLAKEX", "HASWELL", or "" also for a name that is not known here.
std::string better_blas_kernel(const std::string& kernel, bool avx512, bool avx2);

/// Makes OpenBLAS use one thread: results must not depend on their number, and ranks share the cores. Does nothing with
/// another BLAS.
void use_one_blas_thread();

/// The model name of the processor, from /proc/cpuinfo.
std::string cpu_name();

/// This machine's name, and the time now as "2026-01-31T12:00:00Z".
std::string host_name();
std::string utc_now();

}  // namespace krossfold
