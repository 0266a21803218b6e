// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/doctor/slurm_facts.hpp"

#include <cstdlib>
#include <sstream>

#include "krossfold/core/slurm.hpp"
#include "krossfold/parallel/job_end.hpp"

namespace krossfold::doctor {

namespace {

int number(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoi(value) : 0;
}

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

}  // namespace

SlurmFacts slurm_facts() {
  SlurmFacts facts;
  facts.job = slurm_job().id;
  if (facts.job.empty()) return facts;
  facts.tasks = number("SLURM_NTASKS");
  facts.nodes = number("SLURM_JOB_NUM_NODES");
  facts.gpus = number("SLURM_GPUS_ON_NODE");
  facts.in_step =
      is_set("SLURM_STEP_ID") || is_set("PMIX_RANK") || is_set("PMI_RANK") || is_set("OMPI_COMM_WORLD_RANK");
  if (const auto end = parallel::find_job_end(parallel::slurm_queries())) facts.end = end->end;
  if (facts.job.find_first_not_of("0123456789") == std::string::npos) {
    facts.signal = signal_in(output_of({"scontrol", "write", "batch_script", facts.job, "-"}, 10));
  }
  return facts;
}

std::string signal_in(const std::string& batch_script) {
  const std::string option = "--signal";
  std::string found;
  std::istringstream lines(batch_script);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#SBATCH")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word && !word.starts_with("##");) {
      if (word == option) {
        words >> found;
      } else if (word.starts_with(option + "=")) {
        found = word.substr(option.size() + 1);
      }
    }
  }
  return found;
}

}  // namespace krossfold::doctor
