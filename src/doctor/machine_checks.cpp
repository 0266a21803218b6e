// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

/// The first rank of each host, as a list of ranks.
Ranks first_of_hosts(const Ranks& ranks) {
  Ranks first;
  for (const auto& [host, numbers] : hosts_of(ranks)) first.push_back(ranks[static_cast<std::size_t>(numbers[0])]);
  return first;
}

std::string per_host(const Ranks& ranks, const std::function<std::string(const RankFacts&)>& say) {
  std::string all;
  for (const RankFacts& rank : first_of_hosts(ranks)) {
    all += text(all.empty() ? "" : "; ", rank.place.host, ": ", say(rank));
  }
  return all;
}

/// The number of samples for whose squared distances, in float with some room beside them, there is room.
int samples_in(std::uint64_t bytes) {
  return static_cast<int>(std::sqrt(static_cast<double>(bytes) / (1.0625 * sizeof(float))));
}

}  // namespace

Finding check_shared_memory(const Ranks& ranks) {
  const auto hosts = hosts_of(ranks);
  const std::string found = per_host(ranks, [](const RankFacts& rank) {
    return text(size_text(rank.shared_memory), " free in /dev/shm, for the distances of ",
                samples_in(rank.shared_memory), " samples");
  });
  const bool needed = ranks.size() > hosts.size() && ranks[0].cpu_backend;
  if (!needed) {
    return judged("shared memory", Verdict::ok,
                  text(found, ranks[0].cpu_backend ? "; not needed by one rank a host" : "; not needed on GPUs"), "");
  }
  std::uint64_t least = ranks[0].shared_memory;
  for (const RankFacts& rank : ranks) least = std::min(least, rank.shared_memory);
  const std::string more =
      "Give /dev/shm more room (docker run --shm-size=8g, --ipc=host, Apptainer without --contain, as root mount -o "
      "remount,size=50% /dev/shm), or delete what fills it.";
  // Open MPI's transport between the ranks of a host takes some MiB for each of them.
  const std::string messages =
      least < 8 * MiB * ranks.size() ? ", and messages between the ranks of a host may take slower ways" : "";
  return judged(
      "shared memory", least < GiB ? Verdict::slow : Verdict::ok, found,
      text("A search with more samples than that keeps its distances once in every rank instead of once a host",
           messages, ". ", more));
}

Finding check_memory(const Ranks& ranks) {
  const std::string found = per_host(ranks, [](const RankFacts& rank) {
    const bool limited = rank.group_memory != 0 && rank.group_memory <= rank.memory;
    return text(size_text(rank.free_memory), " free of ", size_text(rank.memory),
                limited ? ", the limit of its control group" : "");
  });
  Verdict verdict = Verdict::ok;
  std::string remedy;
  for (const auto& [host, numbers] : hosts_of(ranks)) {
    const RankFacts& rank = ranks[static_cast<std::size_t>(numbers[0])];
    const auto share = rank.free_memory / numbers.size() / 10 * 9;
    if (rank.free_memory < 64 * MiB * numbers.size()) {
      return judged("memory", Verdict::wrong, found,
                    text("The ranks on ", host,
                         " would be killed: end other programs there, or ask the batch system for more (--mem)."));
    }
    if (rank.free_memory >= rank.memory / 2) continue;
    verdict = Verdict::slow;
    remedy = text("Others use the memory of ", host, ", which krossfold counts on: give --memory-limit ", share / MiB,
                  "M, or end them.");
  }
  return judged("memory", verdict, found, remedy);
}

Finding check_limits(const Ranks& ranks) {
  constexpr std::uint64_t enough_files = 1024;
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    return text(rank.open_files == 0 ? "unlimited" : text(rank.open_files), " open files, ",
                rank.address_space == 0 ? "" : text(size_text(rank.address_space), " of address space, "),
                "core files ", rank.core_files ? "on" : "off");
  });
  const auto few = [](const RankFacts& rank) { return rank.open_files != 0 && rank.open_files < enough_files; };
  if (!ranks_where(ranks, few).empty()) {
    return judged("limits", Verdict::slow, found,
                  text("Connections to many ranks and files of models take more: ulimit -n ", 4 * enough_files,
                       " in the job script."));
  }
  const auto narrow = [](const RankFacts& rank) { return rank.address_space != 0 && rank.address_space < rank.memory; };
  return judged("limits", ranks_where(ranks, narrow).empty() ? Verdict::ok : Verdict::slow, found,
                "The address space is smaller than the memory that krossfold counts on: ulimit -v unlimited, or give "
                "--memory-limit.");
}

namespace {

/// A watched variable that slows a study down or hides errors.
struct Harm {
  const char* variable;
  bool (*harms)(const std::string& value, const RankFacts& rank, std::size_t ranks_of_host);
  const char* why;
};

bool is_on(const std::string& value, const RankFacts&, std::size_t) { return !value.empty() && value != "0"; }
bool is_set(const std::string& value, const RankFacts&, std::size_t) { return !value.empty(); }

bool exceeds_processors(const std::string& value, const RankFacts& rank, std::size_t ranks_of_host) {
  const bool used = rank.concurrency > 1 || rank.blas_threads == 0;  // by Kokkos, or by a BLAS that cannot be told
  return used && static_cast<std::size_t>(std::atoi(value.c_str())) * ranks_of_host > rank.processors.size() &&
         ranks_of_host > 1;
}

bool lacks_shared_transport(const std::string& value, const RankFacts&, std::size_t ranks_of_host) {
  if (ranks_of_host == 1) return false;
  const bool excludes = value.starts_with('^');
  bool names = false;  // smcuda, for memory of GPUs, is another
  std::istringstream words(excludes ? value.substr(1) : value);
  for (std::string word; std::getline(words, word, ',');) names = names || word == "vader" || word == "sm";
  return excludes == names;
}

constexpr Harm harms[] = {
    {"OMP_NUM_THREADS", exceeds_processors, "the ranks of a host have more threads than processors"},
    {"OMPI_MCA_btl", lacks_shared_transport, "the ranks of a host exchange messages without shared memory"},
    {"CUDA_LAUNCH_BLOCKING", is_on, "the host waits for every kernel"},
    {"KOKKOS_PROFILE_LIBRARY", is_set, "a tool is called at every kernel"},
    {"KOKKOS_TOOLS_LIBS", is_set, "a tool is called at every kernel"},
    {"MALLOC_CHECK_", is_on, "every allocation is checked"},
    {"MALLOC_PERTURB_", is_on, "all memory is filled when it is allocated and freed"},
    {"HDF5_DISABLE_VERSION_CHECK", is_on, "a library that does not match the program goes unnoticed"},
};

}  // namespace

Finding check_environment(const Ranks& ranks) {
  std::string found, remedy;
  for (const auto& [host, numbers] : hosts_of(ranks)) {
    const RankFacts& rank = ranks[static_cast<std::size_t>(numbers[0])];
    for (const Harm& harm : harms) {
      const std::string value = setting(rank, harm.variable);
      if (value.empty() || !harm.harms(value, rank, numbers.size())) continue;
      const std::string said = text(harm.variable, "=", value, ": ", harm.why);
      if (found.find(said) != std::string::npos) continue;
      found += (found.empty() ? "" : "; ") + said;
      remedy += (remedy.empty() ? "Unset " : ", ") + std::string(harm.variable);
    }
  }
  if (!found.empty()) return judged("environment", Verdict::slow, found, remedy + ".");
  return judged("environment", Verdict::ok, "no variable set that would slow a study down", "");
}

}  // namespace krossfold::doctor
