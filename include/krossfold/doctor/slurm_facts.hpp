// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

namespace krossfold::doctor {

/// What Slurm says of the job that this process runs in; numbers are 0 where it says nothing.
struct SlurmFacts {
  std::string job;  ///< its number; "" outside a job
  int tasks = 0;    ///< of the job
  int nodes = 0;
  int gpus = 0;               ///< of the job on this node
  bool in_step = false;       ///< started by srun, or by an mpirun
  std::optional<double> end;  ///< seconds since the epoch
  std::string signal;         ///< --signal in the batch script: "B:USR2@120"
};

/// Reads the environment and asks scontrol, which has ten seconds.
SlurmFacts slurm_facts();

/// The value of the last --signal option in the #SBATCH lines of a batch script; "" if there is none.
std::string signal_in(const std::string& batch_script);

}  // namespace krossfold::doctor
