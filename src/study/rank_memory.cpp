// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/rank_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "krossfold/core/text.hpp"

namespace krossfold::study {

MemoryBound rank_memory(const Surroundings& around, const RunParams& run) {
  const parallel::RankPlace& mine = around.places[around.comm.rank()];
  const auto ranks = static_cast<int>(std::count_if(around.places.begin(), around.places.end(),
                                                    [&](const auto& place) { return place.host == mine.host; }));
  MemoryBound bound{
      machine_memory() / 100 * 95 / static_cast<std::uint64_t>(ranks),
      text(ranks, ranks == 1 ? " rank has" : " ranks share", " the ", size_text(machine_memory()), " of ", mine.host),
      ranks};
  if (mine.device >= 0) bound.bytes = std::numeric_limits<std::uint64_t>::max();
  if (run.memory_limit > 0 && run.memory_limit < bound.bytes) {
    bound = {run.memory_limit, text("--memory-limit allows ", size_text(run.memory_limit)), ranks};
  }
  return bound;
}

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace krossfold::study
