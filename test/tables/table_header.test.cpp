// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"
#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Expects the first line to be a header or not, with a warning or without.
void expect(const std::string& content, bool header, bool doubtful, const TableParams& params = {}) {
  SCOPED_TRACE(content);
  const Table read = table(content, params);
  EXPECT_EQ(read.named, header);
  std::vector<std::string> about_it;
  for (const std::string& one : read.warning) {
    if (one.find("line 1") != std::string::npos && one.find("was taken for") != std::string::npos)
      about_it.push_back(one);
  }
  EXPECT_EQ(about_it.size(), doubtful ? 1u : 0u) << testing::PrintToString(read.warning);
}

TEST(TableHeader, of_years_is_doubtful) {
  expect("2019,2020,2021,2022\n0.5,0.25,0.125,0\n0.75,1.5,2.5,1\n", false, true);
  expect("2019,2021,2020,2022\n0.5,0.25,0.125,0\n0.75,1.5,2.5,1\n", false, true);  // far from the numbers below
  expect("2019,2020,2021,2022\n0.5,0.25,0.125,0\n0.75,1.5,2.5,1\n", true, false, {.header = "yes"});
}

TEST(TableHeader, is_a_word_above_numbers) {
  expect("x,y,class\n1,2,a\n3,4,b\n", true, false);
  expect("x,y,class\n1,2,0\n3,4,1\n", true, false);
  expect("\"x\",\"y\",\"class\"\n1,2,a\n3,4,b\n", true, false);
  expect(",x,class\n1,2,a\n3,4,b\n", true, false);
  expect("age,class\nNA,a\n4,b\n", true, false, {.missing = "mean"});
  expect("age,kind,class\n31,red,a\n?,3+,b\n12,3,a\n", true, false, {.missing = "drop", .categorical = "onehot"});
  expect("2019,2020,class\n1,2,0\n3,4,1\n", true, true);
}

TEST(TableHeader, of_r_has_no_name_above_those_of_the_rows) {
  const Table read =
      table("\"x\" \"y\" \"class\"\n\"1\" 5 6 \"a\"\n\"2\" 7 9 \"b\"\n\"3\" 8 1 \"a\"\n", {.drop = {"1"}});
  EXPECT_EQ(read.size(), 3);
  ASSERT_EQ(read.column.size(), 2u);
  EXPECT_EQ(read.column[0].name, "x");
  EXPECT_EQ(read.value(1, 0), 7);
  EXPECT_EQ(read.value(2, 1), 1);
  EXPECT_EQ(read.label_name, "class");
  EXPECT_THAT(read.warning, ElementsAre(HasSubstr("t.csv, line 1 has one name fewer")));
  const Table words = table("x\ty\tclass\ngene_1\t5\t6\ta\ngene_2\t7\t9\tb\n");
  EXPECT_EQ(words.column.size(), 2u);
  EXPECT_THAT(words.dropped, ElementsAre(HasSubstr("column 1")));
  EXPECT_EQ(table("x y class\n1 5 6 a\n2 7 9 a\n3 1 2 b\n", {.group = "1"}).group.word.size(), 3u);
  // With commas a number may have a decimal comma. Lines that begin alike, or with decimals, are no rows with names.
  for (const std::string content : {"x,y,class\n1,36,6,a\n2,37,9,b\n", "x y class\n1 5 6 a\n1 7 9 b\n",
                                    "x y class\n1.5 5 6 a\n2 7 9 b\n", "x y class\n1 5 6 a\n2 7 b\n"}) {
    SCOPED_TRACE(content);
    test::expect_input_error([&] { table(content); }, {"line 2 has 4 fields", "line 1 has 3"});
  }
}

TEST(TableHeader, of_numbers_alone_above_classes_is_doubtful) {
  expect("1,2,4,8,0\n5,3,2,9,a\n4,9,1,7,b\n4,1,2,3,a\n2,2,4,1,b\n6,1,8,1,a\n", false, true);
  expect("1,2,4,8,a\n5,3,2,9,a\n4,9,1,7,b\n4,1,2,3,a\n2,2,4,1,b\n6,1,8,1,a\n", false, false);
}

