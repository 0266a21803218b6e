// SPDX-License-Identifier: BSD-3-Clause
// The steps of an SVM search at the size of the first 5,000 MNIST images, on synthetic data: distances, kernel matrix,
// SMO. Each is reported as a fraction of the machine's peak rate, measured in the same run.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "bench/rates.hpp"
#include "bench/samples.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/kernels/squared_distance.hpp"
#include "krossfold/svm/augmented_lagrangian.hpp"
#include "krossfold/svm/decision.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "krossfold/svm/smo.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace {

using namespace krossfold;

constexpr int features = 784, classes = 10;

/// Ten overlapping clusters of integers in [-128, 127].
Matrix<float, Device> make_points(int n) {
  const Matrix<float> x("krossfold::bench::points", n, features);
  const StreamId stream{1};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < features; ++j) {
      const double centre = 60 * std::sin(0.37 * (i % classes + 1) * (j + 1));
      const double noise = 200 * (random_uniform(stream, static_cast<std::uint64_t>(i) * features + j) - 0.5);
      x(i, j) = static_cast<float>(std::nearbyint(std::fmax(-128, std::fmin(127, 0.4 * centre + noise))));
    }
  }
  return on_device<Device>(x);
}

Vector<int, Device> make_labels(int n) {
  const Vector<int> label("krossfold::bench::label", n);
  for (int i = 0; i < n; ++i) label(i) = i % classes;
  return on_device<Device>(label);
}

void squared_distance(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const auto x = make_points(n);
  const auto d2 = padded_matrix<float, Device>("krossfold::bench::distance", n, n);
  const double flops = 1.0 * n * n * features;  // half of the products; the rest is mirrored
  const auto limit = bench::product_limit<float>(flops);
  const double seconds = bench::time_each(state, [&] { kernels::squared_distance<Device, float>(Device(), d2, x); });
  bench::set_rates(state, 4.0 * n * n + 4.0 * n * features, flops);
  bench::set_limit(state, limit, seconds);
}

void kernel_matrix(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const auto d2 = padded_matrix<float, Device>("krossfold::bench::distance", n, n);
  const auto k = padded_matrix<float, Device>("krossfold::bench::kernel", n, n);
  Kokkos::deep_copy(d2, 1.5f);
  const double bytes = 8.0 * n * n;  // one matrix read, one written
  const auto limit = bench::memory_limit(bench::Loop::scale, bytes, bytes);
  const double seconds = bench::time_each(state, [&] {
    kernels::rbf_minus_one<Device>(Device(), k, d2, 0.3);
    Kokkos::fence();
  });
  bench::set_rates(state, bytes, bench::expm1_flops * n * n);
  bench::set_limit(state, limit, seconds);
}

/// The number of kernel rows used by the iterations of all slots: samples whose beta has left 0 (few return to it).
double rows_used(const svm::SubProblems<Device>& subs, int n) {
  const auto beta = on_host(subs.beta);
  double rows = 0;
  for (int s = 0; s < subs.slots; ++s) {
    for (int i = 0; i < n; ++i) rows += beta(s, i) != 0 ? 1 : 0;
  }
  return rows;
}

