// SPDX-License-Identifier: BSD-3-Clause
// Training steps of the character LSTM on the built-in names, repeated. Compares the operations of its matrix products
// with the machine's GEMM rate.
//   lstm_step/BATCH/PART   gradient and Adam step of BATCH windows, computed PART at a time
//   lstm_recorded/BATCH/PART  the same without Adam, launched as a graph (core/launch_graph.hpp) where there are such; recorded: 1 if so
//   lstm_rounded/BATCH/PART/PRECISION  the same with products in tf32 (1) or bf16 (2)
//   lstm_losses/BATCH/PART losses of BATCH windows
#include <benchmark/benchmark.h>

#include "bench/rates.hpp"
#include "krossfold/core/denormals.hpp"
#include "krossfold/core/launch_graph.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/kernels/adam.hpp"
#include "krossfold/nn/lstm_network.hpp"

namespace {

using namespace krossfold;

nn::Windows<Device> make_windows() {
  const auto windows = input::name_windows(input::load_names("names").name, 8);
  return {list_on<Device>("krossfold::bench::symbol", windows.symbol),
          list_on<Device>("krossfold::bench::next", windows.next), 8};
}

Vector<const int, Device> make_rows(int n, int windows) {
  std::vector<int> rows(n);
  for (int i = 0; i < n; ++i) rows[i] = i % windows;
  return list_on<Device>("krossfold::bench::row", rows);
}

struct Case {
  int batch, part;
  nn::Windows<Device> windows = make_windows();
  Vector<const int, Device> rows;
  nn::LstmNetwork<Device> network;
  Vector<double, Device> loss;

  explicit Case(const benchmark::State& state)
      : batch(static_cast<int>(state.range(0))),
        part(static_cast<int>(state.range(1))),
        rows(make_rows(batch, windows.size())),
        network(Device(), {}, part),
        loss("krossfold::bench::loss", batch) {
    network.initialize({.seed = 1});
  }
};

void lstm_step(benchmark::State& state) {
  const FlushDenormals flush;
  Case it(state);
  const auto size = it.network.weight().extent(0);
  const Vector<float, Device> gradient("krossfold::bench::gradient", size), mean("krossfold::bench::mean", size),
      square("krossfold::bench::square", size);
  std::int64_t number = 0;
  const auto step = [&] {
    it.network.backward(it.windows, it.rows, 0, it.batch, it.batch, {true, {.seed = 1}, 0}, gradient, it.loss);
    kernels::adam<Device>(Device(), it.network.weight(), mean, square, gradient, ++number, {});
    fence(Device(), "krossfold::bench::step");
  };
  step();
  const double flops = it.network.architecture().training_flops() * it.batch;
  // Adam reads and writes weights and two moment estimates and reads the gradient.
  const double bytes = 7 * 4 * static_cast<double>(size);
  const auto limit = bench::product_limit<float>(flops);
  const double seconds = bench::time_each(state, step);
  bench::set_rates(state, bytes, flops);
  bench::set_limit(state, limit, seconds);
}

void time_recorded(benchmark::State& state, kernels::Precision precision) {
  const FlushDenormals flush;
  Case it(state);
  it.network.set_precision(precision);
  const Vector<float, Device> gradient("krossfold::bench::gradient", it.network.weight().extent(0));
  const auto step = [&] {
    it.network.backward(it.windows, it.rows, 0, it.batch, it.batch, {true, {.seed = 1}, 0}, gradient, it.loss);
  };
  step();
  fence(Device(), "krossfold::bench::warm");
  LaunchGraph<Device> graph(it.network.exec(), step);
  bench::time_each(state, [&] {
    graph.launch();
    fence(Device(), "krossfold::bench::step");
  });
  state.counters["recorded"] = graph.recorded();
}

void lstm_recorded(benchmark::State& state) { time_recorded(state, kernels::Precision::single); }

void lstm_rounded(benchmark::State& state) { time_recorded(state, static_cast<kernels::Precision>(state.range(2))); }

void lstm_losses(benchmark::State& state) {
  const FlushDenormals flush;
  Case it(state);
  const double flops = it.network.architecture().inference_flops() * it.batch;
  const auto limit = bench::product_limit<float>(flops);
  const double seconds = bench::time_each(state, [&] {
    it.network.losses(it.windows, it.rows, 0, it.batch, it.loss);
    fence(Device(), "krossfold::bench::losses");
  });
  bench::set_rates(state, 4 * static_cast<double>(it.network.architecture().parameters()), flops);
  bench::set_limit(state, limit, seconds);
}

BENCHMARK(lstm_step)
    ->Args({1024, 1024})
    ->Args({1024, 256})
    ->Args({1024, 128})
    ->Args({1024, 64})
    ->Args({64, 64})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lstm_recorded)->Args({1024, 1024})->Args({64, 64})->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(lstm_rounded)
    ->Args({1024, 1024, 1})
    ->Args({1024, 1024, 2})
    ->Args({64, 64, 1})
    ->Args({64, 64, 2})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lstm_losses)->Args({1024, 128})->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
