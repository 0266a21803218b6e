// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  krossfold::use_one_blas_thread();
  const krossfold::KokkosRuntime kokkos;
  const krossfold::BuildInfo build = krossfold::build_info();
  benchmark::AddCustomContext("backend", krossfold::backend_description());
  benchmark::AddCustomContext("processor", krossfold::cpu_name());
  benchmark::AddCustomContext("blas", krossfold::blas_kernel());
  benchmark::AddCustomContext("compiler", build.compiler + " " + build.flags);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
