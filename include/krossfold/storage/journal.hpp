// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/unit.hpp"
#include "krossfold/storage/posix_file.hpp"

namespace krossfold::storage {

/// Identifies the run a journal belongs to. Runs with equal fingerprints compute equal records.
struct Fingerprint {
  std::string config;  ///< every option that affects results, one "name = value" per line
  Digest data = 0;     ///< digest of the training and test parts
  std::string build;   ///< version, commit, compiler, CPU and BLAS kernel, which affect results bitwise
  /// Values of options that the fingerprint of an older version lacks. Not stored.
  std::map<std::string, std::string> unsaid{};
};

/// Describes the difference of two fingerprints in a message: "folds was 5 and is now 10; the data set differs".
/// Returns "" if they are equal, where an option that `before` lacks has the value of now.unsaid.
std::string difference(const Fingerprint& before, const Fingerprint& now);

/// Append-only file with the records of an unfinished study: a header {magic "KROSSJNL", version, length, CRC-32C of
/// these, fingerprint, run id, CRC-32C of all before}, then records {magic "KROSSREC", length, record (core/serialize.hpp),
/// CRC-32C of these}. A record is durable once a later sync() has returned.
class Journal : public RecordLog {
public:
  /// Creates the journal, or opens an existing one and replays it: reading stops at the first torn or damaged record
  /// and the file is truncated there. The file stays locked (F_OFD_SETLK) while the journal is open; if the file system
  /// does not support locks, `lock_warning()` says so. Before anything is read or changed, `may_use` is then called
  /// with whether the file is locked; it throws if the journal must not be used.
  /// Throws an input error if another process holds the lock, if the file is not a journal, has a damaged header or an
  /// unreadable record, or if it belongs to another configuration or data set (naming the difference). A different
  /// build alone is accepted; begun_by() says which.
  Journal(std::string path, const Fingerprint& fingerprint, const std::function<void(bool locked)>& may_use = {});
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The records found on opening. If a key occurs more than once, the last record counts; a last record with status
  /// missing removes the key.
  const std::vector<Record>& replayed() const { return replayed_; }
  std::vector<Record> take_replayed() { return std::move(replayed_); }
  const std::string& lock_warning() const { return lock_warning_; }
  /// The build that created the journal (Fingerprint::build).
  const std::string& begun_by() const { return begun_by_; }
  /// Names the study that the journal was created for: eight random hexadecimal digits; "" in a journal of version 1.
  const std::string& run_id() const { return run_id_; }
  /// What was truncated at the end: part of the last record after a kill; anything else indicates damage.
  const std::string& damage_warning() const { return damage_warning_; }

  /// Throws a run error if writing fails (disk full); earlier records stay valid.
  void append(const Record& record) override;
  void sync() override;

  /// Deletes the file, once the result file holds everything.
  void remove();

private:
  void open_and_lock();
  void require_use(const std::function<void(bool locked)>& may_use);
  void create(std::span<const std::byte> header);
  void replay(std::span<const std::byte> bytes);

  std::string path_;
  FileDescriptor file_;
  std::uint64_t end_ = 0;  ///< end of the last complete record
  bool is_new_ = false;    ///< true if this object created the file
  std::vector<Record> replayed_;
  std::string run_id_, begun_by_, lock_warning_, damage_warning_;
};

/// "FILE.h5.journal" for the result file FILE.h5.
std::string journal_path(const std::string& result_path);
/// "FILE.ID.models" for the result file FILE.h5 of the study with run id ID, so that no other study that is written to FILE.h5
/// later replaces its models; "FILE.models" for a study without an id, as earlier versions wrote them.
std::string models_folder(const std::string& result_path, const std::string& run_id);
/// The folder with the models of an existing result file, which may have been renamed: models_folder(), or where that does not
/// exist another folder beside the file whose name ends with the run id.
std::string find_models_folder(const std::string& result_path, const std::string& run_id);

}  // namespace krossfold::storage
