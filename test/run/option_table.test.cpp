// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "test/core/refusal.hpp"

namespace krossfold::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Params {
  int count = 5, zero = 0;
  std::int64_t large = -1;
  std::uint64_t seed = 0;
  double rate = 0.25;
  bool prune = false;
  std::string data = "digits", test;
  Range span{-5, -1};
  WholeRange side{2, 10};
  std::vector<int> sizes{1, 4, 16};
  std::vector<double> rates;
  std::optional<int> kernel;
  std::optional<WholeRange> channels;
  std::optional<std::vector<int>> hidden;
};

OptionTable table_of(Params& p) {
  OptionTable table;
  table.add("count", p.count, "N", "", 2);
  table.add("zero", p.zero, "N", "");
  table.add("large", p.large, "N", "", -1);
  table.add("seed", p.seed, "S", "");
  table.add("rate", p.rate, "R", "");
  table.add("prune", p.prune, "", "");
  table.add("data", p.data, "SPEC", "");
  table.add("test", p.test, "SPEC", "");
  table.add("span", p.span, "LO:HI", "");
  table.add("side", p.side, "LO:HI", "", 1);
  table.add("sizes", p.sizes, "LIST", "", 1);
  table.add("rates", p.rates, "LIST", "");
  table.add("kernel", p.kernel, "K", "", 1);
  table.add("channels", p.channels, "LO:HI", "", 1);
  table.add("hidden", p.hidden, "LIST", "", 1);
  return table;
}

class Options : public ::testing::Test {
protected:
  Params params;
  const OptionTable table = table_of(params);

  const Option& at(const std::string& name) const {
    for (const Option& option : table.options()) {
      if (option.name == name) return option;
    }
    throw std::runtime_error("no option " + name);
  }
  /// The value as it shows after it was set.
  std::string after(const std::string& name, const std::string& value) const {
    at(name).set(value, "--" + name);
    return at(name).get();
  }
  std::string refusal(const std::string& name, const std::string& value) const {
    return test::refusal([&] { at(name).set(value, "--" + name); });
  }
};

TEST_F(Options, show_the_defaults_that_tell_something) {
  const std::map<std::string, std::string> shown{{"count", "5"},     {"large", "-1"},   {"rate", "0.25"},
                                                 {"data", "digits"}, {"span", "-5:-1"}, {"side", "2:10"},
                                                 {"sizes", "1,4,16"}};
  for (const Option& option : table.options()) {
    const auto found = shown.find(option.name);
    EXPECT_EQ(option.default_text, found == shown.end() ? "" : found->second) << option.name;
    EXPECT_EQ(option.is_flag, option.name == "prune");
  }
  after("count", "7");
  EXPECT_EQ(at("count").default_text, "5") << "of the time when the table was made";
}

