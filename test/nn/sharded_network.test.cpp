// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/sharded_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "test/core/refusal.hpp"
#include "test/nn/image_training.hpp"
#include "test/nn/watching_exchange.hpp"

namespace krossfold::test {
namespace {

class ShardedNetwork : public testing::TestWithParam<ImageCase> {};

TEST_P(ShardedNetwork, follows_the_single_shard_with_dropout_and_uneven_last_batches) {
  nn::Exchange<Device> alone;
  const ImageCurve single = train_images(GetParam(), alone);
  EXPECT_LT(single.held_out_loss.back(), single.held_out_loss.front());
  for (const int shards : {2, 3, 7}) {
    SCOPED_TRACE(shards);
    nn::Exchange<Device> sharing(shards);
    expect_follows(train_images(GetParam(), sharing), single);
    expect_follows(train_images(GetParam(), sharing, nn::Sharing::batch, false), single);
  }
}

TEST_P(ShardedNetwork, calls_a_layer_found_when_its_gradient_does_not_change_any_more) {
  for (const bool factors : {true, false}) {
    nn::Exchange<Device> plain(3);
    WatchingExchange watching(3);
    const ImageCurve expected = train_images(GetParam(), plain, nn::Sharing::batch, factors),
                     found = train_images(GetParam(), watching, nn::Sharing::batch, factors);
    EXPECT_EQ(found.step, expected.step);
    for (std::size_t t = 0; t < expected.weights.size(); ++t) {
      EXPECT_EQ(found.weights[t].value, expected.weights[t].value) << expected.weights[t].name;
    }
    EXPECT_EQ(watching.sent, static_cast<int>(watching.layers()) * watching.steps);
    EXPECT_EQ(watching.steps, static_cast<int>(found.step.size()));
  }
}

TEST_P(ShardedNetwork, of_one_shard_has_the_bits_of_the_network_alone) {
  const ImageCase& c = GetParam();
  nn::Exchange<Device> alone;
  nn::ShardedNetwork<Device> sharded(Device(), c.architecture, c.batch, alone, nn::Sharing::batch);
  nn::Network<Device> network(Device(), c.architecture, c.batch);
  const auto samples = digit_samples(0, 300);
  const StreamId stream{.seed = 3, .purpose = random_purpose_initial_weights};
  sharded.network().initialize(stream);
  network.initialize(stream);
  nn::TrainingParams params;
  params.epochs = 1;
  params.batch = c.batch;
  const auto rows = nn::all_rows(300);
  EXPECT_EQ(nn::train(sharded, samples, rows, params).epoch_loss, nn::train(network, samples, rows, params).epoch_loss);
  const auto found = sharded.network().parameters(), expected = network.parameters();
  for (std::size_t t = 0; t < expected.size(); ++t) EXPECT_EQ(found[t].value, expected[t].value) << expected[t].name;
}

TEST_P(ShardedNetwork, drops_units_in_training_only) {
  ImageCase without = GetParam();
  without.architecture.dropout = 0;
  nn::Exchange<Device> alone;
  const auto train = digit_samples(0, 100);
  nn::ShardedNetwork<Device> a(Device(), GetParam().architecture, 20, alone, nn::Sharing::batch),
      b(Device(), without.architecture, 20, alone, nn::Sharing::batch);
  for (auto* model : {&a, &b}) model->network().initialize({.seed = 1});
  EXPECT_EQ(a.evaluate(train).loss, b.evaluate(train).loss);
  const Vector<double, Device> loss_a("krossfold::test::loss", 20), loss_b("krossfold::test::loss", 20);
  const auto row = list_on<Device>("krossfold::test::row", nn::all_rows(100));
  a.step(train, row, 0, 20, {}, loss_a);
  b.step(train, row, 0, 20, {}, loss_b);
  EXPECT_NE(on_host(loss_a)(3), on_host(loss_b)(3));
}

TEST_P(ShardedNetwork, descends_the_loss_of_the_units_that_are_left) {
  nn::Exchange<Device> alone;
  nn::ShardedNetwork<Device> model(Device(), GetParam().architecture, 40, alone, nn::Sharing::batch);
  model.network().initialize({.seed = 1});
  const auto train = digit_samples(0, 40);
  const auto row = list_on<Device>("krossfold::test::row", nn::all_rows(40));
  const auto step = [&](double rate) {
    const Vector<double, Device> loss("krossfold::test::loss", 40);
    model.step(train, row, 0, 40, {.rate = rate, .momentum = 0}, loss);
    const auto found = on_host(loss);
    return std::accumulate(found.data(), found.data() + 40, 0.0);
  };
  // A short step of length rate |g| lowers the loss by rate |g|^2; the same units are dropped because the epoch is the
  // same.
  const double rate = 2e-3;
  const auto before = model.network().parameters();
  const double loss = step(rate);
  const auto after = model.network().parameters();
  double squares = 0;
  for (std::size_t t = 0; t < before.size(); ++t) {
    for (std::size_t k = 0; k < before[t].value.size(); ++k) {
      const double slope = (static_cast<double>(before[t].value[k]) - static_cast<double>(after[t].value[k])) / rate;
      squares += slope * slope;
    }
  }
  EXPECT_NEAR((loss - step(0)) / (rate * squares), 1, 0.02);
}

TEST_P(ShardedNetwork, evaluates_by_cross_entropy_and_the_largest_logit) {
  const ImageCase& c = GetParam();
  nn::Exchange<Device> sharing(3);
  nn::ShardedNetwork<Device> model(Device(), c.architecture, c.batch, sharing, nn::Sharing::batch);
  model.network().initialize({.seed = 2});
  const auto samples = digit_samples(20, 77);
  const Matrix<float, Device> probability("krossfold::test::probability", 77, 10);
  nn::predict<Device>(model.network(), samples, list_on<Device>("krossfold::test::row", nn::all_rows(77)), 0, 77,
                      probability);
  const auto p = on_host(probability);
  const auto label = on_host(samples.label);
  double loss = 0, wrong = 0;
  for (int s = 0; s < 77; ++s) {
    int best = 0;
    for (int k = 0; k < 10; ++k) best = p(s, k) > p(s, best) ? k : best;
    loss -= std::log(static_cast<double>(p(s, label(s)))) / 77;
    wrong += best != label(s) ? 1.0 / 77 : 0;
  }
  const nn::Evaluation found = model.evaluate(samples);
  EXPECT_NEAR(found.loss, loss, 1e-5 * loss);
  EXPECT_NEAR(found.error, wrong, 1e-12);
}

TEST_P(ShardedNetwork, polls_as_often_on_every_worker_that_evaluates) {
  struct Worker : nn::Exchange<Device> {
    explicit Worker(int shard) : nn::Exchange<Device>(2) {
      own = 1;
      first_shard = shard;
    }
  };
  const auto samples = digit_samples(0, 2 * nn::evaluated_at_once + 1);  // one shard has one more piece
  int polls[2] = {0, 0};
  for (const int shard : {0, 1}) {
    Worker worker(shard);
    nn::ShardedNetwork<Device> model(Device(), GetParam().architecture, 10, worker, nn::Sharing::batch);
    model.evaluate(samples, [&] { ++polls[shard]; });
  }
  EXPECT_EQ(polls[0], 2);
  EXPECT_EQ(polls[1], 2);
}

INSTANTIATE_TEST_SUITE_P(Networks, ShardedNetwork, testing::ValuesIn(image_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(SplitNetwork, with_fewer_channels_or_units_than_workers_is_refused) {
  nn::Exchange<Device> three(3);
  const auto message = [&](const nn::Architecture& architecture) {
    return refusal([&] { nn::Network<Device>(Device(), architecture, 1, &three); });
  };
  EXPECT_THAT(message({{8, 8, 1}, 2, 3, {40}, 10}), testing::HasSubstr("cannot be split over 3 workers"));
  EXPECT_THAT(message({{8, 8, 1}, 5, 3, {2}, 10}), testing::HasSubstr("cannot be split over 3 workers"));
}

TEST(SplitNetwork, has_a_share_of_the_memory) {
  const nn::Architecture architecture{{28, 28, 1}, 253, 4, {1769}, 10};
  const auto whole = static_cast<double>(nn::network_bytes(architecture, 10)),
             part = static_cast<double>(nn::network_bytes(architecture, 10, 4));
  EXPECT_GT(part, 0.25 * whole);
  EXPECT_LT(part, 0.27 * whole);
}

}  // namespace
}  // namespace krossfold::test
