// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

namespace krossfold::bench {

/// Floating-point operations of math::expm1 and of the product that is its argument; comparisons are not counted.
constexpr double expm1_flops = 23;

/// Prints bytes and floating-point operations a second beside the time; both are per iteration of the benchmark.
inline void set_rates(benchmark::State& state, double bytes, double flops) {
  using benchmark::Counter;
  state.counters["B/s"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

/// Repeats `work` as often as the benchmark wants, each time after `prepare`, which is not timed. Seconds of one `work`;
/// for benchmarks with UseManualTime().
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

/// What this machine cannot do faster: a name with the measured rate, "dgemm 71 Gflop/s", and the least seconds for one
/// iteration of the benchmark.
struct Limit {
  std::string name;
  double seconds = 0;
};

/// The time of `flops` at the rate of the product of square matrices of 1,536 rows, through the GEMM the kernels use. T is
/// float or double.
template <class T>
Limit product_limit(double flops);

/// A loop over two arrays: y = a x (one read, one write) or y += a x (two reads, one write).
enum class Loop { scale, update };

/// The time of `bytes` at the rate of a loop in double that goes over a set of `set` bytes again and again.
Limit memory_limit(Loop loop, double bytes, double set);

/// One after the other.
Limit operator+(const Limit& left, const Limit& right);

/// Prints the share of the limit that `seconds` for an iteration reach, and the limit's name.
inline void set_limit(benchmark::State& state, const Limit& limit, double seconds) {
  state.counters["%limit"] = 100 * limit.seconds / seconds;
  state.SetLabel(limit.name);
}

}  // namespace krossfold::bench
