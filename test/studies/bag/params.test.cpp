// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/params.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "test/core/refusal.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;

TEST(BagParams, every_option_is_in_the_table_once_and_a_default) {
  std::map<std::string, std::string> values;
  for (const run::OptionValue& option : options_of(BagParams())) {
    EXPECT_TRUE(option.is_default) << option.name;
    EXPECT_TRUE(values.emplace(option.name, option.value).second) << option.name;
  }
  const std::map<std::string, std::string> expected{{"data", "digits"},
                                                    {"test", ""},
                                                    {"test-part", "random"},
                                                    {"limit", "0"},
                                                    {"label", ""},
                                                    {"delimiter", ""},
                                                    {"decimal", ""},
                                                    {"skip-lines", "0"},
                                                    {"header", "find"},
                                                    {"drop", ""},
                                                    {"group", ""},
                                                    {"weight", ""},
                                                    {"class-weight", "none"},
                                                    {"missing", "refuse"},
                                                    {"categorical", "refuse"},
                                                    {"image", ""},
                                                    {"bootstraps", "12"},
                                                    {"trials", "12"},
                                                    {"folds", "5"},
                                                    {"seed", "0"},
                                                    {"scale", ""},
                                                    {"fold-kind", "stratified-shuffled"},
                                                    {"batch", "10"},
                                                    {"epochs", "20"},
                                                    {"ood", ""},
                                                    {"stop-ratio", "0.8"},
                                                    {"channels", "auto"},
                                                    {"kernel", "auto"},
                                                    {"hidden", "auto"},
                                                    {"prune", "false"},
                                                    {"log10-rate", "-5:-1"},
                                                    {"log10-momentum", "-2:0"}};
  EXPECT_EQ(values, expected);
}

TEST(BagParams, are_set_by_their_options) {
  BagParams params;
  std::map<std::string, run::Option> option;
  const run::OptionTable table = bag_options(params);
  for (const run::Option& one : table.options()) option[one.name] = one;
  option["kernel"].set("3:5", "--kernel");
  option["stop-ratio"].set("inf", "--stop-ratio");
  option["prune"].set("", "--prune");
  ASSERT_TRUE(params.kernel.has_value());
  EXPECT_EQ(params.kernel->low, 3);
  EXPECT_EQ(params.kernel->high, 5);
  EXPECT_TRUE(params.prune);
  std::vector<std::string> changed;
  for (const run::OptionValue& value : options_of(params)) {
    if (!value.is_default) changed.push_back(value.name + " " + value.value);
  }
  EXPECT_THAT(changed, testing::ElementsAre("stop-ratio inf", "kernel 3:5", "prune true"));
  EXPECT_THAT(option["kernel"].default_text, HasSubstr("2:10, at most the side of the images"));
  for (const char* name : {"bootstraps", "trials", "batch", "epochs", "channels", "kernel", "hidden"}) {
    const std::string bad = option[name].metavar == "LO:HI" ? "0:1" : "0";
    EXPECT_THAT(test::refusal([&] { option[name].set(bad, "--x"); }), HasSubstr("bad value '0' for --x")) << name;
  }
}

}  // namespace
}  // namespace krossfold::studies
