// SPDX-License-Identifier: BSD-3-Clause
#include "data_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/storage/array_file.hpp"
#include "krossfold/tables/table_columns.hpp"

namespace krossfold::input {
namespace {

using storage::Container;
using tables::Table;

// Paths and attributes, for writing and for reading.
constexpr const char *x_path = "/x", *y_path = "/y", *class_path = "/class_name", *name_path = "/feature_name",
                     *column_path = "/feature_column", *group_path = "/group", *group_name_path = "/group_name",
                     *begin_path = "/x_begin", *entry_column_path = "/x_column", *entry_path = "/x_value",
                     *weight_path = "/weight", *line_path = "/line", *row_path = "/row", *test_group = "/test";
constexpr const char *holds_key = "holds", *source_key = "source", *named_key = "named", *columns_key = "columns",
                     *label_key = "label_name", *label_column_key = "label_column", *line_word_key = "line_word",
                     *first_index_key = "first_index", *keeps_first_key = "limit_keeps_first",
                     *features_key = "n_features", *width_key = "image_width", *height_key = "image_height",
                     *channels_key = "image_channels", *white_key = "image_white";
constexpr const char *data_kind = "data", *table_word = "table", *samples_word = "samples";

std::string words_path(std::size_t k, const char* what) { return text("/words/", k, "/", what); }

// Writing

template <class T>
void put(Container& content, const std::string& path, std::vector<std::uint64_t> shape, std::vector<T> values,
         const std::string& meaning) {
  content.arrays.push_back({path, std::move(shape), std::move(values), {}, "1", meaning, false});
}

template <class T>
void put_list(Container& content, const std::string& path, std::vector<T> values, const std::string& meaning) {
  const std::uint64_t length = values.size();
  put(content, path, {length}, std::move(values), meaning);
}

void put_values(Container& content, const std::string& path, const Matrix<const float>& value) {
  std::vector<float> values;
  values.reserve(value.extent(0) * value.extent(1));
  for (std::size_t i = 0; i < value.extent(0); ++i) {
    values.insert(values.end(), &value(i, 0), &value(i, 0) + value.extent(1));
  }
  put(content, path, {value.extent(0), value.extent(1)}, std::move(values),
      "features (sample, column); NaN where one is missing or is text");
}

/// Sparse samples, in compressed rows.
void put_entries(Container& content, const std::string& group, const SparseMatrix<float>& rows) {
  const std::int64_t first = rows.begin(0), count = entries_of(rows);
  std::vector<std::int64_t> begin = list_of(rows.begin);
  for (std::int64_t& one : begin) one -= first;
  const int* column = rows.column.data() + first;
  const float* value = rows.value.data() + first;
  content.attributes[features_key] = std::int64_t{rows.columns};
  put_list(content, group + begin_path, std::move(begin),
           "where the entries of each sample begin in x_column and x_value, and where the last ones end");
  put_list(content, group + entry_column_path, std::vector<std::int32_t>(column, column + count),
           "feature of each entry, from 0");
  put_list(content, group + entry_path, std::vector<float>(value, value + count), "value of each entry; others are 0");
}

void put_image(Container& content, const data::ImageShape& image) {
  content.attributes[width_key] = std::int64_t{image.width};
  content.attributes[height_key] = std::int64_t{image.height};
  content.attributes[channels_key] = std::int64_t{image.channels};
}

Container empty_content(const char* holds, const std::string& source) {
  Container content;
  content.attributes["kind"] = std::string(data_kind);
  content.attributes[holds_key] = std::string(holds);
  content.attributes[source_key] = source;
  return content;
}

// Reading

/// Reads arrays of a file whose lengths must fit together.
class DataReader {
public:
  explicit DataReader(const std::string& file) : file_(file) {}

  const storage::ArrayFile& file() const { return file_; }
  int attribute(const char* name, int otherwise = 0) const {
    const std::int64_t value = file_.attribute(name, std::int64_t{otherwise});
    check(value >= -1 && value <= std::numeric_limits<int>::max(), name);
    return static_cast<int>(value);
  }
  data::ImageShape image(std::uint64_t features) const {
    const data::ImageShape shape{attribute(width_key), attribute(height_key), attribute(channels_key, 1)};
    check(shape.width == 0 ||
              std::uint64_t(shape.width) * std::uint64_t(shape.height) * std::uint64_t(shape.channels) == features,
          width_key);
    return shape;
  }

