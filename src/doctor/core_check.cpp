// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "krossfold/core/ranges.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

/// A maximum matching of ranks with cores by augmenting paths (H. W. Kuhn, Naval Research Logistics Quarterly 2, 1955).
class Matching {
public:
  /// Gives a rank a core of its own, moving others to another of theirs. If none is left, crowd() holds the ranks that have
  /// fewer cores together than they are, and taken() those cores.
  bool add(int rank, const std::vector<int>& cores_of_rank) {
    cores_[rank] = cores_of_rank;
    taken_.clear();
    crowd_ = {rank};
    return augment(rank);
  }
  std::vector<int> crowd() const { return {crowd_.begin(), crowd_.end()}; }
  std::vector<int> taken() const { return {taken_.begin(), taken_.end()}; }

private:
  bool augment(int rank) {
    for (const int core : cores_[rank]) {
      if (!taken_.insert(core).second) continue;
      const auto owner = owner_.find(core);
      if (owner != owner_.end()) crowd_.insert(owner->second);
      if (owner == owner_.end() || augment(owner->second)) {
        owner_[core] = rank;
        return true;
      }
    }
    return false;
  }

  std::map<int, std::vector<int>> cores_;
  std::map<int, int> owner_;
  std::set<int> taken_, crowd_;
};

struct HostVerdict {
  Verdict verdict = Verdict::ok;
  std::string found, remedy;
};

std::size_t distinct(const std::vector<int>& numbers) { return std::set<int>(numbers.begin(), numbers.end()).size(); }

HostVerdict judge_host(const Ranks& ranks, const std::string& host, const std::vector<int>& numbers) {
  std::vector<int> processors, cores;
  int threads = 0, of_host = 0;
  bool bound = false;
  double quota = 0;
  for (const int r : numbers) {
    const RankFacts& rank = ranks[static_cast<std::size_t>(r)];
    processors.insert(processors.end(), rank.processors.begin(), rank.processors.end());
    cores.insert(cores.end(), rank.cores.begin(), rank.cores.end());
    threads += rank.concurrency;
    bound = bound || static_cast<int>(rank.processors.size()) < rank.processor_count;
    of_host = std::max(of_host, rank.processor_count);
    quota = std::max(quota, rank.processor_quota);
  }
  const int here = static_cast<int>(numbers.size()), usable = static_cast<int>(distinct(cores));
  const std::string who = text(report::counted(here, "rank"), " on ", report::counted(usable, "core"), " of ", host);
  if (here > usable && static_cast<int>(distinct(processors)) < of_host) {
    return {Verdict::slow, text(who, ", whose ", of_host, " processors they may not all use"),
            text("Let them use more (mpirun --bind-to none, srun --cpus-per-task and --cpu-bind=none, taskset), or "
                 "start at most ",
                 report::counted(usable, "rank"), " on ", host, ".")};
  }
  if (here > usable) {
    return {Verdict::slow, who,
            text("Start at most ", report::counted(usable, "rank"), " on ", host, ": more take turns on its cores.")};
  }
  Matching matching;
  for (const int r : numbers) {
    if (matching.add(r, ranks[static_cast<std::size_t>(r)].cores)) continue;
    return {Verdict::slow,
            text(who, ": ", rank_names(matching.crowd()), " are bound to core",
                 matching.taken().size() == 1 ? " " : "s ", ranges(matching.taken())),
            "Bind each rank to a core of its own: mpirun --map-by core --bind-to core, or srun --cpu-bind=cores; "
            "mpirun --bind-to none leaves it to the kernel."};
  }
  for (const int r : numbers) {
    const RankFacts& rank = ranks[static_cast<std::size_t>(r)];
    if (rank.concurrency <= static_cast<int>(rank.processors.size())) continue;
    return {Verdict::slow,
            text(who, ": ", rank_names({r}), " has ", rank.concurrency, " threads on ",
                 report::counted(static_cast<int>(rank.processors.size()), "processor")),
            "Give a rank as many processors as threads (mpirun --map-by slot:PE=N, srun --cpus-per-task=N), or set "
            "OMP_NUM_THREADS."};
  }
  if (threads > static_cast<int>(distinct(processors))) {
    return {Verdict::slow, text(who, " with ", threads, " threads together"),
            text("Set OMP_NUM_THREADS=", std::max(1, usable / here), ".")};
  }
  if (quota > 0 && threads > quota + 0.05) {
    return {Verdict::slow, text(who, ", whose control group grants the time of ", fixed(quota, 1)),
            text("Start at most ", report::counted(std::max(1, static_cast<int>(quota)), "rank"),
                 ", or ask for more (docker run --cpus, Kubernetes limits.cpu).")};
  }
  return {Verdict::ok, text(who, bound ? ", bound" : ", not bound"), ""};
}

}  // namespace

Finding check_cores(const Ranks& ranks) {
  Finding finding{"cores", Verdict::ok, "", ""};
  for (const auto& [host, numbers] : hosts_of(ranks)) {
    const HostVerdict here = judge_host(ranks, host, numbers);
    finding.verdict = std::max(finding.verdict, here.verdict);
    finding.found += (finding.found.empty() ? "" : "; ") + here.found;
    if (finding.remedy.empty()) finding.remedy = here.remedy;
  }
  return finding;
}

}  // namespace krossfold::doctor
