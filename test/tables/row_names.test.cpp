// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// Expects features x and y, the label class, and that the first column was left out.
void expect_left_out(const std::string& content) {
  SCOPED_TRACE(content);
  const Table read = table(content);
  ASSERT_EQ(read.column.size(), 2u);
  EXPECT_EQ(read.column[0].name, "x");
  EXPECT_EQ(read.column[0].column, 2);
  EXPECT_EQ(read.label_name, "class");
  EXPECT_EQ(read.value(1, 0), 7);
  EXPECT_THAT(read.dropped, ElementsAre("column 1"));
  EXPECT_THAT(read.warning, Contains(HasSubstr("the first column was taken for the names of the rows")));
}

TEST(RowNames, of_r_are_left_out_whatever_separates_the_fields) {
  for (const char* delimiter : {",", ";", "\t", " ", "|"}) {
    std::string content;
    for (const char* line : {R"("x";"y";"class")", R"("1";5;6;"a")", R"("2";7;9;"b")", R"("3";8;1;"a")"}) {
      for (const char letter : std::string(line))
        content += letter == ';' ? std::string(delimiter) : std::string(1, letter);
      content += '\n';
    }
    expect_left_out(content);
  }
  expect_left_out("x;y;class\n1;5,5;6,5;a\n2;7;9,25;b\n");
  expect_left_out("x,y,class\n1,5,6.5,a\n2,7,9.25,b\n");
  expect_left_out("x,y,class\nMazda,5,0.5,a\nFiat,7,2.25,b\n");
}

TEST(RowNames, may_be_numbered_repetitions_as_of_resampled_rows) {
  expect_left_out("x y class\n3 5 6 a\n3.1 7 9 b\n3.2 7 9 b\n12 1 2 a\n");
  expect_left_out("\"x\" \"y\" \"class\"\n\"3.1\" 5 6 \"a\"\n\"NA\" 7 9 \"b\"\n");
  for (const std::string content :
       {"x y class\n3 5 6 a\n3.5 7 9 b\n", "x y class\n3.1 5 6 a\n4 7 9 b\n", "x y class\nr 5 6 a\n2 7 9 b\n"}) {
    SCOPED_TRACE(content);
    test::expect_input_error([&] { table(content); }, {"line 2 has 4 fields", "not all of it are words or whole"});
  }
}

TEST(RowNames, that_may_be_something_else_are_refused_with_cause_and_way_out) {
  const auto refused = [](const std::string& content, const std::vector<std::string>& says) {
    SCOPED_TRACE(content);
    test::expect_input_error([&] { table(content); }, says);
  };
  refused("x,y,class\n1,36,6,a\n2,37,9,b\n", {"line 2 has 4 fields", "decimal commas", "col.names = NA"});
  refused("x,class\n1,2,\n3,4,\n",
          {"line 2 has 3 fields", "Remove the delimiter at the end of all lines but the first"});
  refused("x;y;class\n1;5;6;a\n1;7;9;b\n", {"line 2 has 4 fields", "'1' is there twice, the second time in line 3"});
  refused("x;y;class\n1;5;6;a\n2;7;9;b\n3;7;9;b\n4;8;b\n",
          {"line 2 has 4 fields", "line 5 has other fields than most"});
  refused("x;y;class\n1;5;a\n2;7;9;b\n3;7;b\n", {"line 3 has 4 fields", "Give all lines the same fields"});
  refused("1;2;a\n1;2;3;b\n", {"line 2 has 4 fields", "Give all lines the same fields"});
  refused("5.1,3.5,1.4\n4.9,3.0,1.4,0\n4.7,3.2,1.3,1\n4.6,3.1,1.5,0.2,1\n", {"line 2", "Give all lines the same"});
  refused("\"x\" \"part\" \"k\"\n\"1\" 5 \"nut\" \"a\"\n\"2\" 6 \"nut\" \"b\"\n\"3\" 7 \"5\\\" nail\" \"b\"\n",
          {"line 2 has 4 fields", "Write the quotes within quotes in line 4 as \"\""});
  const std::string folders = "\"dir\",\"note\",\"k\"\n\"r1\",\"C:\\a\\\",\" b\",1\n\"r2\",\"C:\\b\\\",\" c\",2\n";
  EXPECT_EQ(table(folders, {.categorical = "onehot"}).column[0].column, 2) << "no quotes within quotes";
  const std::string nails = "\"5\\\" nail\" 5 \"a\"\n\"6\\\" nail\" 6 \"b\"\n";
  refused("\"part\" \"size\" \"k\"\n" + nails, {"line 2 has 4 fields", "Write the quotes within quotes in line 2"});
  refused("\"x\" \"dir\" \"k\"\n\"1\" 5 \"C:\\a\\\" \"a\"\n\"1\" 6 \"C:\\b\\\" \"b\"\n",
          {"line 2 has 4 fields", "'1' is there twice, the second time in line 3"});
  refused("\"x\" \"k\" \"note\"\n\"1\" 5 \"a\" \"\"\n\"2\" 6 \"b\" \"\"\n",
          {"line 2 has 4 fields", "Give a heading", "the last field of all other lines is empty"});
}

