// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "image_arrays.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/text_lines.hpp"
#include "krossfold/tables/numpy_files.hpp"
#include "krossfold/tables/readers.hpp"
#include "numpy_element.hpp"
#include "tables/table_roles.hpp"
#include "tables/table_warnings.hpp"
#include "tables/table_words.hpp"
#include "tables/word_list.hpp"

namespace krossfold::tables {
namespace {

bool is_text(char kind) { return kind == 'U' || kind == 'S'; }

/// Where the elements of x lie: element (row, column) is number row * row_step + column_at[column].
struct Layout {
  std::size_t rows = 0, row_step = 1;
  std::vector<std::size_t> column_at;
};

/// Of images whose channels are last, the columns are in the order (channel, row, column).
Layout layout_of(const NumpyArray& x, const ImageForm& form) {
  Layout layout;
  layout.rows = x.shape[0];
  const std::size_t columns = std::accumulate(x.shape.begin() + 1, x.shape.end(), std::size_t{1}, std::multiplies<>());
  layout.column_at.resize(columns);
  layout.row_step = x.fortran ? 1 : columns;
  for (std::size_t j = 0; j < columns; ++j) {
    // The indices of column j run as in C, whatever the order of the file.
    std::size_t rest = j, at = j, below = columns, step = layout.rows;
    if (x.fortran) {
      at = 0;
      for (std::size_t d = 1; d < x.shape.size(); ++d) {
        below /= x.shape[d];
        at += rest / below * step;
        rest %= below;
        step *= x.shape[d];
      }
    }
    const auto channels = static_cast<std::size_t>(form.channels_last ? form.image.channels : 1);
    layout.column_at[j % channels * (columns / channels) + j / channels] = at;
  }
  return layout;
}

/// Calls `action` with each piece of an array and the number of its first row.
template <class Action>
void for_each_piece(const ArrayPieces& array, const Action& action) {
  const std::uint64_t rows = array.shape.empty() ? 1 : array.shape[0];
  for (std::uint64_t first = 0; first < rows; first += array.rows) {
    action(array.read(first, std::min(array.rows, rows - first)), static_cast<std::size_t>(first));
  }
}

/// "x.npy, row 4, column 54", of an image "x.npy, row 4, channel 2, pixel row 3, pixel column 5", all from 1.
std::string place_of(const NumpyArray& x, std::size_t row, std::size_t column, const data::ImageShape& image) {
  const std::string sample = text(x.name, ", row ", row + 1);
  if (!image.is_image()) return text(sample, ", column ", column + 1);
  const auto width = static_cast<std::size_t>(image.width), pixels = width * static_cast<std::size_t>(image.height);
  return text(sample, image.channels > 1 ? text(", channel ", column / pixels + 1) : "", ", pixel row ",
              column % pixels / width + 1, ", pixel column ", column % width + 1);
}

/// Copies the columns that features are made of to the rows from `first` on; NaN stays NaN. Returns true if there is one.
bool copy_values(const NumpyArray& x, const Layout& layout, std::size_t first,
                 const std::vector<FeatureColumn>& feature, const data::ImageShape& image, bool keep_missing,
                 bool known, Matrix<float>& values, std::vector<char>& vanished, std::vector<RoundedNumbers>& rounded) {
  return with_type(x, [&](auto type) {
    using T = decltype(type);
    bool missing = false;
    for (std::size_t i = 0; i < layout.rows; ++i) {
      for (std::size_t k = 0; k < feature.size(); ++k) {
        const auto column = static_cast<std::size_t>(feature[k].column - 1);
        const std::size_t at = i * layout.row_step + layout.column_at[column];
        const T given = element<T>(x, at);
        const float value = is_absent(x, at) ? std::numeric_limits<float>::quiet_NaN()
                            : x.kind == 'b'  ? static_cast<float>(given != T{})
                                             : static_cast<float>(given);
        values(first + i, k) = value;
        if (value == 0 && given != T{}) vanished[k] = 1;
        if constexpr (std::is_same_v<T, double>) {
          if (is_rounded(given, value)) rounded[k].note(given);
        }
        if (std::isfinite(value)) continue;
        const std::string where = place_of(x, first + i, column, image);
        if (std::isinf(value)) {
          throw_input_error(text(where, ": ", given,
                                 std::isinf(static_cast<double>(given)) ? " is not a finite number" : " is too large"),
                            "features are kept in single precision", "fill in or remove incomplete samples");
        }
        if (!keep_missing) {
          throw_input_error(
              text(where, ": the value is missing"), x.missing,
              known ? learnt_complete : "fill it in, or say what missing values become with --missing mean or median");
        }
        missing = true;
      }
    }
    return missing;
  });
}

/// Adds the words of one column of a piece.
void add_words(const NumpyArray& x, const Layout& layout, std::size_t first, std::size_t column, const char* what,
               bool may_lack, WordList& words) {
  for (std::size_t i = 0; i < layout.rows; ++i) {
    const std::string where = text(x.name, ", row ", first + i + 1, ", column ", column + 1);
    const std::string given = word_at(x, i * layout.row_step + layout.column_at[column], where);
    const std::string word(data::trimmed(given));  // as in a table of text
    if (word.empty() && !may_lack) {
      throw_input_error(text(where, ": the ", what, " is missing"), "", "remove such samples");
    }
    word.empty() ? words.add_missing() : words.add(word);
  }
}

/// `judged`: of a sample to judge by, whose weight nothing uses, and may be missing.
double weight_at(const NumpyArray& x, std::size_t at, bool judged, const std::string& where) {
  const double number = with_type(x, [&](auto type) { return static_cast<double>(element<decltype(type)>(x, at)); });
  const double weight = is_absent(x, at) ? std::numeric_limits<double>::quiet_NaN() : number;
  if (judged && std::isnan(weight)) return 0;
  if (!std::isfinite(weight) || weight < 0) {
    throw_input_error(text(where, ": the weight ", weight, " is not allowed"), "weights are 0 or more");
  }
  return weight;
}

void read_labels(const ArrayPieces& y, std::size_t samples, bool may_lack, Table& table) {
  const std::uint64_t count = std::accumulate(y.shape.begin(), y.shape.end(), std::uint64_t{1}, std::multiplies<>());
  const bool one_column = y.shape.size() == 1 || (y.shape.size() == 2 && (y.shape[1] == 1 || y.shape[0] == 1));
  if (!one_column) {
    throw_input_error(text(y.name, " is not a list of labels"), text("it has ", y.shape.size(), " dimensions"),
                      "save one label per sample (of one-hot labels, y.argmax(axis=1))");
  }
  if (count != samples)
    throw_input_error(text(y.name, " holds ", count, " labels for ", samples, " samples of ", table.name));
  WordList words;
  for_each_piece(y, [&](const NumpyArray& piece, std::size_t first) {
    const std::uint64_t labels = y.shape[0] == 1 ? count : piece.shape[0];
    add_words(piece, Layout{labels, 1, {0}}, first, 0, "label", may_lack, words);
  });
  table.label = std::move(words).words();
  table.label_column = -1;
  table.label_name = y.name;
}

/// Throws if a number within a sample of several dimensions would be taken for a label or have another use of a column.
void check_columns_of_images(const ArrayPieces& x, bool takes_label, const TableParams& params) {
  const auto more_than_one = [](std::uint64_t n) { return n > 1; };
  if (x.shape.size() < 3 || std::count_if(x.shape.begin() + 1, x.shape.end(), more_than_one) < 2) return;
  const std::string what =
      text(x.name, " has samples of ", dimensions_text({x.shape.begin() + 1, x.shape.end()}), " numbers");
  if (takes_label) {
    throw_input_error(text(what, " and no labels"),
                      "a column of them is the label only where samples have one dimension",
                      "give the labels as an array of their own: npz:FILE:X,Y, npy:X.npy,Y.npy or hdf5:FILE:X,Y");
  }
  const std::vector<std::string> given = given_columns(params);
  for (const char* option : {"group", "weight", "drop"}) {
    if (std::find(given.begin(), given.end(), option) == given.end()) continue;
    throw_input_error(text("--", option, " is not for ", x.name), text(what, ", which have no columns"),
                      "give a table or an array of two dimensions");
  }
}

/// Throws if the array is one sample of a model of several features.
void check_single_sample(const ArrayPieces& x, int features) {
  const std::uint64_t numbers = std::accumulate(x.shape.begin(), x.shape.end(), std::uint64_t{1}, std::multiplies<>());
  if (features <= 1 || (x.shape.size() > 1 && numbers != static_cast<std::uint64_t>(features))) return;
  if (x.shape.size() > 1 && x.shape[0] == 1) return;
  throw_input_error(text(x.name, " has ", dimensions_text(x.shape), " numbers"),
                    text("the model learnt samples of ", features, " features"),
                    "give samples in the first dimension; a single one is X[numpy.newaxis]");
}

/// An array that is in memory, as a single piece.
ArrayPieces one_piece(const NumpyArray& array) {
  return {array.name, array.shape, array.kind, array.shape.empty() ? 1 : std::max<std::uint64_t>(1, array.shape[0]),
          [&array](std::uint64_t, std::uint64_t) { return array; }};
}

}  // namespace

Table pieces_table(const ArrayPieces& x, const ArrayPieces* y, const std::string& format, const TableParams& params,
                   const TableEncoding* encoding) {
  check_table_params(params);
  if (is_text(x.kind)) {
    throw_input_error(text(x.name, " holds text"), "features are numbers", "save a table of text as CSV");
  }
  if (params.missing == "drop") {
    throw_input_error(text("--missing drop is not for ", x.name), "samples of arrays are not left out",
                      "remove the rows before saving, or use missing mean or median");
  }
  if (x.shape.empty()) throw_input_error(text(x.name, " holds a single value"), "samples need rows");
  if (encoding != nullptr) check_single_sample(x, encoding->features());
  // A model of a table knows nothing of rows and channels: it takes the numbers as they lie.
  const ImageForm form = encoding != nullptr && params.image.empty() ? ImageForm{} : image_form(x, params.image);
  check_columns_of_images(x, y == nullptr && params.labelled, params);
  const std::uint64_t rows = x.shape[0];
  const std::uint64_t columns =
      std::accumulate(x.shape.begin() + 1, x.shape.end(), std::uint64_t{1}, std::multiplies<>());
  constexpr std::uint64_t of_column = 256, far_too_many = std::uint64_t{1} << 50;  // a name, a role, a piece of a row
  data::check_memory(of_column * std::min(columns, far_too_many), text(x.name, ": ", columns, " columns"));
  require(columns > 0, text(x.name, " holds no features"), text("its shape is ", dimensions_text(x.shape)),
          "give an array of samples and features");
  const std::vector<std::string> names(columns);
  const bool apart = y != nullptr;
  require(!apart || params.label.empty(), text("--label is not for ", x.name),
          text("the labels are those of ", apart ? y->name : ""), "Leave it out.");
  ColumnRoles roles = find_roles(names, false, params, encoding, x.name, apart);
  for (const FeatureColumn& column : roles.feature) {
    require(!column.text, text(x.name, " holds numbers"), text("column ", column.column, " was text in training"),
            "give data of the kind used for training");
  }

  Table table;
  table.name = x.name;
  table.format = text(format, form.channels_last ? ", channels last" : "");
  table.line_word = "row";
  table.columns = static_cast<int>(names.size());
  store_roles(table, roles);
  if (!form.image.is_image()) table.warning = roles.warning;  // pixels have places, and no names that could be matched
  Matrix<float> values = data::allocate_samples(rows, roles.feature.size(), x.name);
  table.vanished.assign(roles.feature.size(), 0);
  std::vector<RoundedNumbers> rounded(roles.feature.size());
  WordList labels, groups;
  for_each_piece(x, [&](const NumpyArray& piece, std::size_t first) {
    const Layout layout = layout_of(piece, form);
    const bool missing = copy_values(piece, layout, first, roles.feature, form.image, keeps_missing(params, encoding),
                                     encoding != nullptr, values, table.vanished, rounded);
    table.incomplete = table.incomplete || missing;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (roles.of[j] == ColumnRoles::label) add_words(piece, layout, first, j, "label", !params.labelled, labels);
      if (roles.of[j] == ColumnRoles::group) add_words(piece, layout, first, j, "group", false, groups);
      for (std::size_t i = 0; roles.of[j] == ColumnRoles::weight && i < layout.rows; ++i) {
        const std::string where = text(x.name, ", row ", first + i + 1, ", column ", j + 1);
        table.weight.push_back(weight_at(piece, i * layout.row_step + layout.column_at[j], encoding != nullptr, where));
      }
    }
  });
  for (const RoundedNumbers& one : rounded) table.rounded.push_back(one.differ ? 1 : 0);
  table.value = values;
  table.words.resize(roles.feature.size());
  table.line.resize(rows);
  std::iota(table.line.begin(), table.line.end(), 1);
  table.label = std::move(labels).words();
  table.group = spelled_alike(std::move(groups).words(), x.name);
  if (apart) read_labels(*y, rows, !params.labelled, table);
  table.column = std::move(roles.feature);
  if (table.column.size() == columns) table.image = form.image;
  if (encoding == nullptr) add_warnings(table);
  return table;
}

