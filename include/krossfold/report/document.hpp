// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace krossfold::report {

/// What a fact or a cell holds; NaN and infinity become null in JSON.
class Value {
public:
  Value() = default;  ///< null
  Value(bool value) : data_(value) {}
  Value(int value) : data_(std::int64_t{value}) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::size_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::vector<double> values) : data_(std::move(values)) {}

  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;
  const Data& data() const { return data_; }

private:
  Data data_;
};

/// A value under a key of JSON: "best.C" lies in the object "best".
struct Fact {
  std::string key;
  Value value;
};

/// How the text form prints a column of numbers.
enum class Format { number, percent, duration, two_decimals };

/// A column of a table. One without a title is left out of the text form, one without a key out of JSON and CSV.
struct Column {
  std::string key, title;
  Format format = Format::number;
  bool is_named = false;  ///< after something of the user's, such as a class: dots in the key make no objects
};

/// A cell. Unless its text is given, the format of the column makes it from the value.
struct Cell {
  Cell() = default;
  template <class T, class = std::enable_if_t<std::is_constructible_v<Value, T&&>>>
  Cell(T&& of) : value(std::forward<T>(of)) {}
  template <class T>
  Cell(T&& of, std::string as_text) : value(std::forward<T>(of)), text(std::move(as_text)) {}
  Value value;
  std::string text;
};

struct Table {
  std::string key;      ///< of the list of rows in JSON, an object for each; "" keeps them out of JSON
  std::string heading;  ///< line above the table in the text form
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t left = 0;                 ///< number of columns that the text form aligns to the left
  bool in_text = true, in_csv = false;  ///< at most one table of a document is its CSV form

  /// Appends a column whose cell in row k is cell(k); the rows must exist.
  template <class CellOf>
  void add(Column column, const CellOf& cell) {
    columns.push_back(std::move(column));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(cell(k));
  }
  /// Appends a column with a row for each item: the cell is cell(item), or the member of the item that `cell` points to.
  template <class Item, class CellOf>
  void add(Column column, const std::vector<Item>& items, const CellOf& cell) {
    rows.resize(items.size());
    add(std::move(column), [&](std::size_t k) -> Cell { return std::invoke(cell, items[k]); });
  }
};

/// A table with these keys that is in the CSV form only.
Table csv_only_table(const std::vector<std::string>& keys);

/// A report on one file. It states each fact once; every form in which it is printed is a rendering of it.
class Document {
public:
  std::string title;  ///< first line of the text form
  std::vector<std::string> warnings;

  /// Facts that the text form leaves out.
  void facts(std::vector<Fact> facts) { line("", "", std::move(facts)); }
  void fact(std::string key, Value value) { facts({{std::move(key), std::move(value)}}); }
  /// A line "label  text" of the text form, with the facts that it states. Without a label, the text is indented to the
  /// column of the other texts.
  void line(std::string label, std::string text, std::vector<Fact> facts = {}) {
    blocks_.emplace_back(Line{std::move(label), std::move(text), std::move(facts)});
  }
  void table(Table table) { blocks_.emplace_back(std::move(table)); }

  struct Line {
    std::string label, text;
    std::vector<Fact> facts;
  };
  using Block = std::variant<Line, Table>;
  const std::vector<Block>& blocks() const { return blocks_; }

private:
  std::vector<Block> blocks_;
};

/// The text form, for people: title, lines, tables, warnings.
std::string to_text(const Document& document);
/// A list with an object for each document, which holds its facts, its tables and `warnings`. One file gives a list too.
std::string to_json(const std::vector<Document>& documents);
/// The CSV tables of the documents under one header (RFC 4180); "" if there are none. Their headers must be equal.
std::string to_csv(const std::vector<Document>& documents);
/// The header of the CSV form; "" if the document has none.
std::string csv_header(const Document& document);
/// The documents in the format "text", "json" or "csv".
std::string render(const std::vector<Document>& documents, const std::string& format);

}  // namespace krossfold::report
