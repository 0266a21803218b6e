// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/spec.hpp"
#include "test/nn/random_samples.hpp"

namespace krossfold {
namespace {

using nn::Architecture;
using nn::Network;
using nn::TrainingParams;

const Architecture small{{8, 8, 1}, 6, 3, {24}, 10};

nn::Samples<Device> digits(const data::Dataset& set, const data::Scale& scale) {
  const auto value = data::apply_scale(scale, set.raw);
  const Matrix<float> single("krossfold::test::value", value.extent(0), value.extent(1));
  for (std::size_t i = 0; i < value.extent(0); ++i) {
    for (std::size_t j = 0; j < value.extent(1); ++j) single(i, j) = static_cast<float>(value(i, j));
  }
  return nn::samples_on<Device>(single, set.label);
}

std::vector<int> first_rows(int n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

using test::weights;

class Training : public ::testing::Test {
protected:
  const test::RandomSamples data{57, 64, 10, 3};
  TrainingParams params;

  Training() {
    params.epochs = 3;
    params.stop_ratio = std::numeric_limits<double>::infinity();
    params.stream = {.seed = 9, .purpose = random_purpose_sample_order};
  }
  Network<Device> network() const {
    Network<Device> result(Device(), small, params.batch);
    result.initialize({.seed = 9, .purpose = random_purpose_initial_weights});
    return result;
  }
};

// A network of one class has the loss 0, and infinity times 0 is NaN.
TEST_F(Training, without_a_stop_ratio_goes_on_where_nothing_is_left_to_learn) {
  const test::RandomSamples one_class{20, 64, 1, 3};
  const Architecture form{{8, 8, 1}, 6, 3, {24}, 1};
  Network<Device> network(Device(), form, params.batch);
  const auto result = train(network, one_class.samples, first_rows(20), params);
  EXPECT_EQ(result.epoch_loss, (std::vector<double>{0, 0, 0}));
}

TEST(TrainingOnDigits, learns_them) {
  const data::Task task = input::load_task({});
  const data::Scale scale = data::fit_scale(task.train, "");
  const auto train_part = digits(task.train, scale), test_part = digits(task.test, scale);
  Network<Device> network(Device(), small, 10);
  network.initialize({.seed = 1, .purpose = random_purpose_initial_weights});
  TrainingParams params;
  params.rate = 0.01;
  params.epochs = 8;
  params.stop_ratio = std::numeric_limits<double>::infinity();
  params.stream = {.seed = 1, .purpose = random_purpose_sample_order};
  const auto result = nn::train(network, train_part, first_rows(task.train.size()), params);
  EXPECT_FALSE(result.diverged);
  EXPECT_LT(result.epoch_loss.back(), 0.2 * result.epoch_loss.front());
  const int n = task.test.size();
  const Matrix<float, Device> probability("krossfold::test::probability", n, 10);
  predict<Device>(network, test_part, test::row_list(first_rows(n)), 0, n, probability);
  const auto found = on_host(probability);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int best = 0;
    for (int c = 1; c < 10; ++c) best = found(i, c) > found(i, best) ? c : best;
    wrong += best != task.test.label(i) ? 1 : 0;
  }
  EXPECT_LT(wrong, 0.06 * n);
}

TEST_F(Training, ends_when_an_epoch_gains_too_little) {
  params.epochs = 20;
  params.stop_ratio = 0;
  auto stopped = network();
  EXPECT_EQ(nn::train(stopped, data.samples, first_rows(57), params).epoch_loss.size(), 2u);
  params.stop_ratio = 0.8;
  auto ruled = network();
  const auto loss = nn::train(ruled, data.samples, first_rows(57), params).epoch_loss;
  for (std::size_t e = 1; e + 1 < loss.size(); ++e) EXPECT_LE(loss[e], 0.8 * loss[e - 1]);
  if (loss.size() < 20) {
    EXPECT_GT(loss.back(), 0.8 * loss[loss.size() - 2]);
  }
  params.stop_ratio = std::numeric_limits<double>::infinity();
  auto full = network();
  EXPECT_EQ(nn::train(full, data.samples, first_rows(57), params).epoch_loss.size(), 20u);
}

TEST_F(Training, epoch_loss_is_the_mean_of_its_steps_and_steps_take_the_order_of_the_epoch) {
  std::vector<std::vector<double>> reported;
  auto trained = network();
  const auto result =
      nn::train(trained, data.samples, first_rows(57), params, {}, [&](int epoch, const std::vector<double>& loss) {
        EXPECT_EQ(epoch, static_cast<int>(reported.size()));
        reported.push_back(loss);
      });
  ASSERT_EQ(reported.size(), 3u);
  auto stepped = network();
  for (int epoch = 0; epoch < 3; ++epoch) {
    ASSERT_EQ(reported[epoch].size(), 6u);  // five of 10 and one of 7
    double sum = 0;
    for (const double loss : reported[epoch]) sum += loss;
    EXPECT_DOUBLE_EQ(result.epoch_loss[epoch], sum / 6);
    const auto order = test::row_list(nn::epoch_order(params.stream, epoch, first_rows(57)));
    for (int step = 0; step < 6; ++step) {
      const int count = step < 5 ? 10 : 7;
      const Vector<double, Device> loss("krossfold::test::loss", count);
      stepped.step(data.samples, order, 10 * step, count, 0.01f, 0.9f, loss);
      double of_step = 0;
      for (int s = 0; s < count; ++s) of_step += on_host(loss)(s);
      EXPECT_NEAR(of_step, reported[epoch][step], 1e-6 * of_step);
    }
  }
}

TEST_F(Training, order_of_an_epoch_is_a_permutation_of_the_rows_and_new_each_time) {
  const std::vector<int> rows = {5, 5, 8, 1, 40, 2, 2, 2};
  const auto first = nn::epoch_order(params.stream, 0, rows), second = nn::epoch_order(params.stream, 1, rows);
  EXPECT_THAT(first, testing::UnorderedElementsAreArray(rows));
  EXPECT_THAT(second, testing::UnorderedElementsAreArray(rows));
  EXPECT_NE(first, second);
  EXPECT_EQ(first, nn::epoch_order(params.stream, 0, rows));
}

TEST_F(Training, says_where_it_diverged) {
  params.rate = 1e8;
  auto bad = network();
  const auto result = nn::train(bad, data.samples, first_rows(57), params);
  EXPECT_TRUE(result.diverged);
  EXPECT_THAT(result.reason, testing::MatchesRegex("loss -?(nan|inf) in step [0-9]+ of epoch 1"));
  EXPECT_THAT(result.epoch_loss, testing::IsEmpty());
}

TEST_F(Training, of_networks_side_by_side_gives_the_bits_of_each_alone) {
  auto alone = network(), one = network();
  Network<Device> two(Device(), Architecture{{8, 8, 1}, 3, 2, {40}, 10}, 10);
  two.initialize({.seed = 4});
  const auto order = test::row_list(nn::epoch_order(params.stream, 0, first_rows(57)));
  const Vector<double, Device> loss("krossfold::test::loss", 10);
  for (int step = 0; step < 5; ++step) alone.step(data.samples, order, 10 * step, 10, 0.01f, 0.9f, loss);
  for (int step = 0; step < 5; ++step) {
    one.step(data.samples, order, 10 * step, 10, 0.01f, 0.9f, loss);
    two.step(data.samples, order, 10 * step, 10, 0.01f, 0.9f, loss);
  }
  EXPECT_EQ(weights(alone), weights(one));
}

TEST_F(Training, by_a_step_that_is_recorded_gives_the_bits_of_single_steps) {
  for (const double dropout : {0.0, 0.25}) {
    const int batch = 10, n = 57;
    Architecture architecture = small;
    architecture.dropout = dropout;
    Network<Device> single(Device(), architecture, batch), recorded(Device(), architecture, batch);
    for (auto* network : {&single, &recorded}) network->initialize({.seed = 9});
    const auto order = test::row_list(nn::epoch_order(params.stream, 0, first_rows(n)));
    const Vector<double, Device> loss("krossfold::test::loss", n), found("krossfold::test::found", n);
    const nn::StepParams step{.rate = 0.01, .momentum = 0.9, .stream = {.seed = 2}, .epoch = 3};
    const auto take = [&](Network<Device>& network, int first) {
      network.step(data.samples, order, first, batch, step,
                   Kokkos::subview(loss, Kokkos::make_pair(first, first + batch)));
    };
    take(recorded, 0);
    nn::RepeatedStep<Device> repeated(Device(), batch, order, found,
                                      [&](const Vector<const int, Device>& row, const Vector<double, Device>& of_step) {
                                        recorded.step(data.samples, row, 0, batch, step, of_step);
                                      });
    // One after another up to the end of the order, and back again.
    const std::vector<int> firsts = {10, 20, 30, 40, 20, 30, 47, 0};
    take(single, 0);
    for (const int first : firsts) take(single, first);
    for (const int first : firsts) repeated.launch(first);
    EXPECT_EQ(weights(single), weights(recorded)) << dropout;
    const auto expected = on_host(loss), got = on_host(found);
    for (int s = 0; s < n; ++s) EXPECT_EQ(got(s), expected(s)) << s;
    EXPECT_EQ(repeated.recorded(), has_graphs<Device>);
  }
}

TEST_F(Training, that_repeats_recorded_steps_gives_the_bits_of_single_steps) {
  params.epochs = 2;
  params.batch = 2;  // 28 whole steps and one of a single sample
  for (const double dropout : {0.0, 0.25}) {
    Architecture architecture = small;
    architecture.dropout = dropout;
    Network<Device> trained(Device(), architecture, 2), stepped(Device(), architecture, 2);
    for (auto* network : {&trained, &stepped}) network->initialize({.seed = 9});
    nn::Training<Network<Device>> training(trained, data.samples, first_rows(57), params);
    while (!training.finished()) {
      training.start_steps();
      training.read_losses();
    }
    for (int epoch = 0; epoch < 2; ++epoch) {
      const auto order = test::row_list(nn::epoch_order(params.stream, epoch, first_rows(57)));
      for (int first = 0; first < 57; first += 2) {
        const int count = std::min(2, 57 - first);
        const Vector<double, Device> loss("krossfold::test::loss", count);
        stepped.step(data.samples, order, first, count, {.stream = params.stream, .epoch = epoch}, loss);
      }
    }
    EXPECT_EQ(weights(trained), weights(stepped)) << dropout;
    EXPECT_EQ(training.recorded(), has_graphs<Device>);
  }
}

TEST_F(Training, goes_on_from_its_state_with_the_same_bits_wherever_it_was_left) {
  const auto rows = first_rows(57);
  auto whole = network();
  const auto expected = nn::train(whole, data.samples, rows, params);
  for (int steps = 0; steps < 18; ++steps) {
    auto first = network();
    nn::Training<Network<Device>> left(first, data.samples, rows, params);
    try {
      for (int left_over = steps; !left.finished();) {
        left.start_steps([&] {
          if (left_over-- == 0) throw Stopped();
        });
        left.read_losses();
      }
      FAIL() << "the training was not stopped";
    } catch (const Stopped&) {
      left.read_losses();
    }
    ByteWriter writer;
    left.write_state(writer);
    const auto state = writer.take();
    Network<Device> second(Device(), small, params.batch);
    nn::Training<Network<Device>> goes_on(second, data.samples, rows, params);
    ByteReader reader(state, "state");
    goes_on.read_state(reader);
    reader.expect_end();
    while (!goes_on.finished()) {
      goes_on.start_steps();
      goes_on.read_losses();
    }
    EXPECT_EQ(goes_on.result().epoch_loss, expected.epoch_loss) << steps;
    EXPECT_EQ(weights(second), weights(whole)) << steps;
  }
}

TEST_F(Training, state_of_another_network_is_refused) {
  auto one = network();
  ByteWriter writer;
  one.write_state(writer);
  const auto state = writer.take();
  EXPECT_NEAR(static_cast<double>(state.size()), static_cast<double>(nn::state_bytes(small)), 200);
  Network<Device> other(Device(), Architecture{{8, 8, 1}, 5, 3, {24}, 10}, 10);
  ByteReader reader(state, "state");
  EXPECT_THROW(other.read_state(reader), Error);
}

TEST_F(Training, state_whose_numbers_contradict_one_another_is_refused) {
  using Losses = std::vector<double>;
  const auto refused = [&](const Losses& epoch_loss, bool finished, std::int64_t position, const Losses& step_loss) {
    auto one = network();
    ByteWriter writer;
    writer.put_fields(epoch_loss, false, std::string(), finished, position, step_loss);
    one.write_state(writer);
    const auto state = writer.take();
    nn::Training<Network<Device>> training(one, data.samples, first_rows(57), params);  // three epochs, batches of 10
    ByteReader reader(state, "state");
    try {
      training.read_state(reader);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused({}, false, 0, {}));
  EXPECT_FALSE(refused({2}, false, 20, {2, 2}));
  EXPECT_FALSE(refused({2, 1, 1}, true, 0, {}));
  EXPECT_FALSE(refused({2}, true, 20, {2, 2}));
  EXPECT_TRUE(refused({}, false, -10, {}));
  EXPECT_TRUE(refused({}, true, -10, {}));
  EXPECT_TRUE(refused({}, false, 57, {2, 2, 2, 2, 2, 2}));
  EXPECT_TRUE(refused({}, true, 58, {2}));
  EXPECT_TRUE(refused({}, false, std::int64_t{1} << 40, {2}));
  EXPECT_TRUE(refused({}, false, 15, {2}));
  EXPECT_TRUE(refused({}, false, 20, {2}));
  EXPECT_TRUE(refused({}, false, 0, {2, 2}));
  EXPECT_TRUE(refused({2, 1, 1}, false, 0, {}));
}

TEST_F(Training, together_gives_each_network_the_bits_it_has_alone) {
  std::vector<int> few(31), many(57);
  std::iota(few.begin(), few.end(), 5);
  std::iota(many.begin(), many.end(), 0);
  const auto alone = [&](const std::vector<int>& rows) {
    auto trained = network();
    const auto result = nn::train(trained, data.samples, rows, params);
    return std::pair(weights(trained), result.epoch_loss);
  };
  const auto instance = instances<Device>(2);
  ASSERT_EQ(instance.size(), 2u);
  Network<Device> one(instance[0], small, params.batch), two(instance[1], small, params.batch);
  one.initialize({.seed = 9, .purpose = random_purpose_initial_weights});
  two.initialize({.seed = 9, .purpose = random_purpose_initial_weights});
  nn::Training<Network<Device>> first(one, data.samples, few, params), second(two, data.samples, many, params);
  int rounds = 0;
  nn::Training<Network<Device>>* const both[] = {&first, &second};
  nn::train_together<Network<Device>>(both, {}, [&] { ++rounds; });
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(std::pair(weights(one), first.result().epoch_loss), alone(few));
  EXPECT_EQ(std::pair(weights(two), second.result().epoch_loss), alone(many));
}

TEST_F(Training, polls_at_every_step_and_gives_the_same_bits_again) {
  int polls = 0;
  auto once = network(), again = network(), ended = network();
  nn::train(once, data.samples, first_rows(57), params, [&] { ++polls; });
  EXPECT_EQ(polls, 18);
  nn::train(again, data.samples, first_rows(57), params);
  EXPECT_EQ(weights(once), weights(again));
  EXPECT_THROW(nn::train(ended, data.samples, first_rows(57), params, [] { throw Stopped(); }), Stopped);
}

}  // namespace
}  // namespace krossfold
