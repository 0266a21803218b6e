// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"

namespace krossfold::test {

/// A new empty folder, deleted with its content at the end of the scope.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "krossfold-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// The number of files in it, including hidden ones.
  int files() const { return static_cast<int>(std::distance(std::filesystem::directory_iterator(path_), {})); }

private:
  std::string path_;
};

/// Limits the size of files this process writes to `bytes` for its lifetime: writes first get shorter, then fail.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

/// Gives new files of this process other permissions for its lifetime.
class Umask {
public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

private:
  mode_t before_;
};

/// The permissions of a file or folder, as for chmod; those of no file if it does not exist.
inline unsigned permissions_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : ~0U;
}

inline std::vector<std::byte> bytes_of(const std::string& letters) {
  std::vector<std::byte> bytes(letters.size());
  if (!letters.empty()) std::memcpy(bytes.data(), letters.data(), letters.size());
  return bytes;
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put(const std::string& path, const std::string& letters) {
  std::ofstream(path, std::ios::binary) << letters;
}

/// The message of the krossfold::Error that `body` throws; the test fails if it throws none or one with another code.
template <class Body>
std::string message_of(ExitCode code, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace krossfold::test
