// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

namespace {

namespace fs = std::filesystem;

// Temporary files of `path` are named .NAME.RANDOM.tmp, with 16 random hexadecimal digits; earlier versions named them .NAME.PID-ATTEMPT.tmp.
constexpr std::string_view temporary_ending = ".tmp";
constexpr std::size_t random_digits = 16;

/// Prefix of the names of temporary files for `path`, truncated to fit file systems' limit of 255 bytes per name.
std::string beginning_of_temporary(const std::string& path) {
  return text(".", fs::path(path).filename().string().substr(0, 200), ".");
}

bool holds_only(std::string_view word, std::string_view letters) {
  return !word.empty() && word.find_first_not_of(letters) == std::string_view::npos;
}

/// True for a regular file whose name is that of a temporary file with this beginning, or with any if `beginning` is "".
bool is_temporary(const fs::directory_entry& file, std::string_view beginning) {
  const std::string name = file.path().filename().string();
  if (!name.starts_with('.') || !name.ends_with(temporary_ending)) return false;
  const std::string_view stem(name.data(), name.size() - temporary_ending.size());
  const std::size_t start = stem.rfind('.') + 1;
  if (start == 1 || (!beginning.empty() && stem.substr(0, start) != beginning)) return false;
  const std::string_view own = stem.substr(start);
  const std::size_t dash = own.find('-');
  const bool is_ours =
      dash == std::string_view::npos
          ? own.size() == random_digits && holds_only(own, "0123456789abcdef")
          : holds_only(own.substr(0, dash), "0123456789") && holds_only(own.substr(dash + 1), "0123456789");
  std::error_code ignored;
  return is_ours && fs::is_regular_file(file.symlink_status(ignored));
}

/// A new file at temporary_path(path), deleted at the end of the scope unless it was moved to `path`.
class TemporaryFile {
public:
  /// If creation fails, error() is not 0.
  explicit TemporaryFile(const std::string& path, mode_t mode = 0666) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path_ = temporary_path(path);
      if (!path_.empty()) file_ = FileDescriptor(::open(path_.c_str(), flags, mode));
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

constexpr const char* no_regular_file = "it is a device, pipe or socket, not a regular file";

/// Why no file can be written to `path`, even if its folder is writable; "" if nothing prevents it. No link is followed.
std::string obstacle(const std::string& path) {
  if (path.empty() || path.back() == '/') return "it names no file";
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return "";
  if (S_ISDIR(status.st_mode)) return "it is a folder";
  if (S_ISLNK(status.st_mode)) return planted_link;
  return S_ISREG(status.st_mode) ? "" : no_regular_file;
}

}  // namespace

std::string exposure_warning(const std::string& path) {
  // Whoever may replace a link decides what it leads to, and journals lie beside it.
  for (const std::string& folder : {folder_of(path), folder_of(behind_links(path))}) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & (S_IWOTH | S_ISVTX)) != S_IWOTH) continue;
    return text("everyone may write to the folder ", folder,
                ", and so replace or delete what is written there (chmod o-w ", folder, " keeps others out)");
  }
  return "";
}

std::string temporary_path(const std::string& path) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) != sizeof(number)) return "";
  return text(folder_of(path), "/", beginning_of_temporary(path), std::hex, std::setfill('0'), std::setw(random_digits),
              number, temporary_ending);
}

std::string behind_links(const std::string& path) {
  constexpr int most = 40;  // as in the kernel
  fs::path at(path);
  for (int k = 0; k < most; ++k) {
    std::error_code error;
    if (!fs::is_symlink(at, error)) return at.string();
    const fs::path target = fs::read_symlink(at, error);
    if (error) return path;
    at = at.parent_path() / target;  // which is the target if that is absolute
  }
  return path;  // a circle
}

void write_atomically(const std::string& path, std::span<const std::byte> bytes) {
  const std::string problem = text("cannot write ", path);
  if (const std::string why = obstacle(path); !why.empty()) {
    throw_run_error(problem, why, why == planted_link ? "delete the link and run the same command again" : "");
  }
  const auto succeed = [&](int error) { require_success(error, problem); };

  struct stat old {};
  const bool replaces = ::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  TemporaryFile temporary(path, replaces ? 0600 : 0666);  // nobody may open it who may not open the file it replaces
  succeed(temporary.error());
  if (replaces) succeed(::fchmod(temporary.file().get(), old.st_mode & 07777) == 0 ? 0 : errno);
  succeed(temporary.fill(bytes));
  succeed(temporary.move_to(path));
  succeed(sync_folder(folder_of(path)));
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
      if (std::error_code ignored; fs::exists(fs::symlink_status(path, ignored))) return false;
      succeed(temporary.move_to(path));
      break;
    default:
      succeed(error);
  }
  succeed(sync_folder(folder_of(path)));
  return true;
}

void remove_leftovers(const std::string& path) {
  const std::string beginning = beginning_of_temporary(path);
  std::error_code error;
  for (fs::directory_iterator at(folder_of(path), error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (is_temporary(*at, beginning)) fs::remove(at->path(), ignored);
  }
}

bool has_temporary_files(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_temporary(*at, "")) return true;
  }
  return false;
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t second = 1'000'000'000;
  return FileIdentity{status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
                      second * status.st_mtim.tv_sec + status.st_mtim.tv_nsec};
}

void check_output_name(const std::string& path) {
  for (const char* ending : {".journal", ".lock"}) {
    require(!path.ends_with(ending), text(path, " is not written"),
            text("journals and locks of studies end in ", ending), "choose another name");
  }
}

void check_writable(const std::string& path) {
  const std::string problem = text("cannot write ", path);
  const std::string target = behind_links(path), folder = folder_of(target);
  constexpr std::size_t most = NAME_MAX, added = 23;  // .NAME.RANDOM.tmp; NAME.journal and STEM.RUN.models are shorter
  const std::size_t bytes = fs::path(target).filename().native().size();
  require(bytes + added <= most, problem,
          text("its name has ", bytes, " bytes; files beside it would have names of more than ", most,
               ", which file systems refuse"),
          text("choose a name of at most ", most - added, " bytes"));
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode)) {  // as of /dev/stdout
    throw_input_error(problem, no_regular_file, "choose another output");
  }
  if (const std::string why = obstacle(target); !why.empty()) {
    const bool circle = why == planted_link;  // all others were followed
    throw_input_error(problem, circle ? "its symbolic links lead nowhere" : why, "choose another output");
  }
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
  if (!leftovers_) leftovers_ = has_temporary_files(folder_);
  if (*leftovers_) remove_leftovers(path);
  write_atomically(path, bytes);
}

std::optional<std::vector<std::byte>> FolderSink::load(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 && errno == ELOOP) {
    throw_run_error(text("cannot read ", path), planted_link, "delete the link and run the same command again");
  }
  std::vector<std::byte> bytes;
  if (file.get() < 0 || read_all(file, bytes) != 0) return std::nullopt;
  return bytes;
}

void FolderSink::remove(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_system_error(text("cannot delete ", path), errno);
}

void FolderSink::remove_all(const std::string& ending, const std::string& beginning) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if ((name.starts_with(beginning) && name.ends_with(ending)) || is_temporary(*at, "")) names.push_back(name);
  }
  for (const std::string& name : names) remove(name);
  if (!names.empty()) ::rmdir(folder_.c_str());  // succeeds only if it is empty
}

}  // namespace krossfold::storage
