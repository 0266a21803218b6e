// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How findings speak of ranks and hosts.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/doctor/checks.hpp"

namespace krossfold::doctor {

inline constexpr std::uint64_t MiB = std::uint64_t{1} << 20, GiB = std::uint64_t{1} << 30;

/// "rank 2" or "ranks 0-2,5".
std::string rank_names(const std::vector<int>& numbers);

/// The numbers of the ranks for which the condition holds.
std::vector<int> ranks_where(const Ranks& ranks, const std::function<bool(const RankFacts&)>& condition);

/// What is said of every rank: once if it is the same of all, else "ranks 0-1: A; rank 2 on node8: B".
std::string by_rank(const Ranks& ranks, const std::function<std::string(const RankFacts&)>& say);

/// The hosts in the order of their first ranks, with the numbers of their ranks.
std::vector<std::pair<std::string, std::vector<int>>> hosts_of(const Ranks& ranks);

/// The value of a watched environment variable; "" if it is not set.
std::string setting(const RankFacts& rank, const std::string& name);

/// The finding of a check, with its remedy where the verdict is not ok.
Finding judged(const std::string& check, Verdict verdict, const std::string& found, const std::string& remedy);

/// Splits the message of an Error, PROBLEM (WHY) SUGGESTION, before its suggestion.
std::pair<std::string, std::string> split_message(const std::string& message);

}  // namespace krossfold::doctor
