// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krossfold {

/// Makes Kokkos' host threads flush denormals (below about 1e-38) to zero for its lifetime, then restores the previous
/// mode. Decaying momentum reaches this range after a few thousand steps, where CPUs run many times slower. It has no
/// effect on CPUs other than x86 and ARM, nor on devices, which handle denormals at full speed.
class FlushDenormals {
public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
  unsigned long before_;  ///< previous mode of the calling thread, shared by all threads
};

}  // namespace krossfold
