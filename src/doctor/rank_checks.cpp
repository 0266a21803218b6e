// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

Finding check_launch(const Ranks& ranks) {
  const auto& [problem, remedy] = split_message(ranks[0].launch_problem);
  if (!problem.empty()) return judged("launch", Verdict::wrong, problem, remedy);
  const auto hosts = hosts_of(ranks);
  const std::string where =
      hosts.size() == 1 ? hosts[0].first : report::counted(static_cast<int>(hosts.size()), "host");
  return judged("launch", Verdict::ok, text(report::counted(static_cast<int>(ranks.size()), "rank"), " on ", where),
                "");
}

Finding check_mpi(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) { return rank.mpi; });
  const bool same =
      std::all_of(ranks.begin(), ranks.end(), [&](const RankFacts& rank) { return rank.mpi == ranks[0].mpi; });
  return judged("MPI", same ? Verdict::ok : Verdict::wrong, found,
                "Load the same MPI module on every host, the one that krossfold was built with.");
}

Finding check_threads(const Ranks& ranks) {
  using parallel::ThreadLevel;
  const std::string found = by_rank(ranks, [](const RankFacts& rank) { return name_of(rank.threads); });
  ThreadLevel least = ThreadLevel::multiple;
  for (const RankFacts& rank : ranks) least = std::min(least, rank.threads);
  if (least < ThreadLevel::serialized) {
    return judged(
        "MPI threads", Verdict::wrong, found,
        "A thread of its own receives messages while a rank computes, so that krossfold refuses to run: use an MPI "
        "library built with thread support. On Cray MPICH: MPICH_MAX_THREAD_SAFETY=multiple.");
  }
  return judged(
      "MPI threads", least == ThreadLevel::multiple || ranks.size() == 1 ? Verdict::ok : Verdict::slow, found,
      "Units that several ranks compute together (train, names) need MPI_THREAD_MULTIPLE: use an MPI library built "
      "with it. On Cray MPICH: MPICH_MAX_THREAD_SAFETY=multiple.");
}

Finding check_kokkos(const Ranks& ranks) {
  const std::string found = by_rank(ranks, [](const RankFacts& rank) {
    if (rank.place.backend.empty()) return std::string("not started, for want of a device");
    return text(rank.place.backend, ", ", report::counted(rank.concurrency, "thread"), " on the host");
  });
  const auto stopped = ranks_where(ranks, [](const RankFacts& rank) { return rank.place.backend.empty(); });
  return judged("Kokkos", stopped.empty() ? Verdict::ok : Verdict::wrong, found, "See devices.");
}

namespace {

std::vector<parallel::RankPlace> places_of(const Ranks& ranks) {
  std::vector<parallel::RankPlace> places;
  for (const RankFacts& rank : ranks) places.push_back(rank.place);
  return places;
}

/// The places of all ranks, one host after the other in one line.
std::string map_of(const Ranks& ranks) {
  std::string lines = describe(places_of(ranks));
  for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at))
    lines.replace(at, 1, "; ");
  return lines;
}

}  // namespace

Finding check_devices(const Ranks& ranks) {
  if (ranks[0].cpu_backend) {
    for (const RankFacts& rank : ranks) {
      if (rank.nvidia_gpus == 0) continue;
      return judged("devices", Verdict::slow,
                    text(rank.place.host, " shows ", report::counted(rank.nvidia_gpus, "NVIDIA GPU"),
                         ", but this program was built for CPUs"),
                    "Build a GPU preset (cmake --list-presets), or take a machine without GPUs.");
    }
    return judged("devices", Verdict::ok, "none needed: kernels run on the CPU", "");
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].device_problem.empty()) continue;
    const auto& [problem, remedy] = split_message(ranks[r].device_problem);
    const std::string host = text(rank_names({static_cast<int>(r)}), " on ", ranks[r].place.host);
    return judged("devices", Verdict::wrong, text(host, ": ", problem),
                  remedy.empty() ? "Check nvidia-smi and CUDA_VISIBLE_DEVICES." : remedy);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t other = 0; other < r; ++other) {
      if (!ranks[r].place.shares_device(ranks[other].place) || (ranks[r].mps && ranks[other].mps)) continue;
      return judged(
          "devices", Verdict::slow, map_of(ranks),
          text("Ranks ", other, " and ", r,
               " share a GPU and take turns on it: start as many ranks on a host as it has GPUs, and let each "
               "see all of them (srun --gpus-per-node, without --gpus-per-task). Two ranks of a search share a "
               "GPU well under NVIDIA's MPS (nvidia-cuda-mps-control -d), if its "
               "memory holds the work of both."));
    }
  }
  constexpr std::uint64_t enough = std::uint64_t{1} << 30;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::uint64_t free = ranks[r].place.state.free_bytes;  // 0: unknown
    if (free == 0 || free >= enough) continue;
    return judged("devices", Verdict::slow,
                  text(map_of(ranks), "; only ", size_text(free), " are free on that of rank ", r),
                  "Another process holds its memory: see nvidia-smi.");
  }
  for (const auto& [host, numbers] : hosts_of(ranks)) {
    const int devices = ranks[static_cast<std::size_t>(numbers[0])].place.devices,
              here = static_cast<int>(numbers.size());
    if (devices <= here) continue;
    return judged("devices", Verdict::slow,
                  text(map_of(ranks), "; idle: ", devices - here, " of ", devices, " on ", host),
                  text("A rank uses one GPU: start ", devices, " ranks on this host."));
  }
  return judged("devices", Verdict::ok, map_of(ranks), "");
}

Finding check_gpu_aware(const Ranks& ranks) {
  const auto aware = ranks_where(ranks, [](const RankFacts& rank) { return rank.gpu_aware; });
  const std::string has = aware.size() == ranks.size() ? "yes" : "no";
  if (ranks[0].cpu_backend) return judged("GPU-aware MPI", Verdict::ok, text(has, "; not needed on CPUs"), "");
  if (ranks.size() == 1) return judged("GPU-aware MPI", Verdict::ok, text(has, "; not needed by one rank"), "");
  return judged(
      "GPU-aware MPI", aware.size() == ranks.size() ? Verdict::ok : Verdict::slow, has,
      "Trainings on several ranks (train, names) copy every exchange through host memory: use an Open MPI built with "
      "CUDA, or on Cray MPICH MPICH_GPU_SUPPORT_ENABLED=1.");
}

Finding check_clock(const Ranks& ranks) {
  double first = ranks[0].clock, last = first;
  for (const RankFacts& rank : ranks) {
    first = std::min(first, rank.clock);
    last = std::max(last, rank.clock);
  }
  constexpr double year_2020 = 1577836800;
  if (first < year_2020) {
    return judged(
        "clock", Verdict::wrong,
        by_rank(ranks, [](const RankFacts& rank) { return rank.clock < year_2020 ? "before 2020" : "after 2020"; }),
        "Set the clock (NTP): times in result files and the end of the job come from it.");
  }
  if (ranks.size() == 1) return judged("clock", Verdict::ok, "set", "");
  return judged("clock", last - first > 1 ? Verdict::slow : Verdict::ok,
                text("the ranks' clocks differ by ", duration_text(last - first)),
                "Synchronise the hosts (NTP): times in result files come from several of them.");
}

}  // namespace krossfold::doctor
