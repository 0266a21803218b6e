// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/output_lock.hpp"

namespace krossfold::storage {

namespace {

/// Field 22 of /proc/PID/stat, or 0 if there is no such process. Field 2, the program name in parentheses, may contain
/// any characters.
std::uint64_t start_of(std::int64_t pid) {
  std::ifstream file(text("/proc/", pid, "/stat"));
  const std::string line{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int number = 3; number < 22; ++number) fields >> field;
  std::uint64_t start = 0;
  fields >> start;
  return start;
}

template <class T>
void read_number(const std::string& digits, T& value) {
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
}

}  // namespace

bool LockOwner::operator==(const LockOwner& other) const { return to_text(*this) == to_text(other); }

LockOwner this_process() {
  LockOwner owner;
  owner.host = host_name();
  owner.pid = ::getpid();
  owner.process_start = start_of(owner.pid);
  std::ifstream("/proc/sys/kernel/random/boot_id") >> owner.boot_id;
  owner.job = slurm_job();
  owner.since = utc_now();
  return owner;
}

std::string to_text(const LockOwner& owner) {
  return text("host = ", owner.host, "\npid = ", owner.pid, "\nprocess_start = ", owner.process_start,
              "\nboot_id = ", owner.boot_id, "\njob = ", owner.job.id, "\nrestart = ", owner.job.restart,
              "\ncluster = ", owner.job.cluster, "\nsince = ", owner.since, "\n");
}

std::optional<LockOwner> owner_from_text(const std::string& lines) {
  LockOwner owner;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    const std::string name = line.substr(0, equals), value = line.substr(equals + 3);
    if (name == "host") owner.host = value;
    if (name == "pid") read_number(value, owner.pid);
    if (name == "process_start") read_number(value, owner.process_start);
    if (name == "boot_id") owner.boot_id = value;
    if (name == "job") owner.job.id = value;
    if (name == "restart") owner.job.restart = value;
    if (name == "cluster") owner.job.cluster = value;
    if (name == "since") owner.since = value;
  }
  if (owner.host.empty() || owner.pid <= 0) return std::nullopt;
  return owner;
}

std::string describe(const LockOwner& owner) {
  return text("process ", owner.pid, " on ", owner.host, owner.job.id.empty() ? "" : ", Slurm job " + owner.job.id,
              owner.since.empty() ? "" : ", since " + owner.since);
}

bool is_alive(std::int64_t pid, std::uint64_t process_start) {
  const std::uint64_t start = start_of(pid);
  return start != 0 && (start == process_start || process_start == 0);
}

}  // namespace krossfold::storage
