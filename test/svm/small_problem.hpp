// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "krossfold/core/view.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/dual_solver.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/tables/readers.hpp"

namespace krossfold::test {

/// The first n embedded digits of the given classes, relabelled 0, 1, ....
inline data::Dataset some_digits(int n, const std::vector<int>& classes) {
  const data::Dataset digits = tables::embedded_digits();
  const Matrix<float> raw("krossfold::test::raw", n, digits.features());
  const Vector<int> label("krossfold::test::label", n);
  int kept = 0;
  for (int i = 0; i < digits.size() && kept < n; ++i) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      if (digits.label(i) != classes[c]) continue;
      for (int j = 0; j < digits.features(); ++j) raw(kept, j) = digits.raw(i, j);
      label(kept++) = static_cast<int>(c);
      break;
    }
  }
  std::vector<std::string> names;
  for (const int c : classes) names.push_back(std::to_string(c));
  return data::make_dataset("digits", Kokkos::subview(raw, Kokkos::make_pair(0, kept), Kokkos::ALL),
                            Kokkos::subview(label, Kokkos::make_pair(0, kept)), names, digits.image);
}

/// The kernel of a data set: K - 1 in float on the device, and K by its definition in double on the host.
struct KernelPair {
  Matrix<float, Device> minus_one;
  std::vector<double> exact;
  Vector<const int, Device> label;
};

inline KernelPair make_kernel(const data::Dataset& set, double gamma) {
  const data::Scale scale = data::fit_scale(set, "");
  const auto points = svm::make_points<Device>(set, scale, svm::best_form(set, scale));
  KernelPair pair;
  pair.minus_one = padded_matrix<float, Device>("krossfold::test::kernel", set.size(), set.size());
  svm::squared_distance(Device(), pair.minus_one, points);
  kernels::rbf_minus_one<Device>(Device(), pair.minus_one, pair.minus_one, gamma * points.unit);
  const auto x = data::apply_scale(scale, set.raw);
  const auto n = static_cast<std::size_t>(set.size());
  pair.exact.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double d2 = 0;
      for (int k = 0; k < set.features(); ++k) d2 += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
      pair.exact[i * n + j] = std::exp(-gamma * d2);
    }
  }
  pair.label = on_device<Device>(set.label);
  return pair;
}

using Signs = Matrix<const std::int8_t, Device>;

/// Copies signs from the host to the device.
inline Signs signs_of(const std::vector<std::vector<int>>& y) {
  const Matrix<std::int8_t> host("krossfold::test::sign_host", y.size(), y.front().size());
  for (std::size_t p = 0; p < y.size(); ++p) {
    for (std::size_t i = 0; i < y[p].size(); ++i) host(p, i) = static_cast<std::int8_t>(y[p][i]);
  }
  return on_device<Device>(host);
}

/// The signs of one-vs-rest with no sample held out.
inline Signs one_vs_rest(const Vector<const int, Device>& label, int classes) {
  const Vector<int, Device> held("krossfold::test::held", label.extent(0));
  return svm::make_signs<Device>(Device(), svm::Multiclass::one_vs_rest, classes, label, held);
}

/// Uses any host matrix as K - 1 on the device, with the same numbers as K in double on the host.
inline KernelPair make_kernel(const Matrix<float>& minus_one) {
  const int n = static_cast<int>(minus_one.extent(0));
  KernelPair pair;
  pair.minus_one = padded_matrix<float, Device>("krossfold::test::kernel", n, n);
  const auto host = host_mirror(pair.minus_one);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      host(i, j) = minus_one(i, j);
      pair.exact.push_back(1.0 + static_cast<double>(minus_one(i, j)));
    }
  }
  copy_into(pair.minus_one, host);
  return pair;
}

/// A problem with points in a cube and noisy labels; `left_out` of the samples have sign 0 in each problem.
struct RandomCase {
  unsigned seed;
  int n, problems, features;
  double gamma, c, left_out;
};
inline void PrintTo(const RandomCase& r, std::ostream* out) {
  *out << "seed=" << r.seed << " n=" << r.n << " problems=" << r.problems << " features=" << r.features
       << " gamma=" << r.gamma << " C=" << r.c << " left_out=" << r.left_out;
}

struct RandomProblem {
  KernelPair kernel;
  std::vector<std::vector<int>> y;
};

