// SPDX-License-Identifier: BSD-3-Clause
// Peak rates of the machine, the best of several trials, each measured when first needed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "bench/rates.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::bench {

namespace {

constexpr int trials = 9;

template <class Work>
double best_seconds(const Work& work) {
  double best = HUGE_VAL;
  for (int t = 0; t < trials; ++t) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  return best;
}

template <class T>
double measure_product() {
  constexpr int n = 1536;
  const auto a = padded_matrix<T, Device>("krossfold::bench::a", n, n);
  const auto b = padded_matrix<T, Device>("krossfold::bench::b", n, n);
  const auto c = padded_matrix<T, Device>("krossfold::bench::c", n, n);
  Kokkos::deep_copy(a, T(1));
  Kokkos::deep_copy(b, T(2));
  const double seconds = best_seconds([&] {
    kernels::gemm<Device, T>(Device(), c, a, kernels::Transpose::no, b, kernels::Transpose::yes);
    fence(Device(), "krossfold::bench::product");
  });
  return 2.0 * n * n * n / seconds;
}

/// One team per thread, each on its own part of the arrays.
template <class Exec>
void run_loop(Loop loop, const Vector<double, Exec>& y, const Vector<double, Exec>& x, int passes) {
  const int teams = Exec().concurrency(), part = static_cast<int>(y.extent(0)) / teams;
  Kokkos::parallel_for(
      "krossfold::bench::loop", Kokkos::TeamPolicy<Exec>(teams, Kokkos::AUTO), KOKKOS_LAMBDA(const Team<Exec>& member) {
        double* out = &y(member.league_rank() * part);
        const double* in = &x(member.league_rank() * part);
        for (int p = 0; p < passes; ++p) {
          const double a = 1e-3 * p;  // different in each pass, so that none can be optimised away
          if (loop == Loop::scale) team_simd_for(member, part, [=](int i) { out[i] = a * in[i]; });
          if (loop == Loop::update) team_simd_for(member, part, [=](int i) { out[i] += a * in[i]; });
        }
      });
  fence(Exec(), "krossfold::bench::loop");
}

double measure_loop(Loop loop, double set) {
  const int n = std::max(8, static_cast<int>(set / 16));
  const int passes = static_cast<int>(std::ceil(3e8 / set));
  // Half a page apart: loads at equal page offsets would wait for stores (4K aliasing).
  constexpr int page = 512;
  const int second = (n + page - 1) / page * page + page / 2;
  const Vector<double, Device> both("krossfold::bench::y_and_x", second + n);
  const Vector<double, Device> y = Kokkos::subview(both, Kokkos::make_pair(0, n));
  const Vector<double, Device> x = Kokkos::subview(both, Kokkos::make_pair(second, second + n));
  const double seconds = best_seconds([&] { run_loop<Device>(loop, y, x, passes); });
  return (loop == Loop::scale ? 16.0 : 24.0) * n * passes / seconds;
}

/// The rate of this name, measured on first use.
template <class Measure>
double rate_of(const std::string& name, const Measure& measure) {
  static std::map<std::string, double> known;
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, measure()).first->second;
}

std::string rounded(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f %s", value < 10 ? 1 : 0, value, unit);
  return text;
}

std::string size_name(double bytes) { return bytes < 1e6 ? rounded(bytes / 1e3, "kB") : rounded(bytes / 1e6, "MB"); }

}  // namespace

template <class T>
Limit product_limit(double flops) {
  const std::string name = sizeof(T) == 4 ? "sgemm" : "dgemm";
  const double rate = rate_of(name, measure_product<T>);
  return {name + " " + rounded(rate / 1e9, "Gflop/s"), flops / rate};
}

Limit memory_limit(Loop loop, double bytes, double set) {
  const std::string name = (loop == Loop::scale ? "y = a x over " : "y += a x over ") + size_name(set);
  const double rate = rate_of(name, [&] { return measure_loop(loop, set); });
  return {name + " " + rounded(rate / 1e9, "GB/s"), bytes / rate};
}

Limit operator+(const Limit& left, const Limit& right) {
  return {left.name + ", " + right.name, left.seconds + right.seconds};
}

template Limit product_limit<float>(double);
template Limit product_limit<double>(double);

}  // namespace krossfold::bench
