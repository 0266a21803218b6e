// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "krossfold/core/text.hpp"

namespace krossfold {

namespace {

/// The first number of a file; nothing if it is missing or says "max".
std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

/// The folder of a group and of those above it, up to that of the hierarchy. Inside a container the path may be one outside.
std::vector<std::string> upwards(const std::string& hierarchy, std::string group) {
  std::vector<std::string> folders;
  while (!group.empty() && group != "/") {
    folders.push_back(hierarchy + group);
    group.erase(group.rfind('/'));
  }
  folders.push_back(hierarchy);
  return folders;
}

/// The number after a name in a file of lines "NAME NUMBER"; 0 if there is none.
double number_after(const std::string& name, const std::string& path) {
  std::ifstream file(path);
  double number = 0;
  for (std::string found; file >> found >> number;) {
    if (found == name) return number;
  }
  return 0;
}

/// cache: the name in memory.stat of the page cache that the kernel takes back first.
void tighten_memory(GroupLimits& limits, const std::string& folder, const char* limit_file, const char* used_file,
                    const char* cache) {
  constexpr double unlimited = 1e18;  // version 1 writes the largest multiple of a page
  const auto limit = number_in(folder + limit_file);
  if (!limit || *limit <= 0 || *limit >= unlimited) return;
  const auto bytes = static_cast<std::uint64_t>(*limit);
  if (limits.memory != 0 && limits.memory <= bytes) return;
  limits.memory = bytes;
  const double used = number_in(folder + used_file).value_or(0) - number_after(cache, folder + "/memory.stat");
  limits.used = static_cast<std::uint64_t>(std::max(used, 0.0));
}

void tighten_time(GroupLimits& limits, double quota, double period) {
  if (quota <= 0 || period <= 0) return;
  const double processors = quota / period;
  if (limits.processors == 0 || processors < limits.processors) limits.processors = processors;
}

void read_version_2(GroupLimits& limits, const std::string& folder) {
  tighten_memory(limits, folder, "/memory.max", "/memory.current", "inactive_file");
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  if (file >> quota >> period) tighten_time(limits, quota, period);
}

void read_version_1(GroupLimits& limits, const std::string& controllers, const std::string& root,
                    const std::string& group) {
  const auto has = [&](const std::string& name) {
    return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
  };
  if (has("memory")) {
    for (const std::string& folder : upwards(root + "/memory", group)) {
      tighten_memory(limits, folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file");
    }
  }
  if (has("cpu")) {
    for (const std::string& folder : upwards(text(root, "/", controllers), group)) {
      tighten_time(limits, number_in(folder + "/cpu.cfs_quota_us").value_or(0),
                   number_in(folder + "/cpu.cfs_period_us").value_or(0));
    }
  }
}

/// The bytes after a name in a file of lines "NAME NUMBER kB"; 0 if there are none.
std::uint64_t bytes_after(const std::string& name, const std::string& path) {
  std::ifstream file(path);
  for (std::string found, rest; file >> found; std::getline(file, rest)) {
    std::uint64_t kilobytes = 0;
    if (found == name && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

GroupLimits group_limits(const std::string& membership, const std::string& root) {
  GroupLimits limits;
  std::istringstream lines(membership);  // "NUMBER:CONTROLLERS:GROUP", without controllers for version 2
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (!controllers.empty()) {
      read_version_1(limits, controllers, root, group);
      continue;
    }
    for (const std::string& folder : upwards(root, group)) read_version_2(limits, folder);
  }
  return limits;
}

GroupLimits group_limits() {
  std::ifstream file("/proc/self/cgroup");
  return group_limits({std::istreambuf_iterator<char>(file), {}}, "/sys/fs/cgroup");
}

std::uint64_t memory_limit() {
  const auto all =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t limit = group_limits().memory;
  return limit != 0 ? std::min(all, limit) : all;
}

std::uint64_t free_memory() {
  const GroupLimits limits = group_limits();
  const std::uint64_t of_machine = bytes_after("MemAvailable:", "/proc/meminfo");
  return limits.memory != 0 ? std::min(of_machine, limits.memory - std::min(limits.used, limits.memory)) : of_machine;
}

ProcessMemory process_memory() {
  const std::string file = "/proc/self/status";
  return {bytes_after("VmRSS:", file), bytes_after("VmHWM:", file), bytes_after("VmSize:", file)};
}

}  // namespace krossfold
