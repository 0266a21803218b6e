// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "krossfold/training/mpi_exchange.hpp"
#include "test/nn/image_training.hpp"

namespace krossfold::training {
namespace {

using test::ImageCase;
using test::ImageCurve;

class TrainImages : public testing::TestWithParam<ImageCase> {
protected:
  const parallel::Communicator comm{MPI_COMM_WORLD};

  void expect_same_bits(const ImageCurve& found, const ImageCurve& expected, bool weights) const {
    EXPECT_EQ(found.step, expected.step);
    EXPECT_EQ(found.held_out_loss, expected.held_out_loss);
    EXPECT_EQ(found.held_out_error, expected.held_out_error);
    for (std::size_t t = 0; weights && t < expected.weights.size(); ++t) {
      EXPECT_EQ(found.weights[t].value, expected.weights[t].value) << expected.weights[t].name;
    }
  }
};

TEST_P(TrainImages, with_shared_batches_has_the_bits_of_one_rank_with_as_many_shards) {
  for (const Strategy strategy : {Strategy::ddp, Strategy::data_parallel}) {
    for (const int per_rank : {1, 2}) {
      SCOPED_TRACE(name_of(strategy) + ", " + std::to_string(per_rank) + " shards per rank");
      const int shards = per_rank * comm.size();
      const bool factors = strategy == Strategy::ddp;
      nn::Exchange<Device> alone(shards);
      MpiExchange<Device> ranks(comm, strategy, shards, 200);  // several pieces
      expect_same_bits(train_images(GetParam(), ranks, nn::Sharing::batch, factors),
                       train_images(GetParam(), alone, nn::Sharing::batch, factors), ranks.updates);
      EXPECT_EQ(ranks.seconds > 0, comm.size() > 1);
    }
  }
}

TEST_P(TrainImages, with_split_weights_follows_one_rank_and_ends_with_its_weights) {
  nn::Exchange<Device> alone;
  MpiExchange<Device> ranks(comm, Strategy::model_parallel, comm.size());
  const ImageCurve whole = train_images(GetParam(), alone),
                   parts = train_images(GetParam(), ranks, nn::Sharing::weights);
  if (comm.size() == 1) return expect_same_bits(parts, whole, true);
  expect_follows(parts, whole);
  ASSERT_EQ(parts.weights.size(), whole.weights.size());
  for (std::size_t t = 0; t < whole.weights.size(); ++t) {
    const nn::Parameter &all = whole.weights[t], &own = parts.weights[t];
    const bool is_bias = all.shape.size() == 1, conv = all.name.starts_with("conv");
    const auto units = static_cast<int>(all.shape[0]), own_units = static_cast<int>(own.shape[0]);
    const auto inputs = static_cast<int>(all.value.size()) / units;
    // A part has its channels, and in a dense layer its inputs, which for dense.0 are those channels' outputs.
    const nn::Architecture& form = GetParam().architecture;
    const bool first = all.name == "dense.0.weight" && form.channels > 0;
    const int group = first ? inputs / form.channels : 1;
    const nn::Share share = nn::share_of(conv ? units : inputs / group, comm.rank(), comm.size());
    ASSERT_EQ(own_units, conv ? share.count : units) << all.name;
    const int own_inputs = conv || is_bias ? inputs : share.count * group;
    for (int u = 0; u < own_units; ++u) {
      for (int i = 0; i < own_inputs; ++i) {
        const int from = conv ? (share.first + u) * inputs + i : u * inputs + (is_bias ? 0 : share.first * group) + i;
        EXPECT_NEAR(own.value[u * own_inputs + i], all.value[from], 1e-4) << all.name << " " << u << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, TrainImages, testing::ValuesIn(test::image_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace krossfold::training
