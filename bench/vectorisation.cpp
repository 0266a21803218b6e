// SPDX-License-Identifier: BSD-3-Clause
// Do loops inside Kokkos patterns run as fast as plain vectorised loops? Each pair below does the same work on the same
// data, once as a plain function and once as in the project's kernels. Compiled without -ffast-math.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "bench/rates.hpp"
#include "krossfold/core/math.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/kernels/rbf.hpp"

namespace {

using namespace krossfold;

constexpr int samples = 4000, rows = 64, passes = 256;

/// The data of one SMO pass: gradients in double, kernel rows in float, and flags for samples that may move.
struct GradientData {
  Matrix<float, Device> kernel = padded_matrix<float, Device>("krossfold::bench::kernel", rows, samples);
  Vector<double, Device> gradient{"krossfold::bench::gradient", samples};
  Vector<std::uint8_t, Device> freedom{"krossfold::bench::freedom", samples};

  GradientData() {
    const auto k = Kokkos::create_mirror_view(kernel);
    const auto f = Kokkos::create_mirror_view(freedom);
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < samples; ++i) k(r, i) = static_cast<float>(-((r * 7919 + i * 104729) % 1000) / 1001.0);
    }
    for (int i = 0; i < samples; ++i) f(i) = static_cast<std::uint8_t>(1 + i % 3);
    Kokkos::deep_copy(kernel, k);
    Kokkos::deep_copy(freedom, f);
  }
};

// Not inlined, so that each is a loop nest of its own to the compiler, as in a library function.
[[gnu::noinline]] void plain_gradient_pass(double* gradient, const float* row_i, const float* row_j, double a,
                                           double b) {
#pragma omp simd
  for (int k = 0; k < samples; ++k) {
    gradient[k] += a * static_cast<double>(row_i[k]) + b * static_cast<double>(row_j[k]);
  }
}

[[gnu::noinline]] double plain_largest(const double* gradient, const std::uint8_t* freedom) {
  double best = -HUGE_VAL;
#pragma omp simd reduction(max : best)
  for (int k = 0; k < samples; ++k) {
    const double v = (freedom[k] & 1) != 0 ? gradient[k] : -HUGE_VAL;
    best = v > best ? v : best;
  }
  return best;
}

[[gnu::noinline]] void plain_expm1(float* out, const float* in, std::size_t n, float factor) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = math::expm1(factor * in[i]);
}

[[gnu::noinline]] void library_expm1(float* out, const float* in, std::size_t n, float factor) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::expm1(factor * in[i]);
}

constexpr double pass_bytes = samples * (2.0 * sizeof(double) + 2.0 * sizeof(float)), pass_flops = 4.0 * samples;

void gradient_pass_plain(benchmark::State& state) {
  const GradientData data;
  for ([[maybe_unused]] auto _ : state) {
    for (int p = 0; p < passes; ++p) {
      plain_gradient_pass(data.gradient.data(), &data.kernel(p % rows, 0), &data.kernel((p * 5 + 1) % rows, 0), 1e-3,
                          -1e-3);
    }
    benchmark::ClobberMemory();
  }
  bench::set_rates(state, passes * pass_bytes, passes * pass_flops);
}

void gradient_pass_kokkos(benchmark::State& state) {
  const GradientData data;
  const auto kernel = data.kernel;
  const auto gradient = data.gradient;
  for ([[maybe_unused]] auto _ : state) {
    Kokkos::parallel_for(
        "krossfold::bench::gradient_pass", Kokkos::TeamPolicy<Device>(1, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Kokkos::TeamPolicy<Device>::member_type& member) {
          for (int p = 0; p < passes; ++p) {
            const float *row_i = &kernel(p % rows, 0), *row_j = &kernel((p * 5 + 1) % rows, 0);
            double* g = gradient.data();
            team_simd_for(member, samples, [=](int k) {
              g[k] += 1e-3 * static_cast<double>(row_i[k]) + -1e-3 * static_cast<double>(row_j[k]);
            });
            member.team_barrier();
          }
        });
    Kokkos::fence();
  }
  bench::set_rates(state, passes * pass_bytes, passes * pass_flops);
}

