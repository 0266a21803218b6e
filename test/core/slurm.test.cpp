// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/slurm.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace krossfold {
namespace {

/// An abridged answer from scontrol 22.05.
std::string answer(const std::string& state) {
  return "JobId=12 JobName=search\n   UserId=me(1000) GroupId=me(1000) MCS_label=N/A\n   JobState=" + state +
         " Reason=None Dependency=(null)\n   Requeue=1 Restarts=0 BatchFlag=1\n";
}

TEST(SlurmJobState, of_jobs_that_are_over_is_ended) {
  for (const char* state : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
                            "BOOT_FAIL", "DEADLINE"}) {
    EXPECT_EQ(job_state_from(answer(state)), JobState::ended) << state;
  }
}

TEST(SlurmJobState, of_jobs_that_run_or_will_run_again_is_active) {
  for (const char* state : {"RUNNING", "PENDING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED", "STOPPED"}) {
    EXPECT_EQ(job_state_from(answer(state)), JobState::active) << state;
  }
}

TEST(SlurmJobState, of_a_job_that_the_controller_has_forgotten_is_ended) {
  EXPECT_EQ(job_state_from("slurm_load_jobs error: Invalid job id specified\n"), JobState::ended);
}

TEST(SlurmJobState, is_unknown_without_an_answer_or_with_several) {
  EXPECT_EQ(job_state_from(""), JobState::unknown);
  EXPECT_EQ(job_state_from("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"),
            JobState::unknown);
  EXPECT_EQ(job_state_from(answer("COMPLETED") + answer("RUNNING")), JobState::unknown);
}

TEST(SlurmJobState, is_not_asked_for_with_anything_but_a_number) {
  EXPECT_EQ(job_state(""), JobState::unknown);
  EXPECT_EQ(job_state("1; rm -rf x"), JobState::unknown);
  EXPECT_EQ(job_state("--help"), JobState::unknown);
}

TEST(SlurmJob, is_that_of_the_environment) {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME"}) ::unsetenv(name);
  EXPECT_EQ(slurm_job().id, "");
  ::setenv("SLURM_JOB_ID", "12", 1);
  ::setenv("SLURM_CLUSTER_NAME", "east", 1);
  ::setenv("SLURM_RESTART_COUNT", "0", 1);
  EXPECT_EQ(slurm_job().id, "12");
  EXPECT_EQ(slurm_job().cluster, "east");
  EXPECT_EQ(slurm_job().restart, "");
  ::setenv("SLURM_RESTART_COUNT", "3", 1);
  EXPECT_EQ(slurm_job().restart, "3");
  for (const char* name : {"SLURM_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_CLUSTER_NAME"}) ::unsetenv(name);
}

TEST(OutputOf, a_program_is_all_it_prints) {
  EXPECT_EQ(output_of({"sh", "-c", "echo out; echo err >&2; exit 3"}, 20), "out\nerr\n");
  EXPECT_EQ(output_of({"/no/such/program"}, 20), "");
}

TEST(OutputOf, a_program_that_hangs_is_killed_in_time) {
  EXPECT_EQ(output_of({"sh", "-c", "echo begun; exec sleep 1000"}, 0.3), "begun\n");
}

}  // namespace
}  // namespace krossfold