TEST(TableHeader, that_is_missed_is_named_where_a_line_is_refused) {
  test::expect_input_error([] { table(",400,410,class\n0,5,3,a\n1,4,9,b\n2,4,9,b\n"); },
                           {"line 1, column 1", "say --header yes"});
  test::expect_input_error([] { table("400,410,\n5,3,a\n4,9,b\n7,9,b\n"); }, {"line 1, column 3", "say --header yes"});
}

TEST(TableHeader, of_several_lines_is_found_when_a_model_knows_its_names) {
  const Table learnt = table("2019,2019,2020,k\n1,2,1,\n0.5,0.25,4,a\n0.75,1.5,2,b\n", {.header = "2"});
  ASSERT_EQ(learnt.column[0].name, "2019 1");
  TableEncoding encoding;
  encoding.named = true;
  encoding.column = learnt.column;
  const Table again = table("2019,2019,2020,k\n1,2,1,\n0.5,0.25,4,a\n0.75,1.5,2,b\n", {}, &encoding);
  EXPECT_EQ(again.size(), 2);
  EXPECT_EQ(again.value(1, 1), 1.5f);
}

TEST(TableHeader, counts_from_zero_with_a_name_or_the_next_number_last) {
  expect("0,1,2,3,4\n5.1,3.5,1.4,0.2,0\n4.9,3,1.4,0.2,1\n", true, false);
  expect("0,1,2,3,species\n5.1,3.5,1.4,0.2,a\n4.9,3,1.4,0.2,b\n", true, false);
  expect(",0,1,2\n0,5.1,3.5,a\n1,4.9,3,b\n", true, false);
  expect(",0,1,2,3\n0,9,5,3,0\n1,4,3,2,1\n", true, false);
  expect("0,1,2,3,4,5,6,7\n9,8,2,4,3,5,4,0\n5,1,0,2,8,8,3,1\n", true, false);
}

TEST(TableHeader, that_only_counts_above_whole_numbers_is_warned_of) {
  expect("0,1,2\n5,3,0\n4,9,1\n", true, true);
  expect("0,1\n5,0\n4,1\n", false, true);
  expect("0,1\n5.5,0\n4,1\n", true, false);
}

TEST(TableHeader, that_counts_above_whole_numbers_is_a_sample_for_a_model_without_names) {
  const TableEncoding model = fit_encoding(table("6,7.5,0,p\n2,1,1.5,n\n"), {}, {});
  const std::string content = "0,1,2\n0,1,2\n8,1,1\n", pandas = "0,1,2\n0.5,1.5,2.5\n8,1,1\n";
  const Table read = table(content, {.labelled = false}, &model);
  EXPECT_EQ(read.size(), 3);
  EXPECT_THAT(read.warning, testing::Contains(HasSubstr("was taken for a sample, because the model knows no names")));
  const Table below = table(pandas, {.labelled = false}, &model);
  EXPECT_EQ(below.size(), 2) << "pandas counts columns above any numbers";
  EXPECT_THAT(below.warning, testing::Contains(HasSubstr("the names of columns, though the model knows none (if it is "
                                                         "a sample, say --header no)")));
  EXPECT_EQ(table(pandas, {.header = "no", .labelled = false}, &model).size(), 3);
  EXPECT_EQ(table(content, {.header = "yes", .labelled = false}, &model).size(), 2);
  EXPECT_EQ(table("0,1,2,k\n0.5,1.5,2.5,p\n8,1,1,n\n", {.labelled = false}, &model).size(), 2) << "a word above others";
  const data::TableEncoding wide = data::plain_encoding(64);
  std::string names = "0", sample = "7";
  for (int j = 1; j < 64; ++j) {
    names += text(",", j);
    sample += ",5";
  }
  EXPECT_EQ(table(names + "\n" + sample + "\n", {.labelled = false}, &wide).size(), 1) << "no sample by chance";
}