TEST(RowNames, are_not_told_by_quotes_around_all_fields) {
  const std::string names = "\"age\",\"dose\"\n";
  test::expect_input_error([&] { table(names + "\"20.5\",\"1.5\",\"yes\"\n\"21.5\",\"2.5\",\"no\"\n"); },
                           {"line 2 has 3 fields", "not all of it are words or whole numbers"});
  test::expect_input_error([&] { table(names + "\"42\",\"1.5\",\"yes\"\n\"21\",\"2.5\",\"no\"\n"); },
                           {"line 2 has 3 fields", "its whole numbers do not ascend"});
  expect_left_out("\"x\",\"y\",\"class\"\n\"1\",\"5\",\"6\",\"a\"\n\"2\",\"7\",\"9\",\"b\"\n");
}

TEST(RowNames, stand_below_no_name_of_an_identifier) {
  test::expect_input_error([] { table("id;dose\n7;1.5;yes\n8;1.5;no\n9;2.5;no\n"); },
                           {"line 2 has 3 fields", "the first heading, 'id', may be its own"});
  EXPECT_EQ(table("id;dose\n7;1;yes\n8;3;no\n9;2;no\n").column[0].name, "id");
  EXPECT_EQ(table("\"id\";\"dose\"\n\"1\";1;\"yes\"\n\"2\";1;\"no\"\n\"3\";2;\"no\"\n").column[0].name, "id")
      << "as R quotes";
}

