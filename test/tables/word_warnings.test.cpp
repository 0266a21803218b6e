// SPDX-License-Identifier: BSD-3-Clause
// Warnings of words: those that look like numbers, those that are equal, and copies of the label.
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table.hpp"
#include "src/tables/table_warnings.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const TableParams onehot{.categorical = "onehot"};

std::vector<std::string> warnings(const std::string& content, const TableParams& params = onehot) {
  return table(content, params).warning;
}

TEST(WordWarnings, columns_of_text_are_equal_only_if_their_words_are) {
  const auto equal = Contains(HasSubstr("columns that are equal"));
  const TableParams named{.header = "yes", .categorical = "onehot"};
  EXPECT_THAT(warnings("a,b,k\nu,x,p\nv,y,q\nu,x,p\n", named), Not(equal)) << "the same order of appearance";
  EXPECT_THAT(warnings("a,b,k\nu,u,p\nv,v,q\nu,u,p\n", named), Contains(HasSubstr("columns that are equal: a = b")));
  EXPECT_THAT(warnings("a,b,c,k\nu,x,u,p\nv,y,v,q\nu,x,u,p\n", named),
              Contains(HasSubstr("columns that are equal: a = c")));
  EXPECT_THAT(warnings("a,b,k\n1,u,p\n2,v,q\n1,u,p\n"), Not(equal)) << "numbers and words";
}

/// A table of 60 samples whose column a has this around 1 ... `distinct`.
std::string with_marks(const std::string& before, const std::string& after, int distinct) {
  std::string content = "a,b,k\n";
  for (int i = 0; i < 60; ++i)
    content += text(before, 1 + i % distinct, after, ",", i * i, i % 3 == 0 ? ",p\n" : ",q\n");
  return content;
}

TEST(WordWarnings, words_that_people_read_as_numbers_are_named_with_the_reason) {
  EXPECT_THAT(
      warnings(with_marks("", ".4 %", 60)),
      ElementsAre("column 1 (a) has 60 distinct words that look like numbers, such as '1.4 %' (it has a unit), each "
                  "of which becomes a category: write plain numbers, or leave it out with --drop a"));
  EXPECT_THAT(warnings(with_marks("$", ".70", 11)), ElementsAre(HasSubstr("such as '$1.70' (it has a unit)")));
  EXPECT_THAT(warnings(with_marks("", " 369", 60)), ElementsAre(HasSubstr("(it has separators of thousands)")));
  EXPECT_THAT(warnings(with_marks("", " %", 10)), ElementsAre()) << "few categories";
  EXPECT_THAT(warnings(with_marks("room ", "", 40)), ElementsAre()) << "words";
  EXPECT_THAT(
      warnings(with_marks("room ", "", 60)),
      ElementsAre("column 1 (a) has 60 distinct words in 60 samples, each of which becomes a feature: leave it out "
                  "with --drop a if it is an identifier"));
  EXPECT_THAT(warnings("a,b,k\nunknown,5,p\n" + with_marks("", " %", 30).substr(6)),
              ElementsAre(HasSubstr("such as '1 %'")))
      << "but for one";
}

TEST(WordWarnings, identifiers_are_named_with_what_to_do) {
  std::string few = "name,b,k\n", shared = "patient_id,b,k\n";
  for (int i = 0; i < 12; ++i) few += text("n", i, ",", i * i % 997, ".5", i % 3 == 0 ? ",p\n" : ",q\n");
  for (int i = 0; i < 12; ++i) shared += text("n", i % 4, ",", i * i % 997, ".5", i % 3 == 0 ? ",p\n" : ",q\n");
  EXPECT_THAT(warnings(few), ElementsAre(HasSubstr("(name) has 12 distinct words in 12 samples"))) << "all differ";
  EXPECT_THAT(warnings("name" + shared.substr(10)), ElementsAre());
  EXPECT_THAT(warnings(shared),
              ElementsAre(testing::AllOf(HasSubstr("leave it out with --drop patient_id if it is an identifier; if "),
                                         HasSubstr("one patient, say --group patient_id instead"))));
  EXPECT_THAT(warnings(shared, {.group = "patient_id", .categorical = "onehot"}), ElementsAre());
}

