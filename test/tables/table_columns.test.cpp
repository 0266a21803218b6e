// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_columns.hpp"

#include "krossfold/core/text.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

using test::bytes_of;
using test::expect_input_error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const TableParams onehot{.missing = "mean", .categorical = "onehot"};

Table table(const std::string& content, const TableParams& params = {}, const TableEncoding* encoding = nullptr) {
  return parse_table(bytes_of(content), "new.csv", params, encoding);
}

TableEncoding learnt(const std::string& content, const TableParams& params = {}) {
  return fit_encoding(table(content, params), {}, params);
}

TEST(TableColumns, are_matched_by_name_in_any_order) {
  const TableEncoding model = learnt("a,b,c,k\n1,2,3,x\n4,5,6,y\n");
  const ColumnMatch match = match_columns(model, {"k", "c", "a", "b"}, true, "new.csv");
  EXPECT_THAT(match.column, ElementsAre(3, 4, 2));
  EXPECT_EQ(match.label_column, 1);
  EXPECT_THAT(match.warning, IsEmpty());
  const data::Dataset read = encode(table("c,a,b\n3,1,2\n6,4,5\n", {}, &model), model, {});
  EXPECT_THAT(test::row(read, 0), ElementsAre(1, 2, 3));
  EXPECT_FALSE(read.labelled());
}

TEST(TableColumns, that_are_missing_are_refused_by_name) {
  const TableEncoding model = learnt("length,width,k\n1,2,x\n4,5,y\n");
  expect_input_error([&] { table("length,widht,k\n1,2,x\n", {}, &model); },
                     {"new.csv lacks the column width", "widht"});
  expect_input_error([&] { table("u,v\n1,2\n", {}, &model); }, {"new.csv lacks the columns length, width"});
}

TEST(TableColumns, that_are_surplus_are_ignored_and_named_even_if_they_hold_text) {
  const TableEncoding model = learnt("a,b,k\n1,2,x\n4,5,y\n");
  const Table read = table("id,b,a,note\n1,2,3,hello\n2,5,6,\n", {}, &model);
  EXPECT_THAT(read.warning, ElementsAre(testing::AllOf(HasSubstr("new.csv has columns that the model does not know"),
                                                       HasSubstr("column 1 (id), column 4 (note)"))));
  EXPECT_THAT(test::row(encode(read, model, {}), 1), ElementsAre(6, 5));
}

TEST(TableColumns, that_the_same_command_drops_and_indices_are_ignored_without_a_word) {
  const std::string content = "id,a,note,k\n7,1,u,x\n9,4,v,y\n", index = ",a,k\n7,1,x\n9,4,y\n";
  for (const TableParams& params : {TableParams{.drop = {"id", "note"}}, TableParams{.drop = {"1", "-2"}}}) {
    const TableEncoding model = learnt(content, params);
    EXPECT_THAT(table(content, params, &model).warning, testing::IsEmpty());
    EXPECT_THAT(table(content, {}, &model).warning, ElementsAre(HasSubstr("ignored: column 1 (id), column 3 (note)")));
  }
  const TableParams first{.drop = {"1"}};
  const TableEncoding model = learnt(index, first);
  EXPECT_THAT(table("b" + index, first, &model).warning, testing::IsEmpty());
  EXPECT_THAT(table(index, {}, &model).warning, testing::IsEmpty()) << "an index, when predicting";
  EXPECT_THAT(table("a,,k\n1,7,x\n4,9,y\n", {}, &model).warning, ElementsAre(HasSubstr("ignored: column 2")));
  EXPECT_THAT(table("b,c" + index.substr(0, 5) + "7,2,1,x\n9,3,4,y\n", first, &model).warning,
              ElementsAre(HasSubstr("ignored: column 1 (b), column 2 (c)")))
      << "numbers mean other columns where there are more";
  const TableParams by_number{.drop = {"1", "-2"}};
  const TableEncoding of_numbers = learnt(content, by_number);
  EXPECT_THAT(table("note,k,a,id\nu,x,1,7\nv,y,4,9\n", by_number, &of_numbers).warning, testing::IsEmpty())
      << "numbers of the training file, in another order";
  EXPECT_THAT(table("id,a,extra,k\n7,1,u,x\n9,4,v,y\n", by_number, &of_numbers).warning,
              ElementsAre(HasSubstr("ignored: column 3 (extra)")));
  EXPECT_THAT(table("1,a,k\n7,1,x\n9,4,y\n", by_number, &of_numbers).warning,
              ElementsAre(HasSubstr("ignored: column 1 (1)")))
      << "a name, not a number";
  const TableParams id{.drop = {"id", "note"}};
  const TableEncoding of_id = learnt(content, id);
  EXPECT_THAT(finish_table(table(content, id), {}, &of_id).warning, testing::IsEmpty()) << "as when it was made";
  const TableEncoding rows = learnt("a k\nr1 1 x\nr2 4 y\n");
  EXPECT_THAT(table("a k\nr1 1 x\nr2 4 y\n", {}, &rows).warning, ElementsAre(HasSubstr("has one name fewer")));
}

