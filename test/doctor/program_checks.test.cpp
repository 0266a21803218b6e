// SPDX-License-Identifier: BSD-3-Clause
#include "healthy.hpp"

namespace krossfold::doctor {
namespace {

TEST(ProgramChecks, find_nothing_in_a_healthy_set_up) {
  expect_ok_when_healthy({check_build, check_processor, check_blas, check_hdf5});
}

TEST(ProgramChecks, name_the_rank_with_another_program) {
  Ranks ranks = healthy_ranks();
  ranks[3].build = "0.0.9 (old)";
  expect(check_build(ranks), Verdict::wrong, "rank 3 on node2: 0.0.9 (old)", "same program");
}

TEST(ProgramChecks, call_a_build_without_optimisation_slow) {
  Ranks ranks = healthy_ranks();
  for (RankFacts& rank : ranks) rank.optimised = false;
  expect(check_build(ranks), Verdict::slow, "without optimisation", "release");
}

TEST(ProgramChecks, call_a_processor_that_lacks_instructions_of_the_program_wrong) {
  Ranks ranks = healthy_ranks();
  for (const int r : {2, 3}) {
    ranks[static_cast<std::size_t>(r)].processor_level = 3;
    ranks[static_cast<std::size_t>(r)].missing_instructions = "avx512f avx512bw";
  }
  expect(check_processor(ranks), Verdict::wrong,
         "ranks 2-3 on node2: Processor 9000, x86-64-v3; program for x86-64-v4 with avx512f",
         "KROSSFOLD_ARCH=x86-64-v3");
}

TEST(ProgramChecks, call_a_program_for_older_processors_slow) {
  Ranks ranks = healthy_ranks();
  for (RankFacts& rank : ranks) rank.build_level = 3;
  expect(check_processor(ranks), Verdict::slow, "program for x86-64-v3", "x86-64-v4");
  ranks[0].processor_level = 3;  // then the program is the best that runs everywhere
  expect(check_processor(ranks), Verdict::ok, "x86-64-v3");
}

TEST(ProgramChecks, call_different_processors_slow) {
  Ranks ranks = healthy_ranks();
  ranks[2].processor = "Processor 100";
  expect(check_processor(ranks), Verdict::slow, "rank 2 on node2: Processor 100", "bitwise identical");
}

TEST(ProgramChecks, name_a_slow_blas_kernel_and_the_variable_that_mends_it) {
  Ranks ranks = healthy_ranks();
  ranks[1].blas = "OpenBLAS Prescott";
  ranks[1].better_blas = "SKYLAKEX";
  ranks[1].settings = {"OPENBLAS_CORETYPE=PRESCOTT"};
  expect(check_blas(ranks), Verdict::slow,
         "rank 1 on node1: OpenBLAS Prescott, 1 thread, by OPENBLAS_CORETYPE=PRESCOTT", "OPENBLAS_CORETYPE=SKYLAKEX");
}

TEST(ProgramChecks, call_the_reference_blas_slow) {
  Ranks ranks = healthy_ranks();
  ranks[2].blas = "reference BLAS";
  ranks[2].blas_threads = 0;
  expect(check_blas(ranks), Verdict::slow, "reference BLAS", "libopenblas0");
}

TEST(ProgramChecks, call_different_blas_kernels_and_threads_slow) {
  Ranks ranks = healthy_ranks();
  ranks[3].blas = "OpenBLAS Zen";
  expect(check_blas(ranks), Verdict::slow, "rank 3 on node2: OpenBLAS Zen", "one kernel");
  ranks = healthy_ranks();
  for (RankFacts& rank : ranks) rank.blas_threads = 8;
  expect(check_blas(ranks), Verdict::slow, "8 threads", "OPENBLAS_NUM_THREADS=1");
}

TEST(ProgramChecks, want_one_thread_of_a_blas_that_cannot_be_told) {
  Ranks ranks = healthy_ranks();
  for (RankFacts& rank : ranks) {
    rank.blas = "unknown BLAS";
    rank.blas_threads = 0;
  }
  expect(check_blas(ranks), Verdict::slow, "unknown BLAS", "MKL_NUM_THREADS=1");
  for (RankFacts& rank : ranks) rank.settings = {"MKL_NUM_THREADS=1"};
  expect(check_blas(ranks), Verdict::ok, "unknown BLAS");
}

TEST(ProgramChecks, call_an_hdf5_library_of_other_headers_wrong) {
  Ranks ranks = healthy_ranks();
  ranks[0].hdf5 = "1.14.0";
  expect(check_hdf5(ranks), Verdict::wrong, "rank 0 on node1: library 1.14.0, compiled with the headers of 1.10.8",
         "LD_LIBRARY_PATH");
}

}  // namespace
}  // namespace krossfold::doctor
