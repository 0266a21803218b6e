// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/output.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/run_facts.hpp"

namespace krossfold::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* another_output = "Choose another output, or move the file away.";

Digest parse_digest(const std::string& hex) {
  Digest digest = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), digest, 16);
  return digest;
}

bool any_failed(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(), [](const Record& r) { return r.status == Status::failed; });
}

std::vector<std::string> lines_of(const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// As inspect_output(), of the file that the path led to when the run began.
OutputState inspect(const std::string& path, const std::string& file, const std::string& kind,
                    const storage::Fingerprint& fingerprint) {
  storage::check_writable(path);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const storage::Container content = storage::read_container(file);
  if (content.attribute("kind") != kind) {
    throw_input_error(text(path, " exists and is not of this study"), text("it holds: ", content.attribute("kind")),
                      another_output);
  }
  storage::Fingerprint before = fingerprint;  // builds are compared by the journal
  before.config = content.attribute("fingerprint");
  before.data = parse_digest(content.attribute("data_digest"));
  const std::string changed = storage::difference(before, fingerprint);
  if (!changed.empty()) throw_input_error(text(path, " exists and is of another study"), changed, another_output);
  const std::string status = content.attribute("status");
  const bool diverged = status == "diverged", finished = has_ended(status);
  if (!finished && !fs::exists(storage::journal_path(path), ignored)) {
    throw_input_error(text(path, " cannot be continued"),
                      text("the study is unfinished and its journal ", storage::journal_path(path), " is missing"),
                      another_output);
  }
  std::vector<std::string> builds = lines_of(content.attribute("earlier_builds"));
  builds.push_back(content.attribute("build"));
  return {true, finished, diverged, content.attribute("started"), content.attribute("run_id"), std::move(builds)};
}

}  // namespace

std::string describe(const OutputState& state, bool retry_failed) {
  if (!state.finished) return "unfinished: it would go on where it was";
  return retry_failed ? "finished: only units that failed would be computed" : "finished: nothing would be computed";
}

OutputState inspect_output(const std::string& path, const std::string& kind, const storage::Fingerprint& fingerprint) {
  return inspect(path, storage::behind_links(path), kind, fingerprint);
}

StudyOutput::StudyOutput(std::string path, const std::string& kind, const storage::Fingerprint& fingerprint,
                         bool retry_failed, const std::function<int(const UnitKey&)>& stage,
                         const storage::LockParams& lock)
    : path_(std::move(path)), file_(storage::behind_links(path_)) {
  std::error_code ignored;
  const std::string journal = storage::journal_path(path_);
  found_ = inspect(path_, file_, kind, fingerprint);
  if (found_.finished && !fs::exists(journal, ignored)) return;
  journal_ = std::make_unique<storage::Journal>(
      journal, fingerprint, [&](bool locked) { lock_ = std::make_unique<storage::OutputLock>(path_, locked, lock); });
  records_ = journal_->take_replayed();
  const bool failed = any_failed(records_);
  seen_ = storage::identity_of(file_);
  // Another run may have finished after that inspection and before our lock, or was killed before it deleted its journal.
  found_ = inspect(path_, file_, kind, fingerprint);
  if (found_.finished && !(failed && retry_failed)) {
    if (failed) {
      warnings_.emplace_back("some units failed; the same command with --retry-failed computes them again");
    } else {
      lock_->release();
      journal_->remove();
    }
    lock_.reset();
    journal_.reset();
    return;
  }
  found_.run_id = journal_->run_id();
  storage::remove_leftovers(file_);
  if (failed && retry_failed) leave_out_failed(stage);
  keep_other_builds(fingerprint.build);
  for (const std::string& warning :
       {lock_->warning(), journal_->lock_warning(), journal_->damage_warning(), storage::exposure_warning(path_)}) {
    if (!warning.empty()) warnings_.push_back(warning);
  }
}

void StudyOutput::keep_other_builds(const std::string& now) {
  std::vector<std::string>& builds = found_.builds;
  builds.insert(builds.begin(), journal_->begun_by());  // of a run that was killed before it wrote a result file
  std::set<std::string> seen{"", now};
  std::erase_if(builds, [&](const std::string& build) { return !seen.insert(build).second; });
}

void StudyOutput::require_own_file() const {
  const std::optional<storage::FileIdentity> now = storage::identity_of(file_);
  std::error_code ignored;
  if (!now || now == seen_ || fs::is_symlink(file_, ignored)) return;  // a link is refused by whoever writes
  try {  // a copy of ours, or a file system that tells other times
    const std::string run_id = storage::read_container(file_).attribute("run_id");
    if (!run_id.empty() && run_id == found_.run_id) return;
  } catch (const Error&) {  // not a result file
  }
  throw_run_error(text("cannot write ", file_), "another file took its place while the study ran",
                  "Move that file away and run the same command again: what was computed is in the journal.");
}

void StudyOutput::write(const storage::Container& result) {
  require_own_file();
  storage::write_container(file_, result);
  seen_ = storage::identity_of(file_);
}

void StudyOutput::leave_out_failed(const std::function<int(const UnitKey&)>& stage) {
  int first = std::numeric_limits<int>::max();
  for (const Record& record : records_) {
    if (record.status == Status::failed) first = std::min(first, stage(record.key));
  }
  std::erase_if(records_, [&](const Record& record) {
    const bool out = record.status == Status::failed || stage(record.key) > first;
    if (out) left_out_.push_back(record.key);
    return out;
  });
}

void StudyOutput::forget_left_out() {
  if (left_out_.empty()) return;
  for (const UnitKey& key : left_out_) {
    Record none;  // its status is missing
    none.key = key;
    journal_->append(none);
  }
  journal_->sync();
  left_out_.clear();
}

void StudyOutput::close(const std::vector<Record>& records) {
  lock_->release();
  if (!any_failed(records)) journal_->remove();
  journal_.reset();
}

}  // namespace krossfold::run
