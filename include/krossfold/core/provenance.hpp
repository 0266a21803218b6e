// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace krossfold {

/// How this binary was built; recorded in every result file.
struct BuildInfo {
  std::string version;     ///< "0.1.0"
  std::string git_commit;  ///< plus "-dirty" if tracked files were modified; "unknown" outside a checkout
  std::string compiler;    ///< "GNU 12.2.0"
  std::string flags;       ///< compiler flags
  std::string
      arch;  ///< the processors it is for: "native", or a level such as "x86-64-v3"; "" for the compiler's default
  std::string kokkos;  ///< "3.4.1 (Serial)"
};
BuildInfo build_info();

/// BLAS as Netlib distributes it, many times slower than any other.
inline constexpr const char* reference_blas = "reference BLAS";

/// The BLAS kernel in use, such as "OpenBLAS SkylakeX", or the name of another library ("MKL", reference_blas, "unknown BLAS").
/// Results are bitwise identical only under the same kernel.
std::string blas_kernel();

/// OpenBLAS selects its kernel by CPU model number and falls back to a slow one for models it does not know. Returns
/// the value of OPENBLAS_CORETYPE that suits this CPU if the kernel in use is older than the CPU, else "".
/// The variable must be set before the library is loaded.
std::string better_blas_kernel();

/// The same decision from the OpenBLAS kernel's name ("Haswell", case-insensitive) and the CPU's features: AVX-512
/// (F, BW, DQ, VL) and AVX2 with FMA. Returns "SKYLAKEX", "HASWELL", or "", also for an unknown kernel name.
std::string better_blas_kernel(const std::string& kernel, bool avx512, bool avx2);

/// Restricts OpenBLAS to one thread, because results must not depend on the thread count and ranks share the cores.
/// A no-op with any other BLAS.
void use_one_blas_thread();

/// The number of threads that OpenBLAS uses; 0 with any other BLAS.
int blas_threads();

/// The CPU's model name from /proc/cpuinfo.
std::string cpu_name();

/// The host name, and the current time as "2026-01-31T12:00:00Z".
std::string host_name();
std::string utc_now();

}  // namespace krossfold