Table numpy_table(const NumpyArray& x, const NumpyArray* y, const TableParams& params, const TableEncoding* encoding) {
  const ArrayPieces x_piece = one_piece(x);
  if (y == nullptr) return pieces_table(x_piece, nullptr, "NumPy array", params, encoding);
  const ArrayPieces y_piece = one_piece(*y);
  return pieces_table(x_piece, &y_piece, "NumPy array", params, encoding);
}

Table read_npy(const std::string& x, const std::string& y, const TableParams& params, const TableEncoding* encoding) {
  const std::vector<std::byte> x_bytes = data::read_file(x),
                               y_bytes = y.empty() ? std::vector<std::byte>() : data::read_file(y);
  const NumpyArray x_array = parse_npy(x_bytes, x);
  if (y.empty()) return numpy_table(x_array, nullptr, params, encoding);
  const NumpyArray y_array = parse_npy(y_bytes, y);
  return numpy_table(x_array, &y_array, params, encoding);
}

Table read_npz(const std::string& path, const std::string& x, const std::string& y, const TableParams& params,
               const TableEncoding* encoding) {
  const std::vector<std::byte> file = data::read_file(path), x_bytes = read_npz_member(file, x, path);
  const NumpyArray x_array = parse_npy(x_bytes, text(path, ", array ", x));
  if (y.empty()) return numpy_table(x_array, nullptr, params, encoding);
  const std::vector<std::byte> y_bytes = read_npz_member(file, y, path);
  const NumpyArray y_array = parse_npy(y_bytes, text(path, ", array ", y));
  return numpy_table(x_array, &y_array, params, encoding);
}

}  // namespace krossfold::tables
