// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/array_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "array_origin.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage {

using hdf5::Handle;

struct ArrayFile::State {
  Handle file;
};

struct StoredArray::State {
  std::shared_ptr<const ArrayFile::State> file;  // keeps it open
  std::string file_name, path;
  std::vector<std::uint64_t> shape{};
  char kind = '?';
  std::size_t bytes = 0;
  bool variable = false;  ///< text of variable length
  std::string type = "of another type";
  std::uint64_t rows = 1;
  Handle dataset{}, memory{};  ///< memory: the type that read() gives

  template <class T>
  T ok(T value) const {
    return hdf5::check(value, text(file_name, ", array ", path, " cannot be read"), ExitCode::usage);
  }
};

namespace {

constexpr std::uint64_t piece_bytes = 4u << 20;
constexpr std::size_t largest_cache = 64u << 20;  // bytes: of chunks that are read more than once

void check_readable(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw_input_error(text("cannot read ", file), std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw_input_error(text("cannot read ", file), "it is a folder");
}

Handle file_access() {
  const std::string problem = "the access to an HDF5 file cannot be set";
  Handle access(hdf5::check(H5Pcreate(H5P_FILE_ACCESS), problem), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  hdf5::check(H5Pset_file_locking(access.get(), true, true), problem);  // some file systems know no locks
#endif
  return access;
}

/// True for the truth values of h5py: an enumeration of FALSE = 0 and TRUE = 1.
bool is_boolean(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || H5Tget_size(type) != 1) return false;
  for (const auto& [name, value] : {std::pair<const char*, char>{"FALSE", 0}, {"TRUE", 1}}) {
    char found = 2;
    if (H5Tenum_valueof(type, name, &found) < 0 || found != value) return false;
  }
  return true;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string sides;
  for (const std::uint64_t n : shape) sides += (sides.empty() ? "" : " x ") + std::to_string(n);
  return shape.empty() ? "a single value" : sides;
}

std::uint64_t elements_of_row(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (std::size_t d = 1; d < shape.size(); ++d) count *= shape[d];
  return count;
}

}  // namespace

const std::string& StoredArray::path() const { return state_->path; }
const std::vector<std::uint64_t>& StoredArray::shape() const { return state_->shape; }
char StoredArray::kind() const { return state_->kind; }
std::size_t StoredArray::bytes() const { return state_->bytes; }
std::string StoredArray::type() const { return text(state_->type, ", ", shape_text(state_->shape)); }
std::uint64_t StoredArray::rows_at_once() const { return state_->rows; }

namespace {

/// The part of the file that holds the rows, and the same shape in memory.
struct Selection {
  Handle file, memory;
};

template <class State>
Selection select_rows(const State& state, std::uint64_t first, std::uint64_t count) {
  Selection selection{Handle(state.ok(H5Dget_space(state.dataset.get())), H5Sclose), Handle()};
  std::vector<hsize_t> start(state.shape.size(), 0), size(state.shape.begin(), state.shape.end());
  if (size.empty()) {
    selection.memory = Handle(state.ok(H5Screate(H5S_SCALAR)), H5Sclose);
    return selection;
  }
  start[0] = first;
  size[0] = count;
  state.ok(H5Sselect_hyperslab(selection.file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  selection.memory = Handle(state.ok(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr)), H5Sclose);
  return selection;
}

}  // namespace

void StoredArray::read(std::uint64_t first, std::uint64_t count, void* values) const {
  const hdf5::Quiet quiet;
  const Selection rows = select_rows(*state_, first, count);
  state_->ok(
      H5Dread(state_->dataset.get(), state_->memory.get(), rows.memory.get(), rows.file.get(), H5P_DEFAULT, values));
}

std::vector<std::string> StoredArray::read_text(std::uint64_t first, std::uint64_t count) const {
  const hdf5::Quiet quiet;
  const Selection rows = select_rows(*state_, first, count);
  const std::uint64_t number = count * elements_of_row(state_->shape);
  std::vector<std::string> words(number);
  const auto read_into = [&](void* values) {
    state_->ok(
        H5Dread(state_->dataset.get(), state_->memory.get(), rows.memory.get(), rows.file.get(), H5P_DEFAULT, values));
  };
  if (state_->variable) {
    std::vector<char*> letters(number, nullptr);
    read_into(letters.data());
    for (std::size_t i = 0; i < number; ++i) words[i] = letters[i] == nullptr ? "" : letters[i];
    state_->ok(H5Dvlen_reclaim(state_->memory.get(), rows.memory.get(), H5P_DEFAULT, letters.data()));
    return words;
  }
  std::vector<char> letters(number * state_->bytes);
  read_into(letters.data());
  const bool blanks = H5Tget_strpad(state_->memory.get()) == H5T_STR_SPACEPAD;
  for (std::size_t i = 0; i < number; ++i) {
    const char* word = letters.data() + i * state_->bytes;
    words[i].assign(word, strnlen(word, state_->bytes));
    if (blanks) words[i].resize(words[i].find_last_not_of(' ') + 1);
  }
  return words;
}

bool StoredArray::has_attribute(const std::string& name) const {
  return state_->ok(H5Aexists(state_->dataset.get(), name.c_str())) > 0;
}

double StoredArray::number(const std::string& name) const {
  double value = std::numeric_limits<double>::quiet_NaN();
  const hdf5::Quiet quiet;
  if (!has_attribute(name)) return value;
  const Handle attribute(state_->ok(H5Aopen(state_->dataset.get(), name.c_str(), H5P_DEFAULT)), H5Aclose);
  const Handle space(state_->ok(H5Aget_space(attribute.get())), H5Sclose);
  const Handle type(state_->ok(H5Aget_type(attribute.get())), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || (kind != H5T_FLOAT && kind != H5T_INTEGER)) return value;
  state_->ok(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value));
  return value;
}

ArrayFile::ArrayFile(const std::string& file) : name_(file) {
  check_readable(file);
  const hdf5::Quiet quiet;
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, file_access().get());
  state_ = std::make_shared<State>(
      State{Handle(hdf5::check(opened, text(file, " is not a readable HDF5 file"), ExitCode::usage), H5Fclose)});
}