TEST(TableHeader, is_no_line_of_words_for_a_model_of_words_without_names) {
  const TableParams onehot{.header = "no", .categorical = "onehot"};
  const TableEncoding model = fit_encoding(table("a,x,k,p\nb,y,l,n\n", onehot), {}, onehot);
  const TableParams predict{.categorical = "onehot", .labelled = false};
  EXPECT_EQ(table("a,x,k\n", predict, &model).size(), 1);
  test::expect_input_error([] { table("a,x,k\n"); }, {"t.csv holds no samples", "its only line", "--header no"});
}

TEST(TableHeader, is_not_a_sample_of_a_class_that_comes_again) {
  expect("0,1,2,3,a\n5.1,3.5,1.4,0.2,b\n4.9,3,1.4,0.2,a\n", false, false);
  expect("0,a\n1,b\n2,a\n", false, false);
  expect("5.1,3.5,a\n4.9,3,b\n4.9,3,a\n", false, false);
  expect("3+,a\n2,b\n1,a\n3+,b\n", false, false, {.categorical = "onehot"});
}

TEST(TableHeader, is_not_a_first_sample_that_lacks_a_value) {
  expect("NA,1,a\n3,4,b\n3,5,a\n", false, false, {.missing = "mean"});
  expect(",1,a\n3,4,b\n3,5,a\n", false, false, {.missing = "mean"});
}

TEST(TableHeader, is_data_but_warned_of_where_words_stand_above_other_words) {
  expect("colour,size,class\nred,big,yes\nred,small,no\nblue,small,yes\n", false, true, {.categorical = "onehot"});
  expect("colour,size,class\nred,big,yes\nred,small,no\nblue,small,yes\n", true, false,
         {.header = "yes", .categorical = "onehot"});
  expect("red,big,yes\nred,small,no\nblue,small,yes\n", false, false, {.categorical = "onehot"});
}

/// Lines of so many words from a and b, drawn with a fixed seed.
std::string lines_of_letters(int samples, int columns, const std::string& row_name = "") {
  std::string content;
  unsigned state = 12345;
  for (int i = 0; i < samples; ++i) {
    if (!row_name.empty()) content += text(row_name == "#" ? "" : row_name, 3 * i + 1, ",");
    for (int j = 0; j < columns; ++j) {
      state = state * 1664525u + 1013904223u;
      content += text(j == 0 ? "" : ",", (state >> 24) % 2 == 0 ? "a" : "b");
    }
    content += "\n";
  }
  return content;
}

TEST(TableHeader, is_a_line_of_words_that_practically_never_begins_a_table_by_chance) {
  const TableParams onehot{.categorical = "onehot"};
  const std::string lines = lines_of_letters(40, 4);
  expect("colour,size,shape,class\n" + lines, true, true, onehot);
  EXPECT_THAT(
      table("colour,size,shape,class\n" + lines, onehot).warning,
      testing::Contains(HasSubstr("line 1 was taken for a header, because none of its words comes again, although "
                                  "those below do (if it is a sample, say --header no)")));
  expect("colour,size,shape,class\n" + lines, false, false, {.header = "no", .categorical = "onehot"});
  expect(lines, false, false, onehot);
  expect("a,size,shape,class\n" + lines, true, true, onehot);  // a word of which comes again
  expect("colour,size,shape,class\n" + lines_of_letters(8, 4), false, true, onehot);
  expect("colour,class\n" + lines_of_letters(40, 2), false, true, onehot);
  expect("colour,class\n" + lines_of_letters(200, 2), true, true, onehot);
}

TEST(TableHeader, has_one_word_that_is_also_a_word_of_its_column) {
  const TableParams onehot{.categorical = "onehot"};
  expect("a,other,more,rare\n" + lines_of_letters(200, 4), true, true, onehot);
  const Table doubtful = table("a,other,more\n" + lines_of_letters(12, 3), onehot);
  EXPECT_EQ(doubtful.size(), 13);
  EXPECT_THAT(doubtful.warning, testing::Contains(HasSubstr("its words, but for one, do not come again")));
  expect("a,b,more,rare\n" + lines_of_letters(200, 4), false, false, onehot);
}

