// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The schema of a result file: datasets by name, written and read through the fields that describe them.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::storage {

/// A dataset: its path, the names of its axes, its units and its meaning.
///
/// `axes` are names separated by blanks, "gamma C fold"; "" for a scalar. An axis is a dimension scale: the dataset of that name in the
/// group of the field or, if it has none, in the nearest group above (the rule of netCDF). A scale has its own name as its only axis.
struct FieldInfo {
  std::string path, axes, type, units, long_name;
  std::string old_path;    ///< in files of version 1, if it differs
  std::int32_t first = 0;  ///< of an index: the number of its first entry
  std::string group() const { return path.substr(0, path.rfind('/')); }
  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

/// A field whose values are T: double, float, std::int32_t, std::int64_t or std::string.
template <class T>
struct Field : FieldInfo {};

/// The fields of one kind of file, in the order of their declaration. A kind derives from it:
///   struct SvmSchema : Schema { Field<double> gamma = add<double>("/gamma", "gamma", "1", "width of the RBF kernel"); ... };
class Schema {
public:
  const std::vector<FieldInfo>& fields() const { return fields_; }

protected:
  template <class T>
  Field<T> add(std::string path, std::string axes, std::string units, std::string long_name, std::string old_path = "");
  /// A scale with the values first, first + 1, ...
  Field<std::int32_t> add_index(const std::string& path, const std::string& long_name, std::int32_t first = 0);

private:
  std::vector<FieldInfo> fields_;
};

/// Appends fields to a file. The shape of an array follows from the lengths of its axes, which are written before it.
class FieldWriter {
public:
  /// With a group every field is written there under its last name: "/fold_error" as "/refine/2/fold_error".
  explicit FieldWriter(Container& content, std::string group = "") : content_(content), group_(std::move(group)) {}

  /// Throws a run error if an axis is missing or the number of values does not match.
  template <class T>
  void put(const Field<T>& field, std::vector<T> values) const {
    append(field, std::move(values));
  }
  template <class T>
  void put_one(const Field<T>& field, const T& value) const {
    append(field, std::vector<T>{value});
  }
  void put_index(const Field<std::int32_t>& scale, std::size_t length) const;

private:
  void append(const FieldInfo& field, Values values) const;

  Container& content_;
  std::string group_;
};

/// Reads fields of a file that may come from anywhere: every access checks that the dataset exists with the field's type and with the
/// lengths of its axes. All errors are input errors that name the file and the dataset.
class FieldReader {
public:
  /// The content must outlive it; `group` as in FieldWriter.
  FieldReader(const Container& content, std::string name, std::string group = "")
      : content_(content), name_(std::move(name)), group_(std::move(group)) {}

  bool has(const FieldInfo& field) const { return content_.has(path_of(field)); }
  /// The length of an axis.
  std::size_t length(const FieldInfo& scale) const { return find(scale).shape[0]; }
  /// Row-major, the last axis fastest.
  template <class T>
  const std::vector<T>& get(const Field<T>& field) const {
    return std::get<std::vector<T>>(find(field).values);
  }
  template <class T>
  T one(const Field<T>& field) const {
    return get(field)[0];
  }
  /// A scalar that must lie in [first, last].
  std::int32_t one_in(const Field<std::int32_t>& field, std::int64_t first, std::int64_t last) const;
  /// Throws an input error "NAME is not a usable result file (WHY)" unless `valid`.
  void require(bool valid, const std::string& why) const;
  FieldReader in_group(std::string group) const { return {content_, name_, std::move(group)}; }
  const Container& content() const { return content_; }
  const std::string& name() const { return name_; }

private:
  std::string path_of(const FieldInfo& field) const {
    return group_.empty() ? field.path : group_ + "/" + field.name();
  }
  const Array& find(const FieldInfo& field) const;

  const Container& content_;
  std::string name_, group_;
};

/// The scale of an axis for a dataset at `path`, by the rule of FieldInfo; nullptr if there is none.
const Array* find_scale(const Container& content, const std::string& path, const std::string& axis);

/// Changes a file of version 1 into what this version would have written: moves datasets to their present paths and adds the scales that
/// it lacked, as far as lengths can be told.
void upgrade(Container& content, const Schema& schema);

}  // namespace krossfold::storage
