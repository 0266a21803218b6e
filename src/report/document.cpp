// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/document.hpp"

#include <algorithm>
#include <type_traits>

#include "krossfold/core/printable.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/report/text_table.hpp"

namespace krossfold::report {

namespace {

std::string formatted(double value, Format format) {
  if (format == Format::percent) return percent(value);
  if (value != value) return "-";
  return format == Format::duration       ? duration_text(value)
         : format == Format::two_decimals ? fixed(value, 2)
                                          : rounded(value);
}

/// The value rounded for people, or exactly as in CSV.
std::string text_of(const Value& value, Format format, bool exact) {
  return std::visit(
      [&](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, double>) return exact ? shortest(v) : formatted(v, format);
        if constexpr (std::is_same_v<T, bool>) return v ? "yes" : "no";
        if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(v);
        if constexpr (std::is_same_v<T, std::string>) return exact ? csv_field(v) : printable(v);
        return exact ? "" : "-";
      },
      value.data());
}

std::string table_text(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].title.empty()) shown.push_back(c);
  }
  std::vector<Cells> lines(1);
  for (const std::size_t c : shown) lines[0].push_back(printable(table.columns[c].title));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const std::size_t c : shown) {
      lines.back().push_back(row[c].text.empty() ? text_of(row[c].value, table.columns[c].format, false)
                                                 : printable(row[c].text));
    }
  }
  return "\n" + (table.heading.empty() ? "" : "  " + printable(table.heading) + "\n") + text_table(lines, table.left) +
         "\n";
}

/// The table of the CSV form; nullptr if there is none.
const Table* csv_table(const Document& document) {
  for (const auto& block : document.blocks()) {
    const auto* table = std::get_if<Table>(&block);
    if (table != nullptr && table->in_csv) return table;
  }
  return nullptr;
}

/// A line of CSV with cell(c) for each column c that has a key.
template <class CellOf>
std::string csv_line(const Table& table, const CellOf& cell) {
  std::string line;
  const char* before = "";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key.empty()) continue;
    line += before + cell(c);
    before = ",";
  }
  return line + "\n";
}

}  // namespace

Table csv_only_table(const std::vector<std::string>& keys) {
  Table table;
  for (const std::string& key : keys) table.columns.push_back({key, ""});
  table.in_text = false;
  table.in_csv = true;
  return table;
}

std::string to_text(const Document& document) {
  std::size_t width = 0;
  for (const auto& block : document.blocks()) {
    if (const auto* line = std::get_if<Document::Line>(&block)) width = std::max(width, line->label.size());
  }
  std::string all = printable(document.title) + "\n";
  for (const auto& block : document.blocks()) {
    if (const auto* table = std::get_if<Table>(&block)) {
      if (table->in_text && !table->rows.empty()) all += table_text(*table);
      continue;
    }
    const auto& line = std::get<Document::Line>(block);
    if (line.text.empty()) continue;
    all += "  " + line.label + std::string(width - line.label.size() + 2, ' ') + printable(line.text) + "\n";
  }
  for (const std::string& warning : document.warnings) all += "  warning: " + printable(warning) + "\n";
  return all;
}

std::string to_csv(const std::vector<Document>& documents) {
  std::string all;
  for (const Document& document : documents) {
    const Table* table = csv_table(document);
    if (table == nullptr) continue;
    if (all.empty()) all = csv_header(document);
    for (const auto& row : table->rows) {
      all += csv_line(*table, [&](std::size_t c) { return text_of(row[c].value, Format::number, true); });
    }
  }
  return all;
}

std::string csv_header(const Document& document) {
  const Table* table = csv_table(document);
  if (table == nullptr) return "";
  return csv_line(*table, [&](std::size_t c) { return table->columns[c].key; });
}

std::string render(const std::vector<Document>& documents, const std::string& format) {
  if (format == "json") return to_json(documents);
  if (format == "csv") return to_csv(documents);
  std::string all;
  for (const Document& document : documents) all += to_text(document);
  return all;
}

}  // namespace krossfold::report
