// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/denormals.hpp"

#include "krossfold/core/kokkos_compat.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace krossfold {
namespace {

#if defined(__SSE2__)
constexpr unsigned long flush_bits = 0x8040;  // flush-to-zero and denormals-are-zero
unsigned long mode() { return _mm_getcsr(); }
void set_mode(unsigned long mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr unsigned long flush_bits = 1UL << 24;
unsigned long mode() {
  unsigned long value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_mode(unsigned long mode) { asm volatile("msr fpcr, %0" ::"r"(mode)); }
#else
constexpr unsigned long flush_bits = 0;
unsigned long mode() { return 0; }
void set_mode(unsigned long) {}
#endif

/// Sets the mode on every Kokkos host thread: the static schedule gives each thread exactly one iteration.
void set_mode_of_threads(unsigned long mode) {
  const int threads = Host::concurrency();
  Kokkos::parallel_for("krossfold::core::set_denormal_mode",
                       Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>>(0, threads).set_chunk_size(1),
                       [mode](int) { set_mode(mode); });
  set_mode(mode);
}

}  // namespace

FlushDenormals::FlushDenormals() : before_(mode()) { set_mode_of_threads(before_ | flush_bits); }
FlushDenormals::~FlushDenormals() { set_mode_of_threads(before_); }

}  // namespace krossfold
