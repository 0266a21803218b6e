// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/mpi_facts.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace krossfold::parallel {
namespace {

TEST(MpiFacts, level_of_threads_is_the_one_that_was_granted) {
  int granted = MPI_THREAD_SINGLE;
  ASSERT_EQ(MPI_Query_thread(&granted), MPI_SUCCESS);
  EXPECT_EQ(thread_level() == ThreadLevel::multiple, granted == MPI_THREAD_MULTIPLE);
  EXPECT_EQ(thread_level() >= ThreadLevel::serialized, granted >= MPI_THREAD_SERIALIZED);
  if (granted >= MPI_THREAD_SERIALIZED) {
    EXPECT_NO_THROW(require_threads());
  } else {
    EXPECT_ANY_THROW(require_threads());
  }
}

TEST(MpiFacts, levels_have_the_names_of_the_standard) {
  EXPECT_EQ(name_of(ThreadLevel::single), "MPI_THREAD_SINGLE");
  EXPECT_EQ(name_of(ThreadLevel::funneled), "MPI_THREAD_FUNNELED");
  EXPECT_EQ(name_of(ThreadLevel::serialized), "MPI_THREAD_SERIALIZED");
  EXPECT_EQ(name_of(ThreadLevel::multiple), "MPI_THREAD_MULTIPLE");
}

}  // namespace
}  // namespace krossfold::parallel
