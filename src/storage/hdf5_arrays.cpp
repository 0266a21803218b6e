// SPDX-License-Identifier: BSD-3-Clause
// Arrays of HDF5 files that any program wrote, read with the HDF5 library in this process.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <unordered_map>

#include "array_origin.hpp"
#include "array_source.hpp"
#include "hdf5_enumeration.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/hdf5.hpp"

namespace krossfold::storage {

using hdf5::Handle;

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

/// True for a file that MATLAB's save wrote without -v7.3, or scipy.io.savemat.
bool is_of_matlab_5(const std::string& file) {
  constexpr std::string_view signature = "MATLAB 5.0 MAT-file";
  std::array<char, signature.size()> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == signature;
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

/// An array that is open.
struct OpenArray {
  ArrayFacts facts{};
  std::string problem;       ///< begins the message of an error: "FILE, array PATH cannot be read"
  bool variable = false;     ///< text of variable length
  bool enumeration = false;  ///< text that stands for whole numbers
  std::unordered_map<std::string, std::string> member{};  ///< of an enumeration: the name of each number, by its bytes
  Handle dataset{}, memory{};                             ///< memory: the type that read() gives

  template <class T>
  T ok(T value) const {
    return hdf5::check(value, problem, ExitCode::usage);
  }
};

/// The part of the file that holds the rows, and the same shape in memory.
struct Selection {
  Handle file, memory;
};

Selection select_rows(const OpenArray& array, std::uint64_t first, std::uint64_t count) {
  const std::vector<std::uint64_t>& shape = array.facts.shape;
  Selection selection{Handle(array.ok(H5Dget_space(array.dataset.get())), H5Sclose), Handle()};
  std::vector<hsize_t> start(shape.size(), 0), size(shape.begin(), shape.end());
  if (size.empty()) {
    selection.memory = Handle(array.ok(H5Screate(H5S_SCALAR)), H5Sclose);
    return selection;
  }
  start[0] = first;
  size[0] = count;
  array.ok(H5Sselect_hyperslab(selection.file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  selection.memory = Handle(array.ok(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr)), H5Sclose);
  return selection;
}

void read_rows(const OpenArray& array, const Selection& rows, void* values) {
  array.ok(H5Dread(array.dataset.get(), array.memory.get(), rows.memory.get(), rows.file.get(), H5P_DEFAULT, values));
}

/// Gives each number of an enumeration its name; `first` is the first of `count` rows.
void read_members(const OpenArray& array, const Selection& rows, std::uint64_t first, std::uint64_t count,
                  std::vector<std::string>& names) {
  constexpr std::size_t longest = 1023;  // a small file must not fill the memory with names
  const std::size_t size = H5Tget_size(array.memory.get());
  std::string numbers(names.size() * size, '\0');
  read_rows(array, rows, numbers.data());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = array.member.find(numbers.substr(i * size, size));
    const bool unnamed = found == array.member.end();
    if (unnamed || found->second.size() > longest) {
      throw_input_error(array.problem,
                        text("the value in row ", first + 1 + i * count / names.size(),
                             unnamed ? " has no name in its enumeration" : " has a name of more than 1,023 bytes"),
                        "save labels as text or numbers");
    }
    names[i] = found->second;
  }
}

herr_t add_dataset(hid_t, const char* name, const H5O_info_t* info, void* paths) {
  if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(paths)->push_back(text("/", name));
  return 0;
}

/// What read() gives of values of this type.
void describe_type(hid_t type, OpenArray& array) {
  ArrayFacts& facts = array.facts;
  const std::size_t size = H5Tget_size(type);
  const std::string bits = std::to_string(8 * size);
  hid_t memory = H5I_INVALID_HID;
  facts.type = "of another type";
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      memory = size <= 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
      facts.kind = 'f';
      facts.type = "float" + bits;
      break;
    case H5T_INTEGER:
      facts.kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
      memory = facts.kind == 'u' ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
      facts.type = (facts.kind == 'u' ? "uint" : "int") + bits;
      break;
    case H5T_ENUM:
      if (H5Tget_size(type) > sizeof(std::int64_t)) break;  // as no program writes it
      memory = type;
      array.enumeration = !is_boolean(type);
      facts.kind = array.enumeration ? 'S' : 'b';
      facts.type = array.enumeration ? "enumeration" : "bool";
      break;
    case H5T_STRING:
      memory = type;
      facts.kind = 'S';
      array.variable = array.ok(H5Tis_variable_str(type)) > 0;
      facts.type = "text";
      break;
    default:
      break;
  }
  facts.type += ", " + shape_text(facts.shape);
  if (memory < 0) return;
  array.memory = Handle(array.ok(H5Tcopy(memory)), H5Tclose);
  facts.bytes = array.variable || array.enumeration ? 0 : H5Tget_size(array.memory.get());
}

/// The text of an attribute with one value.
std::string word_of(const Handle& attribute, const Handle& type, const OpenArray& array) {
  if (array.ok(H5Tis_variable_str(type.get())) > 0) {
    char* letters = nullptr;
    array.ok(H5Aread(attribute.get(), type.get(), &letters));
    const std::string word = letters == nullptr ? "" : letters;
    H5free_memory(letters);
    return word;
  }
  std::string word(H5Tget_size(type.get()), '\0');
  array.ok(H5Aread(attribute.get(), type.get(), word.data()));
  return word.substr(0, word.find('\0'));
}

class Hdf5Arrays final : public ArraySource {
public:
  explicit Hdf5Arrays(const std::string& file) : name_(file) {
    check_readable(file);
    const hdf5::Quiet quiet;
    const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, file_access().get());
    const std::string problem = text(file, " is not a readable HDF5 file");
    if (opened < 0 && is_of_matlab_5(file)) {
      throw_input_error(
          problem, "it is a MAT-file of version 5",
          "save it in MATLAB with save(..., '-v7.3'), or in Python, from scipy.io.loadmat, with numpy.savez");
    }
    file_ = Handle(hdf5::check(opened, problem, ExitCode::usage), H5Fclose);
  }

