// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/sample_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "krossfold/data/names.hpp"
#include "krossfold/study/lstm_model.hpp"
#include "test/core/refusal.hpp"

namespace krossfold::study {
namespace {

using test::refusal;

/// A model whose cells say nothing, so that each symbol follows with the probability that its bias gives, whatever went before.
LstmModel constant_model(const std::map<char, float>& bias) {
  LstmModel model;
  model.architecture = {.layers = 1, .hidden = 2};
  model.parameters = nn::tensors_of(model.architecture);
  for (auto& parameter : model.parameters) {
    std::int64_t size = 1;
    for (const auto extent : parameter.shape) size *= extent;
    parameter.value.assign(static_cast<std::size_t>(size), 0.0f);
  }
  auto& dense = model.parameters.back().value;
  std::fill(dense.begin(), dense.end(), -100.0f);
  for (const auto& [letter, value] : bias) dense[data::name_alphabet.find(letter)] = value;
  return model;
}

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
}

TEST(SampleNames, of_another_seed_are_others_and_a_longer_list_begins_with_the_shorter) {
  const LstmModel model = constant_model({{'a', 0.0f}, {'b', 0.0f}, {'+', 0.0f}});
  const auto some = sample_names(model, {.count = 30}), more = sample_names(model, {.count = 300});
  EXPECT_TRUE(std::equal(some.begin(), some.end(), more.begin()));
  EXPECT_NE(some, sample_names(model, {.count = 30, .seed = 1}));
}

TEST(LstmModelFile, comes_back_and_damage_is_refused) {
  LstmModel model = constant_model({{'a', 1.5f}});
  model.known = digests_of({"rex", "bella"});
  const storage::Container good = to_container(model);
  const LstmModel back = lstm_from_container(good, "m.h5");
  EXPECT_EQ(back.architecture, model.architecture);
  EXPECT_EQ(back.known, model.known);
  for (std::size_t t = 0; t < model.parameters.size(); ++t) {
    EXPECT_EQ(back.parameters[t].name, model.parameters[t].name);
    EXPECT_EQ(back.parameters[t].value, model.parameters[t].value);
  }
  const auto refused = [&](const std::function<void(storage::Container&)>& damage) {
    storage::Container bad = good;
    damage(bad);
    return refusal([&] { lstm_from_container(bad, "m.h5"); });
  };
  const auto array = [](storage::Container& c, const std::string& path) -> storage::Array& {
    return *std::find_if(c.arrays.begin(), c.arrays.end(), [&](const auto& a) { return a.path == path; });
  };
  EXPECT_THAT(refused([](auto& c) { c.attributes["kind"] = std::string("svm-model"); }),
              testing::HasSubstr("svm-model"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["alphabet"] = std::string("abc"); }),
              testing::HasSubstr("alphabet is another"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["layers"] = std::int64_t{1} << 40; }),
              testing::HasSubstr("layers is out of range"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["dropout"] = 1.5; }), testing::HasSubstr("dropout"));
  EXPECT_THAT(refused([](auto& c) { c.attributes["hidden"] = std::int64_t{3}; }), testing::HasSubstr("another shape"));
  EXPECT_THAT(
      refused([&](auto& c) { std::get<std::vector<float>>(array(c, "/parameter/dense.bias").values)[3] = NAN; }),
      testing::HasSubstr("not finite"));
  EXPECT_THAT(refused([&](auto& c) {
                auto& known = std::get<std::vector<std::int64_t>>(array(c, "/known").values);
                std::swap(known[0], known[1]);
              }),
              testing::HasSubstr("not ascending"));
}

}  // namespace
}  // namespace krossfold::study
