// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/memory_budget.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/memory.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::run {

MemoryBound rank_memory(const RunContext& context) {
  const parallel::RankPlace& mine = context.places[context.comm.rank()];
  const auto count = [&](const auto& shares) {
    const auto all = std::count_if(context.places.begin(), context.places.end(), shares);
    return std::max(1, static_cast<int>(all));
  };
  const auto why = [](int ranks, const std::string& memory) {
    return text(report::counted(ranks, "rank"), ranks == 1 ? " has" : " share", " the ", memory);
  };
  const int ranks = count([&](const auto& place) { return place.host == mine.host; });
  MemoryBound bound{machine_memory() / 100 * 95 / static_cast<std::uint64_t>(ranks),
                    why(ranks, text(size_text(machine_memory()), " of ", mine.host)), ranks};
  if (mine.device >= 0) {
    const int sharing = count([&](const auto& place) { return place.shares_device(mine); });
    std::uint64_t free = std::numeric_limits<std::uint64_t>::max();
    for (const auto& place : context.places) {
      if (place.shares_device(mine)) free = std::min(free, place.state.free_bytes);
    }
    bound.bytes =
        free == 0 ? std::numeric_limits<std::uint64_t>::max() : free / 100 * 90 / static_cast<std::uint64_t>(sharing);
    bound.why = why(sharing, text(size_text(free), " that are free on GPU ", mine.device, " of ", mine.host));
  }
  const std::uint64_t limit = context.run.memory_limit;
  if (limit > 0 && limit < bound.bytes) bound = {limit, text("--memory-limit allows ", size_text(limit)), ranks};
  return bound;
}

MemoryBound least_memory(const RunContext& context) {
  const MemoryBound own = rank_memory(context);
  const std::vector<std::string> bytes = parallel::all_gather(context.comm, text(own.bytes)),
                                 why = parallel::all_gather(context.comm, own.why);
  MemoryBound least = own;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    const std::uint64_t of_rank = std::stoull(bytes[r]);
    if (of_rank < least.bytes) {
      least.bytes = of_rank;
      least.why = why[r];
    }
  }
  return least;
}

std::string with_program(std::uint64_t bytes, std::uint64_t at_most) {
  constexpr std::uint64_t to_come = 16 << 20;  // code and libraries that were not used yet, and the result; measured
  const ProcessMemory process = process_memory();
  if (!cpu_backend() || process.now == 0) return "";
  const auto size = [&](std::uint64_t more) {
    return size_text(std::max(process.most_so_far, process.now + more + to_come));
  };
  const std::string most = at_most > bytes ? text(", at most ", size(at_most)) : "";
  return text("; with the program and the data ", size(bytes), most);
}

std::uint64_t machine_memory() { return memory_limit(); }

}  // namespace krossfold::run
