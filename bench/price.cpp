// SPDX-License-Identifier: BSD-3-Clause
// What the fits of a path over C cost beside their price, that of the interior-point method, which is known beforehand: in
// operations, and the whole path in seconds. On data whose classes overlap, made here. tools/plot_price draws the counters.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/rates.hpp"
#include "bench/samples.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/kernels/squared_distance.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/price.hpp"

namespace {

using namespace krossfold;

/// A path to C = 1e6 in half decades, at gamma = 10^power over the mean squared distance.
void path(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), features = static_cast<int>(state.range(1));
  const bench::Samples samples = features == 2 ? bench::crescents(n) : bench::noisy(n, features);
  const auto x = on_device<Device>(samples.x);
  const auto distance = padded_matrix<float, Device>("krossfold::bench::distance", n, n);
  kernels::squared_distance<Device, double>(Device(), distance, x);
  double mean = 0;
  for (int i = 0; i < n; ++i) {
    for (int f = 0; f < features; ++f) mean += 2 * samples.x(i, f) * samples.x(i, f) / n;
  }
  const double gamma = std::pow(10.0, static_cast<double>(state.range(2))) / mean;
  kernels::rbf_minus_one<Device>(Device(), distance, distance, gamma);
  svm::WholeKernel<Device> kernel(Device(), distance);
  svm::Points<Device> points;
  points.in_double = x;
  svm::PreciseKernel<Device> precise(Device(), n, features, [&] { return points; });
  svm::PathParams params;
  for (int k = -4; k <= 12; ++k) params.c.push_back(std::pow(10.0, 0.5 * k));
  const Matrix<const std::int8_t, Device> sign = on_device<Device>(samples.y);
  svm::DualSolver<Device> solver(Device(), svm::solver_size<Device>(1, n), n);
  svm::PathSolution<Device> solution;
  bench::time_each(
      state, [&] { precise.set_gamma(gamma); },
      [&] { solution = svm::solve_path<Device>(Device(), solver, kernel, sign, {}, params, {}, &precise); });
  double largest = 0;
  int open = 0;
  for (std::size_t k = 0; k < params.c.size(); ++k) {
    const int limit = svm::PreciseKernel<Device>::max_rank(n);
    const double price = svm::price_of(n, precise.rank_for(svm::factor_tolerance(params.c[k]), limit));
    const std::string at = text("@", std::log10(params.c[k]));
    state.counters["operations" + at] = solution.fit[k].operations;
    state.counters["price" + at] = price;
    largest = std::max(largest, solution.fit[k].operations / price);
    open += solution.fit[k].converged == 0 ? 1 : 0;
  }
  state.counters["operations/price"] = largest;
  state.counters["open"] = open;
}

}  // namespace

BENCHMARK(path)
    ->ArgNames({"n", "d", "g"})
    ->ArgsProduct({{1600}, {2, 5, 20}, {-1, 0, 1}})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
