// SPDX-License-Identifier: BSD-3-Clause
// What other programs write: comments that are headers, errors of spreadsheets, other kinds of files, blanks of Unicode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using test::expect_input_error;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> all;
  for (const FeatureColumn& column : table.column) all.push_back(column.name);
  return all;
}

TEST(Dialect, a_comment_with_a_word_for_each_column_is_the_header) {
  for (const std::string content : {"# a,b,y\n1,2,u\n3,5,v\n", "# of the lab\n#a;b;y\n1;2;u\n3;5;v\n"}) {
    const Table found = table(content);
    EXPECT_EQ(found.size(), 2) << content;
    EXPECT_THAT(names(found), ElementsAre("a", "b")) << content;
    EXPECT_EQ(found.label_name, "y");
    EXPECT_THAT(found.warning, Contains(HasSubstr("was taken for the header")));
    EXPECT_THAT(names(table(content, {.header = "no"})), ElementsAre("", ""));
  }
  EXPECT_THAT(table("# of the lab\n# a,b,y\n1,2,u\n3,5,v\n").warning,
              Contains("1 line that starts with # was skipped as a comment"));
  EXPECT_THAT(table("# a,b,y\n1,2,u\n3,5,v\n").warning, Not(Contains(HasSubstr("skipped"))));
}

TEST(Dialect, of_tabs_beside_blanks_in_words_has_names_of_rows_without_heading) {
  const Table found = table("age\tsize\ty\n1\t19 - 30\tlow - 3\tu\n2\t20 - 31\tlow - 3\tv\n3\t19 - 30\thigh - 4\tu\n",
                            {.categorical = "onehot"});
  EXPECT_EQ(found.size(), 3);
  EXPECT_THAT(names(found), ElementsAre("age", "size"));
  EXPECT_THAT(found.warning, Contains(HasSubstr("the first column was taken for the names of the rows")));
}

TEST(Dialect, other_comments_are_none) {
  for (const std::string comment : {"# a,b", "# 1,2,u", "# a,,y", "# a,\"b,y", "#"}) {
    const Table found = table(comment + "\n1,2,u\n3,5,v\n");
    EXPECT_THAT(names(found), ElementsAre("", "")) << comment;
    EXPECT_THAT(found.warning, Contains(HasSubstr("skipped as a comment"))) << comment;
  }
  EXPECT_THAT(names(table("# p,q,r\na,b,y\n1,2,u\n3,5,v\n")), ElementsAre("a", "b")) << "a line of its own comes first";
}

TEST(Dialect, a_comment_with_the_names_that_are_asked_for_is_the_header) {
  for (const std::string content :
       {"# a,b,y\n1,2,u\n3,5,v\n", "# a b y\n1 2 u\n3 5 v\n", "# p q\n# a b y\n1 2 u\n3 5 v\n"}) {
    EXPECT_THAT(names(table(content, {.label = "y"})), ElementsAre("a", "b")) << content;
    EXPECT_THAT(names(table(content, {.drop = {"a"}})), ElementsAre("b")) << content;
    expect_input_error([&] { table(content, {.label = "z"}); }, {"no column called 'z'"});
  }
  EXPECT_THAT(names(table("# a remark\n1 2\n3 5\n")), ElementsAre("")) << "a sentence, perhaps";
  TableEncoding encoding;
  encoding.named = true;
  encoding.column = table("c,d,y\nred,big,1\nblue,small,2\n", {.categorical = "onehot"}).column;
  const auto known = [&](const std::string& content) { return table(content, {.categorical = "onehot"}, &encoding); };
  EXPECT_EQ(known("# c,d\nred,big\n").size(), 1) << "words alone, which would be a header";
  EXPECT_EQ(known("# d c\nbig red\n").words[0].word[0], "red");
  EXPECT_EQ(known("# Iris,Fisher 1936,UCI\nc,d,y\nred,big,1\n").size(), 1);
}

TEST(Dialect, columns_are_found_by_the_names_of_a_comment) {
  const Table training = table("# a,b,y\n1,2,u\n3,5,v\n");
  TableEncoding encoding;
  encoding.named = true;
  encoding.column = training.column;
  const Table found = table("# b,y,a\n20,u,10\n50,v,30\n", {}, &encoding);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found.value(0, 0), 10);
  EXPECT_EQ(found.value(0, 1), 20);
}

