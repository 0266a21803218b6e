// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/broadcast_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "krossfold/core/error.hpp"
#include "test/data/sparse_pair.hpp"

namespace krossfold::parallel {
namespace {

float value(int row, int column) { return std::sqrt(static_cast<float>(3 + row * 31 + column * 7)) - 9; }

/// Rows lie `stride` values apart.
data::Dataset sample(int rows, int columns, int stride, bool labelled) {
  const Matrix<float> whole(uninitialized("krossfold::test::whole"), rows, stride);
  Kokkos::deep_copy(whole, -1e6f);
  const Matrix<float> raw = Kokkos::subview(whole, Kokkos::make_pair(0, rows), Kokkos::make_pair(0, columns));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) raw(i, j) = value(i, j);
  }
  const Vector<int> label("krossfold::test::label", labelled ? rows : 0);
  for (int i = 0; i < label.extent_int(0); ++i) label(i) = i % 3;
  data::ImageShape image;
  image.width = columns / 2;
  image.height = 2;
  return data::make_dataset("sample", raw, label,
                            labelled ? std::vector<std::string>{"a", "", "a longer name"} : std::vector<std::string>{},
                            image);
}

void expect_equal(const data::Dataset& a, const data::Dataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.class_name, b.class_name);
  EXPECT_EQ(a.image.width, b.image.width);
  EXPECT_EQ(a.image.height, b.image.height);
  EXPECT_EQ(a.image.channels, b.image.channels);
  EXPECT_EQ(a.integer, b.integer);
  EXPECT_EQ(a.lowest, b.lowest);
  EXPECT_EQ(a.highest, b.highest);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.features(), b.features());
  ASSERT_EQ(a.label.extent(0), b.label.extent(0));
  int wrong = 0;
  for (int i = 0; i < a.size(); ++i) {
    for (int j = 0; j < a.features(); ++j) wrong += a.raw(i, j) != b.raw(i, j) ? 1 : 0;
  }
  for (int i = 0; i < a.label.extent_int(0); ++i) wrong += a.label(i) != b.label(i) ? 1 : 0;
  EXPECT_EQ(wrong, 0);
}

TEST(BroadcastTask, every_rank_gets_what_rank_0_loaded) {
  const Communicator comm(MPI_COMM_WORLD);
  int loads = 0;
  const data::Task task = load_and_broadcast(comm, [&] {
    ++loads;
    return data::Task{sample(40, 13, 13, true), sample(7, 13, 13, true)};
  });
  EXPECT_EQ(loads, comm.is_root() ? 1 : 0);
  expect_equal(task.train, sample(40, 13, 13, true));
  expect_equal(task.test, sample(7, 13, 13, true));
  // The digest was broadcast; it must match the values received.
  EXPECT_EQ(data::make_dataset("again", task.train.raw, task.train.label, task.train.class_name).digest,
            sample(40, 13, 13, true).digest);
}

TEST(BroadcastTask, test_part_may_be_missing_and_labels_too) {
  const Communicator comm(MPI_COMM_WORLD);
  const data::Task task = load_and_broadcast(comm, [] { return data::Task{sample(5, 4, 4, false), {}}; });
  expect_equal(task.train, sample(5, 4, 4, false));
  EXPECT_FALSE(task.train.labelled());
  EXPECT_EQ(task.test.size(), 0);
  EXPECT_EQ(task.test.classes(), 0);
}

TEST(BroadcastTask, rows_may_lie_apart_in_memory) {
  const Communicator comm(MPI_COMM_WORLD);
  const data::Task task = load_and_broadcast(comm, [] { return data::Task{sample(9, 10, 16, true), {}}; });
  expect_equal(task.train, sample(9, 10, 10, true));
}

TEST(BroadcastTask, sparse_samples_stay_sparse) {
  const Communicator comm(MPI_COMM_WORLD);
  const test::SparsePair pair = test::sparse_pair(30, 40, 0.1, 5, false);
  const data::Task task = load_and_broadcast(comm, [&] {
    return data::Task{pair.sparse, data::rows(pair.sparse, 7, 20)};
  });
  ASSERT_TRUE(task.train.is_sparse());
  ASSERT_TRUE(task.test.is_sparse());
  EXPECT_EQ(task.train.digest, pair.dense.digest);
  const auto again = [](const data::Dataset& set) {
    return data::make_sparse_dataset("again", set.sparse, set.label, set.class_name).digest;
  };
  EXPECT_EQ(again(task.train), pair.dense.digest);
  EXPECT_EQ(again(task.test), data::rows(pair.dense, 7, 20).digest);
  EXPECT_EQ(task.test.file_rows(), data::rows(pair.dense, 7, 20).file_rows());
}

TEST(BroadcastTask, error_of_loading_is_thrown_on_every_rank) {
  const Communicator comm(MPI_COMM_WORLD);
  try {
    load_and_broadcast(comm, []() -> data::Task { throw_input_error("cannot read digits.csv", "no such file"); });
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()), "cannot read digits.csv (no such file)");
  }
}

}  // namespace
}  // namespace krossfold::parallel
