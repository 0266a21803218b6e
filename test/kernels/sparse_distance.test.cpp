// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/sparse_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "krossfold/core/error.hpp"
#include "test/kernels/random_matrix.hpp"

namespace krossfold {
namespace {

using kernels::SparseSamples;

/// A random matrix most of whose values are 0, in both forms. Some columns have many entries, as words have in texts.
struct Case {
  Matrix<double> dense;
  SparseSamples<Device> sparse;
};

Case random_case(int rows, int columns, unsigned seed, bool whole) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  Case made{test::random_matrix<double>(rows, columns, seed, -5, 5, whole), {}};
  for (int j = 0; j < columns; ++j) {
    const double share = j % 17 == 0 ? 0.7 : 0.03;
    for (int i = 0; i < rows; ++i) {
      if (uniform(random) >= share || i == 2) made.dense(i, j) = 0;
    }
  }
  std::vector<std::int64_t> begin{0};
  std::vector<int> column;
  std::vector<double> value;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (made.dense(i, j) == 0) continue;
      column.push_back(j);
      value.push_back(made.dense(i, j));
    }
    begin.push_back(static_cast<std::int64_t>(column.size()));
  }
  const Vector<std::int64_t> b("krossfold::test::begin", begin.size());
  const Vector<int> c("krossfold::test::column", column.size());
  const Vector<double> v("krossfold::test::value", value.size());
  std::copy(begin.begin(), begin.end(), b.data());
  std::copy(column.begin(), column.end(), c.data());
  std::copy(value.begin(), value.end(), v.data());
  made.sparse = kernels::make_sparse_samples<Device>({b, c, v, columns});
  return made;
}

/// The plain reference: all features, in double.
double reference(const Matrix<double>& x, int i, const Matrix<double>& y, int j) {
  double sum = 0;
  for (std::size_t f = 0; f < x.extent(1); ++f) sum += (x(i, f) - y(j, f)) * (x(i, f) - y(j, f));
  return sum;
}

double norm(const Matrix<double>& x, int i) {
  double sum = 0;
  for (std::size_t f = 0; f < x.extent(1); ++f) sum += x(i, f) * x(i, f);
  return sum;
}

template <class T>
Matrix<T> distances(const SparseSamples<Device>& x, const kernels::RowChoice<Device>& rows, int count,
                    const SparseSamples<Device>& y, const Poll& poll = {}) {
  const Matrix<T, Device> d2("krossfold::test::d2", count, y.size());
  kernels::sparse_distance<Device, T>(Device(), d2, x, rows, y, poll);
  const Matrix<T> host("krossfold::test::d2", count, y.size());
  Kokkos::deep_copy(host, on_host(d2));
  return host;
}

class SparseDistance : public ::testing::TestWithParam<test::Shape> {};

TEST_P(SparseDistance, agrees_with_the_plain_reference) {
  const test::Shape s = GetParam();
  for (const bool whole : {true, false}) {
    const Case x = random_case(s.m, s.k, s.seed, whole), y = random_case(s.n, s.k, s.seed + 1, whole);
    const auto single = distances<float>(x.sparse, {}, s.m, y.sparse);
    const auto precise = distances<double>(x.sparse, {}, s.m, y.sparse);
    for (int i = 0; i < s.m; ++i) {
      for (int j = 0; j < s.n; ++j) {
        const double right = reference(x.dense, i, y.dense, j);
        if (whole) {
          ASSERT_EQ(single(i, j), static_cast<float>(right)) << i << ", " << j;
          ASSERT_EQ(precise(i, j), right) << i << ", " << j;
          continue;
        }
        // Each of the three sums has an error of at most k roundings of its own size.
        const double error = 0x1p-53 * (s.k + 3) * 2 * (norm(x.dense, i) + norm(y.dense, j));
        ASSERT_NEAR(precise(i, j), right, error) << i << ", " << j;
        ASSERT_NEAR(single(i, j), right, error + 0x1p-24 * right) << i << ", " << j;
      }
    }
  }
}

