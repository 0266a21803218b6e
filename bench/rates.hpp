// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace krossfold::bench {

/// Floating-point operations of math::expm1 and the product that forms its argument; comparisons are not counted.
constexpr double expm1_flops = 23;

/// Reports bytes and floating-point operations per second; both arguments are per iteration of the benchmark.
inline void set_rates(benchmark::State& state, double bytes, double flops) {
  using benchmark::Counter;
  state.counters["B/s"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

/// Repeats `work` as often as the benchmark requires, each time after `prepare`, which is not timed. Returns the
/// seconds of one `work`; for benchmarks with UseManualTime().
template <class Prepare, class Work>
double time_each(benchmark::State& state, const Prepare& prepare, const Work& work) {
  double sum = 0;
  for (auto _ : state) {
    prepare();
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(seconds.count());
    sum += seconds.count();
  }
  return sum / static_cast<double>(state.iterations());
}

template <class Work>
double time_each(benchmark::State& state, const Work& work) {
  return time_each(
      state, [] {}, work);
}

/// A hardware limit: a name with the measured rate, "dgemm 71 Gflop/s", and the minimum seconds of one iteration of the
/// benchmark.
struct Limit {
  std::string name;
  double seconds = 0;
};

/// The time of `flops` at the GEMM rate for square matrices of 1,536 rows, with the GEMM that the kernels use. T is
/// float or double.
template <class T>
Limit product_limit(double flops);

/// A loop over two arrays: y = a x (one read, one write) or y += a x (two reads, one write).
enum class Loop { scale, update };

/// The time of `bytes` at the rate of a loop in double that repeatedly traverses a working set of `set` bytes.
Limit memory_limit(Loop loop, double bytes, double set);

/// The limit of two phases in sequence.
Limit operator+(const Limit& left, const Limit& right);

/// Reports the fraction of the limit achieved by an iteration of `seconds`, and the limit's name.
inline void set_limit(benchmark::State& state, const Limit& limit, double seconds) {
  state.counters["%limit"] = 100 * limit.seconds / seconds;
  state.SetLabel(limit.name);
}

}  // namespace krossfold::bench