TEST(WordWarnings, dates_are_named_with_what_to_do) {
  const auto dates = [](const std::string& before, const std::string& after) {
    std::string content = "a,b,k\n";
    for (int i = 0; i < 60; ++i) content += text(before, 10 + i % 12, after, ",", i * i, i % 3 == 0 ? ",p\n" : ",q\n");
    return warnings(content);
  };
  EXPECT_THAT(
      dates("2007-11-", ""),
      ElementsAre("column 1 (a) holds dates or times, such as '2007-11-10', each of the 12 of which becomes a "
                  "category, whose order is lost: leave it out with --drop a, or write numbers, such as days since the "
                  "first"));
  const std::pair<std::string, std::string> around[] = {{"2017-01-", " 14:38:12"},
                                                        {"2017-01-", "T14:38:12Z"},
                                                        {"", ".11.2007"},
                                                        {"12/", "/2007"},
                                                        {"", "/12/07"},
                                                        {"", "-Nov-2007"},
                                                        {"nov/", "/07"},
                                                        {"2007/1/", ""},
                                                        {"\"Wed, ", " Jan 2007\""},
                                                        {"\"January ", ", 2007\""},
                                                        {"", " Sept 2007"},
                                                        {"nov ", ""},
                                                        {"Nov-", ""},
                                                        {"May 20", ""},
                                                        {"Q1 20", ""},
                                                        {"20", "Q3"},
                                                        {"20", "-Q3"},
                                                        {"20", "-07"},
                                                        {"7/20", ""},
                                                        {"7:", ""},
                                                        {"", ":05:12 pm"},
                                                        {"3:", ":12.25"}};
  for (const auto& [before, after] : around)
    EXPECT_THAT(dates(before, after), ElementsAre(HasSubstr("holds dates"))) << before << "#" << after;
  const std::pair<std::string, std::string> other[] = {
      {"1.2.", ""},     {"2007-13-", ""}, {"2007-", ""},   {"", "-12-07"},   {"10-20-", ""},    {"x/", "/2007"},
      {"2007-1-", "b"}, {"2007-1/", ""},  {"room ", ""},   {"20071-1-", ""}, {"may-", "-8383"}, {"7-", "-4732"},
      {"6.", ".9611"},  {"1499-1-", ""},  {"", ".1.2200"}, {"20", "Q5"},     {"20", "/13"},     {"ma ", ""},
      {"marc9 ", ""},   {"7:8", ""},      {"7:3", ":"},    {"Q1 9", ""},     {"2:", ":1"}};
  for (const auto& [before, after] : other)
    EXPECT_THAT(dates(before, after), Not(Contains(HasSubstr("dates")))) << before << "#" << after;
}

TEST(WordWarnings, of_converted_files_give_options_for_when_they_are_made_again) {
  std::string content = "patient_id,b,k\n";
  for (int i = 0; i < 12; ++i) content += text("n", i % 4, ",", i * i % 997, ".5", i % 3 == 0 ? ",p\n" : ",q\n");
  Table read = table(content, {.categorical = "onehot"});
  read.converted = true;
  read.warning.clear();
  warn_of_words(read);
  EXPECT_THAT(read.warning, ElementsAre(testing::AllOf(
                                HasSubstr(": when you convert the file again, leave it out with --drop patient_id if"),
                                HasSubstr("when you convert the file again, say --group patient_id instead"))));
  read.dropped_name = {"patient_id"};
  read.warning.clear();
  warn_of_words(read);
  EXPECT_THAT(read.warning, ElementsAre(HasSubstr("--drop 1 if it is"))) << "two columns had that name";
}

TEST(WordWarnings, of_several_columns_of_a_kind_are_one) {
  std::string content;
  for (int j = 0; j < 12; ++j) content += text("d", j, ",n", j, ",m", j, ",c", j, ",");
  content += "k\n";
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 12; ++j)
      content +=
          text("2007-11-", 10 + (i + j) % 12, ",w", i * (j + 1), ",$", i + j, ".5,", i % 2 == 0 ? "No" : "no", ",");
    content += i % 3 == 0 ? "p\n" : "q\n";
  }
  const std::vector<std::string> found = warnings(content);
  ASSERT_EQ(found.size(), 6u) << testing::PrintToString(found);
  EXPECT_THAT(found, Contains(HasSubstr("column 1 (d0), column 5 (d1), column 9 (d2)")));
  EXPECT_THAT(found,
              Contains(HasSubstr("(12 in all) hold dates or times, such as '2007-11-10', each of which becomes")));
  EXPECT_THAT(found,
              Contains(HasSubstr("(12 in all) have words that look like numbers, such as '$0.5' (it has a unit)")));
  EXPECT_THAT(found, Contains(HasSubstr("have mostly distinct words or names of identifiers, each of which becomes")));
  EXPECT_THAT(found, Contains(HasSubstr("hold words that differ in case alone, such as 'No' and 'no'")));
}