TEST(TableHeader, is_no_sample_of_a_kind_that_comes_once_with_words_of_its_own) {
  const TableParams onehot{.categorical = "onehot"};
  std::string lines;
  for (int i = 0; i < 120; ++i) {
    const int kind = i % 12;
    lines += text("country", kind, ",code", kind, ",capital", kind, i % 5 < 2 ? ",a\n" : ",b\n");
  }
  expect("elsewhere,any,other,a\n" + lines, false, true, onehot);
  expect("elsewhere,any,other,c\n" + lines, true, true, onehot);
}

TEST(TableHeader, of_r_has_an_empty_field_above_the_names_of_rows) {
  const TableParams onehot{.categorical = "onehot"};
  for (const std::string name : {"#", "row "}) {
    const std::string lines = lines_of_letters(12, 2, name);
    expect(",colour,class\n" + lines, true, true, onehot);
    EXPECT_THAT(table(",colour,class\n" + lines, onehot).warning, testing::Contains(HasSubstr("as R writes")));
    test::expect_input_error([&] { table(",a,class\n" + lines, onehot); }, {"line 1, column 1", "--header yes"});
    test::expect_input_error([&] { table(",colour,class\n" + lines + "4,a,b\n4,a,b\n", onehot); },
                             {"line 1, column 1", "--header yes"});
  }
}

TEST(TableHeader, has_no_empty_field_above_what_are_no_names_of_rows) {
  const TableParams onehot{.missing = "mean", .categorical = "onehot"};
  const std::string measured = lines_of_letters(12, 2, "0."), lines = lines_of_letters(12, 2, "#");
  expect(",colour,class\n" + measured, false, true, onehot);
  expect(",colour,class\n" + lines + "2,a,b\n", false, true, onehot);  // does not ascend
  expect(",colour,class\n" + lines, true, true, onehot);
  expect(",colour,colour\n" + lines, false, true, onehot);
}

TEST(TableHeader, is_no_line_in_which_a_word_is_there_twice) {
  const TableParams onehot{.categorical = "onehot"};
  expect("other,other,other,rare\n" + lines_of_letters(200, 4), false, true, onehot);
  expect("other,any,more,rare\n" + lines_of_letters(200, 4), true, true, onehot);
}

TEST(TableHeader, of_new_words_is_a_sample_for_a_model) {
  const std::string lines = lines_of_letters(40, 4);
  const TableParams predict{.categorical = "onehot", .labelled = false};
  const TableEncoding model = fit_encoding(table("a,b,a,b,p\nb,a,b,a,q\n", {.header = "no", .categorical = "onehot"}),
                                           {}, {.categorical = "onehot"});
  const Table read = table("other,any,more,rare\n" + lines, predict, &model);
  EXPECT_EQ(read.size(), 41);
  EXPECT_THAT(read.warning, testing::Contains(HasSubstr("do not come again (if it is a header, say --header yes; if it "
                                                        "is a sample, --header no)")));
  EXPECT_EQ(
      table("other,any,more,rare\n" + lines, {.header = "yes", .categorical = "onehot", .labelled = false}, &model)
          .size(),
      40);
}

TEST(TableHeader, with_half_of_the_names_that_a_model_knows_lacks_the_others) {
  const TableParams predict{.categorical = "onehot", .labelled = false};
  const TableEncoding model =
      fit_encoding(table("p,q,r,s,k\na,b,a,b,x\nb,a,b,a,y\n", {.header = "yes", .categorical = "onehot"}), {},
                   {.categorical = "onehot"});
  const auto read = [&](const std::string& first) { return table(first + lines_of_letters(40, 4), predict, &model); };
  test::expect_input_error([&] { read("p,form,r,s\n"); }, {"lacks the column q", "form"});
  test::expect_input_error([&] { read("p,form,size,s\n"); }, {"lacks the columns q, r"});
  EXPECT_EQ(read("p,form,size,other\n").size(), 41);

  const TableEncoding counted = fit_encoding(table("0,1,2,3,k\n1.5,2,3,4,x\n2.5,0,1,0,y\n", {.header = "yes"}), {}, {});
  EXPECT_EQ(table("0,0,1,0\n0.5,1,1,0\n", {.labelled = false}, &counted).size(), 2) << "numbers are no names";
}