void gradient_and_largest_plain(benchmark::State& state) {
  const GradientData data;
  for ([[maybe_unused]] auto _ : state) {
    for (int p = 0; p < passes; ++p) {
      plain_gradient_pass(data.gradient.data(), &data.kernel(p % rows, 0), &data.kernel((p * 5 + 1) % rows, 0), 1e-3,
                          -1e-3);
      benchmark::DoNotOptimize(plain_largest(data.gradient.data(), data.freedom.data()));
    }
  }
  bench::set_rates(state, passes * (pass_bytes + samples), passes * pass_flops);
}

void gradient_and_largest_kokkos(benchmark::State& state) {
  const GradientData data;
  const auto kernel = data.kernel;
  const auto gradient = data.gradient;
  const auto freedom = data.freedom;
  const Vector<double, Device> found("krossfold::bench::found", passes);
  for ([[maybe_unused]] auto _ : state) {
    Kokkos::parallel_for(
        "krossfold::bench::gradient_and_largest", Kokkos::TeamPolicy<Device>(1, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Kokkos::TeamPolicy<Device>::member_type& member) {
          for (int p = 0; p < passes; ++p) {
            const float *row_i = &kernel(p % rows, 0), *row_j = &kernel((p * 5 + 1) % rows, 0);
            double* g = gradient.data();
            const std::uint8_t* f = freedom.data();
            found(p) = team_simd_choose(member, samples, index_mask(samples), [=](int k) {
              g[k] += 1e-3 * static_cast<double>(row_i[k]) + -1e-3 * static_cast<double>(row_j[k]);
              return static_cast<float>(g[k] + 2.0) * static_cast<float>(f[k] & 1);
            });
          }
        });
    Kokkos::fence();
  }
  bench::set_rates(state, passes * (pass_bytes + samples), passes * pass_flops);
}

struct MatrixData {
  static constexpr int n = 2000;
  Matrix<float, Device> in = padded_matrix<float, Device>("krossfold::bench::in", n, n);
  Matrix<float, Device> out = padded_matrix<float, Device>("krossfold::bench::out", n, n);
  MatrixData() {
    const auto host = Kokkos::create_mirror_view(in);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) host(i, j) = static_cast<float>((i * 31 + j * 17) % 1000) * 5e-3f;
    }
    Kokkos::deep_copy(in, host);
    Kokkos::deep_copy(out, 0.0f);
  }
};

constexpr double matrix_elements = 1.0 * MatrixData::n * MatrixData::n;

template <void function(float*, const float*, std::size_t, float)>
void expm1_rows(benchmark::State& state) {
  const MatrixData data;
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 0; i < MatrixData::n; ++i) function(&data.out(i, 0), &data.in(i, 0), MatrixData::n, -0.7f);
    benchmark::ClobberMemory();
  }
  bench::set_rates(state, 8 * matrix_elements, bench::expm1_flops * matrix_elements);
}

void expm1_kokkos(benchmark::State& state) {
  const MatrixData data;
  for ([[maybe_unused]] auto _ : state) {
    kernels::rbf_minus_one<Device>(Device(), data.out, data.in, 0.7);
    Kokkos::fence();
  }
  bench::set_rates(state, 8 * matrix_elements, bench::expm1_flops * matrix_elements);
}

}  // namespace

BENCHMARK(gradient_pass_plain);
BENCHMARK(gradient_pass_kokkos);
BENCHMARK(gradient_and_largest_plain);
BENCHMARK(gradient_and_largest_kokkos);
BENCHMARK(expm1_rows<plain_expm1>)->Name("expm1_plain")->Unit(benchmark::kMillisecond);
BENCHMARK(expm1_kokkos)->Unit(benchmark::kMillisecond);
BENCHMARK(expm1_rows<library_expm1>)->Name("expm1_libm")->Unit(benchmark::kMillisecond);
