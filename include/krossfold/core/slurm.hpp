// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Queries Slurm about jobs.

#include <string>
#include <vector>

namespace krossfold {

/// The Slurm job this process runs in, from its environment; all fields are "" outside a job.
struct SlurmJob {
  std::string id;
  std::string restart;  ///< requeue count; "" in the first run
  std::string cluster;
};
SlurmJob slurm_job();

enum class JobState { active, ended, unknown };

/// Interprets the output (stdout and stderr) of `scontrol show job ID`: a pending or completing job is active, one
/// that the controller no longer knows has ended; no answer, or one listing several jobs, is unknown.
JobState job_state_from(const std::string& answer);

/// The name of the cluster in the output of `scontrol show config`; "" if there is none.
std::string cluster_from(const std::string& answer);

/// Asks scontrol for the name of its cluster; "" if it is not installed or does not answer within 10 s.
std::string slurm_cluster();

/// Asks scontrol; returns unknown if it is not installed or does not answer within 10 s.
JobState job_state(const std::string& id);

/// Runs a program and returns its combined stdout and stderr; "" if it cannot be started. After `seconds` it is killed
/// and the output so far is returned.
std::string output_of(const std::vector<std::string>& command, double seconds);

}  // namespace krossfold
