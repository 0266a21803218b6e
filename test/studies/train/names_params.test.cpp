// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/names_params.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "test/core/refusal.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;

TEST(NamesParams, every_option_is_in_the_table_once_with_lists_as_they_are_typed) {
  std::map<std::string, std::string> values;
  for (const run::OptionValue& option : options_of(NamesParams())) {
    EXPECT_TRUE(option.is_default) << option.name;
    EXPECT_TRUE(values.emplace(option.name, option.value).second) << option.name;
  }
  const std::map<std::string, std::string> expected{{"data", "names"},
                                                    {"limit", "0"},
                                                    {"workers", "1,4,16"},
                                                    {"batch-per-worker", ""},
                                                    {"rate", "0.001,0.004,0.016"},
                                                    {"epochs", "15"},
                                                    {"layers", "4"},
                                                    {"hidden", "128"},
                                                    {"window", "8"},
                                                    {"dropout", "0.1"},
                                                    {"seed", "0"}};
  EXPECT_EQ(values, expected);
}

TEST(NamesParams, are_set_by_their_options_or_refused) {
  NamesParams params;
  std::map<std::string, run::Option> option;
  const run::OptionTable table = names_options(params);
  for (const run::Option& one : table.options()) option[one.name] = one;
  option["workers"].set("2", "--workers");
  option["batch-per-worker"].set("64,128", "--batch-per-worker");
  option["rate"].set("1e-2,0.5", "--rate");
  EXPECT_THAT(params.workers, testing::ElementsAre(2));
  EXPECT_THAT(params.batch_per_worker, testing::ElementsAre(64, 128));
  EXPECT_THAT(params.rate, testing::ElementsAre(0.01, 0.5));
  EXPECT_THAT(option["batch-per-worker"].default_text, HasSubstr("1024,4096,16384, fewer for short lists"));
  const auto refusal = [&](const char* name, const std::string& value) {
    return test::refusal([&] { option[name].set(value, text("--", name)); });
  };
  EXPECT_THAT(refusal("window", "1"), HasSubstr("bad value '1' for --window (expected a whole number from 2"));
  EXPECT_THAT(refusal("workers", "1,0"), HasSubstr("bad value '0' for --workers"));
  EXPECT_THAT(refusal("rate", "0.1,fast"), HasSubstr("--rate: 'fast' is not a number"));
  EXPECT_THAT(params.workers, testing::ElementsAre(2));
}

}  // namespace
}  // namespace krossfold::studies