TEST(RowNames, stand_below_no_name_that_is_rather_theirs) {
  const auto refused = [](const std::string& content, const std::string& heading) {
    SCOPED_TRACE(content);
    const std::string why = text("the first heading, '", heading, "', may be its own");
    test::expect_input_error([&] { table(content, {.categorical = "onehot"}); }, {"line 2 has 4 fields", why});
  };
  refused("country;gdp;area\nFrance;3;5.5;p\nSpain;4;5;q\n", "country");
  refused("\"country\";\"gdp\";\"area\"\n\"France\";3;5.5;p\n\"Spain\";4;5;q\n", "country");
  refused("Plot.No;yield;row\n3;6.5;5.5;p\n4;7;5;q\n", "Plot.No");
  refused("item_number;set;price\n101;red;5.5;p\n102;red;5;q\n", "item_number");
  refused("school;size;place\n1;3;5;p\n2;3;5;q\n", "school");
  refused("year;rain;sun\n1990;3;5.5;p\n1991;4;5;q\n", "year");
  refused("year_of_survey;rain;sun\n1990;3;5.5;p\n1991;4;5;q\n", "year_of_survey");
  refused("patient_id;patient_age;dose\n1001;20;5.5;p\n1008;20;5;q\n", "patient_id");
  refused("date;date_end;temp\n2024-01-01;2024-01-03;5.5;p\n2024-01-02;2024-01-03;5;q\n", "date");
  refused("Time (s);high;low\n100;3.5;5.5;p\n110;4.5;5;q\n", "Time (s)");
  refused("time_s;high;low\n100;3.5;5.5;p\n110;4.5;5;q\n", "time_s");
  refused("time_utc;high;low\n2016-07-22 10:00;3;5.5;p\n2016-07-23 11:00;4;5;q\n", "time_utc");
  refused("Date (start);Date (end);temp\n2024-01-01;2024-01-03;5.5;p\n2024-01-02;2024-01-03;5;q\n", "Date (start)");
  refused("[patient_id];patient_age;dose\n1001;20;5.5;p\n1008;20;5;q\n", "[patient_id]");
  refused("[country];gdp;pop\nFrance;3.5;5.5;p\nSpain;4;5;q\n", "[country]");
  refused("Date (UTC);high;low\n2016-07-22;3;5.5;p\n2016-07-23;4;5;q\n", "Date (UTC)");
  refused("Date;high;low\n2016-07-22;3;5.5;p\n2016-07-23;4;5;q\n", "Date");
  const auto read = [](const std::string& content) {
    return table(content, {.categorical = "onehot"}).column[0].column;
  };
  EXPECT_EQ(read("country;gdp;area\n1;France;3;p\n2;France;4;q\n"), 2);
  EXPECT_EQ(read("case;rain;sun\nC3;1;3;p\nC5;2;4;q\n"), 2);
  EXPECT_EQ(read("year;rain;sun\n1;1990;3;p\n2;1990;4;q\n"), 2);
  EXPECT_EQ(read("yearly;rain;sun\n1;5.5;3;p\n2;6.5;4;q\n"), 2);
  EXPECT_EQ(read("date;rain;sun\na;2016-07-22;3;p\nb;2016-07-22;4;q\n"), 2);
  EXPECT_EQ(read("day_length;depth;sun\n1;3.25;4.5;p\n2;2.5;4;q\n"), 2);
  EXPECT_EQ(read("date_end;rain;sun\na;2016-07-22;3;p\nb;2016-07-22;4;q\n"), 2);
  EXPECT_EQ(read("Sample (A);Sample (B);k\nr1;1.5;2.5;p\nr2;2.5;2.25;q\n"), 2);
  EXPECT_EQ(read("nowhere;rain;sun\n1;5.5;3;p\n2;6.5;4;q\n"), 2) << "no is a part of the word";
}

TEST(RowNames, are_not_refused_for_headings_of_something_else) {
  const auto read = [](const std::string& content) {
    return table(content, {.categorical = "onehot"}).column[0].column;
  };
  EXPECT_EQ(read("sample1\tsample2\tsample3\nBRCA1\t10\t20\t3\nTP53\t5\t7\t8\nMYC\t5\t8\t2\n"), 2);
  EXPECT_EQ(read("\"family_size\" \"age\" \"y\"\n\"Ann\" 3 20.5 \"a\"\n\"Bob\" 4 30.5 \"b\"\n"), 2);
  EXPECT_EQ(read("\"daylight\" \"age\" \"y\"\n\"2020-01-01\" 3 20.5 \"a\"\n\"2020-01-02\" 4 30.5 \"b\"\n"), 2);
  std::string rooms = "\"number\" \"x\" \"y\"\n", logged = "time;temp;wet\n", remarks = "cycle;temp;state\n";
  for (int i = 1; i < 10; ++i) {
    rooms += text("\"", i, "\" ", i, ".5 3 \"a\"\n");
    logged += text(1700000000 + 60 * i, ";", i, ".5;40;", i % 2, "\n");
    remarks += text(i * 10, ";", i, ".5;", i % 2, i == 4 ? ";low battery\n" : ";\n");
  }
  for (int i = 0; i < 10; ++i) remarks += text(i * 10 + 500, ";", i, ".5;", i % 2, ";\n");
  EXPECT_EQ(read(rooms), 2) << "default names in quotes";
  test::expect_input_error([&] { read(logged); }, {"the first heading, 'time', may be its own"});
  test::expect_input_error([&] { read(remarks); }, {"Give a heading", "the last field of most lines is empty"});
  EXPECT_EQ(table("\"-4\" \"1\" \"k\"\n\"r1\" 5 7 \"a\"\n\"r2\" 6 8 \"b\"\n").column.size(), 2u);
  std::string pairs = "pair\ttime\ttreat\n", epochs = "epoch;loss;acc\n";
  for (int i = 1; i < 10; ++i) {
    pairs += text(i, "\t", (i + 1) / 2, "\t", i * 3, "\t", i % 2 == 0 ? "c\n" : "t\n");
    epochs += text(i, ";0.", i, ";0.5;", i % 2 == 0 ? "c\n" : "t\n");
  }
  EXPECT_EQ(read(pairs), 2);
  test::expect_input_error([&] { read(epochs); }, {"the first heading, 'epoch', may be its own"});
  EXPECT_EQ(table("\"1\" \"2\" \"class\"\n\"1\" 5 7 \"a\"\n\"2\" 6 8 \"b\"\n", {.drop = {"1"}}).column[0].name, "2");
}