TEST(TableColumns, are_matched_by_position_where_names_are_lacking_and_a_warning_says_so) {
  const TableEncoding named = learnt("k,a,b\nx,1,2\ny,4,5\n", {.label = "k"}), unnamed = learnt("1,2,x\n4,5,y\n");
  const auto row_of = [](const std::string& content, const TableEncoding& model, const std::string& who) {
    const Table read = table(content, {}, &model);
    EXPECT_THAT(read.warning, ElementsAre(HasSubstr(who)));
    return test::row(encode(read, model, {}), 0);
  };
  EXPECT_THAT(row_of("x,7,8\ny,7,8\n", named, "because the file has no names"), ElementsAre(7, 8));
  EXPECT_THAT(row_of("7,8\n7,8\n", named, "because the file has no names"), ElementsAre(7, 8));
  EXPECT_THAT(row_of("b,a\n7,8\n", unnamed, "because the model has no names"), ElementsAre(7, 8));
  EXPECT_THAT(row_of("7,8\n", unnamed, "neither the model nor the file has names"), ElementsAre(7, 8));
  EXPECT_THAT(table("7,8,x\n", {}, &unnamed).warning, testing::IsEmpty()) << "as in training";
  expect_input_error([&] { table("1,2,3,4\n", {}, &unnamed); }, {"new.csv has 4 columns", "2 from a file of 3"});
  expect_input_error([&] { table("1\n", {}, &unnamed); }, {"new.csv has 1 column"});
}

TEST(TableColumns, that_were_dropped_in_training_may_be_absent_or_present_without_names) {
  const TableEncoding model = learnt("9,1,2,x\n8,4,5,y\n", {.drop = {"1"}});
  EXPECT_THAT(test::row(encode(table("77,1,2,x\n", {}, &model), model, {}), 0), ElementsAre(1, 2));
  // Without its label or without what was dropped?
  expect_input_error([&] { table("1,2,x\n", {}, &model); },
                     {"3 columns, which can be read in two ways", "say --label"});
  const TableParams labelled{.label = "3"}, first{.label = "1"};
  const Table last = table("1,2,x\n", labelled, &model);
  EXPECT_THAT(test::row(encode(last, model, {}), 0), ElementsAre(1, 2));
  EXPECT_EQ(last.label_column, 3);
  EXPECT_THAT(test::row(encode(table("x,1,2\n", first, &model), model, {}), 0), ElementsAre(1, 2));
  EXPECT_THAT(test::row(encode(table("1,2\n", {}, &model), model, {}), 0), ElementsAre(1, 2));
}

TEST(TableColumns, that_are_read_by_position_and_are_no_features_are_listed_as_they_were_read) {
  const TableParams params{.label = "kind", .weight = "w", .drop = {"id"}};
  const TableEncoding model = learnt("id,p,q,kind,r,w\n9,1,2,x,3,1\n8,4,5,y,6,1\n", params);
  const auto warnings = [&](int columns, int label = 0) {
    return match_columns(model, std::vector<std::string>(static_cast<std::size_t>(columns)), false, "new.npy", label)
        .warning;
  };
  const std::string begin = "the columns of new.npy were matched by position, because the file has no names";
  EXPECT_THAT(warnings(6), ElementsAre(begin + ": read as (ignored), p, q, kind (label), r, (ignored)"));
  EXPECT_THAT(warnings(5),
              ElementsAre(begin + ": read as the training file without its label: (ignored), p, q, r, (ignored); "
                                  "if another column is missing, give the features alone, or a table with names"));
  EXPECT_THAT(warnings(4, 2), ElementsAre(begin + ": read as p, kind (label), q, r"));
  EXPECT_THAT(warnings(3), ElementsAre(begin)) << "features alone";
  expect_input_error([&] { warnings(5, 3); }, {"new.npy has 5 columns", "learnt 3 from a file of 6", "the 3 features"});
  expect_input_error([&] { warnings(4); },
                     {"new.npy has 4 columns", "if one of the columns is the label, say --label"});
  expect_input_error([&] { warnings(7); }, {"new.npy has 7 columns", "3 features alone, or a table with their names"});
}

