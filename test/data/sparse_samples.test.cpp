// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/sparse_samples.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "krossfold/data/scale.hpp"
#include "krossfold/data/shifted_images.hpp"
#include "test/data/sample_files.hpp"
#include "test/data/sparse_pair.hpp"

namespace krossfold::data {
namespace {

using test::expect_input_error;

/// Both forms say the same of themselves and hold the same values, bit for bit.
void expect_same(const Dataset& dense, const Dataset& sparse) {
  EXPECT_TRUE(sparse.is_sparse());
  EXPECT_FALSE(dense.is_sparse());
  EXPECT_EQ(sparse.digest, dense.digest);
  EXPECT_EQ(sparse.integer, dense.integer);
  EXPECT_EQ(sparse.lowest, dense.lowest);
  EXPECT_EQ(sparse.highest, dense.highest);
  EXPECT_EQ(sparse.labelled(), dense.labelled());
  ASSERT_EQ(sparse.size(), dense.size());
  ASSERT_EQ(sparse.features(), dense.features());
  EXPECT_EQ(sparse.file_rows(), dense.file_rows());
  const Matrix<const float> values = dense_values(sparse, "a test", most_dense_bytes);
  int wrong = 0;
  for (int i = 0; i < dense.size(); ++i) {
    for (int j = 0; j < dense.features(); ++j) wrong += values(i, j) != dense.raw(i, j) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(SparseSamples, say_of_themselves_what_their_dense_form_says) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto pair = test::sparse_pair(40, 90 + 700 * static_cast<int>(seed % 3), 0.02 * seed, seed, seed % 2 == 0);
    expect_same(pair.dense, pair.sparse);
  }
}

TEST(SparseSamples, have_the_parts_that_the_dense_form_has) {
  const auto [dense, sparse] = test::sparse_pair(50, 200, 0.05, 7, true);
  expect_same(rows(dense, 0, 50), rows(sparse, 0, 50));
  expect_same(rows(dense, 13, 20), rows(sparse, 13, 20));
  expect_same(rows(rows(dense, 13, 20), 5, 3), rows(rows(sparse, 13, 20), 5, 3));
  EXPECT_EQ(rows(sparse, 13, 20).sparse.value.data(), sparse.sparse.value.data()) << "no copy";
  const std::vector<int> some{49, 3, 3, 1, 17};
  expect_same(select(dense, some), select(sparse, some));
  expect_same(select(rows(dense, 13, 20), {19, 0}), select(rows(sparse, 13, 20), {19, 0}));
  expect_same(rows(dense, 1, 1), rows(sparse, 1, 1));
  EXPECT_EQ(pick_rows(sparse.sparse, {}).rows(), 0);
}

TEST(SparseSamples, have_groups_and_weights_as_dense_ones_have) {
  const auto [dense, sparse] = test::sparse_pair(30, 50, 0.1, 8, true);
  const Vector<int> group("krossfold::test::group", 30);
  const Vector<double> weight("krossfold::test::weight", 30);
  for (int i = 0; i < 30; ++i) {
    group(i) = i / 4;
    weight(i) = 1 + 0.5 * i;
  }
  const Dataset left = with_columns(dense, nullptr, group, weight),
                right = with_columns(sparse, nullptr, group, weight);
  expect_same(left, right);
  expect_same(rows(left, 4, 9), rows(right, 4, 9));
  const Dataset some = select(right, {29, 4});
  expect_same(select(left, {29, 4}), some);
  EXPECT_EQ(some.group(0), 7);
  EXPECT_EQ(some.weight(1), 3);
  expect_input_error([&, s = sparse] { with_columns(s, nullptr, Vector<int>("krossfold::test::group", 29), {}); },
                     {"29 groups", "30"});
}

TEST(SparseSamples, keep_negative_zeros_and_need_no_zero_at_all) {
  const Matrix<float> raw("krossfold::test::raw", 2, 3);
  raw(0, 1) = -0.0f;
  raw(1, 2) = 4;
  const Dataset dense = make_dataset("t", raw, {}, {});
  expect_same(dense, make_sparse_dataset("t", sparse_values(dense), {}, {}));
  Kokkos::deep_copy(raw, 2.5f);
  const Dataset full = make_dataset("t", raw, {}, {});
  expect_same(full, make_sparse_dataset("t", sparse_values(full), {}, {}));
}

TEST(SparseSamples, have_the_scale_of_the_dense_form) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto [dense, sparse] = test::sparse_pair(60, 120, 0.03, seed, seed % 2 == 0);
    const Scale right = fit_scale(dense, ""), found = fit_scale(sparse, "");
    ASSERT_EQ(found.offset.size(), 120U);
    ASSERT_EQ(found.divisor.size(), 120U);
    for (std::size_t j = 0; j < 120; ++j) {
      EXPECT_NEAR(found.offset[j], right.offset[j], 1e-14) << "seed " << seed << ", feature " << j;
      EXPECT_NEAR(found.divisor[j], right.divisor[j], 1e-13) << "seed " << seed << ", feature " << j;
    }
    EXPECT_EQ(fit_scale(sparse, "1:2").divisor, std::vector<double>{2});
    EXPECT_TRUE(fit_scale(sparse, "none").uniform());
  }
}

