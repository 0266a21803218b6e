// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/other_text.hpp"

#include <algorithm>
#include <vector>

namespace krossfold::parallel {

std::optional<OtherText> find_other_text(const Communicator& comm, const std::string& text) {
  const std::vector<std::string> all = all_gather(comm, text);
  const auto other = std::find_if(all.begin(), all.end(), [&](const std::string& one) { return one != all.front(); });
  if (other == all.end()) return std::nullopt;
  return OtherText{static_cast<int>(other - all.begin()), *other, all.front()};
}

}  // namespace krossfold::parallel