inline RandomProblem make_random(const RandomCase& from) {
  std::mt19937 engine(from.seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(static_cast<std::size_t>(from.n) * from.features);
  for (double& value : x) value = uniform(engine);
  const Matrix<float> minus_one("krossfold::test::minus_one", from.n, from.n);
  for (int i = 0; i < from.n; ++i) {
    for (int j = 0; j < from.n; ++j) {
      double d2 = 0;
      for (int k = 0; k < from.features; ++k) {
        const double d = x[i * from.features + k] - x[j * from.features + k];
        d2 += d * d;
      }
      minus_one(i, j) = static_cast<float>(std::expm1(-from.gamma * d2));
    }
  }
  RandomProblem made{make_kernel(minus_one), {}};
  for (int p = 0; p < from.problems; ++p) {
    std::vector<int> y(from.n);
    for (int i = 0; i < from.n; ++i) {
      const double side = x[i * from.features] + (p + 1) * 0.3 * x[i * from.features + 1] + 0.4 * uniform(engine);
      y[i] = 0.5 * (uniform(engine) + 1) < from.left_out ? 0 : side > 0 ? 1 : -1;
    }
    made.y.push_back(y);
  }
  return made;
}

/// A kernel that keeps few rows in memory at a time and overwrites evicted ones with NaN.
class FewRows : public svm::KernelRows<Device> {
public:
  /// How an absent row is represented: as a row of NaN, or as null, which whole problems need.
  enum class Absent { nan, null };

  /// Keeps the `room` rows fetched last. With room == max_rows every call evicts all other rows.
  FewRows(const Matrix<const float, Device>& kernel, int fetch_limit, int room, Absent absent)
      : from_(kernel),
        room_(room),
        n_(static_cast<int>(kernel.extent(0))),
        cache_(padded_matrix<float, Device>("krossfold::test::cache", room + 1, n_)),
        row_("krossfold::test::row", n_) {
    max_rows = fetch_limit;
    Kokkos::deep_copy(cache_, std::nanf(""));
    if (absent == Absent::nan) absent_ = place_of(room);
    for (int place = 0; place < room; ++place) vacant_.push_back(place);
    for (int i = 0; i < n_; ++i) row_(i).value = absent_;
    place_.assign(n_, -1);
    on_device_ = Vector<svm::KernelRow, Device>("krossfold::test::row_device", n_);
    Kokkos::deep_copy(on_device_, row_);
    row = on_device_;
  }

  void fetch(std::span<const int> samples) override {
    EXPECT_LE(static_cast<int>(samples.size()), max_rows) << "too many rows requested at once";
    while (room_ == max_rows && !order_.empty()) drop(order_.front());
    for (const int i : samples) {
      if (place_[i] >= 0) drop(i);
      if (vacant_.empty()) drop(order_.front());
      place_[i] = vacant_.back();
      vacant_.pop_back();
      order_.push_back(i);
      Kokkos::deep_copy(Kokkos::subview(cache_, place_[i], Kokkos::ALL), Kokkos::subview(from_, i, Kokkos::ALL));
      row_(i).value = place_of(place_[i]);
    }
    Kokkos::deep_copy(on_device_, row_);
    ++fetches;
  }
  int fetches = 0;

private:
  /// A pointer to device memory, which the host must not form by indexing the View.
  const float* place_of(int place) const { return cache_.data() + place * static_cast<std::int64_t>(cache_.stride(0)); }
  void drop(int i) {
    Kokkos::deep_copy(Kokkos::subview(cache_, place_[i], Kokkos::ALL), std::nanf(""));
    vacant_.push_back(place_[i]);
    place_[i] = -1;
    row_(i).value = absent_;
    order_.erase(std::find(order_.begin(), order_.end(), i));
  }

  Matrix<const float, Device> from_;
  int room_, n_;
  Matrix<float, Device> cache_;
  Vector<svm::KernelRow> row_;
  Vector<svm::KernelRow, Device> on_device_;
  const float* absent_ = nullptr;
  std::vector<int> place_, vacant_;
  std::deque<int> order_;
};

/// Copies of signs, beta and gradient in host memory.
struct HostState {
  int problems, n;
  std::vector<double> beta, gradient;  ///< (problem * n + sample)
  explicit HostState(const svm::DualProblems<Device>& duals) : problems(duals.problems()), n(duals.samples()) {
    const auto b = on_host(duals.beta), g = on_host(duals.gradient);
    for (int p = 0; p < problems; ++p) {
      for (int i = 0; i < n; ++i) {
        beta.push_back(b(p, i));
        gradient.push_back(g(p, i));
      }
    }
  }
  bool operator==(const HostState&) const = default;
};

/// Starts problem p at beta (host, one per sample) with the gradient computed from `kernel.exact`.
inline void set_beta(const svm::DualProblems<Device>& duals, const KernelPair& kernel, int p, const std::vector<int>& y,
                     const std::vector<double>& beta) {
  const auto n = beta.size();
  const auto b = on_host(duals.beta);
  const auto g = on_host(duals.gradient);
  for (std::size_t i = 0; i < n; ++i) {
    b(p, i) = beta[i];
    g(p, i) = y[i];
    for (std::size_t j = 0; j < n; ++j) g(p, i) -= kernel.exact[i * n + j] * beta[j];
  }
  Kokkos::deep_copy(duals.beta, b);
  Kokkos::deep_copy(duals.gradient, g);
}

/// The largest difference between the gradient and y - K beta, over all samples.
inline double gradient_error(const HostState& state, const KernelPair& kernel, int p, const std::vector<int>& y) {
  const auto n = static_cast<std::size_t>(state.n);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double expected = y[i];
    for (std::size_t j = 0; j < n; ++j) expected -= kernel.exact[i * n + j] * state.beta[p * n + j];
    worst = std::fmax(worst, std::abs(expected - state.gradient[p * n + i]));
  }
  return worst;
}

