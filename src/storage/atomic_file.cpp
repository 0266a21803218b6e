// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

namespace {

/// A new file beside `path`, deleted again unless it was moved there.
class TemporaryFile {
public:
  /// error() is not 0 if it could not be made.
  explicit TemporaryFile(const std::string& path) {
    // The name may not exceed what the file system allows (255), and another host may use the same process number.
    const std::string stem = std::filesystem::path(path).filename().string().substr(0, 200);
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path_ = text(folder_of(path), "/.", stem, ".", ::getpid(), "-", attempt, ".tmp");
      file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      error_ = file_.get() < 0 ? errno : 0;
      if (error_ != EEXIST && error_ != EINTR) break;
    }
    if (error_ != 0) path_.clear();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  int error() const { return error_; }
  FileDescriptor& file() { return file_; }

  int move_to(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

private:
  std::string path_;
  FileDescriptor file_;
  int error_ = 0;
};

/// The file behind a symbolic link, so that the link stays and its target is replaced.
std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::string target = std::filesystem::weakly_canonical(path, error).string();
  return error ? path : target;
}

/// Why a file cannot be put there although its folder may be writable, or "".
std::string obstacle(const std::string& path) {
  if (path.empty() || path.back() == '/') return "it names no file";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  return S_ISREG(status.st_mode) ? "" : "it is a device, pipe or socket, no regular file";
}

}  // namespace

void write_atomically(const std::string& path, std::span<const std::byte> bytes) {
  const std::string problem = text("cannot write ", path);
  if (const std::string why = obstacle(path); !why.empty()) throw_run_error(problem, why);
  const std::string target = behind_links(path);
  const auto succeed = [&](int error) {
    if (error != 0) throw_system_error(problem, error);
  };

  TemporaryFile temporary(target);
  succeed(temporary.error());
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0) {
    succeed(::fchmod(temporary.file().get(), old.st_mode & 07777) == 0 ? 0 : errno);
  }
  succeed(write_at(temporary.file(), bytes, 0));
  succeed(sync_file(temporary.file()));
  succeed(temporary.file().close());
  succeed(temporary.move_to(target));
  succeed(sync_folder(folder_of(target)));
}

void check_writable(const std::string& path) {
  const std::string problem = text("cannot write ", path);
  if (const std::string why = obstacle(path); !why.empty()) throw_input_error(problem, why, "choose another output");
  const std::string target = behind_links(path), folder = folder_of(target);
  const TemporaryFile temporary(target);  // access() lies to root and on network file systems: only a trial tells
  if (temporary.error() == ENOENT) {
    throw_input_error(problem, text("the folder ", folder, " does not exist"), "make it with mkdir -p");
  }
  if (temporary.error() != 0) {
    throw_input_error(problem, text("no file can be made in ", folder, ": ", std::strerror(temporary.error())),
                      "choose an output in a folder that you may write to");
  }
}

void FolderSink::store(const std::string& name, std::span<const std::byte> bytes) {
  if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) {
    throw_run_error(text("cannot store \"", name, "\" in ", folder_), "it is no plain file name");
  }
  if (::mkdir(folder_.c_str(), 0777) == 0) {
    const int error = sync_folder(folder_of(folder_));
    if (error != 0) throw_system_error(text("cannot make the folder ", folder_), error);
  } else if (errno != EEXIST) {
    throw_system_error(text("cannot make the folder ", folder_), errno);
  }
  write_atomically(folder_ + "/" + name, bytes);
}

}  // namespace krossfold::storage