  PathKind kind_of(const std::string& path) override {
    const hdf5::Quiet quiet;
    const Handle access = hdf5::access_within_file(H5P_LINK_ACCESS);
    // HDF5 answers for the last name of a path only if the groups before it exist.
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      if (H5Lexists(file_.get(), path.substr(0, end).c_str(), access.get()) <= 0) return PathKind::none;
      if (end == std::string::npos) break;
    }
    const Handle object(H5Oopen(file_.get(), path.c_str(), access.get()), H5Oclose);
    return object.get() >= 0 && H5Iget_type(object.get()) == H5I_DATASET ? PathKind::array : PathKind::other;
  }

  ArrayFacts open(const std::string& path) override {
    if (kind_of(path) != PathKind::array) {
      const std::vector<std::string> all = listing();
      constexpr std::size_t shown = 40;
      std::string list;
      for (std::size_t k = 0; k < std::min(shown, all.size()); ++k) list += (k == 0 ? "" : ", ") + all[k];
      if (all.size() > shown) list += text(", ... (", all.size(), " in all)");
      throw_input_error(text(name_, " has no array ", path),
                        all.empty() ? "it holds no arrays" : text("it holds ", list), "give the path of an array");
    }
    const hdf5::Quiet quiet;
    OpenArray array = opened(path);
    hdf5::check_origin(array.dataset.get(), array.problem);
    if (array.enumeration) array.member = members_of(array.memory.get(), array.problem);
    array.facts.number = opened_++;
    return arrays_.emplace(array.facts.number, std::move(array)).first->second.facts;
  }

  void close(std::uint64_t number) override { arrays_.erase(number); }

  std::vector<std::string> listing() override {
    const hdf5::Quiet quiet;
    std::vector<std::string> all;
    hdf5::check(H5Ovisit2(file_.get(), H5_INDEX_NAME, H5_ITER_INC, add_dataset, &all, H5O_INFO_BASIC),
                text(name_, " cannot be read: its groups are damaged"), ExitCode::usage);
    for (std::string& path : all) path = text(path, " (", opened(path).facts.type, ")");
    return all;
  }

  void read(std::uint64_t number, std::uint64_t first, std::uint64_t count, std::span<std::byte> values) override {
    const hdf5::Quiet quiet;
    const OpenArray& array = arrays_.at(number);
    read_rows(array, select_rows(array, first, count), values.data());
  }

  std::vector<std::string> read_text(std::uint64_t number, std::uint64_t first, std::uint64_t count) override {
    const hdf5::Quiet quiet;
    const OpenArray& array = arrays_.at(number);
    const Selection rows = select_rows(array, first, count);
    const std::uint64_t n_words = count * elements_of_row(array.facts.shape);
    std::vector<std::string> words(n_words);
    if (array.variable) {
      std::vector<char*> letters(n_words, nullptr);
      read_rows(array, rows, letters.data());
      for (std::size_t i = 0; i < n_words; ++i) words[i] = letters[i] == nullptr ? "" : letters[i];
      array.ok(H5Dvlen_reclaim(array.memory.get(), rows.memory.get(), H5P_DEFAULT, letters.data()));
      return words;
    }
    if (array.enumeration) {
      read_members(array, rows, first, count, words);
      return words;
    }
    const std::size_t length = array.facts.bytes;
    std::vector<char> letters(n_words * length);
    read_rows(array, rows, letters.data());
    const bool blanks = H5Tget_strpad(array.memory.get()) == H5T_STR_SPACEPAD;
    for (std::size_t i = 0; i < n_words; ++i) {
      const char* word = letters.data() + i * length;
      words[i].assign(word, strnlen(word, length));
      if (blanks) words[i].resize(words[i].find_last_not_of(' ') + 1);
    }
    return words;
  }

  bool array_has_attribute(std::uint64_t number, const std::string& name) override {
    const OpenArray& array = arrays_.at(number);
    return array.ok(H5Aexists(array.dataset.get(), name.c_str())) > 0;
  }

  ArrayAttribute array_attribute(std::uint64_t number, const std::string& name) override {
    constexpr std::uint64_t most_bytes = 1u << 20;
    ArrayAttribute found;
    const hdf5::Quiet quiet;
    if (!array_has_attribute(number, name)) return found;
    const OpenArray& array = arrays_.at(number);
    const Handle attribute(array.ok(H5Aopen(array.dataset.get(), name.c_str(), H5P_DEFAULT)), H5Aclose);
    const Handle space(array.ok(H5Aget_space(attribute.get())), H5Sclose);
    const Handle type(array.ok(H5Aget_type(attribute.get())), H5Tclose);
    const auto count = static_cast<std::uint64_t>(array.ok(H5Sget_simple_extent_npoints(space.get())));
    const H5T_class_t kind = H5Tget_class(type.get());
    found.kind = '?';
    if (count > most_bytes / std::max<std::uint64_t>(sizeof(std::uint64_t), H5Tget_size(type.get()))) return found;
    if (kind == H5T_STRING && count == 1) {
      found.kind = 'S';
      found.word = word_of(attribute, type, array);
    } else if (kind == H5T_FLOAT || kind == H5T_INTEGER) {
      found.kind = kind == H5T_FLOAT ? 'f' : H5Tget_sign(type.get()) == H5T_SGN_NONE ? 'u' : 'i';
      found.bits.resize(count);
      const hid_t memory = found.kind == 'f'   ? H5T_NATIVE_DOUBLE
                           : found.kind == 'i' ? H5T_NATIVE_INT64
                                               : H5T_NATIVE_UINT64;
      if (count > 0) array.ok(H5Aread(attribute.get(), memory, found.bits.data()));
    }
    return found;
  }

  bool has_attribute(const std::string& name) override {
    const hdf5::Quiet quiet;
    return ok(H5Aexists(file_.get(), name.c_str()), name) > 0;
  }

  std::string attribute(const std::string& name) override {
    const hdf5::Quiet quiet;
    if (ok(H5Aexists(file_.get(), name.c_str()), name) == 0) return "";
    const Handle attribute(ok(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), name), H5Aclose);
    const Handle type(ok(H5Aget_type(attribute.get()), name), H5Tclose);
    const Handle space(ok(H5Aget_space(attribute.get()), name), H5Sclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) <= 0) return "";
    if (H5Sget_simple_extent_npoints(space.get()) != 1) return "";
    char* letters = nullptr;
    ok(H5Aread(attribute.get(), type.get(), &letters), name);
    const std::string value = letters == nullptr ? "" : letters;
    H5free_memory(letters);
    return value;
  }

  std::int64_t attribute(const std::string& name, std::int64_t otherwise) override {
    const hdf5::Quiet quiet;
    if (ok(H5Aexists(file_.get(), name.c_str()), name) == 0) return otherwise;
    const Handle attribute(ok(H5Aopen(file_.get(), name.c_str(), H5P_DEFAULT), name), H5Aclose);
    const Handle space(ok(H5Aget_space(attribute.get()), name), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.get()) != 1) return otherwise;
    std::int64_t value = otherwise;
    ok(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), name);
    return value;
  }

