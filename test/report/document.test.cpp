// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace krossfold::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
using Rows = std::vector<std::vector<Cell>>;

Table table_of(std::vector<Column> columns, Rows rows) {
  Table table;
  table.columns = std::move(columns);
  table.rows = std::move(rows);
  table.in_csv = true;
  return table;
}

Document document_of(Table table) {
  Document document;
  document.title = "title";
  document.table(std::move(table));
  return document;
}

TEST(DocumentText, aligns_what_follows_the_labels_and_does_not_tell_facts) {
  Document document;
  document.title = "r.h5: a study";
  document.line("status", "finished", {{"status", "finished"}});
  document.fact("hidden", 3);
  document.line("C", "0.5");
  document.line("", "below");
  document.line("untold", "");
  document.warnings = {"one", "two"};
  EXPECT_EQ(to_text(document),
            "r.h5: a study\n"
            "  status  finished\n"
            "  C       0.5\n"
            "          below\n"
            "  warning: one\n"
            "  warning: two\n");
}

TEST(DocumentText, of_a_table_has_its_heading_and_the_columns_with_a_title) {
  Table table =
      table_of({{"name", "name"}, {"secret", ""}, {"", "error", Format::percent}}, Rows{{"ab", 7, 0.5}, {"c", 8, nan}});
  table.heading = "errors";
  table.left = 1;
  EXPECT_EQ(to_text(document_of(table)),
            "title\n"
            "\n"
            "  errors\n"
            "  name    error\n"
            "  ab    50.00 %\n"
            "  c           -\n"
            "\n");
}

TEST(DocumentText, escapes_what_would_control_a_terminal_in_whatever_comes_from_files) {
  const std::string evil = "a\x1b]0;title\a\r\nb";
  Table table = table_of({{"name", evil}, {"n", "n"}}, Rows{{evil, 1}});
  table.heading = evil;
  Document document = document_of(table);
  document.title = evil;
  document.line("label", evil);
  document.warnings = {evil};
  const std::string shown = to_text(document);
  for (const char letter : shown) EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter != '\x7f'));
  EXPECT_THAT(shown, testing::HasSubstr("a\\x1b]0;title\\x07\\x0d\\x0ab"));
}

TEST(DocumentText, leaves_out_tables_without_rows_and_those_of_other_forms) {
  EXPECT_EQ(to_text(document_of(table_of({{"a", "a"}}, {}))), "title\n");
  Table table = table_of({{"a", "a"}}, Rows{{1}});
  table.in_text = false;
  EXPECT_EQ(to_text(document_of(table)), "title\n");
  EXPECT_EQ(to_csv({document_of(table)}), "a\n1\n");
}

/// The cell under a column "x" as people read it.
std::string shown(Cell cell, Format format = Format::number) {
  const std::string all = to_text(document_of(table_of({{"x", "x", format}}, Rows{{std::move(cell)}})));
  const std::string last = all.substr(0, all.size() - 2);
  return last.substr(last.find_first_not_of(' ', last.rfind('\n') + 1));
}

TEST(DocumentText, shows_values_by_their_type_and_the_format_of_their_column) {
  EXPECT_EQ(shown(0.123456), "0.1235");
  EXPECT_EQ(shown(0.123456, Format::percent), "12.35 %");
  EXPECT_EQ(shown(61, Format::duration), "61");
  EXPECT_EQ(shown(61.0, Format::duration), "1 min 01 s");
  EXPECT_EQ(shown(1.5, Format::two_decimals), "1.50");
  EXPECT_EQ(shown(true), "yes");
  EXPECT_EQ(shown(false), "no");
  EXPECT_EQ(shown("a,\"b\""), "a,\"b\"");
  EXPECT_EQ(shown(Value()), "-");
  EXPECT_EQ(shown({0.123456, "an eighth"}), "an eighth");
  for (const Format format : {Format::number, Format::percent, Format::duration, Format::two_decimals}) {
    EXPECT_EQ(shown(nan, format), "-");
  }
}

TEST(DocumentCsv, has_the_columns_with_a_key_and_exact_values) {
  const Table table = table_of(
      {{"i", ""}, {"", "title"}, {"x", "", Format::percent}, {"flag", ""}, {"word", ""}},
      Rows{{std::int64_t{1} << 40, "untold", 0.1, true, "a"}, {2, "untold", {infinity, "much"}, false, Value()}});
  EXPECT_EQ(to_csv({document_of(table)}),
            "i,x,flag,word\n"
            "1099511627776,0.1,yes,a\n"
            "2,inf,no,\n");
}

TEST(DocumentCsv, keeps_its_columns_where_the_first_values_are_missing) {
  const Table table =
      table_of({{"a", ""}, {"b", ""}, {"c", ""}}, Rows{{Value(), 1, 2}, {Value(), "", 3}, {"", 4, Value()}});
  EXPECT_EQ(to_csv({document_of(table)}), "a,b,c\n,1,2\n,,3\n,4,\n");
}