TEST(TableHeader, is_doubtful_though_a_class_has_one_sample_or_a_column_no_word_twice) {
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += std::to_string(i) + ".5," + (i == 7 ? "rare" : i % 2 == 0 ? "a" : "b") + "\n";
  expect("2019,species\n" + lines, false, true);
  expect("2019,a\n" + lines, false, false);
  expect("name,colour,class\nann,red,yes\nbob,red,no\neve,blue,yes\n", false, true, {.categorical = "onehot"});
  expect("ann,red,yes\nbob,red,no\neve,blue,yes\n", false, false, {.categorical = "onehot"});
}

TEST(TableHeader, that_comes_again_is_refused_where_it_does) {
  test::expect_input_error([] { table("x,y,class\n1,2,a\n3,4,b\nx,y,class\n5,6,a\n"); },
                           {"t.csv, line 4 repeats line 1, the header", "files may have been joined", "Remove it"});
  test::expect_input_error(
      [] { table("x,y,class\n1,2,a\n3,4,b\nx,6,a\n"); },
      {"line 4, column 1 (x): 'x' is not a number", "the name of its column", "repeat the header"});
  std::string words, more;
  for (int i = 0; i < 30; ++i) words += text("w", i % 3, ",v", i % 4, i % 2 == 0 ? ",yes\n" : ",no\n");
  for (int i = 0; i < 1500; ++i) more += words.substr(0, words.find('\n') + 1);
  const TableParams onehot{.categorical = "onehot"};
  for (const std::string& lines : {words, words + more}) {
    test::expect_input_error([&] { table("cap,gill,edible\n" + lines + "cap,gill,edible\n" + words, onehot); },
                             {"repeats line 1, the header"});
  }
  const Table twice = table("w0,v0,yes\n" + words, {.header = "no", .categorical = "onehot"});
  EXPECT_EQ(twice.size(), 31);
  const std::string first = "color,size,class\nred,big,yes\nblue,small,no\ngreen,big,no\n";
  EXPECT_THAT(table(first + "color,size,class\nred,small,yes\nblue,big,no\n", onehot).warning,
              testing::Contains(HasSubstr("line 5 repeats line 1 (if that is the header")));
  // Quotes and line ends in names, behind a byte order mark, in quotes, below two columns, with numbers in it, and below the names of rows.
  for (const std::string content :
       {"x,\"k \"\"A\"\"\"\n1,a\n2,b\nx,\"k \"\"A\"\"\"\n3,b\n", "\"x\ny\",k\r\n1,a\r\n2,b\r\n\"x\ny\",k\r\n3,b\r\n",
        "\xEF\xBB\xBFx,y,k\n1,2,a\n3,4,b\n\xEF\xBB\xBFx,y,k\n5,6,a\n",
        "x, y,k\n1,2,a\n3,4,b\n\"x\",\"y\",\"k\"\n5,6,a\n", "x,k\n1.5,a\n2.5,b\n3.5,a\nx,k\n4.5,b\n",
        "2019,2020,k\n1,2,0\n3,4,1\n2019,2020,k\n1,2,0\n",
        "\"x\" \"k\"\n\"1\" 1.5 \"a\"\n\"2\" 2.5 \"b\"\n\"x\" \"k\"\n\"1\" 1.5 \"a\"\n"}) {
    SCOPED_TRACE(content);
    test::expect_input_error([&] { table(content, onehot); }, {" repeats line 1, the header"});
  }
  const auto often = [](const std::string& lines, int times) {
    std::string content;
    for (int i = 0; i < times; ++i) content += lines;
    return content;
  };
  const std::string single = "x,y,label\n1.5,2,a\n";
  for (const std::string& lines :
       {often(single, 4), "x,y,yes\n1.5,2,no\n1.7,3,yes\n1.8,2,no\n" + often("x,y,yes\n1.5,7,no\n", 2)})
    test::expect_input_error([&] { table(lines, onehot); }, {" repeats line 1, the header"});
  expect(often("0,1,b\n0,0,a\n1,0,a\n1,1,a\n", 10), false, false);
  EXPECT_EQ(table(often("cat,meow\ndog,bark\n", 20), onehot).size(), 40);
  EXPECT_EQ(table(often("red,big\n", 3), onehot).size(), 3);
  const std::string spectra = "400,402,404,406,408,k\n0.5,0.25,0.125,1.5,2,a\n0.75,1.5,2.5,0.5,3,b\n";
  expect(spectra + spectra, false, true, onehot);
  EXPECT_THAT(table("2019,2020,k\n1,2,a\n3,4,b\n2019,2020,k\n1,2,a\n").warning,
              testing::Contains(HasSubstr("line 1 was taken for a sample, but looks like a header")));
  EXPECT_EQ(table("0,1\n1,1\n0,1\n2,0\n", {.header = "yes"}).size(), 3) << "numbers may be those of a sample";
}