private:
  template <class T>
  T ok(T value, const std::string& attribute) const {
    return hdf5::check(value, text(name_, ": the attribute ", attribute, " cannot be read"), ExitCode::usage);
  }

  OpenArray opened(const std::string& path) const {
    OpenArray array{.problem = text(name_, ", array ", path, " cannot be read")};
    array.facts.path = path;
    const Handle access = hdf5::access_within_file(H5P_DATASET_ACCESS);
    Handle dataset(array.ok(H5Dopen2(file_.get(), path.c_str(), access.get())), H5Dclose);
    const Handle space(array.ok(H5Dget_space(dataset.get())), H5Sclose);
    const Handle type(array.ok(H5Dget_type(dataset.get())), H5Tclose);
    std::vector<hsize_t> shape(static_cast<std::size_t>(array.ok(H5Sget_simple_extent_ndims(space.get()))));
    if (!shape.empty()) array.ok(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr));
    array.facts.shape.assign(shape.begin(), shape.end());
    describe_type(type.get(), array);

    const std::uint64_t row = elements_of_row(array.facts.shape) * std::max<std::uint64_t>(1, array.facts.bytes);
    std::uint64_t rows = std::max<std::uint64_t>(1, piece_bytes / std::max<std::uint64_t>(1, row));
    const Handle creation(array.ok(H5Dget_create_plist(dataset.get())), H5Pclose);
    if (!shape.empty() && H5Pget_layout(creation.get()) == H5D_CHUNKED) {
      std::vector<hsize_t> chunk(shape.size());
      array.ok(H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()));
      if (rows > chunk[0]) rows -= rows % chunk[0];
      // Pieces below the height of a chunk would read and decompress it anew each time unless the cache keeps it.
      std::uint64_t band = H5Tget_size(type.get());
      for (std::size_t d = 0; d < shape.size(); ++d)
        band *= d == 0 ? chunk[0] : (shape[d] + chunk[d] - 1) / chunk[d] * chunk[d];
      const std::size_t cache = std::min<std::uint64_t>(largest_cache, std::max<std::uint64_t>(1u << 20, band));
      array.ok(H5Pset_chunk_cache(access.get(), 12421, cache, 1.0));
      dataset = Handle();  // an array that is open somewhere keeps its cache
      dataset = Handle(array.ok(H5Dopen2(file_.get(), path.c_str(), access.get())), H5Dclose);
    }
    array.facts.rows_at_once = rows;
    array.dataset = std::move(dataset);
    return array;
  }

  std::string name_;
  Handle file_;
  std::uint64_t opened_ = 0;                   ///< arrays, so far
  std::map<std::uint64_t, OpenArray> arrays_;  ///< by their numbers; they close before the file
};

}  // namespace

std::shared_ptr<ArraySource> open_hdf5_arrays(const std::string& file) { return std::make_shared<Hdf5Arrays>(file); }

}  // namespace krossfold::storage