TEST(SparseSamples, refuse_rows_that_are_not_valid) {
  const auto made = [](std::vector<std::int64_t> begin, std::vector<int> column, std::vector<float> value,
                       int columns) {
    const Vector<std::int64_t> b("krossfold::test::begin", begin.size());
    const Vector<int> c("krossfold::test::column", column.size());
    const Vector<float> v("krossfold::test::value", value.size());
    std::copy(begin.begin(), begin.end(), b.data());
    std::copy(column.begin(), column.end(), c.data());
    std::copy(value.begin(), value.end(), v.data());
    return make_sparse_dataset("t", {b, c, v, columns}, {}, {});
  };
  EXPECT_EQ(made({0, 1, 3}, {2, 0, 1}, {1, 2, 3}, 3).size(), 2);
  EXPECT_THROW(made({0, 1, 3}, {3, 0, 1}, {1, 2, 3}, 3), Error) << "column out of range";
  EXPECT_THROW(made({0, 1, 3}, {-1, 0, 1}, {1, 2, 3}, 3), Error);
  EXPECT_THROW(made({0, 1, 3}, {2, 1, 1}, {1, 2, 3}, 3), Error) << "columns do not ascend";
  EXPECT_THROW(made({0, 1, 4}, {2, 0, 1}, {1, 2, 3}, 3), Error) << "beyond the entries";
  EXPECT_THROW(made({0, 2, 1}, {2, 0, 1}, {1, 2, 3}, 3), Error);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_input_error([&] { made({0, 1, 3}, {2, 0, 1}, {1, 2, nan}, 3); }, {"t, row 2, column 2", "finite"});
  expect_input_error([&] { made({0}, {}, {}, 3); }, {"no samples"});
  expect_input_error([&] { made({0, 0}, {}, {}, 0); }, {"no features"});
}

TEST(SparseSamples, become_dense_only_within_a_limit_that_the_error_names) {
  const auto [dense, sparse] = test::sparse_pair(20, 64, 0.1, 3, true);
  expect_input_error([s = sparse] { dense_values(s, "a network", 20 * 64 * 4 - 1); },
                     {"pair", "20 sparse samples of 64 features", "a network", "5 KiB"});
  EXPECT_EQ(dense_values(dense, "a network", 1).data(), dense.raw.data()) << "dense samples are there anyway";
}

TEST(SparseSamples, stay_sparse_where_it_matters) {
  EXPECT_TRUE(stays_sparse(4000, 50000, 240000));
  EXPECT_FALSE(stays_sparse(400, 1000, 4000)) << "small";
  EXPECT_FALSE(stays_sparse(60000, 780, 9'000'000)) << "a fifth of the values";
  EXPECT_FALSE(stays_sparse(0, 1000, 0));
}

}  // namespace
}  // namespace krossfold::data