TEST(TableHeader, above_dates_is_found) {
  expect("stage,began,ended\nM,12/16/2005,2/2/2006\nM,1/6/2006,2/26/2006\nL,2/6/2006,2/27/2006\n", true, true,
         {.label = "1", .categorical = "onehot"});
  const std::string days = "2020-01-01,5,7,a\n2020-01-02,4,6,b\n2020-01-03,1,6,a\n2020-01-04,2,5,b\n";
  expect("date,1,2,class\n" + days, true, true, {.categorical = "onehot"});
  expect("today,5,2,a\n" + days, false, true, {.categorical = "onehot"});
  expect("0000-00-00,no,a\n1951-06-26,yes,a\n1952-06-26,yes,b\n1953-06-26,no,b\n", false, false,
         {.categorical = "onehot"});
  expect("100,2021-02-01,ongoing,0.5,0\n101,2021-02-02,2022-03-02,3.5,1\n102,2021-02-03,2022-03-04,4.5,1\n", false,
         false, {.categorical = "onehot"});
  expect("\\N,no,a\n1951-06-26,yes,a\n1952-06-26,yes,b\n1953-06-26,no,b\n", false, false, {.categorical = "onehot"});
  expect("-,no,a\n1951-06-26,yes,a\n1952-06-26,yes,b\n1953-06-26,no,b\n", false, false, {.categorical = "onehot"});
  expect("1/5/2006,2/2/2006,M\n12/16/2005,2/2/2006,M\n1/6/2006,2/26/2006,M\n2/6/2006,2/27/2006,L\n", false, false,
         {.categorical = "onehot"});
}

TEST(TableHeader, of_data_to_test_is_not_needed_for_a_group_that_the_training_data_name) {
  const TableEncoding model = fit_encoding(table("x,y,g,class\n1,2,p,a\n3,4,q,b\n", {.group = "g"}), {}, {});
  EXPECT_EQ(table("1,2,p,a\n3,4,q,b\n", {.group = "g"}, &model).size(), 2);
}

TEST(TableHeader, is_there_if_said_so_or_if_a_name_needs_it) {
  expect("3,4,5\n1,2,0\n3,4,1\n", true, false, {.header = "yes"});
  expect("0,1,2,3,4\n5.1,3.5,1.4,0.2,0\n4.9,3,1.4,0.2,1\n", false, false, {.header = "no"});
  expect("colour,class\nred,yes\nred,no\nblue,yes\n", true, false, {.label = "class", .categorical = "onehot"});
  EXPECT_THAT(table("3,4,5\n1,2,0\n3,4,1\n", {.header = "yes"}).column[0].name, "3");
}

}  // namespace
}  // namespace krossfold::tables