  /// Reads x piece by piece, `limit` rows if that is not 0.
  Matrix<const float> values(const std::string& path, int limit) const {
    const storage::StoredArray x = file_.open(path);
    check(x.kind() == 'f' && x.bytes() == sizeof(float) && x.shape().size() == 2, path);
    const std::uint64_t rows = limit == 0 ? x.shape()[0] : std::min<std::uint64_t>(x.shape()[0], std::uint64_t(limit));
    const Matrix<float> value = data::allocate_samples(rows, x.shape()[1], file_.name());
    for (std::uint64_t first = 0; first < rows; first += x.rows_at_once()) {
      x.read(first, std::min(x.rows_at_once(), rows - first), &value(first, 0));
    }
    return value;
  }

  /// Reads sparse samples.
  SparseMatrix<float> entries(const std::string& group) const {
    const auto begin = list<std::int64_t>(group + begin_path, 'i', 0);
    const int features = attribute(features_key);
    check(features >= 1 && features <= data::most_sparse_features, features_key);
    const std::vector<int> column = integers(group + entry_column_path, 0, 0, features);
    const auto value = list<float>(group + entry_path, 'f', 0);
    check(value.size() == column.size(), entry_path);
    check(are_row_begins(begin, column.size()), begin_path);
    SparseMatrix<float> rows = sparse_matrix_of(begin, column, value, features);
    check(first_bad_row(rows) < 0, entry_column_path);
    return rows;
  }

  /// Whole numbers from `lowest` to below `end`; `length` of them unless that is 0.
  std::vector<int> integers(const std::string& path, std::uint64_t length, int lowest, std::int64_t end) const {
    const std::vector<std::int64_t> read = list<std::int64_t>(path, 'i', length);
    const bool in_range =
        std::all_of(read.begin(), read.end(), [&](std::int64_t one) { return one >= lowest && one < end; });
    check(in_range, path);
    return {read.begin(), read.end()};
  }
  std::vector<double> numbers(const std::string& path, std::uint64_t length) const {
    return list<double>(path, 'f', length);
  }
  std::vector<std::string> words(const std::string& path) const {
    const storage::StoredArray array = file_.open(path);
    check(array.kind() == 'S' && array.shape().size() == 1, path);
    return array.read_text(0, array.shape()[0]);
  }
  tables::WordColumn word_column(const std::string& code, const std::string& word, std::uint64_t length,
                                 int lowest) const {
    tables::WordColumn column{words(word), {}};
    column.code = integers(code, length, lowest, static_cast<std::int64_t>(column.word.size()));
    return column;
  }

  void check(bool valid, const std::string& what) const {
    require(valid, text(file_.name(), " cannot be used"), text(what, " is not as krossfold data convert writes it"),
            "convert the data again");
  }

private:
  template <class T>
  std::vector<T> list(const std::string& path, char kind, std::uint64_t length) const {
    const storage::StoredArray array = file_.open(path);
    check(array.kind() == kind && array.bytes() == sizeof(T) && array.shape().size() == 1, path);
    check(length == 0 || array.shape()[0] == length, path);
    data::check_memory(array.shape()[0] * sizeof(T), text(file_.name(), ", array ", path));
    std::vector<T> values(array.shape()[0]);
    array.read(0, values.size(), values.data());
    return values;
  }

