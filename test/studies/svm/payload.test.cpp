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
  result.pairs = {1, 2, 1};
  result.truth = {0, 0, 1, 1};
  result.choice = {0, 1, 1, 0};
  result.count = {9, 4, 5, 9};
  result.score = {0.5, 0.75, 1, 0.25, 0, 1.0 / 3};
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
  EXPECT_EQ(after.pairs, before.pairs);
  EXPECT_EQ(after.truth, before.truth);
  EXPECT_EQ(after.choice, before.choice);
  EXPECT_EQ(after.count, before.count);
  EXPECT_EQ(after.score, before.score);
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

TEST(RefitResult, with_decision_values_survives_the_way_through_bytes) {
  RefitResult before = refit_result();
  before.decision = {-1.5, 0, 1.0 / 3, 1e-300, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(RefitResult::from_bytes(before.to_bytes()).decision, before.decision);
  EXPECT_TRUE(RefitResult::from_bytes(refit_result().to_bytes()).decision.empty());
}

TEST(RefitResult, refuses_decision_values_of_another_number_of_samples) {
  RefitResult damaged = refit_result();
  damaged.decision.assign(7, 0.5);
  const std::string message = test::message_of(ExitCode::failed, [&] { RefitResult::from_bytes(damaged.to_bytes()); });
  EXPECT_NE(message.find("decision values are of another number of test samples"), std::string::npos) << message;
  damaged.decision.assign(10, 0.5);
  damaged.prediction.clear();
  test::message_of(ExitCode::failed, [&] { RefitResult::from_bytes(damaged.to_bytes()); });
}

PathInput path_input() { return {0.0123, {0.001, 1, 1.0 / 3}, {{-1.5, 0.25}, {-2, -1.0 / 7}}, {0, 3}}; }

OutOfFoldResult out_of_fold_result() { return {{-1.5, 0, 1.0 / 3, 1e-300}}; }

TEST(PathInput, survives_the_way_through_bytes) {
  const PathInput before = path_input(), after = PathInput::from_bytes(before.to_bytes());
  EXPECT_EQ(after.gamma, before.gamma);
  EXPECT_EQ(after.c, before.c);
  ASSERT_EQ(after.sigmoid.size(), before.sigmoid.size());
  for (std::size_t p = 0; p < before.sigmoid.size(); ++p) {
    EXPECT_EQ(after.sigmoid[p].a, before.sigmoid[p].a);
    EXPECT_EQ(after.sigmoid[p].b, before.sigmoid[p].b);
  }
  EXPECT_EQ(after.folds, before.folds);
}

TEST(OutOfFoldResult, survives_the_way_through_bytes) {
  EXPECT_EQ(OutOfFoldResult::from_bytes(out_of_fold_result().to_bytes()).decision, out_of_fold_result().decision);
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

TEST(OutOfFoldResult, refuses_bytes_that_are_cut_off_or_too_long) {
  expect_only_the_whole_is_read<OutOfFoldResult>(out_of_fold_result().to_bytes(), "out-of-fold decision values");
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

}  // namespace
}  // namespace krossfold::studies
