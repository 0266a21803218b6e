// SPDX-License-Identifier: BSD-3-Clause
// Linear, polynomial and precomputed kernels: against scikit-learn's SVC (test/reference/record_kernels.py), and by the duality gap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/row_cache.hpp"
#include "krossfold/svm/train.hpp"
#include "test/core/refusal.hpp"
#include "test/svm/recorded.hpp"
#include "test/svm/reference_solver.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using svm::KernelFunction;
using svm::KernelKind;

/// Labelled samples of two or three classes, and their kernel matrices in double.
struct Samples {
  std::vector<std::vector<double>> x;
  std::vector<int> y;
  std::vector<double> weight;

  data::Dataset dataset_of(const std::vector<std::vector<double>>& rows, bool weighted) const {
    const Matrix<float> raw("krossfold::test::raw", rows.size(), rows.front().size());
    const Vector<int> label("krossfold::test::label", rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].size(); ++j) raw(i, j) = static_cast<float>(rows[i][j]);
      label(i) = y[i];
    }
    std::vector<std::string> names;
    for (int c = 0; c <= *std::max_element(y.begin(), y.end()); ++c) names.push_back(std::to_string(c));
    data::Dataset set = data::make_dataset("samples", raw, label, names);
    if (!weighted) return set;
    const Vector<double> values("krossfold::test::weight", weight.size());
    std::copy(weight.begin(), weight.end(), values.data());
    set.weight = values;
    return set;
  }
  data::Dataset features(bool weighted = false) const { return dataset_of(x, weighted); }
  data::Dataset matrix(const std::vector<std::vector<double>>& kernel, bool weighted = false) const {
    return dataset_of(kernel, weighted);
  }
  template <class Kernel>
  std::vector<std::vector<double>> kernel(const Kernel& k) const {
    std::vector<std::vector<double>> rows(x.size(), std::vector<double>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) rows[i][j] = k(x[i], x[j]);
    }
    return rows;
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double laplacian(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += std::abs(a[j] - b[j]);
  return static_cast<double>(static_cast<float>(std::exp(-0.5 * sum)));
}

Samples iris() {
  Samples from;
  for (const auto& line : test::recorded("kernels_sklearn.csv", "sample")) {
    from.x.push_back({std::stod(line[1]), std::stod(line[2])});
    for (double& value : from.x.back()) value = static_cast<double>(static_cast<float>(value));
    from.y.push_back(std::stoi(line[3]));
    from.weight.push_back(std::stod(line[4]));
  }
  return from;
}

/// Two overlapping clusters around `mean`.
Samples clusters(unsigned seed, int n, int features, double mean, double spread) {
  Samples from;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < n; ++i) {
    const int c = static_cast<int>(random() % 2);
    std::vector<double>& x = from.x.emplace_back();
    for (int j = 0; j < features; ++j) {
      x.push_back(static_cast<float>(mean + spread * (normal(random) + (j == 0 ? 1.5 * c : 0))));
    }
    from.y.push_back(c);
  }
  return from;
}

// SMO reads whole vectors, so that also the padding must hold numbers, of the matrix as of rows on demand.
TEST(Kernels, have_rows_that_end_with_zeros) {
  constexpr int n = 21, places = 32;
  const data::Dataset set = clusters(4, n, 3, 1, 2).features();
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::linear, KernelKind::polynomial}) {
    SCOPED_TRACE(svm::kernel_word(kind));
    const Matrix<float, Device> whole("krossfold::test::kernel", n, places);
    Kokkos::deep_copy(whole, std::numeric_limits<float>::quiet_NaN());
    const Matrix<float, Device> kernel = Kokkos::subview(whole, Kokkos::ALL, Kokkos::make_pair(0, n));
    const auto points = svm::make_points<Device>(set, {}, svm::best_form(set, {}));
    const auto form = svm::make_kernel_form<Device>({kind, 0.1, 2, 1.0}, svm::sample_norms(set, {}, kind));
    svm::squared_distance<Device>(Device(), kernel, points);
    svm::fill_kernel<Device>(Device(), kernel, kernel, form, points.unit);
    svm::RowCache<Device> cache(Device(), std::make_unique<svm::PointDistances<Device>>(points), n, 8);
    cache.set_kernel(form, points.unit);
    const std::vector<int> samples = {20, 3};
    cache.fetch(samples);
    const Matrix<float, Device> cached("krossfold::test::cached", samples.size(), places);
    const auto row = cache.row;
    const auto list = list_on<Device>("krossfold::test::samples", samples);
    Kokkos::parallel_for(
        "krossfold::test::copy_rows", Kokkos::RangePolicy<Device>(0, places), KOKKOS_LAMBDA(int j) {
          for (int k = 0; k < 2; ++k) cached(k, j) = row(list(k)).value[j];
        });
    Kokkos::fence();
    const auto matrix = on_host(whole), rows = on_host(cached);
    for (int j = 0; j < places; ++j) {
      for (int k = 0; k < 2; ++k) EXPECT_EQ(rows(k, j), matrix(samples[k], j)) << k << ", " << j;
      EXPECT_TRUE(j < n ? std::isfinite(matrix(7, j)) : matrix(7, j) == 0) << j;
    }
  }
}

