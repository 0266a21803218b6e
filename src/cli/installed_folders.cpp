// SPDX-License-Identifier: BSD-3-Clause
#include "installed_folders.hpp"

#include <filesystem>

#include "krossfold/core/text.hpp"

namespace krossfold::cli {

std::string installed_folders() {
  std::error_code fault;  // without an answer there is nothing to say
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  const auto documents = (folder / KROSSFOLD_DOCUMENTS).lexically_normal();
  const auto shared = (folder / KROSSFOLD_SHARED).lexically_normal();
  if (!std::filesystem::is_directory(documents / "docs", fault)) return "";
  return text("In messages, docs/... lies in ", documents.string(), ", and tools/... in ", shared.string(), ".");
}

}  // namespace krossfold::cli
