// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/name_sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/core/refusal.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using test::constant_model;
using test::refusal;

TEST(SampleNames, have_the_probabilities_of_the_model) {
  // a : b : stop = 1 : 2 : 1, and with logits halved 1 : sqrt(2) : 1.
  const LstmModel model = constant_model({{'a', 0.0f}, {'b', std::log(2.0f)}, {'+', 0.0f}});
  for (const double temperature : {1.0, 2.0}) {
    const double b = std::pow(2.0, 1 / temperature), all = 2 + b;
    int letters = 0, bs = 0;
    const auto names = sample_names(model, {.count = 4000, .temperature = temperature});
    for (const std::string& name : names) {
      letters += static_cast<int>(name.size());
      bs += static_cast<int>(std::count(name.begin(), name.end(), 'b'));
    }
    const double share = b / (1 + b), expected = share * letters;
    EXPECT_NEAR(bs, expected, 4 * std::sqrt(letters * share * (1 - share)));
    // Of names that have a letter: the others went on with probability q, up to 8 letters.
    const double q = (1 + b) / all;
    double mean = 0;
    for (int k = 0; k < 8; ++k) mean += std::pow(q, k);
    EXPECT_NEAR(letters / 4000.0, mean, 0.15);
  }
}

TEST(SampleNames, of_a_model_that_only_stops_end_with_an_error) {
  EXPECT_THAT(refusal([] {
                sample_names(constant_model({{'+', 10.0f}}), {.count = 3});
              }),
              testing::HasSubstr("only 0 names of 3"));
}

TEST(SampleNames, leave_out_known_ones_if_they_are_to_be_new) {
  LstmModel model = constant_model({{'a', 0.0f}, {'b', 0.0f}, {'+', 1.0f}});
  model.known = digests_of({"a", "b", "ab", "a"});
  EXPECT_EQ(model.known.size(), 3u);
  const auto any = sample_names(model, {.count = 200}), fresh = sample_names(model, {.count = 200, .novel = true});
  EXPECT_THAT(any, testing::Contains("ab"));
  EXPECT_THAT(fresh, testing::Not(testing::Contains(testing::AnyOf("a", "b", "ab"))));
  EXPECT_THAT(fresh, testing::Contains("ba"));
  model = constant_model({{'a', 0.0f}, {'+', 100.0f}});
  model.known = digests_of({"zoea"});
  EXPECT_THAT(refusal([&] { sample_names(model, {.count = 2, .novel = true, .starts_with = "Zoéa"}); }),
              testing::HasSubstr("only 0 new names of 2"));
  model.known.clear();
  EXPECT_THAT(refusal([&] { sample_names(model, {.count = 2, .novel = true}); }),
              testing::HasSubstr("does not say which names it was trained on"));
}

TEST(SampleNames, of_another_seed_are_others_and_a_longer_list_begins_with_the_shorter) {
  const LstmModel model = constant_model({{'a', 0.0f}, {'b', 0.0f}, {'+', 0.0f}});
  const auto some = sample_names(model, {.count = 30}), more = sample_names(model, {.count = 300});
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  EXPECT_NE(some, sample_names(model, {.count = 30, .seed = 1}));
}

}  // namespace
}  // namespace krossfold::model