bool ArrayFile::has(const std::string& path) const {
  const hdf5::Quiet quiet;
  const Handle access = hdf5::access_within_file(H5P_LINK_ACCESS);
  // HDF5 answers for the last name of a path only if the groups before it exist.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(state_->file.get(), path.substr(0, end).c_str(), access.get()) <= 0) return false;
    if (end == std::string::npos) break;
  }
  const Handle object(H5Oopen(state_->file.get(), path.c_str(), access.get()), H5Oclose);
  return object.get() >= 0 && H5Iget_type(object.get()) == H5I_DATASET;
}

StoredArray ArrayFile::open(const std::string& path) const {
  if (!has(path)) {
    const std::vector<std::string> all = listing();
    constexpr std::size_t shown = 40;
    std::string list;
    for (std::size_t k = 0; k < std::min(shown, all.size()); ++k) list += (k == 0 ? "" : ", ") + all[k];
    if (all.size() > shown) list += text(", ... (", all.size(), " in all)");
    throw_input_error(text(name_, " has no array ", path), all.empty() ? "it holds no arrays" : text("it holds ", list),
                      "give the path of an array");
  }
  const hdf5::Quiet quiet;
  StoredArray array = opened(path);
  hdf5::check_origin(array.state_->dataset.get(), text(name_, ", array ", path, " cannot be read"));
  return array;
}