TEST(TableColumns, of_other_content_than_in_training_get_no_advice_for_training) {
  const TableEncoding model = learnt("a,b,k\n1,2,x\n4,5,y\n");
  expect_input_error([&] { table("a,b\n1,\n", {}, &model); },
                     {"column 2 (b): the value is missing", "the model learnt from"});
  expect_input_error([&] { table("a,b\n1,red\n", {}, &model); },
                     {"'red' is not a number", "the column held numbers in training", "of the kind used for training"});
}

TEST(TableColumns, of_the_same_name_match_only_a_file_with_the_same_columns) {
  const TableEncoding model = learnt("a,a,b,k\n1,2,3,x\n4,5,6,y\n");
  EXPECT_THAT(match_columns(model, {"a", "a", "b", "k"}, true, "f").column, ElementsAre(1, 2, 3));
  expect_input_error([&] { match_columns(model, {"a", "b", "a"}, true, "f"); }, {"the name 'a' does not tell"});
  const TableEncoding single = learnt("a,b,k\n1,2,x\n4,5,y\n");
  expect_input_error([&] { match_columns(single, {"a", "a", "b", "k"}, true, "f"); }, {"the name 'a' does not tell"});
}

TEST(TableColumns, are_filled_in_and_encoded_as_in_training) {
  const TableEncoding model = learnt("age,colour,k\n10,red,x\n20,blue,y\n,red,x\n", onehot);
  std::vector<std::string> warning;
  const Table read = table("colour,age\ngreen,\nred,5\n,7\n", {}, &model);
  const data::Dataset encoded = encode(read, model, {}, {}, &warning);
  EXPECT_THAT(test::row(encoded, 0), ElementsAre(15, 0, 0));
  EXPECT_THAT(test::row(encoded, 1), ElementsAre(5, 0, 1));
  EXPECT_THAT(test::row(encoded, 2), ElementsAre(7, 0, 0));
  EXPECT_THAT(warning, ElementsAre(HasSubstr("'green' in line 2")));
}

TEST(TableColumns, of_text_with_new_words_are_told_in_one_line_where_they_are_many) {
  const TableParams onehot{.header = "yes", .categorical = "onehot"};
  const TableEncoding model = learnt("a,b,c,d,k\nu,u,u,u,x\nv,v,v,v,y\n", onehot);
  const auto warned = [&](const std::string& lines) {
    const Table read = table("a,b,c,d,k\n" + lines, onehot, &model);
    std::vector<std::string> warning;
    encode(read, model, onehot, {}, &warning);
    return warning;
  };
  EXPECT_EQ(warned("w,w,w,v,x\nu,u,w,u,y\n").size(), 3u);
  EXPECT_THAT(
      warned("u,w,w,w,x\nz,u,w,u,y\n"),
      ElementsAre("4 columns of new.csv have 5 values that the training part does not have: column 1 (a) (1), "
                  "column 2 (b) (1), column 3 (c) (2), column 4 (d) (1); none of the categories of its column is "
                  "set there (the first of column 1 (a) is 'z' in line 3)"));
}

TEST(TableColumns, of_text_take_a_whole_number_with_and_without_a_decimal_for_the_same) {
  const TableEncoding model = learnt("a,k\n1,x\n2.0,y\n3,x\n-3,x\n3.1,y\n250,x\n0.000001,x\n007,x\nred,y\n", onehot);
  ASSERT_THAT(model.column[0].category, ElementsAre("-3", "0.000001", "007", "1", "2.0", "250", "3", "3.1", "red"));
  const auto place = [&](const std::string& word, bool warned = false) {
    std::vector<std::string> warning;
    const data::Dataset read =
        encode(table("a\n" + word + "\nred\n", {.labelled = false}, &model), model, {}, {}, &warning);
    EXPECT_EQ(warning.size(), warned ? 1u : 0u) << word;
    const std::vector<float> row = test::row(read, 0);
    return std::find(row.begin(), row.end(), 1) - row.begin();
  };
  for (const std::string word : {"-3", "-3.0"}) EXPECT_EQ(place(word), 0) << word;
  for (const std::string word : {"1", "1.0"}) EXPECT_EQ(place(word), 3) << word;
  for (const std::string word : {"2", "2.0"}) EXPECT_EQ(place(word), 4) << word;
  EXPECT_EQ(place("250.0"), 5);
  EXPECT_EQ(place("3.0"), 6);
  EXPECT_EQ(place("007"), 2);
  for (const std::string word : {"3.10", "3.00", "250.00", "1e-06", "+1", "01", "01.0", "7", "007.0", "1E0", "4", "1."})
    EXPECT_EQ(place(word, true), 9) << word;
}

