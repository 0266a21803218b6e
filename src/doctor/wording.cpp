// SPDX-License-Identifier: BSD-3-Clause
#include "wording.hpp"

#include <algorithm>

#include "krossfold/core/ranges.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::doctor {

std::string rank_names(const std::vector<int>& numbers) {
  return text(numbers.size() == 1 ? "rank " : "ranks ", ranges(numbers));
}

std::vector<int> ranks_where(const Ranks& ranks, const std::function<bool(const RankFacts&)>& condition) {
  std::vector<int> found;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (condition(ranks[r])) found.push_back(static_cast<int>(r));
  }
  return found;
}

std::string by_rank(const Ranks& ranks, const std::function<std::string(const RankFacts&)>& say) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string said = say(ranks[r]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == said; });
    if (group == groups.end()) group = groups.insert(groups.end(), {said, {}});
    group->second.push_back(static_cast<int>(r));
  }
  if (groups.size() == 1) return groups[0].first;
  std::string all;
  for (const auto& [said, numbers] : groups) {
    all += text(all.empty() ? "" : "; ", rank_names(numbers));
    const std::string& host = ranks[static_cast<std::size_t>(numbers[0])].place.host;
    const bool one_host = std::all_of(numbers.begin(), numbers.end(),
                                      [&](int r) { return ranks[static_cast<std::size_t>(r)].place.host == host; });
    all += text(one_host ? " on " + host : "", ": ", said);
  }
  return all;
}

std::vector<std::pair<std::string, std::vector<int>>> hosts_of(const Ranks& ranks) {
  std::vector<std::pair<std::string, std::vector<int>>> hosts;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string& name = ranks[r].place.host;
    auto host = std::find_if(hosts.begin(), hosts.end(), [&](const auto& one) { return one.first == name; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), {name, {}});
    host->second.push_back(static_cast<int>(r));
  }
  return hosts;
}

std::string setting(const RankFacts& rank, const std::string& name) {
  for (const std::string& one : rank.settings) {
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
  }
  return "";
}

Finding judged(const std::string& check, Verdict verdict, const std::string& found, const std::string& remedy) {
  return {check, verdict, found, verdict == Verdict::ok ? "" : remedy};
}

std::pair<std::string, std::string> split_message(const std::string& message) {
  const std::size_t end = message.rfind(") ");
  if (end == std::string::npos) return {message, ""};
  return {message.substr(0, end + 1), message.substr(end + 2)};
}

}  // namespace krossfold::doctor