  storage::ArrayFile file_;
};

/// Refuses parameters that were settled when the file was made.
void check_settled(const std::string& file, const tables::TableParams& params) {
  std::vector<std::string> given = tables::given_columns(params);
  if (params.missing == "drop") given.emplace_back("missing drop");
  if (given.empty()) return;
  throw_input_error(text("--", given[0], " is not for ", file), "its columns were chosen when it was converted",
                    text("Leave --", given[0], " out, or convert the original again with it."));
}

}  // namespace

DataFileKind kind_of_data_file(const std::string& file) {
  const storage::ArrayFile arrays(file);
  if (arrays.attribute("kind") != data_kind) return DataFileKind::other;
  const std::int64_t version = arrays.attribute("schema_version", std::int64_t{0});
  require(version <= storage::schema_version, text(file, " was written by a later version"),
          text("its format is ", version, ", this program reads up to ", storage::schema_version),
          "use that version, or convert the data again");
  return arrays.attribute(holds_key) == table_word ? DataFileKind::table : DataFileKind::samples;
}

Container content_of(const Table& table, const std::string& source) {
  Container content = empty_content(table_word, text(source, " (", table.format, ")"));
  content.attributes[named_key] = std::int64_t{table.named};
  content.attributes[columns_key] = std::int64_t{table.columns};
  content.attributes[label_key] = table.label_name;
  content.attributes[label_column_key] = std::int64_t{table.label_column};
  content.attributes[line_word_key] = table.line_word;
  put_image(content, table.image);
  put_values(content, x_path, table.value);
  std::vector<std::string> names;
  std::vector<std::int32_t> columns;
  for (std::size_t k = 0; k < table.column.size(); ++k) {
    names.push_back(table.column[k].name);
    columns.push_back(table.column[k].column);
    if (!table.column[k].text) continue;
    put_list(content, words_path(k, "word"), table.words[k].word, text("words of column ", k, " of x"));
    put_list(content, words_path(k, "code"), table.words[k].code,
             "which of them each sample has, from 0; -1 if missing");
  }
  put_list(content, name_path, names, "names of the columns of x");
  put_list(content, column_path, columns, "where the columns of x lay in the file, from 1");
  if (table.labelled()) {
    put_list(content, class_path, table.label.word, "labels, in the order of their appearance");
    put_list(content, y_path, table.label.code, "label of each sample: its index in class_name, from 0");
  }
  if (!table.group.code.empty()) {
    put_list(content, group_name_path, table.group.word, "groups, in the order of their appearance");
    put_list(content, group_path, table.group.code, "group of each sample: its index in group_name, from 0");
  }
  if (!table.weight.empty()) put_list(content, weight_path, table.weight, "weight of each sample in training");
  put_list(content, line_path, table.line, "where each sample lay in the file, from 1");
  if (!table.row.empty()) put_list(content, row_path, table.row, "number of each sample among all of the file, from 0");
  return content;
}

Container content_of(const data::Dataset& samples, const data::Dataset* test, bool limit_keeps_first,
                     const std::string& source) {
  Container content = empty_content(samples_word, source);
  content.attributes[first_index_key] = std::int64_t{samples.first_index};
  content.attributes[keeps_first_key] = std::int64_t{limit_keeps_first};
  if (samples.white != 0) content.attributes[white_key] = std::int64_t{std::lround(samples.white)};
  put_image(content, samples.image);
  const auto put_part = [&](const data::Dataset& part, const std::string& group) {
    if (part.is_sparse()) {
      put_entries(content, group, part.sparse);
    } else {
      put_values(content, group + x_path, part.raw);
    }
    if (!part.labelled()) return;
    put_list(content, group + y_path, std::vector<std::int32_t>(part.label.data(), part.label.data() + part.size()),
             "class of each sample: its index in class_name, from 0");
  };
  put_part(samples, "");
  if (samples.labelled()) put_list(content, class_path, samples.class_name, "classes");
  if (test != nullptr) put_part(*test, test_group);
  return content;
}

Table read_data_table(const std::string& file, const tables::TableParams& params,
                      const tables::TableEncoding* encoding) {
  if (encoding == nullptr || !params.labelled)
    check_settled(file, params);  // of test data, they are the training table's
  const DataReader reader(file);
  Table table;
  table.name = file;
  table.format = text("HDF5, converted from ", reader.file().attribute(source_key));
  table.named = reader.attribute(named_key) == 1;
  table.columns = reader.attribute(columns_key);
  table.label_name = reader.file().attribute(label_key);
  table.label_column = reader.attribute(label_column_key);
  table.line_word = reader.file().attribute(line_word_key);
  table.converted = true;
  table.value = reader.values(x_path, 0);
  const std::uint64_t samples = table.value.extent(0), columns = table.value.extent(1);
  table.image = reader.image(columns);
  reader.check(table.label_column <= table.columns, label_column_key);
  const std::vector<std::string> names = reader.words(name_path);
  const std::vector<int> places = reader.integers(column_path, columns, 1, std::int64_t{table.columns} + 1);
  reader.check(names.size() == columns, name_path);
  table.column.resize(columns);
  table.words.resize(columns);
  std::vector<char> is_text(columns, 0);
  for (std::size_t k = 0; k < columns; ++k) {
    table.column[k].name = names[k];
    table.column[k].column = places[k];
    table.column[k].text = reader.file().has(words_path(k, "word"));
    if (!table.column[k].text) continue;
    is_text[k] = 1;
    table.words[k] = reader.word_column(words_path(k, "code"), words_path(k, "word"), samples, -1);
    const std::vector<int>& code = table.words[k].code;
    table.incomplete = table.incomplete || std::find(code.begin(), code.end(), -1) != code.end();
  }
  for (std::size_t i = 0; i < samples; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      const float value = table.value(i, k);
      if (std::isfinite(value) || is_text[k] != 0) continue;
      reader.check(!std::isinf(value), x_path);
      table.incomplete = true;
    }
  }
  if (table.labelled()) table.label = reader.word_column(y_path, class_path, samples, 0);
  if (reader.file().has(group_path)) table.group = reader.word_column(group_path, group_name_path, samples, 0);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (reader.file().has(weight_path)) {
    table.weight = reader.numbers(weight_path, samples);
    const auto is_weight = [](double weight) { return std::isfinite(weight) && weight >= 0; };
    reader.check(std::all_of(table.weight.begin(), table.weight.end(), is_weight), weight_path);
  }
  table.line = reader.integers(line_path, samples, 1, most);
  if (reader.file().has(row_path)) table.row = reader.integers(row_path, samples, 0, most);
  return tables::finish_table(std::move(table), params, encoding);
}

