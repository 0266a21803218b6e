// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::string& json) {
  return test::message_of(ExitCode::usage, [&] { options_from_json(json, "r.h5"); });
}

TEST(OptionValues, of_the_data_do_not_count_in_the_fingerprint) {
  EXPECT_EQ(fingerprint_text({{"data", "a.csv"}, {"folds", "5"}, {"test", "b.csv"}, {"scale", "", false}}),
            "folds = 5\nscale = \n");
  EXPECT_EQ(fingerprint_text({}), "");
}

TEST(OptionValues, that_files_from_before_lack_have_the_values_of_that_time) {
  const auto names_of = [](const std::vector<OptionValue>& options) {
    std::string names;
    for (const OptionValue& option : older_values(options)) names += option.name + "=" + option.value + " ";
    return names;
  };
  EXPECT_EQ(names_of({{"data", "digits"}, {"test", ""}, {"folds", "5"}}), "test-part=last ");
  EXPECT_EQ(names_of({{"data", "csv:a.csv"}, {"test", "csv:b.csv"}}), "image=auto ");
  EXPECT_EQ(names_of({{"data", "mnist:m"}, {"test", ""}, {"momentum", "0.9"}, {"stop-ratio", "inf"}}),
            "validation=none ");
  EXPECT_EQ(names_of({{"data", "mnist:m"}, {"test", ""}, {"momentum", "none"}, {"stop-ratio", "inf"}}), "");
  EXPECT_EQ(names_of({{"data", "mnist:m"}, {"test", ""}, {"stop-ratio", "inf"}}), "");
}

TEST(OptionValues, come_back_from_json_in_their_order) {
  const std::vector<OptionValue> options{{"seed", "18446744073709551615", false},
                                         {"data", "csv:\"a\"\\b\n\t.csv", false},
                                         {"prune", "false", true},
                                         {"test", "", true},
                                         {"name",
                                          "gr\xC3\xB6\xC3\x9F"
                                          "er",
                                          false}};
  const std::vector<OptionValue> read = options_from_json(to_json(options), "r.h5");
  for (const OptionValue& option : options) {
    EXPECT_EQ(value_from_json(to_json(options), "r.h5", option.name), option.value);
  }
  EXPECT_EQ(value_from_json(to_json(options), "r.h5", "absent"), "");
  ASSERT_EQ(read.size(), options.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(read[k].name, options[k].name);
    EXPECT_EQ(read[k].value, options[k].value);
    EXPECT_EQ(read[k].is_default, options[k].is_default);
  }
}

TEST(OptionValues, are_objects_of_value_and_default_in_json) {
  EXPECT_EQ(to_json({{"folds", "5", true}, {"C", "1", false}}),
            R"({"folds":{"value":"5","default":true},"C":{"value":"1","default":false}})");
  EXPECT_EQ(to_json({}), "{}");
}

TEST(OptionValues, that_are_no_utf8_do_not_stop_a_study) {
  EXPECT_EQ(to_json({{"data", "csv:\xFF.csv", false}}),
            "{\"data\":{\"value\":\"csv:\xEF\xBF\xBD.csv\",\"default\":false}}");
}

TEST(OptionValues, are_refused_where_the_json_is_damaged_and_the_file_is_named) {
  const std::string whole = to_json({{"folds", "5", true}});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(refusal(whole.substr(0, length)), HasSubstr("the options in r.h5 cannot be read")) << length;
  }
  for (const char* json : {"[1]", "5", "\"folds\"", R"({"folds": "5"})", R"({"folds": {"value": "5"}})",
                           R"({"folds": {"default": true}})", R"({"folds": {"value": 5, "default": true}})",
                           R"({"folds": {"value": "5", "default": "yes"}})", R"({"folds": null})"}) {
    EXPECT_THAT(refusal(json), HasSubstr("the options in r.h5 cannot be read")) << json;
  }
}

TEST(OptionValues, are_refused_where_there_are_none) {
  for (const char* json : {"{}", "[]", "null"}) {
    EXPECT_THAT(refusal(json), AllOf(HasSubstr("the options in r.h5 cannot be read"), HasSubstr("there are none")));
  }
}

TEST(OptionValues, are_refused_under_names_that_no_report_could_hold) {
  EXPECT_THAT(refusal(to_json({{"a", "1"}, {"a.b", "2"}})),
              AllOf(HasSubstr("the options in r.h5 cannot be read"), HasSubstr("a.b")));
}

TEST(OptionText, of_a_value_is_that_of_its_type) {
  EXPECT_EQ(value_of(true), "true");
  EXPECT_EQ(value_of(0.1), "0.1");
  EXPECT_EQ(value_of(Range{0.5, 1e-6}), "0.5:1e-06");
  EXPECT_EQ(value_of(WholeRange{-1, 2}), "-1:2");
  EXPECT_EQ(value_of(std::vector<int>{}), "");
  EXPECT_EQ(value_of(std::vector<double>{1, 0.5}), "1,0.5");
  EXPECT_EQ(value_of(std::optional<int>()), "auto");
  EXPECT_EQ(value_of(std::optional(std::vector{1, 2})), "1,2");
}

TEST(CheckPowers, takes_finite_ranges_within_their_bounds_and_names_the_option_of_others) {
  for (const Range& range : {Range{-30, 0}, Range{-1, -1}, Range{0, 0}}) check_powers(range, "log10-rate", 0, "-5:-1");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Range& range : {Range{-30.5, 0}, Range{-1, 0.5}, Range{0, -1}, Range{-infinity, 0}, Range{std::nan(""), 0},
                             Range{-1, std::nan("")}}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { check_powers(range, "log10-rate", 0, "-5:-1"); }),
                AllOf(HasSubstr("bad range " + value_of(range) + " of log10-rate"), HasSubstr("between -30 and 0"),
                      HasSubstr("For example log10-rate -5:-1.")));
  }
}

}  // namespace
}  // namespace krossfold::run
