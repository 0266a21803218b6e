// SPDX-License-Identifier: BSD-3-Clause
// Every rank runs the same tests in the same order; rank 0 prints the progress, the others only their failures.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace {

using krossfold::parallel::check;

/// Writes each failure in one call, so that lines of several ranks do not mix.
class FailurePrinter : public testing::EmptyTestEventListener {
public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = krossfold::text(test.test_suite_name(), ".", test.name(), ", ");
  }
  void OnTestEnd(const testing::TestInfo&) override { test_.clear(); }
  // GoogleTest holds its mutex here, so its API must not be called.
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    std::cerr << krossfold::text("rank ", rank_, ": ", test_, file, ":", result.line_number(), ": Failure\n",
                                 result.message(), "\n")
              << std::flush;
  }

private:
  int rank_;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const krossfold::parallel::MpiRuntime mpi(&argc, &argv);
  int rank = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());  // one report is enough, and one file
    listeners.Append(new FailurePrinter(rank));
  }
  const krossfold::KokkosRuntime kokkos;
  const int mine = RUN_ALL_TESTS();
  // A launcher may return the exit code of any rank, so a failure on one rank makes all ranks fail.
  int worst = mine;
  check(MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  if (rank == 0 && worst > mine) std::cerr << "tests failed on a rank other than 0: see above" << std::endl;
  return worst;
}
