// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/folder_probe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/output_lock.hpp"

namespace krossfold::storage {

namespace {

constexpr std::size_t probe_size = std::size_t{1} << 20;  // more than the rest of a block of a full disk

std::vector<std::byte> content(char letter) {
  return std::vector<std::byte>(probe_size, static_cast<std::byte>(letter));
}

bool holds(const std::string& path, char letter) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::vector<std::byte> bytes;
  return file.get() >= 0 && read_all(file, bytes) == 0 && bytes == content(letter);
}

/// A new file in a folder, under a name that nobody can foresee, as others may write there. Throws a run error if it cannot be made.
std::string create_probe(const std::string& folder, const std::vector<std::byte>& bytes) {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string path = text(folder, "/.krossfold-probe-", host_name(), "-", ::getpid(), "-", random(), random());
    if (create_atomically(path, bytes)) return path;
  }
  throw_run_error(text("cannot create a file in ", folder), "all names that were tried exist");
}

/// Deletes the files that processes of this host left which were killed meanwhile. One that is younger than a minute may belong to a
/// process that cannot be seen from here, in a container.
void remove_left_probes(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string mine = text(".krossfold-probe-", host_name(), "-");
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::size_t dots = name.starts_with("..") ? 1 : 0;  // what create_atomically() had begun
    if (name.compare(dots, mine.size(), mine) != 0) continue;
    const char* number = name.data() + dots + mine.size();
    std::int64_t pid = 0;
    const char* const end_of_name = name.data() + name.size();
    const auto [rest, fault] = std::from_chars(number, end_of_name, pid);
    struct stat status {};
    if (fault != std::errc{} || rest == end_of_name || *rest != '-' || is_alive(pid, 0)) continue;
    if (std::find(rest + 1, end_of_name, '-') != end_of_name) continue;  // of a host whose name begins as this one's
    if (::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) continue;
    if (std::time(nullptr) - status.st_mtime >= 60) ::unlink(at->path().c_str());
  }
}

/// Seconds that 4 KiB at the end of a file take to be stored, the median of five.
double time_of_sync(const FileDescriptor& file) {
  const std::vector<std::byte> block(4096);
  std::array<double, 5> seconds{};
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    const auto began = std::chrono::steady_clock::now();
    require_success(write_at(file, block, probe_size + k * block.size()), "cannot write");
    require_success(sync_data(file), "cannot sync");
    seconds[k] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Undoes the escapes of mountinfo: \040 is a blank.
std::string unescaped(const std::string& word) {
  std::string plain;
  for (std::size_t k = 0; k < word.size(); ++k) {
    if (word[k] == '\\' && k + 3 < word.size()) {
      plain += static_cast<char>(std::stoi(word.substr(k + 1, 3), nullptr, 8));
      k += 3;
    } else {
      plain += word[k];
    }
  }
  return plain;
}

}  // namespace

FolderProbe::FolderProbe(const std::string& output) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_folder = fs::is_directory(output, error);
  facts_.folder =
      fs::weakly_canonical(fs::absolute(is_folder ? output : folder_of(behind_links(output)), error), error).string();
  facts_.file_system = file_system_of(facts_.folder);
  struct statvfs room {};
  if (::statvfs(facts_.folder.c_str(), &room) == 0) {
    facts_.exists = true;
    facts_.free_bytes = static_cast<std::uint64_t>(room.f_bavail) * static_cast<std::uint64_t>(room.f_frsize);
  }
  try {
    remove_left_probes(facts_.folder);
    check_writable(is_folder ? text(facts_.folder, "/.krossfold-probe") : output);
    path_ = create_probe(facts_.folder, content('a'));
    write();
    lock();
  } catch (const Error& problem) {
    facts_.problem = problem.what();
  }
}

void FolderProbe::write() {
  write_atomically(path_, content('b'));
  facts_.replaces = holds(path_, 'b');
}

void FolderProbe::lock() {
  held_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (held_.get() < 0) throw_system_error(text("cannot open ", path_), errno);
  const int error = lock_file(held_);
  if (is_without_locks(error)) {
    facts_.locks = Locks::unsupported;
    facts_.lock_problem = std::strerror(error);
  } else {
    require_success(error, text("cannot lock ", path_));
    const FileDescriptor second(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (second.get() < 0) throw_system_error(text("cannot open ", path_), errno);
    facts_.locks = is_locked_elsewhere(lock_file(second)) ? Locks::kept : Locks::not_kept;
  }
  facts_.sync_seconds = time_of_sync(held_);
}

FolderProbe::~FolderProbe() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

ProbeView view_of(const std::string& path) {
  ProbeView view;
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  view.visible = file.get() >= 0;
  if (view.visible) view.locked = lock_file(file) != 0;
  try {
    const std::string own =
        create_probe(folder_of(path), std::vector<std::byte>(4096));  // small: thousands of ranks may do this at once
    ::unlink(own.c_str());
  } catch (const Error& problem) {
    view.problem = problem.what();
  }
  return view;
}

std::string file_system_of(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);  // fails where the current folder was deleted
  if (error) return "";
  const std::string absolute = std::filesystem::weakly_canonical(whole, error).string();
  std::ifstream mounts("/proc/self/mountinfo");
  return error ? "" : file_system_of(absolute, {std::istreambuf_iterator<char>(mounts), {}});
}

std::string file_system_of(const std::string& path, const std::string& mounts) {
  std::string found;
  std::size_t longest = 0;
  std::istringstream lines(mounts);  // "ID PARENT DEVICE ROOT MOUNT-POINT OPTIONS ... - TYPE SOURCE ..."
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, point, type;
    for (int k = 0; k < 5; ++k) words >> point;
    while (words >> word && word != "-") {
    }
    if (!(words >> type)) continue;
    point = unescaped(point);
    const std::string below = point.ends_with('/') ? point : point + "/";
    // Of two on the same point, the later one covers the earlier.
    if ((path == point || path.starts_with(below)) && point.size() >= longest) {
      longest = point.size();
      found = type;
    }
  }
  return found;
}

}  // namespace krossfold::storage
