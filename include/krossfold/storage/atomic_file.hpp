// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::storage {

/// Replaces the file `path` by `bytes` in one step: temporary file in the same folder, write, fsync, rename, fsync of
/// the folder. Whatever fails or is killed, `path` holds either its old or its new content, and an error leaves no
/// temporary file. Throws a run error naming the file and the system's reason (ENOSPC, EIO, EACCES, ...).
void write_atomically(const std::string& path, std::span<const std::byte> bytes);

/// The same for a file that must be new: false, with nothing changed, if there is one at `path` already, also if two
/// processes try at once.
bool create_atomically(const std::string& path, std::span<const std::byte> bytes);

/// Deletes the temporary files that killed processes left beside `path` when they replaced it. Only for the one that alone may
/// write there. What cannot be deleted stays.
void remove_leftovers(const std::string& path);

/// Throws an input error unless a file could be created or replaced at `path` (its folder exists and is writable, the
/// path is no folder). Touches nothing that exists.
void check_writable(const std::string& path);

/// Puts every stored item into a file of a folder, which is made when first needed.
class FolderSink : public CheckpointSink {
public:
  explicit FolderSink(std::string folder) : folder_(std::move(folder)) {}
  void store(const std::string& name, std::span<const std::byte> bytes) override;
  std::optional<std::vector<std::byte>> load(const std::string& name) override;
  void remove(const std::string& name) override;
  /// Removes all whose names end in `ending`, and temporary files of killed runs: what interrupted units left behind, once no
  /// unit is left.
  void remove_all(const std::string& ending);

private:
  std::string folder_;
};

}  // namespace krossfold::storage