TEST_P(SparseDistance, has_the_same_bits_in_a_whole_matrix_a_part_and_a_list) {
  const test::Shape s = GetParam();
  const Case x = random_case(s.n, s.k, s.seed, false);
  const auto whole = distances<float>(x.sparse, {}, s.n, x.sparse);
  for (int i = 0; i < s.n; ++i) {
    ASSERT_EQ(whole(i, i), 0) << i;
    for (int j = 0; j < i; ++j) ASSERT_EQ(whole(i, j), whole(j, i)) << i << ", " << j;
  }
  const int first = s.n / 3, count = s.n - first;
  const auto part = distances<float>(x.sparse, {first, {}}, count, x.sparse);
  std::vector<int> list;
  for (int k = 0; k < s.n; k += 3) list.push_back((7 * k + 1) % s.n);
  const auto listed = distances<float>(x.sparse, {0, list_on<Device>("krossfold::test::list", list)},
                                       static_cast<int>(list.size()), x.sparse);
  for (int j = 0; j < s.n; ++j) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(part(i, j), whole(first + i, j)) << i << ", " << j;
    for (std::size_t k = 0; k < list.size(); ++k) ASSERT_EQ(listed(k, j), whole(list[k], j)) << list[k] << ", " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(RandomShapes, SparseDistance,
                         ::testing::Values(test::Shape{1, 1, 1, 20}, test::Shape{5, 7, 3, 21},
                                           test::Shape{64, 65, 40, 22}, test::Shape{200, 130, 900, 23},
                                           test::Shape{70, 300, 20, 24}));

TEST(SparseDistanceInDouble, loses_no_digits_of_near_samples) {
  Case x = random_case(40, 500, 30, false);
  Matrix<double> moved("krossfold::test::moved", 40, 500);
  Kokkos::deep_copy(moved, x.dense);
  SparseSamples<Device> other = x.sparse;
  const Vector<double> value("krossfold::test::value", x.sparse.rows.value.extent(0));
  Kokkos::deep_copy(value, x.sparse.rows.value);
  std::size_t e = 0;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 500; ++j) {
      if (moved(i, j) != 0) value(e++) = moved(i, j) += 1e-9 * (1 + j);
    }
  }
  const auto host = [](const auto& view) { return on_host(view); };
  const auto y =
      kernels::make_sparse_samples<Device>({host(x.sparse.rows.begin), host(x.sparse.rows.column), value, 500});
  const auto found = distances<double>(x.sparse, {}, 40, y);
  for (int i = 0; i < 40; ++i) {
    const double right = reference(x.dense, i, moved, i);
    EXPECT_NEAR(found(i, i), right, 1e-13 * right) << i;
  }
}

TEST(SparseDistanceShapes, that_do_not_fit_are_refused) {
  const Case x = random_case(10, 20, 1, true), y = random_case(10, 21, 1, true);
  EXPECT_THROW(distances<float>(x.sparse, {}, 10, y.sparse), Error);
  EXPECT_THROW(distances<float>(x.sparse, {}, 11, x.sparse), Error);
  EXPECT_THROW(distances<float>(x.sparse, {5, {}}, 6, x.sparse), Error);
  EXPECT_THROW(distances<float>(x.sparse, {-1, {}}, 6, x.sparse), Error);
}

TEST(SparseDistanceInParts, ends_where_a_poll_says_so) {
  const Case x = random_case(1300, 50, 2, true);
  int polls = 0;
  distances<float>(x.sparse, {}, 1300, x.sparse, [&] { ++polls; });
  EXPECT_GE(polls, 3);
  const int all = polls;
  polls = 0;
  const auto stop = [&] {
    if (++polls == 2) throw Stopped();
  };
  EXPECT_THROW(distances<float>(x.sparse, {}, 1300, x.sparse, stop), Stopped);
  EXPECT_LT(polls, all);
}

}  // namespace
}  // namespace krossfold
