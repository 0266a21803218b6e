// SPDX-License-Identifier: BSD-3-Clause
#include "healthy.hpp"
#include "krossfold/doctor/examine.hpp"

namespace krossfold::doctor {
namespace {

using storage::FolderFacts;
using storage::Locks;

TEST(OutputChecks, find_nothing_in_a_healthy_folder) {
  const FolderFacts folder = healthy_folder();
  expect(check_output(healthy_ranks(), folder), Verdict::ok, "/scratch/me on lustre");
  expect(check_room(folder), Verdict::ok, "100 GiB free");
  expect(check_locks(healthy_ranks(), folder), Verdict::ok, "refused to the others");
  expect(check_locks({healthy("node1", 0)}, folder), Verdict::ok, "refused to a second holder");
}

TEST(OutputChecks, call_a_folder_that_cannot_be_written_wrong) {
  FolderFacts folder = healthy_folder();
  folder.problem = "cannot write r.h5 (Read-only file system) Choose another.";
  expect(check_output(healthy_ranks(), folder), Verdict::wrong, "cannot write r.h5 (Read-only file system)",
         "Choose another.");
  folder.problem = "cannot write r.h5 (No space left on device)";
  expect(check_output(healthy_ranks(), folder), Verdict::wrong, "No space left", "Make room in /scratch/me");
  expect(check_locks(healthy_ranks(), folder), Verdict::ok, "see output");
}

TEST(OutputChecks, call_a_folder_that_another_rank_does_not_see_or_cannot_write_wrong) {
  Ranks ranks = healthy_ranks();
  ranks[3].view.visible = false;
  expect(check_output(ranks, healthy_folder()), Verdict::wrong, "is not the one of rank 3 on node2", "all hosts share");
  ranks = healthy_ranks();
  ranks[2].view.problem = "cannot write /scratch/me/x (Permission denied)";
  expect(check_output(ranks, healthy_folder()), Verdict::wrong, "rank 2 on node2: cannot write", "all may write");
}

TEST(OutputChecks, call_a_folder_that_keeps_old_content_wrong) {
  FolderFacts folder = healthy_folder();
  folder.replaces = false;
  expect(check_output(healthy_ranks(), folder), Verdict::wrong, "reads as before", "another file system");
}

TEST(OutputChecks, call_slow_syncs_and_memory_slow) {
  FolderFacts folder = healthy_folder();
  folder.sync_seconds = 0.5;
  expect(check_output(healthy_ranks(), folder), Verdict::slow, "500 ms", "faster");
  folder = healthy_folder();
  folder.file_system = "tmpfs";
  expect(check_output(healthy_ranks(), folder), Verdict::slow, "tmpfs", "on a disk");
}

TEST(OutputChecks, judge_the_room) {
  FolderFacts folder = healthy_folder();
  folder.free_bytes = GiB / 2;
  expect(check_room(folder), Verdict::slow, "512 MiB free", "another output");
  folder.free_bytes = 0;
  expect(check_room(folder), Verdict::wrong, "0 B free", "df /scratch/me");
  folder.exists = false;
  expect(check_room(folder), Verdict::ok, "see output");
}

TEST(OutputChecks, call_locks_that_keep_nobody_out_slow) {
  FolderFacts folder = healthy_folder();
  folder.locks = Locks::unsupported;
  folder.lock_problem = "No locks available";
  expect(check_locks(healthy_ranks(), folder), Verdict::slow, "none in /scratch/me on lustre (No locks available)",
         "-o flock");
  folder.locks = Locks::not_kept;
  expect(check_locks(healthy_ranks(), folder), Verdict::slow, "a second lock was granted", "-o flock");
  Ranks ranks = healthy_ranks();
  ranks[2].view.locked = ranks[3].view.locked = false;
  expect(check_locks(ranks, healthy_folder()), Verdict::slow, "does not keep ranks 2-3 out", "-o flock");
}

TEST(SlurmCheck, is_silent_outside_a_job) { expect(check_slurm(healthy_ranks(), {}, 0), Verdict::ok, "not in a job"); }

TEST(SlurmCheck, tells_the_job_and_its_end) {
  const SlurmFacts job{"77", 4, 2, 0, true, 9000.0, "B:USR2@120"};
  expect(check_slurm(healthy_ranks(), job, 1800), Verdict::ok,
         "job 77, tasks 4, nodes 2, ends in 2 h 00 min, signal B:USR2@120");
}

TEST(SlurmCheck, names_what_is_missing) {
  SlurmFacts job{"77", 16, 1, 0, false, 9000.0, ""};
  expect(check_slurm({healthy("node1", 0)}, job, 0), Verdict::slow, "tasks 16", "srun --mpi=pmix");
  job.in_step = true;
  job.nodes = 3;
  expect(check_slurm(healthy_ranks(), job, 0), Verdict::slow, "on 2 of the nodes", "--ntasks-per-node");
  job.nodes = 1;
  expect(check_slurm({healthy("node1", 0)}, job, 0), Verdict::ok, "tasks 16");
  expect(check_slurm(healthy_ranks(), job, 8950), Verdict::slow, "ends in 50", "--time");
  job.end.reset();
  expect(check_slurm(healthy_ranks(), job, 0), Verdict::slow, "end unknown", "--signal=B:USR2@120");
  job.gpus = 4;
  expect(check_slurm(healthy_ranks(), job, 0), Verdict::slow, "GPUs on this node 4", "built for CPUs");
}

TEST(SlurmCheck, reads_the_signal_of_a_batch_script) {
  EXPECT_EQ(signal_in("#!/bin/bash\n#SBATCH --signal=B:USR2@120\n"), "B:USR2@120");
  EXPECT_EQ(signal_in("#SBATCH --ntasks=2 --signal TERM@60  --time=1\necho --signal=USR1@5\n"), "TERM@60");
  EXPECT_EQ(signal_in("##SBATCH --signal=USR2@120\n# --signal=X\n#SBATCH --ntasks=1 ## --signal=Y\n"), "");
  EXPECT_EQ(signal_in("job script retrieval failed: Invalid job id specified\n"), "");
}

TEST(Document, gives_a_line_for_every_finding_and_its_remedy) {
  Examination found{healthy_ranks(), {{"one", Verdict::ok, "fine", ""}, {"two", Verdict::slow, "meagre", "Feed it."}}};
  const std::string all = report::to_text(document_of(found, false)), few = report::to_text(document_of(found, true));
  EXPECT_THAT(all, testing::HasSubstr("with 4 ranks on 2 hosts: slow\n"));
  EXPECT_THAT(all, testing::HasSubstr("\n  ok     one  fine\n"));
  EXPECT_THAT(all, testing::HasSubstr("\n  slow   two  meagre\n              Feed it.\n"));
  EXPECT_EQ(few.find("fine"), std::string::npos);
  EXPECT_THAT(few, testing::HasSubstr("meagre"));
  EXPECT_EQ(report::to_json({document_of(found, true)}), report::to_json({document_of(found, false)}));
}

TEST(Document, has_the_worst_verdict) {
  EXPECT_EQ(worst({}), Verdict::ok);
  EXPECT_EQ(worst({{"a", Verdict::ok, "", ""}, {"b", Verdict::wrong, "", ""}, {"c", Verdict::slow, "", ""}}),
            Verdict::wrong);
}

}  // namespace
}  // namespace krossfold::doctor