TEST(DocumentCsv, of_several_documents_has_one_header) {
  const Document first = document_of(table_of({{"a", ""}}, Rows{{1}, {2}}));
  const Document second = document_of(table_of({{"a", ""}}, Rows{{3}}));
  Document without;
  without.line("no", "table");
  EXPECT_EQ(to_csv({without, first, without, second}), "a\n1\n2\n3\n");
  EXPECT_EQ(to_csv({without}), "");
  EXPECT_EQ(to_csv({}), "");
}

TEST(DocumentCsv, takes_the_one_table_that_is_in_it) {
  Table other = table_of({{"other", ""}}, Rows{{9}});
  other.in_csv = false;
  Document document = document_of(other);
  document.table(table_of({{"a", ""}}, Rows{{1}}));
  EXPECT_EQ(to_csv({document}), "a\n1\n");
}

/// Reads CSV as RFC 4180 defines it, lines ended by LF; throws for what it forbids.
std::vector<std::vector<std::string>> parse(const std::string& csv) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false, closed = false;  // inside quotes; after the closing one
  for (std::size_t k = 0; k < csv.size(); ++k) {
    const char letter = csv[k];
    std::string& field = lines.back().back();
    if (quoted) {
      if (letter != '"') {
        field += letter;
      } else if (k + 1 < csv.size() && csv[k + 1] == '"') {
        field += csv[++k];
      } else {
        quoted = false;
        closed = true;
      }
    } else if (letter == ',' || letter == '\n') {
      closed = false;
      if (letter == ',') lines.back().emplace_back();
      if (letter == '\n') lines.push_back({""});
    } else if (closed || letter == '\r' || (letter == '"' && !field.empty())) {
      throw std::runtime_error("not CSV: " + csv);
    } else if (letter == '"') {
      quoted = true;
    } else {
      field += letter;
    }
  }
  lines.pop_back();  // after the last end of a line
  return lines;
}

TEST(DocumentCsv, of_a_csv_only_table_is_its_only_form) {
  Document document;
  document.title = "t";
  Table table = csv_only_table({"a", "b"});
  table.rows.push_back({1, "x"});
  document.table(table);
  EXPECT_EQ(to_csv({document}), "a,b\n1,x\n");
  EXPECT_EQ(to_text(document), "t\n");
  EXPECT_EQ(to_json({document}).find("\"a\""), std::string::npos);
}

TEST(DocumentCsv, reads_back_as_it_was_whatever_the_text_holds) {
  constexpr unsigned seed = 17;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string letters = "ab ,\"\n\r;";
  std::vector<std::vector<std::string>> expected{{"x", "y", "z"}};
  Rows rows;
  for (int r = 0; r < 300; ++r) {
    auto& row = rows.emplace_back();
    auto& line = expected.emplace_back();
    for (int c = 0; c < 3; ++c) {
      std::string word;
      for (auto n = random() % 5; n > 0; --n) word += letters[random() % letters.size()];
      line.push_back(word.size() > 1 && word[0] == '\r' ? "'" + word : word);  // see csv_field()
      row.emplace_back(word);
    }
  }
  EXPECT_EQ(parse(to_csv({document_of(table_of({{"x", ""}, {"y", ""}, {"z", ""}}, rows))})), expected);
}

TEST(TableColumn, added_later_has_a_cell_in_every_row) {
  Table table = table_of({{"a", ""}}, Rows{{1}, {2}});
  const std::vector<Cell> square{1, 4};
  table.add({"square", ""}, [&](std::size_t k) { return square[k]; });
  EXPECT_EQ(to_csv({document_of(table)}), "a,square\n1,1\n2,4\n");
}

TEST(Table, of_items_has_a_row_for_each_with_members_and_functions_as_columns) {
  struct Item {
    std::string name;
    int size;
    int twice() const { return 2 * size; }
  };
  const std::vector<Item> items{{"a", 1}, {"b", 3}};
  Table table;
  table.in_csv = true;
  table.add({"name", ""}, items, &Item::name);
  table.add({"size", ""}, items, &Item::size);
  table.add({"twice", ""}, items, &Item::twice);
  table.add({"half", ""}, items, [](const Item& item) { return item.size / 2.0; });
  EXPECT_EQ(to_csv({document_of(table)}), "name,size,twice,half\na,1,2,0.5\nb,3,6,1.5\n");
}

TEST(CsvHeader, has_the_keys_of_the_table_that_is_in_csv) {
  Table table;
  table.columns = {{"a", "first"}, {"", "only in text"}, {"b", ""}};
  EXPECT_EQ(csv_header(document_of(table)), "");
  table.in_csv = true;
  EXPECT_EQ(csv_header(document_of(table)), "a,b\n");
}

TEST(Render, takes_the_form_that_it_is_asked_for) {
  const std::vector<Document> documents{document_of(table_of({{"a", "a"}}, Rows{{1}})), document_of(Table())};
  EXPECT_EQ(render(documents, "csv"), to_csv(documents));
  EXPECT_EQ(render(documents, "json"), to_json(documents));
  EXPECT_EQ(render(documents, "text"), to_text(documents[0]) + "title\n");
}

}  // namespace
}  // namespace krossfold::report