/// The dual objective by its definition.
inline double dual_of(const HostState& state, const KernelPair& kernel, int p, const std::vector<int>& y) {
  const auto n = static_cast<std::size_t>(state.n);
  double value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double b = state.beta[p * n + i];
    if (b == 0) continue;
    double product = 0;
    for (std::size_t j = 0; j < n; ++j) product += kernel.exact[i * n + j] * state.beta[p * n + j];
    value += b * (y[i] - 0.5 * product);
  }
  return value;
}

/// Solves all problems of `duals` at C from their current state, `slots` at a time.
inline std::vector<svm::Progress> solve_in_waves(const svm::DualProblems<Device>& duals,
                                                 svm::KernelRows<Device>& kernel, int slots,
                                                 const svm::SolveParams& params) {
  const int problems = duals.problems();
  svm::SolverSize size = svm::solver_size<Device>(problems, duals.samples());
  size.slots = slots;
  svm::DualSolver<Device> solver(Device(), size, duals.samples());
  std::vector<svm::Progress> all;
  for (int first = 0; first < problems; first += slots) {
    const auto wave = Kokkos::make_pair(first, std::min(first + slots, problems));
    svm::DualProblems<Device> part;
    part.sign = Kokkos::subview(duals.sign, wave, Kokkos::ALL);
    part.weight = duals.weight;
    part.beta = Kokkos::subview(duals.beta, wave, Kokkos::ALL);
    part.gradient = Kokkos::subview(duals.gradient, wave, Kokkos::ALL);
    const int count = wave.second - wave.first;
    solver.assign(count);
    std::vector<svm::Progress> progress(count);
    EXPECT_TRUE(solver.solve(part, kernel, params, std::vector<int>(count, 1), progress));
    all.insert(all.end(), progress.begin(), progress.end());
  }
  return all;
}

/// Assigns problem s to slot s and chooses and loads all working sets, ready for smo() or newton().
inline void begin_work(svm::SubProblems<Device>& subs, const svm::DualProblems<Device>& duals,
                       svm::KernelRows<Device>& rows, double c, double tolerance) {
  svm::assign_slots(Device(), subs, subs.slots);
  subs.row = rows.row;
  for (int s = 0; s < subs.slots; ++s) subs.slot(s).active = 1;
  svm::choose_working_sets(Device(), subs, duals, c, tolerance);
  svm::load_sub_problems(Device(), subs, duals, rows, c);
  for (int s = 0; s < subs.slots; ++s) {
    subs.slot(s).inner = subs.slot(s).newton = 1;
    subs.slot(s).inner_tolerance = tolerance;
  }
}

}  // namespace krossfold::test