TEST(Dialect, errors_of_spreadsheets_are_missing_values_and_begin_no_comment) {
  for (const std::string error : {"#N/A", "#WERT!", "#VALEUR!", "#NOME?", "#N/D", "#NV", "#DIV/0!", "#VALUE!", "#REF!",
                                  "#NUM!", "#NAME?", "#NULL!"}) {
    const std::string content = text("a,b,y\n1,2,u\n", error, ",5,v\n6,", error, ",v\n");
    const Table found = table(content, {.missing = "mean"});
    EXPECT_EQ(found.size(), 3) << error;
    EXPECT_THAT(found.warning, Not(Contains(HasSubstr("comment")))) << error;
    expect_input_error([&] { table(content); }, {"line 3, column 1 (a): the value is missing", error});
  }
  EXPECT_EQ(table("a,b,y\n1,2,u\n#NAMES,5,v\n3,4,v\n").size(), 2);
}

TEST(Dialect, quoted_fields_may_go_over_several_lines) {
  for (const std::string end : {"\n", "\r\n"}) {
    std::string content;
    for (const char* line : {"a,remark,\"the", "class\"", "1,\"one, two", "", "# \"\"three\"\"\",u", "2,5\" disk,v",
                             "3,\"\",\"u\"", "4,\"x\" ,v"})
      content += line + end;
    const Table found = table(content, {.drop = {"remark"}});
    EXPECT_THAT(found.label.word, ElementsAre("u", "v"));
    EXPECT_EQ(found.label_name, "the class");
    EXPECT_THAT(found.line, ElementsAre(3, 6, 7, 8));
    EXPECT_THAT(found.warning, Not(Contains(HasSubstr("comment"))));
    EXPECT_THAT(found.warning, Contains("2 rows go over several lines, within quotes (the first in lines 1 to 2)"));
    expect_input_error([&] { table(text(content, "5,y", end), {.drop = {"remark"}}); }, {"line 9 has 2 fields"});
    expect_input_error([&] { table(text(content, "x,y,v", end), {.drop = {"remark"}}); }, {"line 9, column 1 (a)"});
  }
  const Table words = table("c;y\n\"a\nb\";u\nc;v\n\"a\nb\";v\n", {.categorical = "onehot"});
  EXPECT_THAT(words.words[0].word, testing::UnorderedElementsAre("a\nb", "c")) << "as pandas reads it";
}

TEST(Dialect, the_delimiter_is_found_where_a_name_goes_over_several_lines) {
  const Table found = table("\"the\nfirst\";x;y\n1;2;u\n3;5;v\n");
  EXPECT_THAT(names(found), ElementsAre("the first", "x"));
  EXPECT_EQ(found.size(), 2);
}

TEST(Dialect, a_quote_that_is_never_closed_is_named_where_it_begins) {
  std::string content = "a,b,y\n1,2,u\n3,\"4,v\n";
  for (int k = 0; k < 2000; ++k) content += "5,6,u\n";
  expect_input_error([&] { table(content); }, {"line 3, column 2", "a quote is not closed"});
}

TEST(Dialect, empty_columns_at_the_end_and_empty_lines_are_ignored) {
  const std::string rows = "a;b;y;;\n1;2;u;;\n3;5;v;;\n";
  const Table found = table(rows + ";;;;\n;;;;\n");
  EXPECT_EQ(found.size(), 2);
  EXPECT_THAT(names(found), ElementsAre("a", "b"));
  EXPECT_THAT(found.warning, testing::IsSupersetOf({"the 2 delimiters at the end of every line were ignored",
                                                    "2 lines of nothing but delimiters were skipped"}));
  EXPECT_EQ(table("1,2,u,,\n3,5,v,,\n", {.label = "3", .missing = "mean"}).columns, 4)
      << "without names, a column may hold values below, or be one that a model knows";
  EXPECT_EQ(table("1,5;2,5;u;;\n3,5;5,5;v;;\n", {.label = "3", .missing = "mean"}).columns, 4)
      << "nor with decimal commas";
  EXPECT_EQ(table(";;;;\n" + rows + ";;;;\n").size(), 2) << "above, too";
  EXPECT_EQ(table("a,y\n1,u\n,\n2,v\n").size(), 2) << "between others";
  expect_input_error([] { table("a;b;y;\n1;2;u;\n;;v;\n"); }, {"line 3, column 1 (a): the value is missing"});
  std::string late = rows;
  for (int k = 0; k < 1000; ++k) late += "6;7;u;;\n";
  expect_input_error([&] { table(late + "6;7;u;8;\n"); },
                     {"line 1004, column 4: '8' stands in a column without a name"});
  expect_input_error([&] { table(late + "6;7;u;;;\n"); }, {"line 1004 has 6 fields", "line 1 has 5"});
}

