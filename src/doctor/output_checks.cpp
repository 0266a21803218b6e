// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

/// "results on lustre".
std::string named(const storage::FolderFacts& folder) {
  return text(folder.folder, folder.file_system.empty() ? "" : " on " + folder.file_system);
}

}  // namespace

Finding check_output(const Ranks& ranks, const storage::FolderFacts& folder) {
  if (!folder.problem.empty()) {
    const auto& [problem, remedy] = split_message(folder.problem);
    return judged("output", Verdict::wrong, problem,
                  remedy.empty() ? text("Make room in ", folder.folder, ", or choose an output elsewhere.") : remedy);
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string who = text(rank_names({static_cast<int>(r)}), " on ", ranks[r].place.host);
    if (!ranks[r].view.visible) {
      return judged(
          "output", Verdict::wrong, text(named(folder), " of rank 0 is not the one of ", who),
          "Choose a folder on a file system that all hosts share: each rank writes the models that it trains.");
    }
    if (!ranks[r].view.problem.empty()) {
      return judged("output", Verdict::wrong, text(who, ": ", split_message(ranks[r].view.problem).first),
                    "Each rank writes the models that it trains: choose a folder in which all may write.");
    }
  }
  if (!folder.replaces) {
    return judged("output", Verdict::wrong, text(named(folder), ": a file that was replaced reads as before"),
                  "Results could be lost there: choose another file system.");
  }
  const std::string found = text(named(folder), ": written, replaced, synced in ", duration_text(folder.sync_seconds));
  if (folder.file_system == "tmpfs" || folder.file_system == "ramfs") {
    return judged(
        "output", Verdict::slow, found,
        "This is memory: everything is lost with the machine or the container, and takes memory from the study. "
        "Choose a folder on a disk.");
  }
  return judged("output", folder.sync_seconds > 0.1 ? Verdict::slow : Verdict::ok, found,
                "The journal is synced ten times a second at most: choose a faster file system.");
}

Finding check_room(const storage::FolderFacts& folder) {
  if (!folder.exists) return judged("room", Verdict::ok, "not known, see output", "");
  const std::string found = text(size_text(folder.free_bytes), " free in ", folder.folder);
  const std::string remedy =
      text("Delete what is not needed (df ", folder.folder, ", and the quota), or choose another output.");
  if (folder.free_bytes < 16 * MiB) return judged("room", Verdict::wrong, found, remedy);
  return judged("room", folder.free_bytes < 1024 * MiB ? Verdict::slow : Verdict::ok, found,
                "This may not hold many models. " + remedy);
}

Finding check_locks(const Ranks& ranks, const storage::FolderFacts& folder) {
  const std::string remedy =
      "Only the file FILE.h5.lock keeps a second run out: do not start a study twice. Mount Lustre with -o flock, and "
      "NFS "
      "without -o nolock or local_lock.";
  if (!folder.problem.empty()) return judged("locks", Verdict::ok, "not tried, see output", "");
  if (folder.locks == storage::Locks::unsupported) {
    return judged("locks", Verdict::slow, text("none in ", named(folder), " (", folder.lock_problem, ")"), remedy);
  }
  if (folder.locks == storage::Locks::not_kept) {
    return judged("locks", Verdict::slow, text("a second lock was granted in ", named(folder)), remedy);
  }
  std::vector<int> through;
  for (std::size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].view.visible && !ranks[r].view.locked) through.push_back(static_cast<int>(r));
  }
  if (!through.empty()) {
    return judged("locks", Verdict::slow, text("the lock of rank 0 does not keep ", rank_names(through), " out"),
                  remedy);
  }
  return judged("locks", Verdict::ok,
                ranks.size() > 1 ? "taken by rank 0, refused to the others" : "taken, refused to a second holder", "");
}

Finding check_slurm(const Ranks& ranks, const SlurmFacts& job, double now) {
  if (job.job.empty()) return judged("Slurm", Verdict::ok, "not in a job", "");
  std::string found = text("job ", job.job);
  if (job.tasks > 0) found += text(", tasks ", job.tasks);
  if (job.nodes > 0) found += text(", nodes ", job.nodes);
  if (job.gpus > 0) found += text(", GPUs on this node ", job.gpus);
  found += job.end ? text(", ends in ", duration_text(*job.end - now)) : ", end unknown";
  found += job.signal.empty() ? "" : ", signal " + job.signal;
  const int started = static_cast<int>(ranks.size());
  if (job.tasks > started && started == 1 && !job.in_step) {
    return judged("Slurm", Verdict::slow, text(found, "; this is one process"),
                  text("Start the ranks: srun --mpi=pmix krossfold ..., or mpirun krossfold ... (docs/slurm.md)."));
  }
  const int hosts = static_cast<int>(hosts_of(ranks).size());
  if (job.nodes > hosts && job.in_step) {
    return judged(
        "Slurm", Verdict::slow, text(found, "; the ranks are on ", hosts, " of the nodes"),
        "Start ranks on every node (srun --ntasks-per-node, mpirun --map-by ppr:N:node), or ask for fewer nodes.");
  }
  if (job.gpus > 0 && ranks[0].cpu_backend) {
    return judged("Slurm", Verdict::slow, found,
                  "The job has GPUs, but this program was built for CPUs: build a GPU preset, or ask for none.");
  }
  if (job.end && *job.end - now < 120) {
    return judged(
        "Slurm", Verdict::slow, found,
        "Too short for much: the last 15 s and the --grace of a study are kept for its end. Ask for more (--time).");
  }
  const bool unwarned = !job.end && job.signal.empty();
  return judged("Slurm", unwarned ? Verdict::slow : Verdict::ok, found,
                "The study cannot stop by itself before the job ends: add --signal=B:USR2@120 (docs/slurm.md), or give "
                "--max-time.");
}

}  // namespace krossfold::doctor
