// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

namespace krossfold::bench {

/// Prints bytes and floating-point operations a second beside the time; both are per iteration of the benchmark.
inline void set_rates(benchmark::State& state, double bytes, double flops) {
  using benchmark::Counter;
  state.counters["B/s"] = Counter(bytes, Counter::kIsIterationInvariantRate, Counter::kIs1000);
  state.counters["flop/s"] = Counter(flops, Counter::kIsIterationInvariantRate, Counter::kIs1000);
}

}  // namespace krossfold::bench