TEST(RowNames, may_be_whole_numbers_in_any_order_that_are_too_close_together_to_differ_by_chance) {
  const auto rows = [](int count, int step) {
    std::string content = "x y class\n";
    for (int i = 0; i < count; ++i) content += text(step * (i * 7 % count), " 5 6 ", i % 2 == 0 ? "a\n" : "b\n");
    return content;
  };
  EXPECT_EQ(table(rows(60, 1)).column[0].name, "x");
  test::expect_input_error([&] { table(rows(60, 3)); }, {"its whole numbers do not ascend"});
  test::expect_input_error([&] { table(rows(30, 1)); }, {"its whole numbers do not ascend"});
}

constexpr const char* both = "the first if it holds the names of rows (col.names = NA in R), or the last";

TEST(RowNames, are_no_whole_numbers_that_do_not_ascend_without_quotes) {
  const std::string ages = "age,dose\n67,0.31,1\n45,0.22,0\n51,0.75,1\n";
  const std::string known = "age,dose,y\n33,0.62,0\n87,0.94,1\n54,0.74,1\n12,0.1,0\n";
  const TableEncoding model = fit_encoding(table(known), {}, {});
  const TableParams predict{.labelled = false};
  for (const TableEncoding* encoding : std::vector<const TableEncoding*>{nullptr, &model}) {
    test::expect_input_error([&] { table(ages, {.labelled = encoding == nullptr}, encoding); },
                             {"line 2 has 3 fields", both, "its whole numbers do not ascend"});
  }
  expect_left_out("x y class\n8 5 6 a\n9 7 9 b\n10 7 9 b\n");
  expect_left_out("\"x\",\"y\",\"class\"\n\"67\",5,6.5,a\n\"45\",7,9.5,b\n");

  // Few numbers ascend by chance where the first column of the training data is a feature.
  test::expect_input_error([&] { table("age,dose\n45,0.31,1\n67,0.22,0\n", predict, &model); },
                           {"line 2 has 3 fields", both, "it may be the first column of the training data"});
  std::string sorted = "age,dose\n";
  for (int i = 1; i < 30; ++i) sorted += std::to_string(2 * i) + ",0.5,1\n";
  test::expect_input_error([&] { table(sorted, predict, &model); },
                           {"line 2 has 3 fields", both, "it may be the first column of the training data"});
  std::string more = "age,dose\n";
  for (int i = 1; i < 9; ++i) more += std::to_string(i) + ",0.5,3\n";
  EXPECT_EQ(table(more, predict, &model).value(7, 0), 0.5f);
  EXPECT_EQ(table("age,dose\nann,31,0.5\nbob,32,1.5\n", predict, &model).value(1, 0), 32);
  const TableEncoding of_towns =
      fit_encoding(table("town,dose,y\nRome,1.5,0\nBonn,2.5,1\n", {.categorical = "onehot"}), {}, {});
  test::expect_input_error([&] { table("\"town\",\"dose\"\n\"Rome\",1.5,0\n\"Bonn\",2.5,1\n", predict, &of_towns); },
                           {"line 2 has 3 fields", both, "it may be the first column of the training data"});
  EXPECT_EQ(table("\"age\",\"dose\"\n\"9\",31,0.5\n\"2\",32,1.5\n", predict, &model).value(1, 0), 32);
  const std::string own = "age dose y\n1 33 0.5 0\n2 87 1.5 1\n3 54 2.5 1\n";
  const TableEncoding of_rows = fit_encoding(table(own), {}, {});
  EXPECT_EQ(table("age dose\n7 31 0.5\n8 32 1.5\n", predict, &of_rows).value(1, 0), 32);
}

