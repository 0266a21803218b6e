// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"

namespace krossfold::storage {

/// The file that a symbolic link leads to, whether that exists or not; `path` itself if it is no link or the links go in a circle. A path
/// that a user names may be a link: it is resolved once, when the command begins, and what it led to is used from then on.
std::string behind_links(const std::string& path);

/// A path beside `path` with the name of a temporary file for it, which nobody can foresee; "" with errno if there are no random numbers.
std::string temporary_path(const std::string& path);

/// Atomically replaces the content of `path` by `bytes`: writes a temporary file with a random name in the same folder, then fsync, rename
/// and fsync of the folder. After any failure or kill, `path` holds either its old or its new content; an error leaves
/// no temporary file. A new file gets the permissions 0666 without those of the umask; a file that is replaced keeps its own. Throws a run
/// error naming the file and the system's reason (ENOSPC, EIO, EACCES, ...), or if `path` is a symbolic link: nothing is written through it.
void write_atomically(const std::string& path, std::span<const std::byte> bytes);

/// The same for a file that must not exist yet: returns false and changes nothing if `path` exists, even if two
/// processes try simultaneously (best effort on a file system without hard links).
bool create_atomically(const std::string& path, std::span<const std::byte> bytes);

/// Deletes temporary files that killed processes, of earlier versions too, left beside `path` while replacing it. The caller must be the only
/// process allowed to write there. Files that cannot be deleted stay.
void remove_leftovers(const std::string& path);

/// What tells a file from another one that took its name: two looks at an untouched file give equal values.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  bool operator==(const FileIdentity&) const = default;
};

/// Of what has that name, a link itself included; nothing if there is none.
std::optional<FileIdentity> identity_of(const std::string& path);

/// Throws an input error if the name is one that belongs to a study: a journal or a lock.
void check_output_name(const std::string& path);

/// Throws an input error unless a file can be created or replaced at `path` (its folder exists and is writable, and the
/// path is not a folder); `path` may be a symbolic link. Leaves existing files alone.
void check_writable(const std::string& path);

/// A warning if everyone may replace and delete files in the folder of `path`, or in that of the file that it links to (mode o+w without
/// the sticky bit); else "".
std::string exposure_warning(const std::string& path);

/// Stores each item as a file in a folder, which is created when first needed. An item that is a symbolic link is neither read nor
/// replaced: that is a run error.
class FolderSink : public CheckpointSink {
public:
  explicit FolderSink(std::string folder) : folder_(std::move(folder)) {}
  void store(const std::string& name, std::span<const std::byte> bytes) override;
  std::optional<std::vector<std::byte>> load(const std::string& name) override;
  void remove(const std::string& name) override;
  /// Removes all items whose names begin and end so, and temporary files of killed runs, which interrupted units left
  /// behind. Call it once no unit is left.
  void remove_all(const std::string& ending, const std::string& beginning = "");

private:
  std::string folder_;
  std::optional<bool> leftovers_;  ///< whether the folder had temporary files before the first item was stored
};

}  // namespace krossfold::storage