TEST_F(Options, of_each_type_read_what_they_show) {
  EXPECT_EQ(after("count", "2147483647"), "2147483647");
  EXPECT_EQ(after("large", "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(after("seed", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(after("rate", "1e-3"), "0.001");
  EXPECT_EQ(after("data", "csv:a,b.csv"), "csv:a,b.csv");
  EXPECT_EQ(after("span", "-0.5:2"), "-0.5:2");
  EXPECT_EQ(after("side", "3:3"), "3:3");
  EXPECT_EQ(after("sizes", "2"), "2");
  EXPECT_EQ(after("sizes", "8,2,8"), "8,2,8");
  EXPECT_EQ(after("rates", "0.5,1e-6"), "0.5,1e-06");
  EXPECT_EQ(params.rates, (std::vector<double>{0.5, 1e-6}));
  EXPECT_EQ(params.seed, std::numeric_limits<std::uint64_t>::max());
  for (const Option& option : table.options()) {
    const std::string value = option.get();
    if (value == "auto" || option.name == "test") continue;
    option.set(value, "--" + option.name);
    EXPECT_EQ(option.get(), value) << option.name;
  }
}

TEST_F(Options, that_are_not_set_are_chosen_later_and_show_as_auto) {
  for (const char* name : {"kernel", "channels", "hidden"}) EXPECT_EQ(at(name).get(), "auto");
  EXPECT_EQ(after("kernel", "3"), "3");
  EXPECT_EQ(after("channels", "1:9"), "1:9");
  EXPECT_EQ(after("hidden", "12,34"), "12,34");
  EXPECT_EQ(params.kernel, 3);
}

TEST_F(Options, flags_are_true_but_for_the_word_false) {
  EXPECT_EQ(at("prune").get(), "false");
  EXPECT_EQ(after("prune", ""), "true");
  EXPECT_EQ(after("prune", "false"), "false");
  EXPECT_EQ(after("prune", "true"), "true");
}

TEST_F(Options, refuse_what_is_no_whole_number_or_out_of_bounds_and_say_what_they_take) {
  for (const char* bad : {"1", "-3", "2147483648", "2.0", "3x", " 3", "+3", "", "1e3", "99999999999999999999"}) {
    EXPECT_THAT(refusal("count", bad), AllOf(HasSubstr("bad value '" + std::string(bad) + "' for --count"),
                                             HasSubstr("expected a whole number from 2 to 2147483647")));
  }
  EXPECT_THAT(refusal("zero", "-1"), HasSubstr("from 0 to 2147483647"));
  EXPECT_THAT(refusal("large", "-2"), HasSubstr("from -1 to 9223372036854775807"));
  for (const char* bad : {"-1", "18446744073709551616", "0x10"}) {
    EXPECT_THAT(refusal("seed", bad), AllOf(HasSubstr("for --seed"), HasSubstr("from 0 to 18446744073709551615")));
  }
  EXPECT_THAT(refusal("kernel", "0"), HasSubstr("bad value '0' for --kernel"));
}

TEST_F(Options, refuse_what_is_no_number) {
  for (const char* bad : {"", "one", "1,2", "nan", "inf", "1e999"}) {
    EXPECT_THAT(refusal("rate", bad), AllOf(HasSubstr("--rate"), HasSubstr("is not a number"))) << bad;
  }
}

TEST_F(Options, refuse_lists_with_a_bad_or_missing_item_as_a_whole) {
  EXPECT_THAT(refusal("sizes", "2,0,4"), HasSubstr("bad value '0' for --sizes"));
  for (const char* bad : {"", "1,", ",1", "1,,2"}) {
    EXPECT_THAT(refusal("sizes", bad), HasSubstr("bad value '' for --sizes")) << bad;
  }
  EXPECT_THAT(refusal("rates", "0.5;0.25"), HasSubstr("--rates"));
  EXPECT_EQ(at("sizes").get(), "1,4,16") << "as it was";
}

TEST_F(Options, take_a_number_for_a_range_and_refuse_ranges_that_lack_an_end) {
  EXPECT_EQ(after("side", "4"), "4:4");
  EXPECT_THAT(refusal("side", ""), AllOf(HasSubstr("bad value '' for --side"), HasSubstr("expected a range LO:HI"),
                                         HasSubstr("For example --side 1:32.")));
  EXPECT_THAT(refusal("side", "x"), HasSubstr("bad value 'x' for --side"));
  EXPECT_THAT(refusal("side", "0:4"), HasSubstr("bad value '0' for --side"));
  EXPECT_THAT(refusal("side", "4:"), HasSubstr("bad value '' for --side"));
  EXPECT_THAT(refusal("side", "1:2:3"), HasSubstr("bad value '2:3' for --side"));
  EXPECT_THAT(refusal("span", "1:b"), HasSubstr("--span"));
  EXPECT_THAT(refusal("channels", "1,2"), HasSubstr("--channels"));
}

TEST_F(Options, know_which_values_are_defaults) {
  after("count", "7");
  after("sizes", "1,4,16");
  std::vector<std::string> changed;
  const std::vector<OptionValue> values = values_of(params, table_of);
  ASSERT_EQ(values.size(), table.options().size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(values[k].name, table.options()[k].name);
    EXPECT_EQ(values[k].value, table.options()[k].get());
    if (!values[k].is_default) changed.push_back(values[k].name);
  }
  EXPECT_THAT(changed, testing::ElementsAre("count"));
}

TEST(OptionList, may_hold_commas_within_quotes_and_is_written_as_it_is_read) {
  using List = std::vector<std::string>;
  for (const auto& [text, list] : {std::pair<std::string, List>{"a,b", {"a", "b"}},
                                   {"\"length, mm\",b", {"length, mm", "b"}},
                                   {"a,\"say \"\"x\"\", y\"", {"a", "say \"x\", y"}},
                                   {"a\"b,c", {"a\"b", "c"}}}) {
    EXPECT_EQ(split_list(text), list) << text;
    EXPECT_EQ(value_of(list), text);
  }
  EXPECT_EQ(split_list("\"a,b"), (List{"\"a", "b"})) << "a quote that does not end is a letter";
  EXPECT_EQ(split_list("\"a\"b,c"), (List{"\"a\"b", "c"}));
}

TEST(SharedOptions, have_one_meaning_in_all_studies) {
  input::TaskParams task;
  std::string fold_kind = "contiguous", scale;
  int folds = 5;
  std::uint64_t seed = 0;
  OptionTable table;
  add_data_options(table, task);
  add_fold_options(table, folds, fold_kind, seed, scale);
  std::map<std::string, Option> options;
  for (const Option& option : table.options()) options[option.name] = option;
  EXPECT_EQ(options["fold-kind"].choices.size(), 5U);
  OptionTable more;
  add_fold_options(more, folds, fold_kind, seed, scale, {leave_one_out()});
  EXPECT_EQ(more.options()[1].choices.back().word, "leave-one-out");
  EXPECT_EQ(options["seed"].default_text, "0") << "told though it is 0";
  EXPECT_EQ(options["limit"].default_text, "");
  options["limit"].set("100", "--limit");
  EXPECT_EQ(task.limit, 100);
  EXPECT_EQ(options["test-part"].default_text, "random");
  EXPECT_THAT(test::refusal([&] { options["limit"].set("0", "--limit"); }), HasSubstr("from 1 to"));
  EXPECT_THAT(test::refusal([&] { options["folds"].set("1", "--folds"); }), HasSubstr("from 2 to"));
}

TEST(StopRatio, may_be_infinite_which_other_numbers_may_not) {
  double ratio = 0.8;
  OptionTable table;
  const Option& option = add_stop_ratio(table, ratio);
  EXPECT_EQ(option.default_text, "0.8");
  option.set("inf", "--stop-ratio");
  EXPECT_TRUE(std::isinf(ratio));
  EXPECT_EQ(option.get(), "inf");
  option.set("1.5", "--stop-ratio");
  EXPECT_EQ(ratio, 1.5);
  EXPECT_THAT(test::refusal([&] { option.set("much", "--stop-ratio"); }), HasSubstr("--stop-ratio"));
}

TEST(Lists, are_cut_at_every_comma) {
  using testing::ElementsAre;
  EXPECT_THAT(split_list("a"), ElementsAre("a"));
  EXPECT_THAT(split_list("a,,b,"), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split_list(""), ElementsAre(""));
  EXPECT_THAT(split_list(","), ElementsAre("", ""));
}

}  // namespace
}  // namespace krossfold::run
