// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "krossfold/report/document.hpp"

namespace krossfold::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// JSON without the blanks and line ends between its parts; no text of these tests has any.
std::string compact(std::string json) {
  std::erase_if(json, [](char letter) { return letter == ' ' || letter == '\n'; });
  return json;
}

std::string json_of(const std::vector<Fact>& facts) {
  Document document;
  document.facts(facts);
  return compact(to_json({document}));
}

TEST(DocumentJson, is_a_list_of_an_object_for_each_document_in_their_order) {
  Document first, second;
  first.title = "untold";
  first.fact("file", "a.h5");
  first.warnings = {"beware", "twice"};
  second.fact("file", "b.h5");
  EXPECT_EQ(to_json({first, second}),
            "[\n"
            "  {\n"
            "    \"file\": \"a.h5\",\n"
            "    \"warnings\": [\n"
            "      \"beware\",\n"
            "      \"twice\"\n"
            "    ]\n"
            "  },\n"
            "  {\n"
            "    \"file\": \"b.h5\",\n"
            "    \"warnings\": []\n"
            "  }\n"
            "]\n");
  EXPECT_EQ(to_json({}), "[]\n");
}

TEST(DocumentJson, has_the_type_of_each_value_and_null_for_what_is_no_number) {
  EXPECT_EQ(json_of({{"null", {}},
                     {"bool", true},
                     {"whole", std::int64_t{-9007199254740993}},
                     {"real", 0.1},
                     {"nan", nan},
                     {"infinity", -infinity},
                     {"list", std::vector<double>{1, nan, 0.5}},
                     {"empty", std::vector<double>{}},
                     {"text", "\"quoted\"\\\t"}}),
            "[{\"null\":null,\"bool\":true,\"whole\":-9007199254740993,\"real\":0.1,\"nan\":null,\"infinity\":null,"
            "\"list\":[1.0,null,0.5],\"empty\":[],\"text\":\"\\\"quoted\\\"\\\\\\t\",\"warnings\":[]}]");
}

TEST(DocumentJson, facts_with_dots_lie_in_objects_wherever_they_are_told) {
  Document document;
  document.fact("best.C", 2);
  document.line("a line", "of text", {{"data.name", "digits"}, {"best.at.round", 1}});
  document.fact("data.train", 3);
  EXPECT_EQ(compact(to_json({document})),
            "[{\"best\":{\"C\":2,\"at\":{\"round\":1}},\"data\":{\"name\":\"digits\",\"train\":3},\"warnings\":[]}]");
}

TEST(DocumentJson, a_fact_told_again_has_its_last_value) {
  EXPECT_EQ(json_of({{"a", {}}, {"b", 1}, {"a.x", 2}, {"b", 3}}), "[{\"a\":{\"x\":2},\"b\":3,\"warnings\":[]}]");
}

TEST(DocumentJson, a_table_is_a_list_of_objects_of_the_columns_with_a_key) {
  Table table;
  table.key = "runs.all";
  table.columns = {
      {"file", "file"}, {"", "untold"}, {"score.mean", "mean"}, {"as 1.5", "as 1.5", Format::number, true}};
  table.rows = std::vector<std::vector<Cell>>{{"a", 1, {0.5, "a half"}, 3}, {"b", 2, nan, 4}};
  Document document;
  document.table(table);
  table.key = "none";
  table.rows.clear();
  document.table(table);
  table.key = "";
  document.table(table);
  EXPECT_EQ(compact(to_json({document})),
            "[{\"runs\":{\"all\":[{\"file\":\"a\",\"score\":{\"mean\":0.5},\"as1.5\":3},"
            "{\"file\":\"b\",\"score\":{\"mean\":null},\"as1.5\":4}]},"
            "\"none\":[],\"warnings\":[]}]");
}

TEST(DocumentJson, replaces_what_is_no_utf8) {
  EXPECT_EQ(json_of({{"file",
                      "gr\xC3\xB6\xC3\x9F"
                      "er.h5"}}),
            "[{\"file\":\"gr\xC3\xB6\xC3\x9F"
            "er.h5\",\"warnings\":[]}]");
  EXPECT_EQ(json_of({{"file", "\xFF.h5"}}), "[{\"file\":\"\xEF\xBF\xBD.h5\",\"warnings\":[]}]");
}

}  // namespace
}  // namespace krossfold::report
