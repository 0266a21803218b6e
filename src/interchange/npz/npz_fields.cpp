// SPDX-License-Identifier: BSD-3-Clause
#include "npz_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "interchange/whole_labels.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::interchange {

namespace {

constexpr std::int64_t format_version = 1;

/// Attributes of model files that are arrays of one element with the same name.
struct Field {
  const char* name;
  enum { whole, real, word } type;
};
constexpr std::array<Field, 9> fields = {{{"image_black", Field::real},
                                          {"image_white", Field::real},
                                          {"image_border", Field::real},
                                          {"integer", Field::whole},
                                          {"lowest", Field::real},
                                          {"highest", Field::real},
                                          {"first_index", Field::whole},
                                          {"table_columns", Field::whole},
                                          {"label_column", Field::whole}}};
constexpr const char* label_field = "label";

/// Arrays of model files with other names.
struct Column {
  const char *path, *name;
};
constexpr std::array<Column, 2> whole_columns = {
    {{"/column/number", "column_number"}, {"/column/categories", "column_categories"}}};
constexpr std::array<Column, 2> word_columns = {
    {{"/column/name", "column_name"}, {"/column/category", "column_category"}}};
constexpr Column fill_column = {"/column/fill", "column_fill"};

std::int64_t attribute(const storage::Container& content, const char* name) {
  return std::get<std::int64_t>(content.attributes.at(name));
}

NpzWriter::Shape one_dimension(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

/// Whether a word is NaN or infinite.
bool is_not_finite(const std::string& word) {
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  return fault == std::errc{} && end == word.data() + word.size() && !std::isfinite(value);
}

void add_classes(NpzWriter& to, const std::vector<std::string>& class_name) {
  if (const auto whole = whole_labels(class_name)) return to.add("classes_", one_dimension(whole->size()), *whole);
  to.add("classes_", one_dimension(class_name.size()), class_name);
}

}  // namespace

void add_fields(NpzWriter& to, const storage::Container& content, const std::string& format) {
  to.add("format", format);
  to.add("format_version", format_version);
  for (const auto& [path, name] : {Column{"/scale/offset", "mean_"}, {"/scale/divisor", "scale_"}}) {
    const std::vector<double>& values = content.values<double>(path);
    to.add(name, one_dimension(values.size()), values);
  }
  add_classes(to, content.values<std::string>("/class_name"));
  if (attribute(content, "image_width") > 0) {
    const std::vector<std::int64_t> shape = {attribute(content, "image_channels"), attribute(content, "image_height"),
                                             attribute(content, "image_width")};
    to.add("image_shape", one_dimension(shape.size()), shape);
  }
  for (const Field& field : fields) {
    const auto found = content.attributes.find(field.name);
    if (found == content.attributes.end()) continue;
    if (field.type == Field::real) {
      to.add(field.name, std::get<double>(found->second));
    } else {
      to.add(field.name, std::get<std::int64_t>(found->second));
    }
  }
  if (!content.has(fill_column.path)) return;
  if (!content.attribute(label_field).empty()) to.add(label_field, content.attribute(label_field));
  const std::vector<double>& fill = content.values<double>(fill_column.path);
  to.add(fill_column.name, one_dimension(fill.size()), fill);
  for (const Column& column : whole_columns) {
    const auto& values = content.values<std::int32_t>(column.path);
    const std::vector<std::int64_t> all(values.begin(), values.end());
    to.add(column.name, one_dimension(all.size()), all);
  }
  for (const Column& column : word_columns) {
    if (!content.has(column.path)) continue;
    const auto& values = content.values<std::string>(column.path);
    to.add(column.name, one_dimension(values.size()), values);
  }
}

void read_fields(storage::Container& content, const NpzReader& from, std::uint64_t features) {
  if (from.has("format_version")) from.whole("format_version", 1, format_version);
  for (const auto& [path, name] : {Column{"/scale/offset", "mean_"}, {"/scale/divisor", "scale_"}}) {
    const std::vector<double> values =
        from.has(name) ? from.numbers(name).value : std::vector<double>{name[0] == 'm' ? 0.0 : 1.0};
    from.require(values.size() == 1 || values.size() == features,
                 text(name, " has ", values.size(), " numbers for ", features, " features"));
    content.arrays.push_back({path, {values.size()}, values, {}, "1", ""});
  }
  std::vector<std::string> classes = from.words("classes_");
  std::map<std::string, std::size_t> place;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::string name(data::trimmed(classes[c]));
    from.require(!name.empty() && !is_not_finite(name), text("classes_[", c, "] is no name: ", quoted(name)));
    const auto [first, added] = place.emplace(name, c);
    from.require(added, text("classes_[", first->second, "] and classes_[", c, "] are both ", quoted(name)));
    classes[c] = name;
  }
  content.arrays.push_back({"/class_name", {classes.size()}, classes, {}, "1", ""});
  std::vector<double> shape = {1, 1, static_cast<double>(features)};
  const bool image = from.has("image_shape");
  if (image) shape = from.numbers("image_shape").value;
  const bool whole = std::all_of(shape.begin(), shape.end(), [](double v) { return v >= 1 && v == std::floor(v); });
  from.require(whole && shape.size() == 3 && shape[0] * shape[1] * shape[2] == static_cast<double>(features),
               text("image_shape is not (channels, height, width) of ", features, " features"));
  const char* const names[] = {"image_channels", "image_height", "image_width"};
  for (std::size_t k = 0; k < 3; ++k) content.attributes[names[k]] = static_cast<std::int64_t>(shape[k]);
  for (const Field& field : fields) {
    if (!from.has(field.name)) continue;
    if (field.type == Field::real) {
      content.attributes[field.name] = from.number(field.name);
    } else {
      content.attributes[field.name] = from.whole(field.name, -1, std::numeric_limits<std::int32_t>::max());
    }
  }
  if (!from.has(fill_column.name)) return;
  content.attributes[label_field] = from.has(label_field) ? from.word(label_field) : std::string();
  const std::vector<double> fill = from.numbers(fill_column.name, true).value;
  content.arrays.push_back({fill_column.path, {fill.size()}, fill, {}, "1", ""});
  for (const Column& column : whole_columns) {
    std::vector<std::int32_t> all;
    for (const double value : from.numbers(column.name).value) {
      const bool fits = value == std::floor(value) && std::abs(value) < std::numeric_limits<std::int32_t>::max();
      from.require(fits, text(column.name, " are no whole numbers"));
      all.push_back(static_cast<std::int32_t>(value));
    }
    content.arrays.push_back({column.path, {all.size()}, all, {}, "1", ""});
  }
  for (const Column& column : word_columns) {
    if (!from.has(column.name)) continue;
    const std::vector<std::string> all = from.words(column.name);
    content.arrays.push_back({column.path, {all.size()}, all, {}, "1", ""});
  }
}

}  // namespace krossfold::interchange
