// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/ensemble_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "krossfold/studies/bag/schema.hpp"
#include "test/data/sample_dataset.hpp"

namespace krossfold::studies {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::IsNan;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const BagSchema& field = bag_schema();

/// Three models of two classes, of which the second has no answer, about four samples of class 0, 1, 0, 1; worked out by hand.
class EnsembleResult : public ::testing::Test {
protected:
  data::Dataset samples = test::sample_dataset(4, 2, 2, 1);
  OodImages ood;
  BagAnswers answers{3, 2, {}, {}, {0.25, nan, 0.5}, 100};
  storage::Container content;

  EnsembleResult() {
    samples.image = {2, 1, 1};
    ood.name = {"noise", "photograph-like"};
    ood.count = {1, 2};
    ood.images = test::sample_dataset(3, 2, 2, 2);
    answers.test = probabilities({0.75F, 0.25F, 0.75F, 0.75F}, {0.75F, 0.75F, 0.25F, 0.25F});
    answers.ood = probabilities({0.75F, 0.5F, 1}, {0.75F, 0.5F, 0});
  }
  /// (model, sample, class) from the probabilities of class 0 by the first and the third model.
  static std::vector<float> probabilities(const std::vector<float>& first, const std::vector<float>& third) {
    std::vector<float> all;
    for (const float p : first) all.insert(all.end(), {p, 1 - p});
    all.insert(all.end(), 2 * first.size(), std::numeric_limits<float>::quiet_NaN());
    for (const float p : third) all.insert(all.end(), {p, 1 - p});
    return all;
  }
  void write() {
    const storage::FieldWriter file(content);
    file.put(field.class_name, {"a", "b"});
    file.put_index(field.bootstrap, 3);
    add_ensemble(file, answers, samples, ood);
  }
  template <class T>
  const std::vector<T>& values(const storage::Field<T>& of) const {
    return content.values<T>(of.path);
  }
};

TEST_F(EnsembleResult, has_the_scores_of_each_model_and_nan_for_one_without_an_answer) {
  write();
  EXPECT_THAT(values(field.final_test_error), ElementsAre(0.25, IsNan(), 0.5));
  EXPECT_THAT(values(field.final_brier), ElementsAre(DoubleNear(0.375, 1e-12), IsNan(), DoubleNear(0.625, 1e-12)));
  EXPECT_THAT(values(field.final_ece), ElementsAre(DoubleNear(0, 1e-12), IsNan(), DoubleNear(0.25, 1e-12)));
  const double right = -std::log(0.75), wrong = -std::log(0.25);
  EXPECT_THAT(values(field.final_nll),
              ElementsAre(DoubleNear((3 * right + wrong) / 4, 1e-12), IsNan(), DoubleNear((right + wrong) / 2, 1e-12)));
}

TEST_F(EnsembleResult, combines_the_models_by_votes_means_and_weights) {
  write();
  // Ties go to class 0. Of two classes, a model that is wrong half of the time has no weight.
  EXPECT_THAT(values(field.rule), ElementsAre("majority vote", "mean probability", "weighted mean"));
  EXPECT_THAT(values(field.error), ElementsAre(0.5, 0.5, 0.25));
  EXPECT_THAT(values(field.weight), ElementsAre(1, IsNan(), 0));
  EXPECT_THAT(values(field.vote), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(values(field.votes), ElementsAre(2, 0, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(values(field.confusion), ElementsAre(2, 0, 2, 0));
  EXPECT_THAT(values(field.label), ElementsAre(0, 1, 0, 1));
}

TEST_F(EnsembleResult, says_how_far_the_mean_can_be_trusted) {
  write();
  const double ln2 = std::log(2.0), h = 0.75 * std::log(4.0 / 3) + 0.25 * std::log(4.0);  // entropy of 3 : 1
  EXPECT_THAT(values(field.confidence), ElementsAre(0.75, 0.5, 0.5, 0.5));
  EXPECT_THAT(values(field.expected_entropy), Each(DoubleNear(h, 1e-12)));
  const auto& entropy = values(field.entropy);
  const auto& mutual = values(field.mutual_information);
  EXPECT_NEAR(entropy[0], h, 1e-12);
  EXPECT_EQ(mutual[0], 0);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(entropy[i], ln2, 1e-12);
    EXPECT_NEAR(mutual[i], ln2 - h, 1e-12);
  }
  EXPECT_NEAR(values(field.nll)[0], (-std::log(0.75) + 3 * ln2) / 4, 1e-12);
  EXPECT_NEAR(values(field.brier)[0], 0.40625, 1e-12);  // 0.125 and three times 0.5
  EXPECT_NEAR(values(field.ece)[0], 0.25 * 0.25 + 0.75 * (0.5 - 1.0 / 3), 1e-12);
  int binned = 0;
  for (const std::int32_t count : values(field.bin_count)) binned += count;
  EXPECT_EQ(binned, 4);
}

TEST_F(EnsembleResult, says_how_well_other_images_are_told_from_the_test_images) {
  write();
  // The noise is as certain as sample 0. Of the others the models agree to be in doubt about the first and contradict each other
  // about the second, more than about any test image.
  EXPECT_THAT(values(field.ood_auroc), ElementsAre(0.125, 0.125, 0.125, 0.625, 0.5625, 0.625));
  EXPECT_THAT(values(field.ood_kept), ElementsAre(1, 1, 1, 1, 0.5, 1));
  EXPECT_THAT(values(field.ood_threshold), ElementsAre(DoubleNear(std::log(2.0), 1e-12), testing::_, 0.5));
  EXPECT_THAT(values(field.ood_count), ElementsAre(1, 2));
}

TEST_F(EnsembleResult, shows_images_with_why_they_are_shown) {
  write();
  EXPECT_THAT(values(field.shown_role),
              ElementsAre("first", "first", "first", "first", "most certain", "most doubtful", "photograph-like"));
  EXPECT_THAT(values(field.shown_test), ElementsAre(0, 1, 2, 3, 0, 3, -1));  // the last of equal doubt
  EXPECT_THAT(values(field.shown_ood), ElementsAre(-1, -1, -1, -1, -1, -1, 1));
  const auto& image = values(field.shown_image);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(image[2 * 4 + j], samples.raw(0, j));
    EXPECT_EQ(image[2 * 6 + j], ood.images.raw(1, j));
  }
}

TEST_F(EnsembleResult, without_any_answer_says_that_no_model_has_one) {
  answers.test.assign(answers.test.size(), std::numeric_limits<float>::quiet_NaN());
  write();
  EXPECT_THAT(values(field.final_test_error), Each(IsNan()));
  EXPECT_THAT(values(field.final_nll), Each(IsNan()));
  EXPECT_FALSE(content.has(field.error.path));
  EXPECT_FALSE(content.has(field.ood_auroc.path));
}

TEST_F(EnsembleResult, without_other_images_has_none) {
  ood = {};
  answers.ood.clear();
  write();
  EXPECT_TRUE(content.has(field.error.path));
  EXPECT_FALSE(content.has(field.ood_auroc.path));
  EXPECT_EQ(values(field.shown_role).size(), 6u);
}

}  // namespace
}  // namespace krossfold::studies