TEST(Kernels, give_the_decision_values_of_scikit_learn) {
  const Samples from = iris();
  const auto cases = test::recorded("kernels_sklearn.csv", "case");
  ASSERT_EQ(cases.size(), 36U);
  for (const auto& line : cases) {
    SCOPED_TRACE(line[1] + ", degree " + line[2] + ", coef0 " + line[3] + ", " + line[4] + ", weights " + line[5] +
                 ", C " + line[6]);
    svm::TrainParams params{.c = {0.1, std::stod(line[6])}, .gamma = 0.5, .tolerance = 1e-8};
    params.kernel = {svm::parse_kernel_kind(line[1]), 1, std::stoi(line[2]), std::stod(line[3])};
    params.multiclass = svm::parse_multiclass(line[4]);
    params.scale = data::Scale();
    const bool weighted = line[5] == "1";
    const data::Dataset set = params.kernel.kind == KernelKind::precomputed
                                  ? from.matrix(from.kernel(laplacian), weighted)
                                  : from.features(weighted);
    const svm::Machine machine = svm::train(Device(), set, params);
    const auto found = svm::decision_values(Device(), machine, set);
    ASSERT_EQ(line.size(), 7 + from.x.size() * 3);
    double largest = 0;
    for (std::size_t i = 0; i < from.x.size(); ++i) {
      for (std::size_t p = 0; p < 3; ++p) {
        largest = std::max(largest, std::abs(found(i, p) - std::stod(line[7 + 3 * i + p])));
      }
    }
    EXPECT_LT(largest, 1e-4);  // scikit-learn keeps the kernel in float
    for (const svm::FitSummary& fit : machine.fit) EXPECT_TRUE(fit.converged) << fit.violation;
  }
}

/// The primal objective of a machine of two classes and its dual objective, by their definitions, in double.
struct Objectives {
  double primal, dual;
};

Objectives objectives_of(const svm::Machine& machine, const std::vector<std::vector<double>>& kernel,
                         const std::vector<int>& y, const std::vector<int>& row) {
  long double norm = 0, alpha = 0, loss = 0;  // terms of linear kernels far from 0 cancel
  for (std::size_t i = 0; i < y.size(); ++i) {
    long double value = 0;
    for (std::size_t v = 0; v < row.size(); ++v) {
      const long double beta = machine.coefficient(0, static_cast<int>(v));
      value += beta * kernel[static_cast<std::size_t>(row[v])][i];
    }
    const long double sign = y[i] == 0 ? 1 : -1;
    loss += machine.c * std::max(0.0L, 1 - sign * (value + machine.bias[0]));
    for (std::size_t v = 0; v < row.size(); ++v) {
      if (row[v] == static_cast<int>(i)) norm += machine.coefficient(0, static_cast<int>(v)) * value;
    }
  }
  for (std::size_t v = 0; v < row.size(); ++v) {
    alpha += std::abs(machine.coefficient(0, static_cast<int>(v)));
  }
  return {static_cast<double>(loss + 0.5L * norm), static_cast<double>(alpha - 0.5L * norm)};
}

/// The training samples that are support vectors, found by their features.
std::vector<int> rows_of(const svm::Machine& machine, const data::Dataset& set) {
  if (!machine.column.empty()) return machine.column;
  std::vector<int> rows;
  for (int i = 0, v = 0; i < set.size() && v < machine.support.size(); ++i) {
    bool same = true;
    for (int j = 0; j < set.features(); ++j) same = same && set.raw(i, j) == machine.support.raw(v, j);
    if (!same) continue;
    rows.push_back(i);
    ++v;
  }
  return rows;
}

struct Case {
  const char* name;
  KernelFunction kernel;
  Samples samples;
};

