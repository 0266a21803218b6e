// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tries out what a study asks of the file system of its output.

#include <cstdint>
#include <string>

#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

/// Whether a lock keeps others out.
enum class Locks {
  kept,        ///< a second holder was refused
  not_kept,    ///< a second one got it too
  unsupported  ///< the file system has none
};

/// What was found about the folder of an output.
struct FolderFacts {
  std::string folder;            ///< absolute, without links
  std::string file_system;       ///< "ext4", "nfs4", "lustre"; "" if unknown
  std::string problem;           ///< why a study cannot write there: PROBLEM (WHY) SUGGESTION; "" if it can
  bool exists = false;           ///< the folder does
  std::uint64_t free_bytes = 0;  ///< for this user
  double sync_seconds = 0;       ///< time that the file system takes to store 4 KiB for good, median of five
  bool replaces = true;          ///< a file that was replaced atomically reads as its new content
  Locks locks = Locks::kept;
  std::string lock_problem;  ///< the system's reason; "" unless unsupported
};

/// The view of another process on the file that a probe holds.
struct ProbeView {
  bool visible = true;  ///< the file is seen, with its content
  bool locked = true;   ///< its lock keeps this process out
  std::string problem;  ///< why this process cannot write beside it; "" if it can
};

/// Writes, replaces, syncs and locks a small hidden file in the folder of an output, as a study does with its files, and holds its
/// lock. The file is deleted at the end of the scope.
class FolderProbe {
public:
  /// output: a result file, which need not exist, or an existing folder. Problems are in facts(), not thrown.
  explicit FolderProbe(const std::string& output);
  FolderProbe(const FolderProbe&) = delete;
  FolderProbe& operator=(const FolderProbe&) = delete;
  ~FolderProbe();

  const FolderFacts& facts() const { return facts_; }
  /// The absolute path of the file; "" if it could not be made.
  const std::string& path() const { return path_; }

private:
  void write();
  void lock();

  FolderFacts facts_;
  std::string path_;
  FileDescriptor held_;
};

/// Looks at the file of another process's probe and writes another one beside it.
ProbeView view_of(const std::string& path);

/// The type of the file system that holds a path, by the longest mount point in /proc/self/mountinfo above it; "" if unknown.
std::string file_system_of(const std::string& path);
/// The same for the absolute path and the content of mountinfo.
std::string file_system_of(const std::string& path, const std::string& mounts);

}  // namespace krossfold::storage
