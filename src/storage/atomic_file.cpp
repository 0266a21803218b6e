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

/// A new file beside `path`, deleted at the end of the scope unless it was moved to `path`.
class TemporaryFile {
public:
  /// If creation fails, error() is not 0.
  explicit TemporaryFile(const std::string& path) {
    // A process on another host may have the same PID.
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path_ = text(folder_of(path), "/", beginning(path), ::getpid(), "-", attempt, ending);
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

  static constexpr const char* ending = ".tmp";
  /// Prefix of the names of temporary files for `path`, truncated to fit file systems' limit of 255 bytes per name.
  static std::string beginning(const std::string& path) {
    return text(".", std::filesystem::path(path).filename().string().substr(0, 200), ".");
  }

  /// Writes the bytes and flushes them to disk. Returns 0 or the error number.
  int fill(std::span<const std::byte> bytes) {
    int error = write_at(file_, bytes, 0);
    if (error == 0) error = sync_file(file_);
    if (error == 0) error = file_.close();
    return error;
  }

  int move_to(const std::string& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

  int link_to(const std::string& path) const { return ::link(path_.c_str(), path.c_str()) == 0 ? 0 : errno; }

private:
  std::string path_;
  FileDescriptor file_;
  int error_ = 0;
};

/// Why no file can be written to `path`, even if its folder is writable; "" if nothing prevents it.
std::string obstacle(const std::string& path) {
  if (path.empty() || path.back() == '/') return "it names no file";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  return S_ISREG(status.st_mode) ? "" : "it is a device, pipe or socket, not a regular file";
}

}  // namespace

std::string exposure_warning(const std::string& path) {
  const std::string folder = folder_of(behind_links(path));
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & (S_IWOTH | S_ISVTX)) != S_IWOTH) return "";
  return text("everyone may write to the folder ", folder, ", and so replace or delete the results (chmod o-w ", folder,
              " keeps others out)");
}

std::string behind_links(const std::string& path) {
  constexpr int most = 40;  // as in the kernel
  std::filesystem::path at(path);
  for (int k = 0; k < most; ++k) {
    std::error_code error;
    if (!std::filesystem::is_symlink(at, error)) return at.string();
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return path;
    at = at.parent_path() / target;  // which is the target if that is absolute
  }
  return path;  // a circle
}

void write_atomically(const std::string& path, std::span<const std::byte> bytes) {
  const std::string problem = text("cannot write ", path);
  if (const std::string why = obstacle(path); !why.empty()) throw_run_error(problem, why);
  const std::string target = behind_links(path);
  const auto succeed = [&](int error) { require_success(error, problem); };

  TemporaryFile temporary(target);
  succeed(temporary.error());
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0) {
    succeed(::fchmod(temporary.file().get(), old.st_mode & 07777) == 0 ? 0 : errno);
  }
  succeed(temporary.fill(bytes));
  succeed(temporary.move_to(target));
  succeed(sync_folder(folder_of(target)));
}

bool create_atomically(const std::string& path, std::span<const std::byte> bytes) {
  const auto succeed = [&](int error) { require_success(error, text("cannot write ", path)); };
  TemporaryFile temporary(path);
  succeed(temporary.error());
  succeed(temporary.fill(bytes));
  switch (const int error = temporary.link_to(path)) {
    case EEXIST:
      return false;
    case EPERM:  // the file system does not support hard links: best effort
    case ENOTSUP:
    case ENOSYS:
      if (std::error_code ignored; std::filesystem::exists(path, ignored)) return false;
      succeed(temporary.move_to(path));
      break;
    default:
      succeed(error);
  }
  succeed(sync_folder(folder_of(path)));
  return true;
}

void remove_leftovers(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string target = behind_links(path), beginning = TemporaryFile::beginning(target);
  std::error_code error;
  for (fs::directory_iterator at(folder_of(target), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string_view ending = TemporaryFile::ending;
    if (name.size() <= beginning.size() + ending.size() || !name.starts_with(beginning) || !name.ends_with(ending)) {
      continue;
    }
    const std::string between = name.substr(beginning.size(), name.size() - beginning.size() - ending.size());
    if (between.find_first_not_of("0123456789-") != std::string::npos) continue;  // not one of ours
    std::error_code ignored;
    fs::remove(at->path(), ignored);
  }
}

void check_output_name(const std::string& path) {
  for (const char* ending : {".journal", ".lock"}) {
    require(!path.ends_with(ending), text(path, " is not written"),
            text("journals and locks of studies end in ", ending), "choose another name");
  }
}

void check_writable(const std::string& path) {
  const std::string problem = text("cannot write ", path);
  if (const std::string why = obstacle(path); !why.empty()) throw_input_error(problem, why, "choose another output");
  const std::string target = behind_links(path), folder = folder_of(target);
  const TemporaryFile temporary(target);  // access() is unreliable for root and on network file systems, so try it
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
    throw_run_error(text("cannot store \"", name, "\" in ", folder_), "it is not a plain file name");
  }
  if (::mkdir(folder_.c_str(), 0777) == 0) {
    require_success(sync_folder(folder_of(folder_)), text("cannot make the folder ", folder_));
  } else if (errno != EEXIST) {
    throw_system_error(text("cannot make the folder ", folder_), errno);
  }
  const std::string path = folder_ + "/" + name;
  remove_leftovers(path);
  write_atomically(path, bytes);
}

std::optional<std::vector<std::byte>> FolderSink::load(const std::string& name) {
  const FileDescriptor file(::open((folder_ + "/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes;
  if (file.get() < 0 || read_all(file, bytes) != 0) return std::nullopt;
  return bytes;
}

void FolderSink::remove(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_system_error(text("cannot delete ", path), errno);
}

void FolderSink::remove_all(const std::string& ending) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool leftover = name.starts_with(".") && name.ends_with(TemporaryFile::ending);
    if (name.ends_with(ending) || leftover) names.push_back(name);
  }
  for (const std::string& name : names) remove(name);
  if (!names.empty()) ::rmdir(folder_.c_str());  // succeeds only if it is empty
}

}  // namespace krossfold::storage
