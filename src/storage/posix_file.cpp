// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace krossfold::storage {

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

int FileDescriptor::close() {
  // Linux closes the descriptor even on EINTR; retrying could close another thread's file.
  return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

int write_at(const FileDescriptor& file, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (written == 0) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

int read_all(const FileDescriptor& file, std::vector<std::byte>& bytes) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::pread(file.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return 0;
}

int sync_file(const FileDescriptor& file) {
  while (::fsync(file.get()) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int sync_data(const FileDescriptor& file) {
  while (::fdatasync(file.get()) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int lock_file(const FileDescriptor& file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool is_locked_elsewhere(int error) { return error == EAGAIN || error == EACCES; }

bool is_without_locks(int error) { return error == ENOLCK || error == EINVAL || error == ENOTSUP || error == ENOSYS; }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

int sync_folder(const std::string& folder) {
  const FileDescriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0) return errno;
  const int error = sync_file(file);
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

}  // namespace krossfold::storage
