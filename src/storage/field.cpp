// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/field.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::storage {

namespace {

std::vector<std::string> words_of(const std::string& axes) {
  std::istringstream in(axes);
  return {std::istream_iterator<std::string>(in), {}};
}

template <class T>
const char* type_name() {
  if (std::is_same_v<T, double>) return "float64";
  if (std::is_same_v<T, float>) return "float32";
  if (std::is_same_v<T, std::int32_t>) return "int32";
  return std::is_same_v<T, std::int64_t> ? "int64" : "string";
}

const char* type_of(const Values& values) {
  return std::visit([](const auto& list) { return type_name<typename std::decay_t<decltype(list)>::value_type>(); },
                    values);
}

bool is_scale(const FieldInfo& field) { return field.axes == field.name(); }

}  // namespace

template <class T>
Field<T> Schema::add(std::string path, std::string axes, std::string units, std::string long_name,
                     std::string old_path) {
  fields_.push_back(
      {std::move(path), std::move(axes), type_name<T>(), std::move(units), std::move(long_name), std::move(old_path)});
  return {fields_.back()};
}
template Field<double> Schema::add(std::string, std::string, std::string, std::string, std::string);
template Field<float> Schema::add(std::string, std::string, std::string, std::string, std::string);
template Field<std::int32_t> Schema::add(std::string, std::string, std::string, std::string, std::string);
template Field<std::int64_t> Schema::add(std::string, std::string, std::string, std::string, std::string);
template Field<std::string> Schema::add(std::string, std::string, std::string, std::string, std::string);

Field<std::int32_t> Schema::add_index(const std::string& path, const std::string& long_name, std::int32_t first) {
  auto index = add<std::int32_t>(path, path.substr(path.rfind('/') + 1), "1", long_name);
  index.first = fields_.back().first = first;
  return index;
}

const Array* find_scale(const Container& content, const std::string& path, const std::string& axis) {
  std::istringstream names(axis);
  for (std::string name; std::getline(names, name, '|');) {
    for (std::string group = path; !group.empty();) {
      group.erase(group.rfind('/'));
      const std::string scale = text(group, "/", name);
      if (content.has(scale) && content.at(scale).shape.size() == 1) return &content.at(scale);
    }
  }
  return nullptr;
}

void FieldWriter::put_index(const Field<std::int32_t>& scale, std::size_t length) const {
  std::vector<std::int32_t> values(length);
  std::iota(values.begin(), values.end(), scale.first);
  put(scale, std::move(values));
}

void FieldWriter::append(const FieldInfo& field, Values values) const {
  Array array{group_.empty() ? field.path : group_ + "/" + field.name(),
              {},
              std::move(values),
              {},
              field.units,
              field.long_name,
              false};
  array.is_scale = is_scale(field);
  if (array.is_scale) {
    array.shape = {std::visit([](const auto& list) { return static_cast<std::uint64_t>(list.size()); }, array.values)};
  } else {
    for (const std::string& axis : words_of(field.axes)) {
      const Array* scale = find_scale(content_, array.path, axis);
      if (scale == nullptr)
        throw_run_error(text(array.path, " cannot be written"), text("its axis ", axis, " is missing"));
      array.shape.push_back(scale->shape[0]);
      array.scales.push_back(scale->path);
    }
  }
  content_.arrays.push_back(std::move(array));
}

void FieldReader::require(bool valid, const std::string& why) const {
  krossfold::require(valid, text(name_, " is not a usable result file"), why, "Was it written by Krossfold?");
}

const Array& FieldReader::find(const FieldInfo& field) const {
  const std::string path = path_of(field);
  require(content_.has(path), text(path, " is missing"));
  const Array& array = content_.at(path);
  require(type_of(array.values) == field.type,
          text(path, " has the type ", type_of(array.values), " instead of ", field.type));
  const auto axes = words_of(field.axes);
  require(array.shape.size() == axes.size(),
          text(path, " has ", array.shape.size(), " dimensions instead of ", axes.size()));
  for (std::size_t d = 0; d < axes.size() && !is_scale(field); ++d) {
    const Array* scale = find_scale(content_, path, axes[d]);
    require(scale != nullptr, text(path, " has no scale ", axes[d]));
    require(array.shape[d] == scale->shape[0],
            text(path, " has ", array.shape[d], " entries along ", axes[d], ", but there are ", scale->shape[0]));
  }
  return array;
}

std::int32_t FieldReader::one_in(const Field<std::int32_t>& field, std::int64_t first, std::int64_t last) const {
  const std::int32_t value = one(field);
  require(value >= first && value <= last, text(path_of(field), " is ", value, ", outside ", first, " to ", last));
  return value;
}

void upgrade(Container& content, const Schema& schema) {
  for (const FieldInfo& field : schema.fields()) {
    if (field.old_path.empty() || content.has(field.path)) continue;
    for (Array& array : content.arrays) {
      if (array.path == field.old_path) array.path = field.path;
      std::replace(array.scales.begin(), array.scales.end(), field.old_path, field.path);
    }
  }
  for (const FieldInfo& field : schema.fields()) {
    if (is_scale(field) || !content.has(field.path)) continue;
    const auto axes = words_of(field.axes);
    const std::vector<std::uint64_t> shape = content.at(field.path).shape;
    if (shape.size() != axes.size()) continue;  // readers say so
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (find_scale(content, field.path, axes[d]) != nullptr) continue;
      const auto scale = std::find_if(schema.fields().begin(), schema.fields().end(), [&](const FieldInfo& f) {
        return is_scale(f) && f.name() == axes[d] && field.path.starts_with(f.group() + "/");
      });
      if (scale == schema.fields().end() || scale->type != std::string("int32")) continue;
      std::vector<std::int32_t> index(shape[d]);
      std::iota(index.begin(), index.end(), scale->first);
      content.arrays.push_back({scale->path, {shape[d]}, std::move(index), {}, scale->units, scale->long_name, true});
    }
  }
}

}  // namespace krossfold::storage
