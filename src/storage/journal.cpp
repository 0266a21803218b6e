// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iomanip>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/output_lock.hpp"

namespace krossfold::storage {

namespace {

using Magic = std::array<char, 8>;
constexpr Magic journal_magic{'K', 'R', 'O', 'S', 'S', 'J', 'N', 'L'};
constexpr Magic record_magic{'K', 'R', 'O', 'S', 'S', 'R', 'E', 'C'};
constexpr std::uint64_t journal_version = 2, version_without_id = 1;
constexpr std::string_view journal_ending = ".journal";
constexpr std::size_t crc_size = sizeof(std::uint32_t);
constexpr std::size_t fixed_header = sizeof(Magic) + 2 * sizeof(std::uint64_t) + crc_size;  // before the fingerprint
constexpr std::size_t record_start = sizeof(Magic) + sizeof(std::uint64_t);

/// `bytes` followed by their CRC-32C.
std::vector<std::byte> with_crc(std::vector<std::byte> bytes) {
  const std::uint32_t crc = crc32c(bytes);
  const auto* first = reinterpret_cast<const std::byte*>(&crc);
  bytes.insert(bytes.end(), first, first + crc_size);
  return bytes;
}

/// True if the last four bytes are the CRC-32C of the others.
bool crc_holds(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0;
  std::memcpy(&crc, bytes.last(crc_size).data(), crc_size);
  return crc32c(bytes.first(bytes.size() - crc_size)) == crc;
}

std::vector<std::byte> header_of(const Fingerprint& fingerprint, const std::string& run_id) {
  ByteWriter body;
  body.put_fields(fingerprint.config, fingerprint.data, fingerprint.build, run_id);
  const std::vector<std::byte> rest = body.take();
  ByteWriter start;
  start.put_fields(journal_magic, journal_version, std::uint64_t{rest.size()});
  std::vector<std::byte> header = with_crc(start.take());
  header.insert(header.end(), rest.begin(), rest.end());
  return with_crc(std::move(header));
}

/// Random, not drawn from the seed: two studies with the same options are two studies.
std::string new_run_id() {
  std::ostringstream digits;
  digits << std::hex << std::setw(8) << std::setfill('0') << (std::random_device{}() & 0xffffffffU);
  return digits.str();
}

/// The length of the header at the start of `bytes`, with its fingerprint in `found` and its run id in `run_id`; 0 if `bytes` ends within the
/// header because the process was killed while creating the journal, in which case nothing is lost.
std::size_t read_header(std::span<const std::byte> bytes, const std::string& path, Fingerprint& found,
                        std::string& run_id) {
  const std::string remove = "delete the file to start the study over, or choose another output";
  const auto magic = std::as_bytes(std::span(journal_magic)).first(std::min(bytes.size(), sizeof(Magic)));
  if (!std::equal(magic.begin(), magic.end(), bytes.begin())) {
    throw_input_error(text(path, " is not a journal"), "it does not begin with \"KROSSJNL\"",
                      "move it away, or choose another output");
  }
  if (bytes.size() < fixed_header) return 0;
  const std::string damaged = text("the journal ", path, " is damaged");
  if (!crc_holds(bytes.first(fixed_header))) throw_input_error(damaged, "the CRC-32C at offset 24 is wrong", remove);
  ByteReader start(bytes.subspan(sizeof(Magic)), path);
  const auto version = start.get<std::uint64_t>(), length = start.get<std::uint64_t>();
  if (version != journal_version && version != version_without_id) {
    throw_input_error(text("the journal ", path, " cannot be continued"),
                      text("it has version ", version, ", but this program writes ", journal_version),
                      "use the Krossfold that began it, or delete it");
  }
  if (bytes.size() - fixed_header < crc_size || length > bytes.size() - fixed_header - crc_size) return 0;
  const std::size_t end = fixed_header + static_cast<std::size_t>(length) + crc_size;
  if (!crc_holds(bytes.first(end))) throw_input_error(damaged, "the CRC-32C of its header is wrong", remove);
  ByteReader body(bytes.subspan(fixed_header, length), path);
  body.get_fields(found.config, found.data, found.build);
  if (version != version_without_id) body.get_fields(run_id);
  body.expect_end();
  return end;
}

}  // namespace

Journal::Journal(std::string path, const Fingerprint& fingerprint, const std::function<void(bool locked)>& may_use)
    : path_(std::move(path)) {
  open_and_lock();
  if (may_use) require_use(may_use);
  std::vector<std::byte> bytes;
  require_success(read_all(file_, bytes), text("cannot read the journal ", path_));
  Fingerprint before;
  end_ = read_header(bytes, path_, before, run_id_);
  if (end_ == 0) {
    run_id_ = new_run_id();
    begun_by_ = fingerprint.build;
    create(header_of(fingerprint, run_id_));
    return;
  }
  begun_by_ = std::exchange(before.build, fingerprint.build);  // builds may differ
  if (const std::string differs = difference(before, fingerprint); !differs.empty()) {
    throw_input_error(text("the unfinished study in ", path_, " is a different one"), differs,
                      "continue it with its own options, choose another output, or delete the journal");
  }
  replay(bytes);
}

void Journal::open_and_lock() {
  for (;;) {
    constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    file_ = FileDescriptor(::open(path_.c_str(), flags | O_EXCL, 0666));
    is_new_ = file_.get() >= 0;
    if (!is_new_ && errno == EEXIST) file_ = FileDescriptor(::open(path_.c_str(), flags, 0666));
    if (file_.get() < 0 && errno == ELOOP) {
      throw_input_error(text("cannot open the journal ", path_), planted_link,
                        "delete the link, or choose another output; the output itself may be a link");
    }
    if (file_.get() < 0) {
      throw_input_error(text("cannot open the journal ", path_), std::strerror(errno),
                        "choose an output in a folder that you may write to");
    }
    struct stat opened {
    }, named{};
    if (::fstat(file_.get(), &opened) != 0) throw_system_error(text("cannot read the journal ", path_), errno);
    if (!S_ISREG(opened.st_mode)) throw_input_error(text(path_, " is not a journal"), "it is not a regular file");

    if (const int error = lock_file(file_); error != 0) {
      if (is_locked_elsewhere(error)) {
        const auto owner = owner_of(path_.substr(0, path_.size() - std::min(path_.size(), journal_ending.size())));
        throw_input_error(text("the journal ", path_, " is in use"),
                          text("another run holds its lock", owner ? ": " + describe(*owner) : ""),
                          "wait until that run has ended, or choose another output");
      }
      if (!is_without_locks(error)) throw_system_error(text("cannot lock the journal ", path_), error);
      lock_warning_ = text("the file system of ", path_, " does not support locks (", std::strerror(error),
                           "): only the .lock file beside it, which names this run, keeps a second one out");
    }
    // The previous holder may have deleted the file between our open and our lock.
    if (::lstat(path_.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) return;
  }
}

void Journal::require_use(const std::function<void(bool locked)>& may_use) {
  try {
    may_use(lock_warning_.empty());
  } catch (...) {
    if (is_new_) ::unlink(path_.c_str());
    throw;
  }
}

void Journal::create(std::span<const std::byte> header) {
  const auto succeed = [&](int error) { require_success(error, text("cannot write the journal ", path_)); };
  succeed(::ftruncate(file_.get(), 0) == 0 ? 0 : errno);
  succeed(write_at(file_, header, 0));
  succeed(sync_file(file_));
  succeed(sync_folder(folder_of(path_)));
  end_ = header.size();
}

void Journal::replay(std::span<const std::byte> bytes) {
  std::map<UnitKey, std::size_t> index;
  for (;;) {
    const auto rest = bytes.subspan(end_);
    if (rest.size() < record_start + crc_size) break;
    if (std::memcmp(rest.data(), record_magic.data(), sizeof(Magic)) != 0) break;
    std::uint64_t length = 0;
    std::memcpy(&length, rest.data() + sizeof(Magic), sizeof(length));
    if (length > rest.size() - record_start - crc_size) break;
    const auto whole = rest.first(record_start + static_cast<std::size_t>(length) + crc_size);
    if (!crc_holds(whole)) break;
    Record record;
    try {
      record = record_from_bytes(whole.subspan(record_start, length));
    } catch (const Error& error) {  // its CRC holds: truncating it would hide a bug
      throw_input_error(text("the record at offset ", end_, " of the journal ", path_, " cannot be read"),
                        error.what());
    }
    const auto [at, is_new] = index.try_emplace(record.key, replayed_.size());
    if (is_new) {
      replayed_.push_back(std::move(record));
    } else {
      replayed_[at->second] = std::move(record);
    }
    end_ += whole.size();
  }
  std::erase_if(replayed_, [](const Record& record) { return record.status == Status::missing; });
  if (end_ == bytes.size()) return;
  damage_warning_ = text("the journal ", path_, " was torn or damaged after ", replayed_.size(),
                         " records: ", bytes.size() - end_, " bytes were cut off; their units will be computed again");
  if (::ftruncate(file_.get(), static_cast<off_t>(end_)) != 0) {
    throw_system_error(text("cannot cut the damaged end off the journal ", path_), errno);
  }
  require_success(sync_file(file_), text("cannot write the journal ", path_));
}

void Journal::append(const Record& record) {
  ByteWriter writer;
  writer.put_fields(record_magic, to_bytes(record));
  const std::vector<std::byte> bytes = with_crc(writer.take());
  const int error = write_at(file_, bytes, end_);
  if (error != 0) {
    // Even if this fails too, a partial record is recognised as such and overwritten by the next one.
    const bool cut = ::ftruncate(file_.get(), static_cast<off_t>(end_)) == 0;
    throw_system_error(text("cannot write the journal ", path_, cut ? "" : ", nor truncate its partial record"), error);
  }
  end_ += bytes.size();
}

void Journal::sync() { require_success(sync_data(file_), text("cannot write the journal ", path_)); }

void Journal::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw_system_error(text("cannot delete ", path_), errno);
  file_ = FileDescriptor();  // only now, because the lock excludes others until the file is gone
  require_success(sync_folder(folder_of(path_)), text("cannot write the folder of ", path_));
}

std::string journal_path(const std::string& result_path) { return text(result_path, journal_ending); }

namespace {

/// The path without the ending of a result file.
std::string stem_of(const std::string& result_path) {
  for (const std::string ending : {".h5", ".hdf5"}) {
    if (result_path.size() > ending.size() && result_path.ends_with(ending)) {
      return result_path.substr(0, result_path.size() - ending.size());
    }
  }
  return result_path;
}

}  // namespace

std::string models_folder(const std::string& result_path, const std::string& run_id) {
  return text(stem_of(result_path), run_id.empty() ? "" : ".", run_id, ".models");
}

std::string find_models_folder(const std::string& result_path, const std::string& run_id) {
  namespace fs = std::filesystem;
  if (run_id.find_first_not_of("0123456789abcdef") != std::string::npos) {  // the result file may be untrusted
    throw_input_error(text(result_path, " has a run id that is none"), run_id, "Name the model file itself.");
  }
  std::string usual = models_folder(result_path, run_id);
  std::error_code error;
  if (run_id.empty() || fs::exists(usual, error)) return usual;
  const std::string ending = text(".", run_id, ".models");
  std::set<std::string> found;  // sorted: the order of a folder is none
  for (fs::directory_iterator at(folder_of(result_path), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(ending)) found.insert((fs::path(result_path).parent_path() / name).string());
  }
  return found.empty() ? usual : *found.begin();
}

}  // namespace krossfold::storage
