// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/row_cache.hpp"

#include <gtest/gtest.h>

#include <random>

#include "krossfold/core/error.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

constexpr int samples = 60, places = 8;
constexpr double gamma_value = 0.02;

svm::Points<Device> sample_points(const std::string& scale) {
  const auto set = test::some_digits(samples, {0, 1, 2, 3});
  const data::Scale fitted = data::fit_scale(set, scale);
  return svm::make_points<Device>(set, fitted, svm::best_form(set, fitted));
}

/// K - 1 as the whole-matrix kernels compute it.
Matrix<float, Device> whole_kernel(const svm::Points<Device>& points) {
  const auto kernel = padded_matrix<float, Device>("krossfold::test::kernel", samples, samples);
  svm::squared_distance(Device(), kernel, points);
  kernels::rbf_minus_one<Device>(Device(), kernel, kernel, gamma_value * points.unit);
  return kernel;
}

svm::RowCache<Device> cache_of(const svm::Points<Device>& points, bool whole_distances) {
  std::unique_ptr<svm::DistanceRows<Device>> rows = std::make_unique<svm::PointDistances<Device>>(points);
  if (whole_distances) {
    const auto distance = padded_matrix<float, Device>("krossfold::test::distance", samples, samples);
    svm::squared_distance(Device(), distance, points);
    rows = std::make_unique<svm::WholeDistances<Device>>(distance);
  }
  svm::RowCache<Device> cache(Device(), std::move(rows), samples, places);
  cache.set_gamma(gamma_value * points.unit);
  return cache;
}

/// The cached row i; empty if it is not in the cache.
std::vector<float> row_in(const svm::RowCache<Device>& cache, int i) {
  const Vector<float, Device> copy("krossfold::test::row", samples);
  const Vector<int, Device> there("krossfold::test::there", 1);
  const auto row = cache.row;
  Kokkos::parallel_for(
      "krossfold::test::copy_row", Kokkos::RangePolicy<Device>(0, samples), KOKKOS_LAMBDA(int j) {
        if (row(i).value == nullptr) return;
        copy(j) = row(i).value[j];
        there(0) = 1;
      });
  Kokkos::fence();
  const auto host = on_host(copy);
  return on_host(there)(0) == 1 ? std::vector<float>(host.data(), host.data() + samples) : std::vector<float>();
}

TEST(RowCache, holds_fewer_rows_of_the_same_bits_once_it_has_shrunk) {
  const auto points = sample_points("standard");
  const auto kernel = on_host(whole_kernel(points));
  auto cache = cache_of(points, true);
  const std::vector<int> first = {7, 21, 30, 44}, second = {21, 59};
  cache.fetch(first);
  cache.shrink(4);
  EXPECT_EQ(cache.max_rows, 2);
  for (const int i : first) EXPECT_TRUE(row_in(cache, i).empty()) << i;
  for (const auto& wanted : {second, std::vector<int>{7, 30}, second}) {
    cache.fetch(wanted);
    for (const int i : wanted) {
      const auto row = row_in(cache, i);
      ASSERT_EQ(row.size(), static_cast<std::size_t>(samples)) << i;
      for (int j = 0; j < samples; ++j) ASSERT_EQ(row[j], kernel(i, j)) << i << ", " << j;
    }
  }
  EXPECT_EQ(cache.computed(), 8) << "four places hold the rows of two fetches";
  cache.shrink(20);
  EXPECT_EQ(cache.max_rows, 2) << "it only becomes smaller";
}

TEST(RowCache, holds_the_bits_of_the_whole_matrix_whatever_was_fetched_before) {
  for (const std::string scale : {"", "standard"}) {
    for (const bool whole_distances : {true, false}) {
      SCOPED_TRACE("scale '" + scale + "', distances " + (whole_distances ? "whole" : "from the samples"));
      const auto points = sample_points(scale);
      const auto kernel = on_host(whole_kernel(points));
      auto cache = cache_of(points, whole_distances);
      std::mt19937 random(5);
      for (int round = 0; round < 40; ++round) {
        std::vector<int> wanted;
        for (int k = 0; k < 1 + static_cast<int>(random() % cache.max_rows); ++k) {
          wanted.push_back(static_cast<int>(random() % samples));
        }
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        cache.fetch(wanted);
        for (const int i : wanted) {
          const auto row = row_in(cache, i);
          ASSERT_EQ(row.size(), static_cast<std::size_t>(samples)) << "round " << round << ", row " << i;
          for (int j = 0; j < samples; ++j) ASSERT_EQ(row[j], kernel(i, j)) << i << ", " << j;
        }
      }
    }
  }
}

TEST(RowCache, drops_the_row_that_was_not_asked_for_longest) {
  auto cache = cache_of(sample_points(""), true);
  for (int i = 0; i < places; ++i) cache.fetch(std::vector<int>{i});
  EXPECT_EQ(cache.computed(), places);
  cache.fetch(std::vector<int>{0, 1});  // already cached, now the most recent
  EXPECT_EQ(cache.computed(), places);
  cache.fetch(std::vector<int>{50, 51});
  EXPECT_EQ(cache.computed(), places + 2);
  for (const int i : {0, 1, 4, 5, 6, 7, 50, 51}) EXPECT_FALSE(row_in(cache, i).empty()) << i;
  for (const int i : {2, 3, 52}) EXPECT_TRUE(row_in(cache, i).empty()) << i;
}

TEST(RowCache, knows_no_row_of_another_gamma) {
  const auto points = sample_points("");
  auto cache = cache_of(points, true);
  cache.fetch(std::vector<int>{3});
  const auto before = row_in(cache, 3);
  cache.set_gamma(2 * gamma_value * points.unit);
  EXPECT_TRUE(row_in(cache, 3).empty());
  cache.fetch(std::vector<int>{3});
  const auto after = row_in(cache, 3);
  for (int j = 0; j < samples; ++j) {
    if (j != 3) {
      EXPECT_LT(after[j], before[j]) << j;
    }
  }
}

TEST(RowCache, is_empty_after_a_fetch_that_a_poll_ended_and_then_works_as_before) {
  for (const std::string scale : {"", "standard"}) {  // both ways of computing distances from samples
    const auto points = sample_points(scale);
    const auto kernel = on_host(whole_kernel(points));
    auto cache = cache_of(points, false);
    cache.fetch(std::vector<int>{1, 2});
    cache.poll = [] { throw Stopped(); };
    EXPECT_THROW(cache.fetch(std::vector<int>{2, 3}), Stopped);
    for (const int i : {1, 2, 3}) EXPECT_TRUE(row_in(cache, i).empty()) << i;
    int polls = 0;
    cache.poll = [&] { ++polls; };
    cache.fetch(std::vector<int>{2, 3});
    EXPECT_GE(polls, 1);
    for (const int i : {2, 3}) {
      const auto row = row_in(cache, i);
      ASSERT_EQ(row.size(), static_cast<std::size_t>(samples));
      for (int j = 0; j < samples; ++j) ASSERT_EQ(row[j], kernel(i, j)) << i << ", " << j;
    }
  }
}

TEST(RowCache, needs_places_for_two_rows_at_a_time) {
  EXPECT_THROW(
      svm::RowCache<Device>(Device(), std::make_unique<svm::PointDistances<Device>>(sample_points("")), samples, 3),
      Error);
}

}  // namespace
}  // namespace krossfold
