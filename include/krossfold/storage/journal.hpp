// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

/// What a journal belongs to. Two runs with equal fingerprints compute equal records.
struct Fingerprint {
  std::string config;  ///< every option that changes results, one "name = value" a line
  Digest data = 0;     ///< of training and test part
  std::string build;   ///< version, commit, compiler, CPU and BLAS kernel: what the bits depend on
};

/// What differs between two fingerprints, for a message: "--folds was 5 and is now 10; the data set is another".
/// "" if they are equal.
std::string difference(const Fingerprint& before, const Fingerprint& now);

/// The records of an unfinished study, append-only: a header {magic "KROSSJNL", version, length, CRC-32C of these,
/// fingerprint, CRC-32C of all before}, then records {magic "KROSSREC", length, record (core/serialize.hpp), CRC-32C of all
/// before}. A record counts once sync() has returned after it.
class Journal : public RecordLog {
public:
  /// Creates the journal, or opens an existing one and replays it: reading stops at the first torn or damaged record
  /// and the file is truncated there. The file is locked (F_OFD_SETLK) as long as the journal is open; where the file
  /// system knows no locks, `lock_warning()` says so. Then, before anything is read or changed, `may_use` is called
  /// with whether it is locked; it throws if the journal must not be used.
  /// Throws an input error if another process holds it, if it belongs to another configuration or data set (with
  /// the difference), or is not a journal. A different build is accepted if only the recorded build differs and
  /// `build_warning()` says so.
  Journal(std::string path, const Fingerprint& fingerprint, const std::function<void(bool locked)>& may_use = {});
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The records that were there when it was opened; for a key that occurs more than once the last one, and none if the
  /// last one has the status missing.
  const std::vector<Record>& replayed() const { return replayed_; }
  const std::string& lock_warning() const { return lock_warning_; }
  const std::string& build_warning() const { return build_warning_; }
  /// What was cut off at the end: after a kill a part of the last record, else a sign of damage.
  const std::string& damage_warning() const { return damage_warning_; }

  /// Throws a run error if it cannot be written (a full disk); the records before it stay valid.
  void append(const Record& record) override;
  void sync() override;

  /// Deletes the file: the result file holds everything now.
  void remove();

private:
  void open_and_lock();
  void ask(const std::function<void(bool locked)>& may_use);
  void create(std::span<const std::byte> header);
  void replay(std::span<const std::byte> records);

  std::string path_;
  FileDescriptor file_;
  std::uint64_t end_ = 0;  ///< of the last complete record
  bool is_new_ = false;    ///< made by this open, and empty
  std::vector<Record> replayed_;
  std::string lock_warning_, build_warning_, damage_warning_;
};

/// "FILE.h5.journal", "FILE.models" for the result file FILE.h5.
std::string journal_path(const std::string& result_path);
std::string models_folder(const std::string& result_path);

}  // namespace krossfold::storage
