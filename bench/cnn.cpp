// SPDX-License-Identifier: BSD-3-Clause
// Training steps and inference of convolutional networks on synthetic 28 x 28 images. Compares the bytes of weights and
// momentum moved and the operations needed with the machine's own rates.
//   train_step/CHANNELS/KERNEL/HIDDEN/BATCH   one step of stochastic gradient descent with momentum
//   train_long/CHANNELS/KERNEL/HIDDEN/BATCH   5,000 steps: first_ms, last_ms: step times in the first and last 500
//   train_together/CHANNELS/KERNEL/HIDDEN/BATCH/NETWORKS   milliseconds of a step of one of NETWORKS trainings side by side, each in its
//       own stream, as the folds of a bag are trained; recorded: whether steps are launched as graphs
//   train_alternately/...                     the same, kernel by kernel
//   infer/CHANNELS/KERNEL/HIDDEN              class probabilities of 10,000 images
#include <benchmark/benchmark.h>

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "bench/rates.hpp"
#include "krossfold/core/denormals.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/training.hpp"

namespace {

using namespace krossfold;

/// Images with a bright blob on a dark background; as in digits, most pixels are equal.
nn::Samples<Device> make_images(int n) {
  constexpr int side = 28;
  const Matrix<float> value("krossfold::bench::image", n, side * side);
  const Vector<int> label("krossfold::bench::label", n);
  const StreamId stream{1};
  for (int i = 0; i < n; ++i) {
    label(i) = i % 10;
    const double angle = 0.628 * label(i) + 0.5 * random_uniform(stream, 3 * static_cast<std::uint64_t>(i));
    for (int p = 0; p < side * side; ++p) {
      const int column = p % side, row = p / side;
      const double x = column - 13.5, y = row - 13.5;
      const double along = x * std::cos(angle) + y * std::sin(angle),
                   across = y * std::cos(angle) - x * std::sin(angle);
      const double ink = std::abs(across) < 2 && along > -3 && along < 9 ? 255 : 0;
      value(i, p) = static_cast<float>((ink - 127.5) / 73.61);
    }
  }
  return nn::samples_on<Device>(value, label);
}

Vector<const int, Device> all_rows(int n) { return list_on<Device>("krossfold::bench::row", nn::all_rows(n)); }

nn::Architecture architecture_of(const benchmark::State& state) {
  return {{28, 28, 1},
          static_cast<int>(state.range(0)),
          static_cast<int>(state.range(1)),
          {static_cast<int>(state.range(2))},
          10};
}

void train_step(benchmark::State& state) {
  const auto architecture = architecture_of(state);
  const int batch = static_cast<int>(state.range(3)), n = 10000 / batch * batch;
  const FlushDenormals flush;
  const auto samples = make_images(n);
  const auto rows = all_rows(n);
  nn::Network<Device> network(Device(), architecture, batch);
  network.initialize({.seed = 1});
  const Vector<double, Device> loss("krossfold::bench::loss", batch);
  int at = 0;
  const auto step = [&] {
    network.step(samples, rows, at, batch, 0.01f, 0.9f, loss);
    at = (at + batch) % n;
  };
  for (int warm = 0; warm < 4; ++warm) step();
  fence(Device(), "krossfold::bench::warm");
  // The forward pass reads the weights; the backward pass reads and writes weights and momentum.
  const double weights = static_cast<double>(architecture.dense_inputs()) * architecture.hidden[0];
  const double bytes = 5 * 4 * weights, flops = architecture.training_flops() * batch;
  const auto limit = bench::memory_limit(bench::Loop::update, bytes, 8 * weights);
  const double seconds = bench::time_each(state, [&] {
    step();
    fence(Device(), "krossfold::bench::step");
  });
  bench::set_rates(state, bytes, flops);
  bench::set_limit(state, limit, seconds);
}

void train_long(benchmark::State& state) {
  constexpr int steps = 5000, part = steps / 10;
  const auto architecture = architecture_of(state);
  const int batch = static_cast<int>(state.range(3)), n = 10000 / batch * batch;
  const FlushDenormals flush;
  const auto samples = make_images(n);
  const auto rows = all_rows(n);
  nn::Network<Device> network(Device(), architecture, batch);
  network.initialize({.seed = 1});
  const Vector<double, Device> loss("krossfold::bench::loss", batch);
  const auto run = [&](int from, int to) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = from; i < to; ++i) network.step(samples, rows, i * batch % n, batch, 0.01f, 0.9f, loss);
    fence(Device(), "krossfold::bench::steps");
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for ([[maybe_unused]] auto _ : state) {
    const double first = run(0, part), middle = run(part, steps - part), last = run(steps - part, steps);
    state.SetIterationTime((first + middle + last) / 1e3);
    state.counters["first_ms"] = first / part;
    state.counters["last_ms"] = last / part;
  }
}

constexpr int steps_of_epoch = 320;