StoredArray ArrayFile::opened(const std::string& path) const {
  auto state = std::make_shared<StoredArray::State>();
  state->file = state_;
  state->file_name = name_;
  state->path = path;
  const Handle access = hdf5::access_within_file(H5P_DATASET_ACCESS);
  Handle dataset(state->ok(H5Dopen2(state_->file.get(), path.c_str(), access.get())), H5Dclose);
  const Handle space(state->ok(H5Dget_space(dataset.get())), H5Sclose);
  const Handle type(state->ok(H5Dget_type(dataset.get())), H5Tclose);
  std::vector<hsize_t> shape(static_cast<std::size_t>(state->ok(H5Sget_simple_extent_ndims(space.get()))));
  if (!shape.empty()) state->ok(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr));
  state->shape.assign(shape.begin(), shape.end());

  const std::size_t size = H5Tget_size(type.get());
  const std::string bits = std::to_string(8 * size);
  hid_t memory = H5I_INVALID_HID;
  switch (H5Tget_class(type.get())) {
    case H5T_FLOAT:
      memory = size <= 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      state->kind = 'f';
      state->type = "float" + bits;
      break;
    case H5T_INTEGER:
      state->kind = H5Tget_sign(type.get()) == H5T_SGN_NONE ? 'u' : 'i';
      memory = state->kind == 'u' ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
      state->type = (state->kind == 'u' ? "uint" : "int") + bits;
      break;
    case H5T_ENUM:
      if (!is_boolean(type.get())) break;
      memory = type.get();
      state->kind = 'b';
      state->type = "bool";
      break;
    case H5T_STRING:
      memory = type.get();
      state->kind = 'S';
      state->variable = state->ok(H5Tis_variable_str(type.get())) > 0;
      state->type = "text";
      break;
    default:
      break;
  }
  if (memory >= 0) {
    state->memory = Handle(state->ok(H5Tcopy(memory)), H5Tclose);
    state->bytes = state->variable ? 0 : H5Tget_size(state->memory.get());
  }

  const std::uint64_t row = elements_of_row(state->shape) * std::max<std::size_t>(1, state->bytes);
  state->rows = std::max<std::uint64_t>(1, piece_bytes / std::max<std::uint64_t>(1, row));
  const Handle creation(state->ok(H5Dget_create_plist(dataset.get())), H5Pclose);
  if (!shape.empty() && H5Pget_layout(creation.get()) == H5D_CHUNKED) {
    std::vector<hsize_t> chunk(shape.size());
    state->ok(H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()));
    if (state->rows > chunk[0]) state->rows -= state->rows % chunk[0];
    // Pieces below the height of a chunk would read and decompress it anew each time unless the cache keeps it.
    std::uint64_t band = size;
    for (std::size_t d = 0; d < shape.size(); ++d)
      band *= d == 0 ? chunk[0] : (shape[d] + chunk[d] - 1) / chunk[d] * chunk[d];
    const std::size_t cache = std::min<std::uint64_t>(largest_cache, std::max<std::uint64_t>(1u << 20, band));
    state->ok(H5Pset_chunk_cache(access.get(), 12421, cache, 1.0));
    dataset = Handle(state->ok(H5Dopen2(state_->file.get(), path.c_str(), access.get())), H5Dclose);
  }
  state->dataset = std::move(dataset);
  StoredArray array;
  array.state_ = std::move(state);
  return array;
}

namespace {

herr_t add_dataset(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(paths)->push_back(text("/", name));
  return 0;
}

}  // namespace

std::vector<std::string> ArrayFile::listing() const {
  const hdf5::Quiet quiet;
  std::vector<std::string> all;
  hdf5::check(H5Ovisit2(state_->file.get(), H5_INDEX_NAME, H5_ITER_INC, add_dataset, &all, H5O_INFO_BASIC),
              text(name_, " cannot be read: its groups are damaged"), ExitCode::usage);
  for (std::string& path : all) path = text(path, " (", opened(path).type(), ")");
  return all;
}

bool ArrayFile::has_attribute(const std::string& name) const {
  const hdf5::Quiet quiet;
  return hdf5::check(H5Aexists(state_->file.get(), name.c_str()), text(name_, ": its attributes cannot be read"),
                     ExitCode::usage) > 0;
}

std::string ArrayFile::attribute(const std::string& name) const {
  const hdf5::Quiet quiet;
  const std::string problem = text(name_, ": the attribute ", name, " cannot be read");
  if (hdf5::check(H5Aexists(state_->file.get(), name.c_str()), problem, ExitCode::usage) == 0) return "";
  const Handle attribute(hdf5::check(H5Aopen(state_->file.get(), name.c_str(), H5P_DEFAULT), problem, ExitCode::usage),
                         H5Aclose);
  const Handle type(hdf5::check(H5Aget_type(attribute.get()), problem, ExitCode::usage), H5Tclose);
  const Handle space(hdf5::check(H5Aget_space(attribute.get()), problem, ExitCode::usage), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) <= 0) return "";
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return "";
  char* letters = nullptr;
  hdf5::check(H5Aread(attribute.get(), type.get(), &letters), problem, ExitCode::usage);
  const std::string value = letters == nullptr ? "" : letters;
  H5free_memory(letters);
  return value;
}

std::int64_t ArrayFile::attribute(const std::string& name, std::int64_t otherwise) const {
  const hdf5::Quiet quiet;
  const std::string problem = text(name_, ": the attribute ", name, " cannot be read");
  if (hdf5::check(H5Aexists(state_->file.get(), name.c_str()), problem, ExitCode::usage) == 0) return otherwise;
  const Handle attribute(hdf5::check(H5Aopen(state_->file.get(), name.c_str(), H5P_DEFAULT), problem, ExitCode::usage),
                         H5Aclose);
  const Handle space(hdf5::check(H5Aget_space(attribute.get()), problem, ExitCode::usage), H5Sclose);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return otherwise;
  std::int64_t value = otherwise;
  hdf5::check(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), problem, ExitCode::usage);
  return value;
}

}  // namespace krossfold::storage