TEST(WordWarnings, words_with_digits_that_are_no_numbers_are_not_taken_for_any) {
  const auto none = Not(Contains(HasSubstr("look like numbers")));
  const std::pair<std::string, std::string> around[] = {{"030 12345", ""},
                                                        {"4556 1234 5678 ", ""},
                                                        {"", " 3"},
                                                        {"", "'5"},
                                                        {"10.1.20.", ""},
                                                        {"1.", ".345"},
                                                        {"10.100.200.1", ""},
                                                        {"", ".100.200"},
                                                        {"", "\xC2\xB0 39"},
                                                        {"",
                                                         "\xC2\xB0"
                                                         "39'"}};
  for (const auto& [before, after] : around)
    EXPECT_THAT(warnings(with_marks(before, after, 60)), none) << before << "#" << after;
  std::string groups;
  for (int k = 0; k < 16; ++k) groups += " 000";
  EXPECT_THAT(warnings(with_marks("", groups, 60)), none) << "longer than any number";
  for (const std::string after : {"'369.5", " 000 000", "\xC2\xB0", " 369 %", " 369.25 $"})
    EXPECT_THAT(warnings(with_marks("", after, 60)), Contains(HasSubstr("look like numbers"))) << after;
  EXPECT_THAT(warnings(with_marks("-$", ".5", 60)), Contains(HasSubstr("(it has a unit)")));
}

TEST(WordWarnings, many_columns_that_count_are_not_all_named_to_be_dropped) {
  std::string content = "k";
  for (int j = 0; j < 25; ++j) content += text(",c", j);
  for (int i = 0; i < 12; ++i) {
    content += i % 2 == 0 ? "\np" : "\nq";
    for (int j = 0; j < 25; ++j) content += text(",", (i + 3) * (j + 2));
  }
  EXPECT_THAT(warnings(content + "\n", {.label = "k"}), Contains(HasSubstr("leave them out with --drop unless")));
  EXPECT_THAT(warnings(content + "\n", {.label = "k", .drop = {"c4"}}),
              Contains(HasSubstr("leave them out with --drop c0,c1,c2,c3,c5,c6,c7,c8,c9,c10,")));
}

/// A table of `samples` samples of classes p, q and r whose column a has `word` for each.
std::string with_words(int samples, const std::vector<std::string>& word, int odd = -1) {
  std::string content = "a,b,k\n";
  for (int i = 0; i < samples; ++i) {
    const auto c = static_cast<std::size_t>(i * i % 7 % 3);
    content += text(word[i == odd ? 1 - c % 2 : c], ",", i * i % 11, ",", std::string_view("pqr").substr(c, 1), "\n");
  }
  return content;
}

TEST(WordWarnings, columns_that_are_the_label_once_more_are_warned_of) {
  const std::string warning =
      "column 1 (a) has one value for each class of the label, column 3 (k), like a copy of it, and is used as a "
      "feature: "
      "leave it out with --drop a unless it is known before the class";
  EXPECT_THAT(warnings(with_words(40, {"p", "q", "r"})), ElementsAre(warning));
  EXPECT_THAT(warnings(with_words(40, {"no", "yes", "maybe"})), ElementsAre(warning)) << "in other words";
  EXPECT_THAT(warnings(with_words(40, {"1", "-2", "0.5"}), {}), ElementsAre(warning)) << "in numbers";
  const auto none = Not(Contains(HasSubstr("copy of it")));
  EXPECT_THAT(warnings(with_words(40, {"no", "yes", "maybe"}, 17)), none) << "but for one sample";
  EXPECT_THAT(warnings(with_words(40, {"no", "yes", "yes"})), none) << "a word for two classes";
  EXPECT_THAT(warnings(with_words(19, {"no", "yes", "maybe"})), none) << "few samples";
  EXPECT_THAT(warnings(with_words(40, {"no", "?", "maybe"}), {.missing = "mean", .categorical = "onehot"}), none)
      << "values are missing";
  std::string rare = "a,b,k\n", own = "a,b,k\n";
  for (int i = 0; i < 60; ++i) rare += text(i % 20 == 7 ? "u," : "v,", i * i % 11, i % 20 == 7 ? ",p\n" : ",q\n");
  for (int i = 0; i < 60; ++i) own += text(i * i, ",", i * i % 11, ",", i * 7 % 61, "\n");
  EXPECT_THAT(warnings(rare), none) << "three samples of one class may agree by chance";
  EXPECT_THAT(warnings(own, {}), none) << "labels that all differ";
  EXPECT_THAT(warnings("k,b,k\n" + with_words(40, {"p", "q", "r"}).substr(6), {.label = "3", .categorical = "onehot"}),
              Contains(HasSubstr("leave it out with --drop 1 unless")))
      << "the name does not tell which";
}

}  // namespace
}  // namespace krossfold::tables