std::vector<Case> hard_cases() {
  return {{"linear", {KernelKind::linear}, clusters(1, 160, 5, 0, 1)},
          {"linear, large values far from 0", {KernelKind::linear}, clusters(2, 160, 4, 3000, 50)},
          {"linear, small values", {KernelKind::linear}, clusters(3, 160, 4, 0.01, 1e-3)},
          {"square", {KernelKind::polynomial, 0.5, 2, 0}, clusters(4, 160, 3, 0, 1)},
          {"square with 1", {KernelKind::polynomial, 0.5, 2, 1}, clusters(5, 160, 3, 0, 1)},
          {"cube", {KernelKind::polynomial, 0.5, 3, 0}, clusters(6, 160, 3, 0, 1)},
          {"cube with 1", {KernelKind::polynomial, 0.2, 3, 1}, clusters(7, 160, 6, 0, 1)},
          {"cube far from 0", {KernelKind::polynomial, 0.1, 3, 1}, clusters(8, 160, 2, 5, 1)},
          {"precomputed", {KernelKind::precomputed}, clusters(9, 160, 3, 0, 1)}};
}

std::vector<std::vector<double>> matrix_of(const Case& one) {
  const KernelFunction& k = one.kernel;
  return one.samples.kernel([&](const std::vector<double>& a, const std::vector<double>& b) {
    if (k.kind == KernelKind::linear) return dot(a, b);
    if (k.kind == KernelKind::precomputed) return laplacian(a, b);
    return std::pow(k.gamma * dot(a, b) + k.coef0, k.degree);
  });
}

/// What a plain solver in double makes of a machine. One sample becomes the origin of feature space, which changes no objective, so that
/// large means do not take up the digits.
test::ReferenceFit solve_from(const svm::Machine& machine, const std::vector<std::vector<double>>& kernel,
                              const std::vector<int>& y, const std::vector<int>& row) {
  std::vector<double> flat, start(y.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      flat.push_back((kernel[i][j] - kernel[i][0]) - (kernel[0][j] - kernel[0][0]));
    }
  }
  std::vector<int> sign;
  for (const int label : y) sign.push_back(label == 0 ? 1 : -1);
  for (std::size_t v = 0; v < row.size(); ++v) start[row[v]] = std::abs(machine.coefficient(0, static_cast<int>(v)));
  return test::solve_reference(flat, sign, machine.c, 1e-8, start, 3'000'000);
}

TEST(Kernels, have_objectives_within_2e_6_of_the_best_for_c_up_to_10000) {
  int solved_again = 0;
  for (const Case& one : hard_cases()) {
    const auto kernel = matrix_of(one);
    const bool precomputed = one.kernel.kind == KernelKind::precomputed;
    const data::Dataset set = precomputed ? one.samples.matrix(kernel) : one.samples.features();
    for (const double c : {0.01, 1.0, 100.0, 1e4}) {
      SCOPED_TRACE(testing::Message() << one.name << ", C = " << c);
      svm::TrainParams params{.c = {c}, .gamma = one.kernel.gamma, .tolerance = 1e-6};
      params.kernel = one.kernel;
      params.scale = data::Scale();
      const svm::Machine machine = svm::train(Device(), set, params);
      const Objectives found = objectives_of(machine, kernel, one.samples.y, rows_of(machine, set));
      EXPECT_TRUE(machine.fit[0].converged) << machine.fit[0].violation;
      EXPECT_EQ(machine.support.features(), precomputed ? 0 : set.features());
      EXPECT_NEAR(machine.fit[0].dual_objective, found.dual, 2e-6 * found.dual);
      // No solution has an objective outside of [dual, primal]. Where losses are 0, C times the tolerance keeps these apart.
      if (found.primal - found.dual < 2e-6 * found.dual) continue;
      const test::ReferenceFit best = solve_from(machine, kernel, one.samples.y, rows_of(machine, set));
      EXPECT_LT(best.violation, 1e-8);
      EXPECT_NEAR(found.dual, best.objective, 2e-6 * best.objective);
      ++solved_again;
    }
  }
  EXPECT_LE(solved_again, 12);
}

TEST(Kernels, have_the_objectives_of_a_plain_solver_in_double) {
  for (const Case& one : hard_cases()) {
    SCOPED_TRACE(one.name);
    const auto kernel = matrix_of(one);
    const bool precomputed = one.kernel.kind == KernelKind::precomputed;
    const data::Dataset set = precomputed ? one.samples.matrix(kernel) : one.samples.features();
    std::vector<double> flat;
    double largest = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      flat.insert(flat.end(), kernel[i].begin(), kernel[i].end());
      largest = std::max(largest, kernel[i][i]);
    }
    std::vector<int> sign;
    for (const int y : one.samples.y) sign.push_back(y == 0 ? 1 : -1);
    const double c = 3 / largest;
    svm::TrainParams params{.c = {c}, .gamma = one.kernel.gamma, .tolerance = 1e-4};
    params.kernel = one.kernel;
    params.scale = data::Scale();
    const svm::Machine machine = svm::train(Device(), set, params);
    const test::ReferenceFit expected = test::solve_reference(flat, sign, c, 1e-7, {}, 300'000);
    EXPECT_NEAR(machine.fit[0].dual_objective, expected.objective, 2e-6 * expected.objective);
  }
}