TEST(Dialect, empty_samples_of_data_to_predict_are_not_skipped) {
  TableEncoding encoding = fit_encoding(table("a,y\n1,u\n3,v\n", {.missing = "mean"}), {}, {.missing = "mean"});
  const TableParams predict{.missing = "mean", .labelled = false};
  EXPECT_EQ(table("a,y\n1,u\n,\n3,v\n", predict, &encoding).size(), 3);
  EXPECT_EQ(table("a\ty\n1\tu\n\t\n3\tv\n", predict, &encoding).size(), 3);
  EXPECT_EQ(table("\t\na\ty\n1\tu\n3\tv\n", predict, &encoding).size(), 2) << "above the header";
  EXPECT_EQ(table("\t\n1\tu\n3\tv\n", predict, &encoding).size(), 3) << "the first sample";
  EXPECT_EQ(table("a,y\n1,u\n\t\n3,v\n", predict, &encoding).size(), 2) << "blank where commas separate";
  EXPECT_EQ(table("a\ty\n1\tu\n3\tv\n\t\n\t\n", predict, &encoding).size(), 2) << "blank at the end";
  EXPECT_EQ(table("a\ty\n1\tu\n\t\t\n3\tv\n", predict, &encoding).size(), 2) << "nor with other fields";
  EXPECT_EQ(table("\"a\"\ty\n\t\t\n1\tu\n3\tv\n", predict, &encoding).size(), 2) << "nor below quotes";
  EXPECT_TRUE(std::isnan(table("y\ta\nu\t1\nv\t\n", predict, &encoding).value(1, 0))) << "the last one has a word";
  encoding.named = false;
  EXPECT_EQ(table("\t\n1\tu\n3\tv\n", predict, &encoding).size(), 3) << "the first of all";
  const Table learnt = table("a\ty\n1\tu\n\t\n3\tv\n");
  EXPECT_EQ(learnt.size(), 2);
  EXPECT_THAT(learnt.warning, testing::Contains("1 line of nothing but delimiters was skipped"));
}

TEST(Dialect, a_last_column_of_a_model_that_is_empty_is_not_ignored) {
  const TableParams mean{.label = "1", .missing = "mean"};
  const TableEncoding encoding = fit_encoding(table("1,5,1.25,-0.5\n0,4,0.75,0.5\n", mean), {}, mean);
  const Table features = table("-0.5,0.25,\n2.5,0.5,\n", {.labelled = false}, &encoding);
  EXPECT_EQ(features.value(1, 0), 2.5f);
  EXPECT_TRUE(std::isnan(features.value(1, 2)));
  EXPECT_THAT(features.warning, testing::Contains(testing::HasSubstr("the last field of each line of t.csv is empty")));
  const Table ambiguous = table("0.5,-0.5,0.25,\n1.5,2.5,0.5,\n", {.labelled = false}, &encoding);
  EXPECT_EQ(ambiguous.label_column, 0) << "features with a delimiter too many";
  EXPECT_EQ(ambiguous.value(1, 0), 1.5f);
  EXPECT_EQ(ambiguous.value(1, 2), 0.5f);
  EXPECT_THAT(ambiguous.warning, testing::Contains(testing::HasSubstr("can be read in two ways")));
  EXPECT_EQ(table("1,-0.5,0.25,NA\n0,2.5,0.5,NA\n", {.labelled = false}, &encoding).label_column, 1) << "as advised";
  const Table ended = table("1,-0.5,0.25,3,\n0,2.5,0.5,4,\n", {.labelled = false}, &encoding);
  EXPECT_EQ(ended.value(1, 2), 4) << "a delimiter too many";
}

TEST(Dialect, blanks_separate_nothing_where_tabs_or_semicolons_do) {
  for (const std::string delimiter : {"\t", ";"}) {
    const auto line = [&](const std::string& a, const std::string& b, const std::string& c) {
      return text(a, delimiter, b, delimiter, c, "\n");
    };
    const Table found =
        table(line("Sample ID", "x", "y") + line("Probe 1", "0.5", "u") + line("Probe 2", "7", "v"), {.drop = {"1"}});
    EXPECT_THAT(names(found), ElementsAre("x"));
    expect_input_error([&] { table(line("Pris SEK", "x", "y") + line("1 000", "7", "u") + line("2 500", "9", "v")); },
                       {"line 2, column 1 (Pris SEK): '1 000' is not a number", "separators of thousands"});
  }
}