bool has_test_samples(const std::string& file) { return storage::ArrayFile(file).has(text(test_group, x_path)); }

bool limit_keeps_first(const std::string& file) {
  return storage::ArrayFile(file).attribute(keeps_first_key, std::int64_t{0}) == 1;
}

data::Dataset read_data_samples(const std::string& file, DataPart part, const tables::ReadParams& params) {
  const DataReader reader(file);
  const std::string group = part == DataPart::test ? test_group : "";
  const bool sparse = reader.file().has(group + begin_path);
  const SparseMatrix<float> entries = sparse ? reader.entries(group) : SparseMatrix<float>();
  const Matrix<const float> value = sparse ? Matrix<const float>() : reader.values(group + x_path, params.limit);
  const std::uint64_t all =
      sparse ? static_cast<std::uint64_t>(entries.rows()) : reader.file().open(group + x_path).shape()[0];
  const std::uint64_t samples = sparse ? all : value.extent(0);
  const int features = sparse ? entries.columns : static_cast<int>(value.extent(1));
  data::check_features(features, params.features, file);
  data::Labels labels;
  if (reader.file().has(group + y_path)) {
    const std::vector<std::string> names = reader.words(class_path);
    std::vector<int> code = reader.integers(group + y_path, all, 0, static_cast<std::int64_t>(names.size()));
    code.resize(samples);
    if (params.known_classes.empty() || params.known_classes == names) {
      const Vector<int> label(uninitialized("krossfold::input::label"), code.size());
      std::copy(code.begin(), code.end(), label.data());
      labels = {label, names};
    } else {
      std::vector<std::string> written;
      for (const int one : code) written.push_back(names[static_cast<std::size_t>(one)]);
      const auto index =
          reader.attribute(white_key) != 0 ? data::index_names : data::index_labels;  // of pictures, folders
      labels = index(written, params.known_classes, file, params.odd_label());
    }
  } else {
    require(!params.labelled, text(file, " has no labels"), "", "convert data with labels");
  }
  data::Dataset dataset = sparse ? data::make_sparse_dataset(file, entries, labels.label, labels.class_name)
                                 : data::make_dataset(file, value, labels.label, labels.class_name,
                                                      reader.image(static_cast<std::uint64_t>(features)));
  if (sparse && !params.sparse) {
    data::check_memory(sizeof(float) * samples * static_cast<std::uint64_t>(features), file);
    dataset.raw = data::dense_values(dataset, file, std::numeric_limits<std::uint64_t>::max());
    dataset.sparse = {};
  }
  dataset.first_index = reader.attribute(first_index_key, -1);
  dataset.white = static_cast<float>(reader.attribute(white_key));
  return dataset;
}

}  // namespace krossfold::input