TEST(Kernels, give_the_same_machine_with_little_memory) {
  const data::Dataset digits = test::some_digits(200, {3, 5, 8});
  Samples of_digits;
  for (int i = 0; i < digits.size(); ++i) {
    of_digits.x.emplace_back();
    for (int j = 0; j < 64; ++j) of_digits.x.back().push_back(digits.raw(i, j) / 16.0);
    of_digits.y.push_back(digits.label(i));
  }
  const data::Dataset matrix = of_digits.matrix(of_digits.kernel(laplacian));
  for (const KernelFunction& kernel :
       {KernelFunction{KernelKind::linear}, KernelFunction{KernelKind::polynomial, 0.02, 2, 1},
        KernelFunction{KernelKind::polynomial, 0.02, 3, 0}, KernelFunction{KernelKind::precomputed}}) {
    for (const char* scale : {"", "standard"}) {
      const bool precomputed = kernel.kind == KernelKind::precomputed;
      const data::Dataset& set = precomputed ? matrix : digits;
      SCOPED_TRACE(svm::kernel_word(kernel.kind));
      svm::TrainParams whole{.c = {0.1, 10}, .gamma = kernel.gamma};
      whole.kernel = kernel;
      if (!precomputed) whole.scale = data::fit_scale(set, scale);
      svm::TrainParams rows = whole;
      rows.memory = 1;
      const svm::Machine a = svm::train(Device(), set, whole), b = svm::train(Device(), set, rows);
      ASSERT_EQ(a.support.size(), b.support.size());
      EXPECT_EQ(a.bias, b.bias);
      for (int p = 0; p < a.problems(); ++p) {
        EXPECT_EQ(a.fit[p].operations, b.fit[p].operations);  // budgets do not depend on the rows that were in memory
        for (int v = 0; v < a.support.size(); ++v) ASSERT_EQ(a.coefficient(p, v), b.coefficient(p, v));
      }
    }
  }
}

TEST(Kernels, precomputed_from_another_kernel_predict_as_that_does) {
  const Samples from = clusters(11, 150, 3, 0, 1);
  std::vector<int> train, other;
  for (int i = 0; i < 150; ++i) (i % 3 == 0 ? other : train).push_back(i);
  const data::Dataset features = from.features(), matrix = from.matrix(from.kernel(dot));
  svm::TrainParams params{.c = {2}, .tolerance = 1e-6, .scale = data::Scale()};
  params.kernel.kind = KernelKind::linear;
  const svm::Machine linear = svm::train(Device(), data::select(features, train), params);
  params.kernel.kind = KernelKind::precomputed;
  const svm::Machine given = svm::train(Device(), data::select(matrix, train), params);
  EXPECT_EQ(given.features(), 150);
  for (const int column : given.column)
    EXPECT_NE(column % 3, 0) << "a sample of the training part, by its number in the file";
  const auto a = svm::decision_values(Device(), linear, data::select(features, other)),
             b = svm::decision_values(Device(), given, data::select(matrix, other));
  for (std::size_t i = 0; i < other.size(); ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5);
}

TEST(Kernels, refuse_what_is_no_kernel) {
  const Samples from = clusters(12, 30, 2, 0, 1);
  const auto refusal = [&](const KernelFunction& kernel, const data::Dataset& set) {
    svm::TrainParams params{.scale = data::Scale()};
    params.kernel = kernel;
    return test::refusal([&] { svm::train(Device(), set, params); });
  };
  const data::Dataset set = from.features();
  EXPECT_THAT(refusal({KernelKind::polynomial, 1, 0, 0}, set), testing::HasSubstr("bad --degree 0"));
  EXPECT_THAT(refusal({KernelKind::polynomial, 1, 33, 0}, set), testing::HasSubstr("bad --degree 33"));
  EXPECT_THAT(refusal({KernelKind::polynomial, 1, 2, -1}, set), testing::HasSubstr("bad --coef0 -1"));
  EXPECT_THAT(refusal({KernelKind::precomputed}, set), testing::HasSubstr("no kernel value with sample 30"));
  auto kernel = from.kernel(dot);
  kernel[3][7] += 1;
  EXPECT_THAT(refusal({KernelKind::precomputed}, from.matrix(kernel)),
              testing::AllOf(testing::HasSubstr("not symmetric"), testing::HasSubstr("row 8, column 4 is"),
                             testing::HasSubstr("row 4, column 8 is")));
  const Samples huge = clusters(13, 30, 2, 1e30, 1e29);
  EXPECT_THAT(refusal({KernelKind::polynomial, 1, 20, 0}, huge.features()), testing::HasSubstr("overflow"));
}

}  // namespace
}  // namespace krossfold