/// Networks in streams of their own.
std::vector<std::unique_ptr<nn::Network<Device>>> networks_of(const benchmark::State& state) {
  std::vector<std::unique_ptr<nn::Network<Device>>> networks;
  for (const Device& instance : instances<Device>(static_cast<int>(state.range(4)))) {
    networks.push_back(std::make_unique<nn::Network<Device>>(instance, architecture_of(state), state.range(3)));
    networks.back()->initialize({.seed = networks.size()});
  }
  return networks;
}

/// Three epochs of each after one that warms up.
void train_together(benchmark::State& state) {
  const int batch = static_cast<int>(state.range(3)), n = steps_of_epoch * batch;
  const FlushDenormals flush;
  const auto samples = make_images(n);
  for ([[maybe_unused]] auto _ : state) {
    const auto networks = networks_of(state);
    nn::TrainingParams params;
    params.epochs = 4;
    params.stop_ratio = std::numeric_limits<double>::infinity();
    params.batch = batch;
    std::vector<std::unique_ptr<nn::Training<nn::Network<Device>>>> trainings;
    std::vector<nn::Training<nn::Network<Device>>*> all;
    for (const auto& network : networks) {
      trainings.push_back(
          std::make_unique<nn::Training<nn::Network<Device>>>(*network, samples, nn::all_rows(n), params));
      all.push_back(trainings.back().get());
    }
    const auto steps_done = [&] {
      std::int64_t samples_done = 0;
      for (const auto& training : trainings) samples_done += training->progress();
      return samples_done / batch;
    };
    auto start = std::chrono::steady_clock::now();
    std::int64_t steps_before = 0;
    nn::train_together<nn::Network<Device>>(all, {}, [&] {
      if (steps_before > 0 || trainings.front()->result().epoch_loss.empty()) return;
      start = std::chrono::steady_clock::now();
      steps_before = steps_done();
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds / static_cast<double>(steps_done() - steps_before));
    state.counters["recorded"] = trainings.front()->recorded();
  }
}

void train_alternately(benchmark::State& state) {
  const int batch = static_cast<int>(state.range(3)), n = steps_of_epoch * batch;
  const FlushDenormals flush;
  const auto samples = make_images(n);
  const auto rows = all_rows(n);
  const auto networks = networks_of(state);
  const Vector<double, Device> loss("krossfold::bench::loss", batch);
  const auto epoch = [&] {
    for (int done = 0; done < steps_of_epoch; done += 64) {
      for (const auto& network : networks) {
        for (int step = 0; step < 64; ++step) network->step(samples, rows, step * batch, batch, 0.01f, 0.9f, loss);
      }
      for (const auto& network : networks) fence(network->exec(), "krossfold::bench::steps");
    }
  };
  epoch();
  for ([[maybe_unused]] auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    epoch();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(seconds / steps_of_epoch / static_cast<double>(networks.size()));
  }
}

void infer(benchmark::State& state) {
  constexpr int n = 10000, batch = 256;
  const auto architecture = architecture_of(state);
  const auto samples = make_images(n);
  const auto rows = all_rows(n);
  nn::Network<Device> network(Device(), architecture, batch);
  network.initialize({.seed = 1});
  const Matrix<float, Device> probability("krossfold::bench::probability", n, 10);
  const double flops = architecture.inference_flops() * n;
  const auto limit = bench::product_limit<float>(flops);
  const double seconds = bench::time_each(state, [&] {
    nn::predict<Device>(network, samples, rows, 0, n, probability);
    fence(Device(), "krossfold::bench::infer");
  });
  bench::set_rates(state, 4.0 * static_cast<double>(architecture.parameters()) * n / batch, flops);
  bench::set_limit(state, limit, seconds);
}

BENCHMARK(train_step)
    ->Args({13, 8, 227, 10})
    ->Args({100, 5, 500, 10})
    ->Args({237, 10, 1215, 10})
    ->Args({253, 4, 1769, 10})
    ->Args({100, 5, 500, 5})
    ->Args({16, 5, 128, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(train_long)->Args({13, 8, 227, 10})->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
void networks_side_by_side(benchmark::internal::Benchmark* benchmark) {
  for (const int networks : {1, 2, 5, 8, 16}) benchmark->Args({13, 8, 227, 10, networks});
  for (const int networks : {1, 5}) benchmark->Args({100, 5, 500, 10, networks});
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(3);
}
void large_networks_side_by_side(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({237, 10, 1215, 10, 5})->Args({253, 4, 1769, 10, 5});
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(1);
}
BENCHMARK(train_together)->Apply(networks_side_by_side);
BENCHMARK(train_together)->Apply(large_networks_side_by_side);
BENCHMARK(train_alternately)->Apply(networks_side_by_side);
BENCHMARK(infer)
    ->Args({13, 8, 227})
    ->Args({100, 5, 500})
    ->Args({237, 10, 1215})
    ->Args({253, 4, 1769})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
