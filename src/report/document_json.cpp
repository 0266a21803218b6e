// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>
#include <type_traits>

#include "krossfold/report/document.hpp"

namespace krossfold::report {

namespace {

using Json = nlohmann::ordered_json;

/// dump() writes numbers that are not finite as null.
Json json_of(const Value& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value.data());
}

/// Sets all["best"]["C"] for the key "best.C".
void set(Json& all, const std::string& key, Json value) {
  Json* place = &all;
  std::size_t first = 0;
  for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', first)) {
    place = &(*place)[key.substr(first, dot - first)];
    first = dot + 1;
  }
  (*place)[key.substr(first)] = std::move(value);
}

Json rows_of(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json one = Json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Column& column = table.columns[c];
      if (column.key.empty()) continue;
      if (column.is_named) {
        one[column.key] = json_of(row[c].value);
      } else {
        set(one, column.key, json_of(row[c].value));
      }
    }
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace

std::string to_json(const std::vector<Document>& documents) {
  Json all = Json::array();
  for (const Document& document : documents) {
    Json one = Json::object();
    for (const auto& block : document.blocks()) {
      if (const auto* table = std::get_if<Table>(&block)) {
        if (!table->key.empty()) set(one, table->key, rows_of(*table));
      } else {
        for (const Fact& fact : std::get<Document::Line>(block).facts) set(one, fact.key, json_of(fact.value));
      }
    }
    one["warnings"] = document.warnings;
    all.push_back(std::move(one));
  }
  // Bytes of a file name that are not UTF-8 are replaced.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace krossfold::report
