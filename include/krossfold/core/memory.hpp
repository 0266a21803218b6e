// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The memory and the processor time that this process may take: of the machine, and of the control group it runs in.

#include <cstdint>
#include <string>

namespace krossfold {

/// Limits of a control group, which batch systems and containers set; 0 where there is none.
struct GroupLimits {
  std::uint64_t memory = 0;  ///< bytes, of all processes of the group together
  std::uint64_t used = 0;    ///< bytes that they have taken, without page cache that is not in use; 0 without a limit
  double processors = 0;     ///< processors' worth of time
};

/// The limits of this process: the tightest of its group and all groups above, in version 1 or 2 of control groups.
GroupLimits group_limits();
/// The same for a process whose /proc/PID/cgroup holds `membership`, with the groups mounted at `root`.
GroupLimits group_limits(const std::string& membership, const std::string& root);

/// All memory that processes here may take together, in bytes: the machine's, or the control group's limit if that is less.
std::uint64_t memory_limit();

/// Bytes of it that programs can still take: MemAvailable of /proc/meminfo, or what the control group has left if that is less.
std::uint64_t free_memory();

/// What this process has in memory, and addresses in use, in bytes: VmRSS, VmHWM and VmSize of /proc/self/status, 0 where there is none.
struct ProcessMemory {
  std::uint64_t now = 0, most_so_far = 0, addresses = 0;
};
ProcessMemory process_memory();

}  // namespace krossfold
