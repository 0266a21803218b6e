// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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

/// How a column of numbers reads in the text form.
enum class Format { number, percent, duration, two_decimals };

/// A column of a table. Without a title it is not in the text form, without a key not in JSON and CSV.
struct Column {
  std::string key, title;
  Format format = Format::number;
};

/// A cell; its text is made from the value by the format of the column unless it is given.
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
  std::string key;      ///< of its rows in JSON, a list of objects; "" if they are not in JSON
  std::string heading;  ///< a line above it in the text form
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t left = 0;                 ///< columns of text that are aligned to the left
  bool in_text = true, in_csv = false;  ///< at most one table of a document is the one of its CSV form

  /// Appends a column whose cell in row k is cell(k); the rows must be there.
  template <class CellOf>
  void add(Column column, const CellOf& cell) {
    columns.push_back(std::move(column));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(cell(k));
  }
};

/// A report: what is said about one file, once, for all forms in which it is printed.
class Document {
public:
  /// The first line of the text form.
  std::string title;
  std::vector<std::string> warnings;

  /// Facts that the text form does not tell.
  void facts(std::vector<Fact> facts) { line("", "", std::move(facts)); }
  void fact(std::string key, Value value) { facts({{std::move(key), std::move(value)}}); }
  /// A line "label  text" of the text form, with the facts that it tells. Without a label the text is indented as if below one.
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

/// For people: title, lines, tables, warnings.
std::string to_text(const Document& document);
/// A list with an object for each document, its facts, its tables and `warnings`: one shape for one file and for several.
std::string to_json(const std::vector<Document>& documents);
/// The CSV tables of documents of one kind under one header (RFC 4180); "" if they have none.
std::string to_csv(const std::vector<Document>& documents);
/// In the format "text", "json" or "csv".
std::string render(const std::vector<Document>& documents, const std::string& format);

}  // namespace krossfold::report