TEST(Dialect, bars_separate_columns) {
  const Table found = table("a|b|y\n1|2|u,x\n3|5|v;z\n");
  EXPECT_THAT(names(found), ElementsAre("a", "b"));
  EXPECT_THAT(found.label.word, ElementsAre("u,x", "v;z"));
  EXPECT_EQ(found.format, "text with bars and a header");
  EXPECT_EQ(table("1|2|u\n3|5|v\n", {.delimiter = "pipe"}).columns, 3);
  EXPECT_EQ(table("red,big,a|b,yes\nblue,big,c|d,no\nred,small,a|d,yes\n", {.categorical = "onehot"}).columns, 4)
      << "commas come first";
  EXPECT_EQ(table("7,52|13,u\n3,41|12,v\n5,40|11,u\n", {.drop = {"2"}}).columns, 3);
}

TEST(Dialect, files_of_another_kind_are_named) {
  const std::pair<std::string, std::string> kinds[] = {{"PAR1\x15", "Parquet"},
                                                       {"\x93NUMPY\x01", "npy:FILE"},
                                                       {"\x89HDF\r\n", "hdf5:FILE"},
                                                       {"\x80\x04\x95", "pickle"},
                                                       {"SQLite format 3", "SQLite"}};
  for (const auto& [begin, says] : kinds) {
    const std::string content = begin + std::string(20, '\0') + (begin.starts_with("PAR1") ? "PAR1" : "");
    expect_input_error([&] { table(content); }, {"t.csv is no table of text", says});
  }
  EXPECT_THAT(names(table("PAR1,PAR2,y\n1,2,u\n3,5,v\n")), ElementsAre("PAR1", "PAR2"));
}

TEST(Dialect, blanks_of_unicode_are_no_part_of_a_word) {
  const Table found = table(
      "x,y\n1,B\n2,B\xC2\xA0\n3,\xE3\x80\x80M \xE2\x80\xAF\n4,M\n\xC2\xA0"
      "5\xC2\xA0,M\n");
  EXPECT_THAT(found.label.word, ElementsAre("B", "M"));
  EXPECT_EQ(found.value(4, 0), 5);
  EXPECT_THAT(table("x,y\n1,\xC3\xA0\n2,\xC3\xA9\xC2\xA0\n").label.word, ElementsAre("\xC3\xA0", "\xC3\xA9"))
      << "letters end in the same byte";
}

TEST(Dialect, words_that_differ_in_case_alone_are_warned_of) {
  EXPECT_THAT(table("x,y\n1,yes\n2,no\n3,Yes\n4,no\n").warning, Contains(HasSubstr("holds both 'yes' and 'Yes'")));
  EXPECT_THAT(table("x,c,y\n1,red,a\n2,Red,b\n3,red,a\n", {.categorical = "onehot"}).warning,
              Contains(HasSubstr("column 2 (c) holds both 'red' and 'Red'")));
  EXPECT_THAT(table("x,y\n1,yes\n2,no\n3,yes\n4,no\n").warning, Not(Contains(HasSubstr("both"))));
}

TEST(Dialect, labels_that_are_missing_by_their_word_are_named) {
  const std::string content = "x,y\n1,None\n2,mild\n3,None\n4,severe\n";
  expect_input_error([&] { table(content); },
                     {"line 2, column 2 (y): the label is missing", "'None'", "give it another name if it is a class"});
  const Table found = table(content, {.missing = "drop"});
  EXPECT_EQ(found.size(), 2);
  EXPECT_THAT(found.warning, Contains(HasSubstr("2 samples whose label is 'None' were left out")));
  EXPECT_THAT(table("x,y\n1,\n2,mild\n4,severe\n", {.missing = "drop"}).warning, Not(Contains(HasSubstr("label is"))))
      << "empty";
}

TEST(Dialect, labels_that_are_dates_or_names_of_samples_are_warned_of) {
  EXPECT_THAT(table("x,y\n1,2024-01-05\n2,2024-01-06\n3,2024-01-05\n").warning, Contains(HasSubstr("holds dates")));
  EXPECT_THAT(table("x,y\n1,71\n2,12\n3,55\n9,31\n5,90\n7,47\n").warning,
              Contains(HasSubstr("6 classes in 6 samples (is it an identifier?)")));
}

}  // namespace
}  // namespace krossfold::tables