TEST(RowNames, in_quotes_below_a_header_without_may_stand_before_decimal_commas) {
  const std::string lines = "\n\"P0\",3,4,p\n\"P1\",2,3,p\n\"P2\",0,2,q\n";
  test::expect_input_error([&] { table("name,score,class" + lines); }, {"line 2 has 4 fields", "decimal commas", both});
  test::expect_input_error([&] { table("\"name\",score,class" + lines); }, {"line 2 has 4 fields", "decimal commas"});
  // R writes no zero at the end of decimals.
  test::expect_input_error([&] { table("\"a, b\",\"score\",\"class\"" + lines); }, {"line 2 has 4", "decimal commas"});
  EXPECT_EQ(table("\"a, b\",\"score\",\"class\"" + lines + "\"P3\",7,30,q\n").column.size(), 2u);
  EXPECT_EQ(table("\"a\",\"score\",\"class\"\n\"1\",3,4,p\n\"2\",2,3,q\n").column.size(), 2u) << "row numbers";
  test::expect_input_error([&] { table("\"name\",\"x\"\n\"r1\",1,5\n\"r2\",2,25\n"); }, {"line 2", "decimal commas"});
}

TEST(RowNames, do_not_make_names_of_a_sample_that_lacks_a_field) {
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += "id" + std::to_string(i) + (i % 3 == 0 ? ",x,t,m,p\n" : ",z,s,m,e\n");
  const TableParams onehot{.categorical = "onehot"};
  test::expect_input_error([&] { table("x,s,n,e\n" + lines, onehot); }, {"line 2", "--skip-lines 1"});
  test::expect_input_error([&] { table("q,q,n,k\n" + lines, onehot); }, {"line 2", "--skip-lines 1"});
  EXPECT_EQ(table("p,q,n,k\n" + lines, onehot).label_name, "k") << "p is below another name";
}

TEST(RowNames, of_r_stand_beside_words_that_are_names_too_and_below_numbers) {
  const TableParams onehot{.categorical = "onehot"};
  const std::string premie = "\"age\" \"premie\"\n\"1\" 20 \"premie\"\n\"2\" 30 \"full term\"\n\"3\" 25 \"premie\"\n";
  EXPECT_EQ(table(premie, onehot).label_name, "premie");
  std::string counted = "a;kind\n";
  for (int i = 1; i < 8; ++i) counted += text(i, ";", i * i, i % 2 == 0 ? ";kind\n" : ";other\n");
  EXPECT_EQ(table(counted, onehot).label_name, "kind");
  EXPECT_EQ(table("\"2019\" \"2020\" \"2021\"\n\"1\" 5.1 3.5 0\n\"2\" 4.9 3 1\n").label_name, "2021");
  EXPECT_EQ(table("\"2019\" \"2020\" \"k\"\n\"1\" 5.1 3.5 \"a\"\n\"2\" 4.9 3 \"b\"\n").column[0].name, "2019");
}

