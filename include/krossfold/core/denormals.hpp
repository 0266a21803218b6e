// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krossfold {

/// While it lives, host threads of Kokkos take numbers below 1e-38 for zero. Momentum that dies away comes there after some thousand
/// steps, and processors then compute many times slower. The former mode comes back at the end. Without effect on processors other
/// than x86 and ARM, and on devices, which are as fast with such numbers.
class FlushDenormals {
public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
  unsigned long before_;  ///< the mode of the calling thread, which all had
};

}  // namespace krossfold
