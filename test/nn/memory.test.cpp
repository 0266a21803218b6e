// SPDX-License-Identifier: BSD-3-Clause
// What networks need of memory is what is reckoned with, and a thousand trainings need no more than ten.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "krossfold/nn/lstm_network.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/training.hpp"
#include "test/memory_in_use.hpp"
#include "test/nn/image_training.hpp"

namespace krossfold {
namespace {

std::uint64_t allocated;  // the callback takes no context

/// Bytes of the Views that `work` allocates.
template <class Work>
double bytes_of(const Work& work) {
  namespace tools = Kokkos::Tools::Experimental;
  const tools::EventSet before = tools::get_callbacks();
  allocated = 0;
  tools::set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t bytes) { allocated += bytes; });
  work();
  tools::set_callbacks(before);
  return static_cast<double>(allocated);
}

TEST(NetworkMemory, of_a_character_model_is_what_is_reckoned_with) {
  for (const nn::LstmArchitecture& one :
       {nn::LstmArchitecture{.symbols = 31, .steps = 8, .layers = 4, .hidden = 128, .dropout = 0.1},
        nn::LstmArchitecture{.symbols = 90, .steps = 20, .layers = 1, .hidden = 48, .dropout = 0},
        nn::LstmArchitecture{.symbols = 31, .steps = 8, .layers = 2, .hidden = 320, .dropout = 0.5}}) {
    for (const int batch : {8, 200}) {
      const double found = bytes_of([&] { nn::LstmNetwork<Device>(Device(), one, batch); });
      const auto expected = static_cast<double>(nn::network_bytes(one, batch));
      EXPECT_LT(found, 1.02 * expected) << describe(one) << batch;
      if (std::is_same_v<Device, Host>) {
        EXPECT_GT(found, 0.95 * expected) << describe(one) << batch;
      }
    }
  }
}

TEST(NetworkMemory, of_a_network_of_images_is_what_is_reckoned_with) {
  for (const test::ImageCase& one : test::image_cases()) {
    for (const int batch : {8, 200}) {
      const double found = bytes_of([&] { nn::Network<Device>(Device(), one.architecture, batch); });
      const auto expected = static_cast<double>(nn::network_bytes(one.architecture, batch));
      EXPECT_LT(found, 1.1 * expected) << batch;
      EXPECT_GT(found, 0.9 * expected) << batch;
    }
  }
}

TEST(NetworkMemory, is_that_of_ten_trainings_after_a_thousand) {
  const auto samples = test::digit_samples(0, 40);
  std::vector<int> rows(40);
  std::iota(rows.begin(), rows.end(), 0);
  for (const test::ImageCase& one : {test::image_cases()[0], test::image_cases()[2]}) {
    test::expect_no_memory_is_kept([&] {
      nn::Network<Device> network(Device(), one.architecture, one.batch);
      network.initialize({.seed = 3, .purpose = random_purpose_initial_weights});
      nn::TrainingParams params;
      params.epochs = 1;
      params.batch = one.batch;
      nn::train(network, samples, std::span<const int>(rows), params);
    });
  }
}

TEST(NetworkMemory, is_that_of_ten_trainings_of_a_character_model_after_a_thousand) {
  const nn::LstmArchitecture small{.symbols = 5, .steps = 4, .layers = 3, .hidden = 6, .dropout = 0.3};
  std::vector<int> symbol, next, rows(14);
  for (int k = 0; k < 14 * small.steps; ++k) {
    symbol.push_back(k * k % small.symbols);
    next.push_back((k + 1) * (k + 1) % small.symbols);
  }
  std::iota(rows.begin(), rows.end(), 0);
  const nn::Windows<Device> windows{list_on<Device>("krossfold::test::symbol", symbol),
                                    list_on<Device>("krossfold::test::next", next), small.steps};
  nn::Exchange<Device> two_shards(2);
  nn::TrainingParams params;
  params.epochs = 2;
  params.stop_ratio = std::numeric_limits<double>::infinity();
  params.batch = 5;  // computed in parts of 3 or fewer; the last of an epoch is smaller
  test::expect_no_memory_is_kept([&] {
    nn::ShardedLstm<Device> model(Device(), small, 3, two_shards);
    model.network().initialize({.seed = 3, .purpose = random_purpose_initial_weights});
    const nn::TrainingResult result = nn::train(model, windows, std::span<const int>(rows), params);
    EXPECT_EQ(result.epoch_loss.size(), 2u) << result.reason;
    model.mean_loss(windows);
  });
}

}  // namespace
}  // namespace krossfold