/// 2000 iterations of all ten problems from the start, each on all of its samples.
void smo_steps(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), steps = 2000;
  const double c = 1e4, tolerance = 1e-6;
  const auto x = make_points(n);
  const Vector<int, Device> none_held("krossfold::bench::held", n);
  const auto sign = svm::make_signs<Device>(Device(), svm::Multiclass::one_vs_rest, classes, make_labels(n), none_held);
  const auto kernel = padded_matrix<float, Device>("krossfold::bench::kernel", n, n);
  kernels::squared_distance<Device, float>(Device(), kernel, x);
  kernels::rbf_minus_one<Device>(Device(), kernel, kernel, 1e-6);
  svm::WholeKernel<Device> rows(Device(), kernel);
  auto subs = svm::make_sub_problems<Device>(classes, 16, n);  // too small for anything but whole problems
  subs.row = rows.row;
  double all = 0;
  const auto start = [&] {
    const auto duals = svm::make_problems<Device>(Device(), sign);
    svm::assign_slots(Device(), subs, classes);
    for (int s = 0; s < classes; ++s) subs.slot(s).active = 1;
    svm::choose_working_sets(Device(), subs, duals, c, tolerance);
    svm::load_sub_problems<Device>(Device(), subs, duals, rows, c);
    for (int s = 0; s < classes; ++s) {
      subs.slot(s).inner = 1;
      subs.slot(s).inner_tolerance = tolerance;
      subs.slot(s).steps = steps;
    }
  };
  const auto iterate = [&] {
    svm::smo(Device(), subs);
    for (int s = 0; s < classes; ++s) all += static_cast<double>(subs.slot(s).iterations);
  };
  const double seconds = bench::time_each(state, start, iterate);
  const double iterations = all / static_cast<double>(state.iterations());
  state.counters["us/iteration"] = 1e6 * seconds / iterations;

  // Per sample and iteration, choosing j reads row i, the gradient and `shrink`; the update reads both rows and `grow`
  // and reads and writes the gradient. Gradient and marks stay in cache between iterations, as row i does between the
  // two loops; both rows come from all the rows that the problem uses.
  const double from_rows = 2 * 4.0 * n, from_vectors = (4.0 + 4 + 4 + 4 + 2 * 4) * n;
  const double rows_set = rows_used(subs, n) / classes * 4 * n, vectors_set = (4.0 + 4 + 4 + 2 * 4) * n;
  bench::set_rates(state, (from_rows + from_vectors) * iterations, 13.0 * n * iterations);
  bench::set_limit(state,
                   bench::memory_limit(bench::Loop::update, from_vectors * iterations, vectors_set) +
                       bench::memory_limit(bench::Loop::update, from_rows * iterations, rows_set),
                   seconds);
}

/// The Cholesky factorisation of a Newton step.
void cholesky(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const Matrix<double> start("krossfold::bench::spd", 1, static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      start(0, static_cast<std::size_t>(i) * n + j) = std::exp(-0.01 * std::abs(i - j)) + (i == j);
  }
  const auto source = on_device<Device>(start);
  const Matrix<double, Device> a("krossfold::bench::factor", 1, static_cast<std::size_t>(n) * n);
  const Flags<int> size("krossfold::bench::size", 1), failed("krossfold::bench::failed", 1);
  size(0) = n;
  const auto work = kernels::make_cholesky_work<Device>(1);
  const double flops = n / 3.0 * n * n;
  const auto limit = bench::product_limit<double>(flops);
  const double seconds = bench::time_each(
      state, [&] { Kokkos::deep_copy(a, source); },
      [&] { kernels::cholesky<Device>(Device(), a, size, failed, work); });
  bench::set_rates(state, 8.0 * n * n, flops);  // one triangle read and written
  bench::set_limit(state, limit, seconds);
}

/// An interior-point solution of two overlapping clouds at C = 1e6 with a factor of that rank (0: the whole kernel matrix).
void interior_point(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), rank = static_cast<int>(state.range(1));
  const bench::Samples samples = bench::clouds(n);
  svm::Points<Device> points;
  points.in_double = on_device<Device>(samples.x);
  svm::PreciseKernel<Device> kernel(Device(), n, 2, [&] { return points; });
  kernel.set_gamma(rank == 0 ? 10.0 : rank / 100.0);
  if (rank > 0) kernel.rank_for(0, rank);
  const Matrix<const std::int8_t, Device> sign = on_device<Device>(samples.y);
  const auto duals = svm::make_problems<Device>(Device(), sign);
  svm::InteriorFit fit;
  const double seconds = bench::time_each(
      state, [&] { fit = svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 1e6, .rank = rank}); });
  const double r = rank > 0 ? rank : n, flops = fit.steps * ((rank > 0 ? r * r * n : 0) + r * r * r / 3);
  state.counters["steps"] = fit.steps;
  state.counters["converged"] = fit.converged ? 1 : 0;
  state.counters["s/price"] = seconds / svm::interior_cost(n, rank);
  bench::set_rates(state, 8.0 * r * n * fit.steps, flops);
  bench::set_limit(state, bench::product_limit<double>(flops), seconds);
}

