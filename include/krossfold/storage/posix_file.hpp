// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The POSIX file functions that atomic files and the journal need, with every return value checked.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace krossfold::storage {

/// Owns a file descriptor.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return number_; }
  /// Closes it now; returns 0 or the error number (network file systems report an exceeded quota only here).
  int close();

private:
  int number_ = -1;
};

/// Why a link that has the name of a file of the program (a journal, lock, checkpoint or model) is not followed.
inline constexpr const char* planted_link = "it is a symbolic link, and somebody else may have put it there";

/// Writes all bytes at `offset`, retrying short and interrupted writes. Returns 0 or the error number.
int write_at(const FileDescriptor& file, std::span<const std::byte> bytes, std::uint64_t offset);

/// Reads the whole file, or less if another process truncates it meanwhile. Returns 0 or the error number.
int read_all(const FileDescriptor& file, std::vector<std::byte>& bytes);

/// fsync and fdatasync. Return 0 or the error number.
int sync_file(const FileDescriptor& file);
int sync_data(const FileDescriptor& file);

/// Locks a whole file that is open for writing until its descriptor is closed (F_OFD_SETLK), without waiting. Returns 0 or the
/// error number.
int lock_file(const FileDescriptor& file);
/// Whether that error says that somebody else holds the lock, or that the file system has no locks.
bool is_locked_elsewhere(int error);
bool is_without_locks(int error);

/// The folder part of a path; "." for a plain name.
std::string folder_of(const std::string& path);

/// Makes creations, renames and deletions in a folder survive a power failure. Returns 0, also if the file system does
/// not support this, or the error number.
int sync_folder(const std::string& folder);

}  // namespace krossfold::storage
