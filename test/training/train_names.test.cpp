// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krossfold/core/error.hpp"
#include "krossfold/training/mpi_exchange.hpp"
#include "test/nn/name_training.hpp"

namespace krossfold::training {
namespace {

class TrainNames : public testing::TestWithParam<Strategy> {};

TEST_P(TrainNames, has_the_bits_of_one_rank_with_as_many_shards) {
  const parallel::Communicator comm(MPI_COMM_WORLD);
  for (const int per_rank : {1, 2}) {
    const int shards = per_rank * comm.size();
    nn::Exchange<Device> alone(shards);
    MpiExchange<Device> ranks(comm, GetParam(), shards, 200);  // several pieces
    const test::NameCurve expected = test::train_names(alone), found = test::train_names(ranks);
    EXPECT_EQ(found.step, expected.step);
    EXPECT_EQ(found.held_out, expected.held_out);
    if (ranks.updates) {
      EXPECT_EQ(found.weight, expected.weight);
    }
    EXPECT_GE(ranks.seconds, 0);
    EXPECT_EQ(ranks.seconds > 0, comm.size() > 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, TrainNames, testing::Values(Strategy::ddp, Strategy::data_parallel));

TEST(TrainNamesFromState, goes_on_with_the_same_bits_on_all_ranks) {
  const parallel::Communicator comm(MPI_COMM_WORLD);
  MpiExchange<Device> exchange(comm, Strategy::ddp, comm.size());
  const test::NameCurve whole = test::train_names(exchange), halves = test::train_names(exchange, 31);
  EXPECT_EQ(whole.step, halves.step);
  EXPECT_EQ(whole.held_out, halves.held_out);
  EXPECT_EQ(whole.weight, halves.weight);
}

TEST(StrategyNames, are_read_and_written) {
  for (const Strategy strategy : {Strategy::single, Strategy::ddp, Strategy::data_parallel}) {
    EXPECT_EQ(parse_strategy(name_of(strategy)), strategy);
  }
  EXPECT_THROW(parse_strategy("dpp"), Error);
}

}  // namespace
}  // namespace krossfold::training
