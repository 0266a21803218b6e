// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/payload.hpp"

#include <cstring>
#include <limits>

#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

using test::message_of;

svm::FitSummary fit(int k) {
  svm::FitSummary summary;
  summary.iterations = 1'000'000'000'000 + k;
  summary.converged = k % 2;
  summary.support = 3 * k;
  summary.bounded = 2 * k;
  summary.violation = 1e-5 / (k + 1);
  summary.dual_objective = 0.1 * k;
  summary.bias = -1.0 / (k + 3);
  return summary;
}

FoldResult fold_result() {
  FoldResult result;
  result.held = 288;
  result.wrong = {33, 0, 288};
  for (int k = 0; k < 6; ++k) result.fit.push_back(fit(k));
  return result;
}

RefitResult refit_result() {
  RefitResult result;
  for (int k = 0; k < 3; ++k) result.fit.push_back(fit(k));
  result.prediction = {2, 0, 1, 1, 0};
  result.wrong = 2;
  result.support = 17;
  result.model_name = "svm.h5";
  result.model_size = std::numeric_limits<std::uint64_t>::max();
  result.model_checksum = 0x0123456789abcdef;
  return result;
}

void expect_equal(const std::vector<svm::FitSummary>& left, const std::vector<svm::FitSummary>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    EXPECT_EQ(left[k].iterations, right[k].iterations);
    EXPECT_EQ(left[k].converged, right[k].converged);
    EXPECT_EQ(left[k].support, right[k].support);
    EXPECT_EQ(left[k].bounded, right[k].bounded);
    EXPECT_EQ(left[k].violation, right[k].violation);
    EXPECT_EQ(left[k].dual_objective, right[k].dual_objective);
    EXPECT_EQ(left[k].bias, right[k].bias);
  }
}

TEST(FoldResult, survives_the_way_through_bytes) {
  const FoldResult before = fold_result(), after = FoldResult::from_bytes(before.to_bytes());
  EXPECT_EQ(after.held, before.held);
  EXPECT_EQ(after.wrong, before.wrong);
  expect_equal(after.fit, before.fit);
}

TEST(RefitResult, survives_the_way_through_bytes) {
  const RefitResult before = refit_result(), after = RefitResult::from_bytes(before.to_bytes());
  expect_equal(after.fit, before.fit);
  EXPECT_EQ(after.prediction, before.prediction);
  EXPECT_EQ(after.wrong, before.wrong);
  EXPECT_EQ(after.support, before.support);
  EXPECT_EQ(after.model_name, before.model_name);
  EXPECT_EQ(after.model_size, before.model_size);
  EXPECT_EQ(after.model_checksum, before.model_checksum);
}

PathInput path_input() { return {0.0123, {0.001, 1, 1.0 / 3}, {{-1.5, 0.25}, {-2, -1.0 / 7}}}; }

CalibrationResult calibration_result() { return {{-1.5, 0, 1.0 / 3, 1e-300}}; }

TEST(PathInput, survives_the_way_through_bytes) {
  const PathInput before = path_input(), after = PathInput::from_bytes(before.to_bytes());
  EXPECT_EQ(after.gamma, before.gamma);
  EXPECT_EQ(after.c, before.c);
  ASSERT_EQ(after.sigmoid.size(), before.sigmoid.size());
  for (std::size_t p = 0; p < before.sigmoid.size(); ++p) {
    EXPECT_EQ(after.sigmoid[p].a, before.sigmoid[p].a);
    EXPECT_EQ(after.sigmoid[p].b, before.sigmoid[p].b);
  }
}

TEST(CalibrationResult, survives_the_way_through_bytes) {
  EXPECT_EQ(CalibrationResult::from_bytes(calibration_result().to_bytes()).decision, calibration_result().decision);
}

/// Every beginning of the bytes, and the bytes with one more, are refused with a message.
template <class Result>
void expect_only_the_whole_is_read(const std::vector<std::byte>& bytes, const std::string& name) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto part = std::span(bytes).first(length);
    const std::string message = message_of(ExitCode::failed, [&] { Result::from_bytes(part); });
    ASSERT_NE(message.find(name), std::string::npos) << length << " bytes: " << message;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  message_of(ExitCode::failed, [&] { Result::from_bytes(longer); });
}

TEST(FoldResult, refuses_bytes_that_are_cut_off_or_too_long) {
  expect_only_the_whole_is_read<FoldResult>(fold_result().to_bytes(), "result of a fold");
}

TEST(RefitResult, refuses_bytes_that_are_cut_off_or_too_long) {
  expect_only_the_whole_is_read<RefitResult>(refit_result().to_bytes(), "result of the refit");
}

TEST(CalibrationResult, refuses_bytes_that_are_cut_off_or_too_long) {
  expect_only_the_whole_is_read<CalibrationResult>(calibration_result().to_bytes(), "result of a calibration");
}

TEST(PathInput, refuses_bytes_that_are_cut_off_or_too_long) {
  expect_only_the_whole_is_read<PathInput>(path_input().to_bytes(), "input of a unit");
}

TEST(FoldResult, refuses_counts_that_the_bytes_cannot_hold) {
  const std::vector<std::byte> bytes = fold_result().to_bytes();
  const std::size_t wrong_count = sizeof(std::int32_t),
                    fit_count = wrong_count + sizeof(std::uint64_t) + 3 * sizeof(int);
  for (const std::size_t at : {wrong_count, fit_count}) {
    for (const std::uint64_t count : {std::uint64_t{7}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      std::vector<std::byte> damaged = bytes;
      std::memcpy(damaged.data() + at, &count, sizeof(count));
      message_of(ExitCode::failed, [&] { FoldResult::from_bytes(damaged); });
    }
  }
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(BestCell, is_the_one_of_the_lowest_mean_error) {
  // (gamma, C, fold) = (2, 2, 2): means .3 .25 / .2 .4
  const auto best = best_cell({.2, .4, .5, 0., .2, .2, .4, .4}, 2, 2, 2);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gamma, 1);
  EXPECT_EQ(best->c, 0);
  EXPECT_DOUBLE_EQ(best->error, .2);
}

TEST(BestCell, of_equal_ones_has_the_smallest_C_and_then_the_smallest_gamma) {
  // one fold; rows are gammas, columns Cs
  const auto cell = [](const std::vector<double>& error) { return best_cell(error, 3, 3, 1); };
  const auto smallest_c = cell({.5, .5, .1,  //
                                .5, .1, .5,  //
                                .5, .5, .1});
  EXPECT_EQ(smallest_c->gamma, 1);
  EXPECT_EQ(smallest_c->c, 1);
  const auto smallest_gamma = cell({.5, .5, .1,  //
                                    .5, .1, .5,  //
                                    .5, .1, .1});
  EXPECT_EQ(smallest_gamma->gamma, 1);
  EXPECT_EQ(smallest_gamma->c, 1);
}

TEST(BestCell, leaves_out_cells_without_all_their_folds) {
  const auto best = best_cell({0., nan, .3, .5, nan, 0., .4, .5}, 2, 2, 2);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->gamma, 0);
  EXPECT_EQ(best->c, 1);
  EXPECT_DOUBLE_EQ(best->error, .4);
}

TEST(BestCell, is_none_where_no_cell_has_all_its_folds) {
  EXPECT_FALSE(best_cell({0., nan, nan, nan, nan, 0., .4, nan}, 2, 2, 2));
}

}  // namespace
}  // namespace krossfold::studies