TEST(TableColumns, that_the_warning_of_a_match_by_position_lists_as_ignored_are_not_told_again) {
  const TableParams params{.label = "k", .drop = {"id"}};
  const TableEncoding model = learnt("id,p,q,k\n9,1,2,x\n8,4,5,y\n", params);
  EXPECT_THAT(table("9,1,2,x\n8,4,5,y\n", {.header = "no"}, &model).warning,
              ElementsAre(HasSubstr("read as (ignored), p, q, k (label)")));
  std::string names, numbers;
  TableParams many{.label = "k"};
  for (int j = 0; j < 30; ++j) {
    names += text("c", j, ",");
    numbers += text(j, ",");
    if (j > 1) many.drop.push_back(text("c", j));
  }
  const TableEncoding wide = learnt(names + "k\n" + numbers + "x\n" + numbers + "y\n", many);
  EXPECT_THAT(table(numbers + "x\n" + numbers + "y\n", {.header = "no"}, &wide).warning,
              testing::Contains(HasSubstr("which were ignored: column 3, column 4")))
      << "not all are listed";
}

TEST(TableColumns, of_text_alone_may_lack_words_when_predicting) {
  const TableEncoding model =
      learnt("a,b,k\nu,x,p\nv,y,q\n", {.header = "yes", .missing = "mean", .categorical = "onehot"});
  const TableParams predict{.categorical = "onehot", .labelled = false};
  const data::Dataset read = encode(table("a,b\n?,x\nv,y\n", predict, &model), model, predict);
  EXPECT_THAT(test::row(read, 0), ElementsAre(0, 0, 1, 0));
  expect_input_error([&] { table("a,b,k\n?,x,p\nv,y,q\n", {.categorical = "onehot"}, &model); },
                     {"new.csv, line 2, column 1 (a): the value is missing"});
}

TEST(TableColumns, of_weights_may_be_anything_where_they_do_not_count) {
  const TableParams weighted{.label = "k", .weight = "w"};
  TableEncoding model = learnt("a,w,k\n1,1,p\n2,3,q\n", weighted);
  model.weight = "w";
  const Table none = table("a,w,k\n1,0,p\n2,0,q\n", weighted, &model);
  EXPECT_EQ(encode(none, model, weighted, {"p", "q"}).size(), 2);
  EXPECT_EQ(encode(table("a,w,k\n1,,p\n2,5,q\n", weighted, &model), model, weighted, {"p", "q"}).size(), 2);
  expect_input_error([&] { encode(none, model, weighted); }, {"all weights of new.csv are 0"});
}

TEST(TableColumns, of_numbers_refuse_words_when_predicting) {
  const TableEncoding model = learnt("a,b,k\n1,2,x\n4,5,y\n");
  expect_input_error([&] { table("a,b\n1,red\n", {}, &model); },
                     {"new.csv, line 2, column 2 (b)", "'red' is not a number"});
  expect_input_error([&] { table("a,b\n1,\n", {}, &model); }, {"new.csv, line 2, column 2 (b)", "missing"});
}

TEST(TableColumns, keep_the_numbers_of_the_classes) {
  const TableEncoding model = learnt("a,k\n1,x\n4,y\n5,z\n");
  const Table read = table("a,k\n1,z\n2,y\n", {}, &model);
  EXPECT_THAT(test::all_labels(encode(read, model, {}, {"x", "y", "z"})), ElementsAre(2, 1));
  expect_input_error([&] { encode(read, model, {}, {"x", "y"}); }, {"'z'", "x, y"});
}

}  // namespace
}  // namespace krossfold::tables
