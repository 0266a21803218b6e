// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>

namespace krossfold::test {

/// The path of a file or folder of the source tree that tests read: `compiled` is where it was when they were built, `path` the same
/// from the root of the tree. $KROSSFOLD_SOURCE names another root, for tests that run on a machine without the tree (tools/gpu_bundle).
inline std::string source_path(const std::string& compiled, const std::string& path) {
  const char* const root = std::getenv("KROSSFOLD_SOURCE");
  return root == nullptr || *root == '\0' ? compiled
         : path.empty()                   ? std::string(root)
                                          : std::string(root) + "/" + path;
}

}  // namespace krossfold::test
