// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether a sanitizer runs the test: the test presets asan-ubsan and tsan set KROSSFOLD_SANITIZER.

#include <cstdlib>

namespace krossfold::test {

/// True where memory is the sanitizer's: the C library does not know how much the program has allocated.
inline bool sanitized() {
  const char* name = std::getenv("KROSSFOLD_SANITIZER");
  return name != nullptr && *name != '\0';
}

}  // namespace krossfold::test