/// The same overlapping clouds at C = 10^power by the method of multipliers.
void lagrangian(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), rank = static_cast<int>(state.range(1));
  const bench::Samples samples = bench::clouds(n);
  svm::Points<Device> points;
  points.in_double = on_device<Device>(samples.x);
  svm::PreciseKernel<Device> kernel(Device(), n, 2, [&] { return points; });
  kernel.set_gamma(rank / 100.0);
  kernel.rank_for(0, rank);
  const Matrix<const std::int8_t, Device> sign = on_device<Device>(samples.y);
  const auto duals = svm::make_problems<Device>(Device(), sign);
  const double c = std::pow(10.0, static_cast<double>(state.range(2)));
  svm::LagrangianFit fit;
  const double seconds = bench::time_each(
      state, [&] { fit = svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, {.c = c, .rank = rank}); });
  state.counters["steps"] = fit.steps;
  state.counters["converged"] = fit.converged ? 1 : 0;
  state.counters["s/price"] = seconds / svm::lagrangian_cost(n, rank);
  state.counters["s/cost"] = seconds / fit.cost;
}

/// 64 rows of the kernel matrix in double, from the features.
void precise_rows(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), width = static_cast<int>(state.range(1)), rows = 64;
  const bench::Samples samples = bench::noisy(n, width);
  svm::Points<Device> points;
  points.in_double = on_device<Device>(samples.x);
  svm::PreciseKernel<Device> kernel(Device(), n, width, [&] { return points; });
  std::vector<int> list(rows);
  for (int i = 0; i < rows; ++i) list[i] = i;
  kernel.set_gamma(0.1);
  kernel.fetch(list, {});
  int round = 0;
  const double seconds = bench::time_each(
      state, [&] { kernel.set_gamma(0.1 + 1e-6 * ++round); }, [&] { kernel.fetch(list, {}); });
  const double flops = static_cast<double>(rows) * n * (3 * width + 20);  // of them 20 for an exponential
  bench::set_rates(state, 8.0 * n * (rows + width), flops);
  bench::set_limit(state, bench::product_limit<double>(flops), seconds);
  state.counters["ns/cost"] = 1e9 * seconds / (rows * kernel.row_cost());
}

/// The decision values of prediction, for all C and classes of a fold at once.
void decisions(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), held = n / 5, sets = 240;
  const auto kernel = padded_matrix<float, Device>("krossfold::bench::kernel", n, n);
  const Matrix<double, Device> coefficient("krossfold::bench::coefficient", sets, n - held);
  const Vector<double, Device> bias("krossfold::bench::bias", sets);
  const Matrix<double, Device> value("krossfold::bench::value", held, sets);
  const Vector<int> order("krossfold::bench::order", n);
  for (int i = 0; i < n; ++i) order(i) = i;
  const Vector<const int, Device> all = on_device<Device>(order);
  const Vector<const int, Device> rows = Kokkos::subview(all, Kokkos::make_pair(0, held));
  const Vector<const int, Device> columns = Kokkos::subview(all, Kokkos::make_pair(held, n));
  const double flops = 2.0 * held * (n - held) * sets;
  const auto limit = bench::product_limit<double>(flops);
  const double seconds = bench::time_each(
      state, [&] { svm::decision_values<Device>(Device(), value, kernel, rows, columns, coefficient, bias); });
  bench::set_rates(state, 4.0 * held * (n - held) + 8.0 * sets * n, flops);  // kernel, coefficients, values
  bench::set_limit(state, limit, seconds);
}

}  // namespace

BENCHMARK(squared_distance)->Arg(4000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(kernel_matrix)->Arg(4000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(smo_steps)->Arg(1000)->Arg(4000)->Arg(8000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky)->Arg(256)->Arg(512)->Arg(1024)->Arg(3072)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(interior_point)
    ->Args({1600, 16})
    ->Args({1600, 64})
    ->Args({1600, 256})
    ->Args({1600, 700})
    ->Args({1600, 0})
    ->Args({12800, 200})
    ->Args({12800, 800})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lagrangian)
    ->ArgNames({"n", "rank", "c"})
    ->ArgsProduct({{1600, 12800}, {16, 64, 200}, {0, 3, 6}})
    ->Args({12800, 800, 3})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(precise_rows)
    ->Args({8000, 3})
    ->Args({8000, 20})
    ->Args({8000, 54})
    ->Args({8000, 200})
    ->Args({8000, 784})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(decisions)->Arg(5000)->UseManualTime()->Unit(benchmark::kMillisecond);