TEST(RowNames, are_not_counted_by_a_model_without_names) {
  const TableEncoding model = fit_encoding(table("1.5,2.5,3,a\n4.5,5.5,6,b\n"), {}, {});
  const TableParams predict{.labelled = false};
  const std::string names = "\"w\",\"x\",\"y\"", features = "\n\"1\",1.25,3.5,7\n\"2\",2.25,4.5,8\n";
  test::expect_input_error([&] { table(names + features, predict, &model); },
                           {"can be read in two ways", "with the names of its rows it has 4 columns"});
  test::expect_input_error([&] { table("\"w\",\"x\"\n\"1\",1.25,3.5\n\"2\",2.25,4.5\n", predict, &model); },
                           {"behind the names of its rows, has 2 columns"});
  const TableEncoding without_first = fit_encoding(table("1,2.5,3,a\n2,5.5,6,b\n", {.drop = {"1"}}), {}, {});
  const std::string of_r = "\"x\",\"y\",\"k\"\n\"7\",3.5,7,\"a\"\n\"8\",4.5,8,\"b\"\n";
  EXPECT_EQ(table(of_r, {}, &without_first).value(1, 0), 4.5F);
  test::expect_input_error([&] { table(of_r, predict, &without_first); }, {"can be read in two ways"});
  const std::string named = "\"w\",\"x\",\"y\"\n\"Ann\",1.25,3.5,7\n\"Bob\",2.25,4.5,8\n";
  EXPECT_EQ(table(named, predict, &model).value(1, 0), 2.25F) << "words are no numbers of the first column";
  const Table labelled = table(names + ",\"k\"\n\"1\",1.25,3.5,7,\"a\"\n\"2\",2.25,4.5,8,\"b\"\n", {}, &model);
  EXPECT_EQ(labelled.value(1, 0), 2.25F);
  EXPECT_EQ(labelled.label_column, 5);
  const Table same = table("\"x\",\"y\",\"k\"\n\"7\",3.5,7,\"a\"\n\"8\",4.5,8,\"b\"\n", {}, &model);
  EXPECT_EQ(same.value(1, 0), 8) << "the form of the training file";
  EXPECT_THAT(same.warning, Contains(EndsWith("as R writes tables"))) << "not left out";
  EXPECT_THAT(labelled.warning, Contains(EndsWith("as R writes tables, and left out")));
  const Table asked = table(of_r, {.label = "k", .labelled = false}, &without_first);
  EXPECT_EQ(asked.value(1, 0), 4.5F);
  EXPECT_THAT(asked.label.word, ElementsAre("a", "b"));
  const TableEncoding label_first = fit_encoding(table("a,1.5,3\nb,4.5,6\n", {.label = "1"}), {}, {});
  const Table first = table("\"k\",\"x\",\"y\"\n\"7\",\"a\",3.5,7\n\"8\",\"b\",4.5,8\n", {.label = "1"}, &label_first);
  EXPECT_THAT(first.label.word, ElementsAre("a", "b"));
  EXPECT_EQ(first.value(1, 0), 4.5F);
  EXPECT_THAT(labelled.label.word, ElementsAre("a", "b"));
}

TEST(RowNames, that_are_empty_are_said_to_be) {
  test::expect_input_error([] { table("a,b\n,1,p\n,2,q\n"); }, {"an empty field is there twice", both});
}

TEST(RowNames, of_most_lines_do_not_hide_a_ragged_one_far_below) {
  std::string content = "x;y;class\n";
  for (int i = 0; i < 1500; ++i) content += std::to_string(i) + ";5;6;" + (i % 2 == 0 ? "a\n" : "b\n");
  test::expect_input_error([&] { table(content + "1500;5;a\n"); },
                           {"line 1502 has 3 fields", "other lines below the first have 4, separated by semicolons"});
}

}  // namespace
}  // namespace krossfold::tables
