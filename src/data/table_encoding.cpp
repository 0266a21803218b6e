// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/table_encoding.hpp"

namespace krossfold::data {

int TableEncoding::features() const {
  std::size_t count = 0;
  for (const FeatureColumn& one : column) count += one.text ? one.category.size() : 1;
  return static_cast<int>(count);
}

std::vector<std::string> TableEncoding::feature_names() const {
  std::vector<std::string> names;
  if (!named) return names;
  for (const FeatureColumn& one : column) {
    if (!one.text) names.push_back(one.name);
    for (const std::string& category : one.category) names.push_back(one.name + "=" + category);
  }
  return names;
}

void TableEncoding::write(ByteWriter& writer) const {
  writer.put_fields(named, columns, label, label_column, static_cast<int>(column.size()));
  for (const FeatureColumn& one : column) {
    writer.put_fields(one.name, one.column, one.text, one.fill, static_cast<int>(one.category.size()));
    for (const std::string& category : one.category) writer.put_string(category);
  }
}

TableEncoding TableEncoding::read(ByteReader& reader) {
  TableEncoding encoding;
  int count = 0;
  reader.get_fields(encoding.named, encoding.columns, encoding.label, encoding.label_column, count);
  for (int k = 0; k < count; ++k) {
    FeatureColumn& one = encoding.column.emplace_back();
    int categories = 0;
    reader.get_fields(one.name, one.column, one.text, one.fill, categories);
    for (int c = 0; c < categories; ++c) one.category.push_back(reader.get_string());
  }
  return encoding;
}

TableEncoding plain_encoding(int features) {
  TableEncoding encoding;
  encoding.columns = encoding.label_column = features + 1;
  for (int j = 1; j <= features; ++j) encoding.column.emplace_back().column = j;
  return encoding;
}

}  // namespace krossfold::data
