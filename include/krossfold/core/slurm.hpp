// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the batch system says of jobs.

#include <string>
#include <vector>

namespace krossfold {

/// The Slurm job of this process, from its environment; every part is "" outside of one.
struct SlurmJob {
  std::string id;
  std::string restart;  ///< how often it was requeued: "" in its first run
  std::string cluster;
};
SlurmJob slurm_job();

enum class JobState { active, ended, unknown };

/// What `scontrol show job ID` means (stdout and stderr): a pending or completing job is active, one that the controller
/// has forgotten has ended; without an answer, or with more than one job in it, unknown.
JobState job_state_from(const std::string& answer);

/// Asks scontrol; unknown where there is none, or if it gives no answer within 10 s.
JobState job_state(const std::string& id);

/// stdout and stderr of a program together; "" if it cannot be started, what there is if it is not ready in time and is
/// killed.
std::string output_of(const std::vector<std::string>& command, double seconds);

}  // namespace krossfold
