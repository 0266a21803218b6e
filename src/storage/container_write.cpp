// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "dimension_scales.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "user_block.hpp"

namespace krossfold::storage {

namespace {

using hdf5::check;
using hdf5::Handle;

constexpr std::uint64_t largest_chunk = 1 << 20;  // bytes; the size of HDF5's chunk cache
constexpr std::uint64_t largest_compact = 32768;  // bytes; an object header message holds at most 64 KiB

std::uint64_t count_of(const Values& values) {
  return std::visit([](const auto& v) { return static_cast<std::uint64_t>(v.size()); }, values);
}

/// Rejects strings with a zero byte, which would end them.
void check_string(const std::string& value, const std::string& where) {
  if (value.find('\0') != std::string::npos) throw_run_error(text(where, " cannot be written"), "it holds a zero byte");
}

/// Rejects, as a bug in the program, any array that could not be read back.
void check_array(const Container& container, const Array& array) {
  const std::string problem = text("the dataset ", array.path, " cannot be written");
  if (array.path.size() < 2 || array.path.front() != '/' || array.path.back() == '/' ||
      array.path.find("//") != std::string::npos) {
    throw_run_error(problem, "its path is not of the form /group/name");
  }
  std::uint64_t count = 1;
  for (const std::uint64_t n : array.shape) {
    if (n != 0 && count > std::numeric_limits<std::uint64_t>::max() / n) throw_run_error(problem, "it is too large");
    count *= n;
  }
  if (count != count_of(array.values)) {
    throw_run_error(problem, text("its shape has ", count, " values, but there are ", count_of(array.values)));
  }
  check_string(array.units, array.path + " units");
  check_string(array.long_name, array.path + " long_name");
  if (array.scales.empty()) return;
  if (array.scales.size() != array.shape.size()) throw_run_error(problem, "it needs one scale, or \"\", per dimension");
  for (std::size_t d = 0; d < array.scales.size(); ++d) {
    if (array.scales[d].empty()) continue;
    const Array& scale = container.at(array.scales[d]);
    if (scale.shape != std::vector<std::uint64_t>{array.shape[d]} || !scale.scales.empty()) {
      throw_run_error(problem, text("its scale ", scale.path, " does not fit dimension ", d));
    }
  }
}

std::vector<const Array*> sorted_by_path(const Container& container) {
  std::vector<const Array*> arrays;
  for (const Array& array : container.arrays) arrays.push_back(&array);
  std::sort(arrays.begin(), arrays.end(), [](const Array* a, const Array* b) { return a->path < b->path; });
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    if (arrays[i - 1]->path == arrays[i]->path)
      throw_run_error(text("the dataset ", arrays[i]->path, " is there twice"));
  }
  return arrays;
}

void write_attribute(hid_t object, const std::string& name, const Attribute& value) {
  const Handle scalar(check(H5Screate(H5S_SCALAR), "an HDF5 scalar cannot be made"), H5Sclose);
  if (const auto* letters = std::get_if<std::string>(&value)) {
    check_string(*letters, "the attribute " + name);
    const char* const first = letters->c_str();
    hdf5::write_attribute(object, name, hdf5::string_type(H5T_VARIABLE).get(), scalar.get(), &first);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    hdf5::write_attribute(object, name, H5T_STD_I64LE, scalar.get(), integer);
  } else {
    hdf5::write_attribute(object, name, H5T_IEEE_F64LE, scalar.get(), &std::get<double>(value));
  }
}

/// Values as stored in the file.
struct Encoded {
  Handle type;
  std::size_t size;
  const void* data;
  std::vector<char> letters;  ///< for strings, each padded to the longest
};

Encoded encode(const Array& array) {
  const std::string problem = text(array.path, " cannot be written");
  return std::visit(
      [&](const auto& values) -> Encoded {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          std::size_t longest = 1;
          for (const std::string& value : values) {
            check_string(value, text("a value of ", array.path));
            longest = std::max(longest, value.size());
          }
          std::vector<char> letters(longest * values.size());
          for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(letters.data() + i * longest, longest);
          const char* data = letters.data();
          return {hdf5::string_type(longest), longest, data, std::move(letters)};
        } else {
          const hid_t type = std::is_same_v<T, double>         ? H5T_IEEE_F64LE
                             : std::is_same_v<T, float>        ? H5T_IEEE_F32LE
                             : std::is_same_v<T, std::int32_t> ? H5T_STD_I32LE
                                                               : H5T_STD_I64LE;
          return {Handle(check(H5Tcopy(type), problem), H5Tclose), sizeof(T), values.data(), {}};
        }
      },
      array.values);
}

/// Chunks of at most 1 MiB: whole rows of the first dimension that must be split, in parts of nearly equal length.
std::vector<hsize_t> chunk_shape(const std::vector<std::uint64_t>& shape, std::uint64_t element) {
  std::vector<hsize_t> chunk(shape.begin(), shape.end());
  std::uint64_t row = element;
  for (const std::uint64_t n : shape) row *= n;
  for (hsize_t& n : chunk) {
    if (row <= largest_chunk) break;
    row /= n;
    const std::uint64_t rows = std::max<std::uint64_t>(1, largest_chunk / row);
    const std::uint64_t parts = (n + rows - 1) / rows;
    n = (n + parts - 1) / parts;
    if (n > 1) break;
  }
  return chunk;
}

/// Chunked with fletcher32. Filters need chunks and chunks need values, so scalars and empty datasets are stored in
/// their object header, which has its own checksum. (Only a scalar string above 32 KiB relies on the CRC-64 alone.)
Handle creation_list(const Array& array, std::size_t element) {
  const std::string problem = text(array.path, " cannot be written");
  Handle list(check(H5Pcreate(H5P_DATASET_CREATE), problem), H5Pclose);
  check(H5Pset_obj_track_times(list.get(), false), problem);
  const std::uint64_t count = count_of(array.values);
  if (!array.shape.empty() && count != 0) {
    const std::vector<hsize_t> chunk = chunk_shape(array.shape, element);
    check(H5Pset_chunk(list.get(), static_cast<int>(chunk.size()), chunk.data()), problem);
    check(H5Pset_fletcher32(list.get()), problem);
  } else if (count * element <= largest_compact) {
    check(H5Pset_layout(list.get(), H5D_COMPACT), problem);
  }
  return list;
}

void make_groups(hid_t file, const std::string& path, hid_t creation) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string name = path.substr(0, slash), problem = text("the group ", name, " cannot be made");
    if (check(H5Lexists(file, name.c_str(), H5P_DEFAULT), problem) > 0) continue;
    Handle group(check(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), problem), H5Gclose);
    group.close(problem);
  }
}

void write_array(hid_t file, const Array& array) {
  const std::string problem = text(array.path, " cannot be written");
  const Encoded encoded = encode(array);
  const std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
  const Handle space(check(shape.empty() ? H5Screate(H5S_SCALAR)
                                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                           problem),
                     H5Sclose);
  const Handle list = creation_list(array, encoded.size);
  Handle dataset(
      check(H5Dcreate2(file, array.path.c_str(), encoded.type.get(), space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
            problem),
      H5Dclose);
  if (count_of(array.values) != 0) {
    check(H5Dwrite(dataset.get(), encoded.type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, encoded.data), problem);
  }
  write_attribute(dataset.get(), "units", array.units);
  write_attribute(dataset.get(), "long_name", array.long_name);
  dataset.close(problem);
}

/// Jenkins' lookup3 hash of 44 bytes, the checksum of a version 3 HDF5 superblock.
std::uint32_t superblock_checksum(const std::byte* bytes) {
  constexpr std::uint32_t length = 44;
  std::array<std::uint32_t, length / 4> word;
  std::memcpy(word.data(), bytes, length);
  const auto rotate = [](std::uint32_t x, int by) { return std::rotl(x, by); };
  std::uint32_t a = 0xdeadbeef + length, b = a, c = a;
  for (std::size_t i = 0; i + 3 < word.size(); i += 3) {
    a += word[i], b += word[i + 1], c += word[i + 2];
    a = (a - c) ^ rotate(c, 4), c += b;
    b = (b - a) ^ rotate(a, 6), a += c;
    c = (c - b) ^ rotate(b, 8), b += a;
    a = (a - c) ^ rotate(c, 16), c += b;
    b = (b - a) ^ rotate(a, 19), a += c;
    c = (c - b) ^ rotate(b, 4), b += a;
  }
  a += word[9], b += word[10];
  c = (c ^ b) - rotate(b, 14), a = (a ^ c) - rotate(c, 11), b = (b ^ a) - rotate(a, 25);
  c = (c ^ b) - rotate(b, 16), a = (a ^ c) - rotate(c, 4), b = (b ^ a) - rotate(a, 14);
  return (c ^ b) - rotate(b, 24);
}

/// The image of the open file, preceded by space for the user block.
std::vector<std::byte> image_of(hid_t file) {
  const std::string problem = "the file image cannot be made";
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), problem);
  const ssize_t size = check(H5Fget_file_image(file, nullptr, 0), problem);
  std::vector<std::byte> bytes(sizeof(UserBlock) + static_cast<std::size_t>(size));
  std::byte* superblock = bytes.data() + sizeof(UserBlock);  // HDF5 omits its own user block from the image
  if (check(H5Fget_file_image(file, superblock, static_cast<std::size_t>(size)), problem) != size || size < 48) {
    throw_run_error(problem, "HDF5 gave less than it announced");
  }
  // H5Fget_file_image clears the "open for writing" flag (byte 11) but does not update the checksum.
  const std::array<unsigned char, 9> start{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3};
  if (std::memcmp(superblock, start.data(), start.size()) != 0) throw_run_error(problem, "no superblock of version 3");
  superblock[11] = std::byte{0};
  const std::uint32_t checksum = superblock_checksum(superblock);
  std::memcpy(superblock + 44, &checksum, sizeof(checksum));
  return bytes;
}

}  // namespace

std::vector<std::byte> to_bytes(const Container& container) {
  if (container.attribute("kind").empty()) throw_run_error("the file cannot be written", "it has no attribute kind");
  const std::vector<const Array*> arrays = sorted_by_path(container);
  for (const Array* array : arrays) check_array(container, *array);

  const hdf5::Quiet quiet;
  const std::string problem = "an HDF5 file in memory cannot be made";
  const Handle access(check(H5Pcreate(H5P_FILE_ACCESS), problem), H5Pclose);
  check(H5Pset_fapl_core(access.get(), 1 << 20, false), problem);
  // In the 1.10 format all metadata has checksums; fixing the version makes newer libraries write the same bytes.
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), problem);
  const Handle creation(check(H5Pcreate(H5P_FILE_CREATE), problem), H5Pclose);
  check(H5Pset_userblock(creation.get(), sizeof(UserBlock)), problem);
  const Handle group_creation(check(H5Pcreate(H5P_GROUP_CREATE), problem), H5Pclose);
  for (const hid_t list : {creation.get(), group_creation.get()}) {
    check(H5Pset_obj_track_times(list, false), problem);
    // Keep all links and attributes in the object header: HDF5 1.10 crashes on damaged dense storage.
    check(H5Pset_link_phase_change(list, 65535, 0), problem);
    check(H5Pset_attr_phase_change(list, 65535, 0), problem);
  }
  const Handle file(check(H5Fcreate("krossfold", H5F_ACC_TRUNC, creation.get(), access.get()), problem), H5Fclose);

  std::map<std::string, Attribute> attributes = container.attributes;
  attributes["schema_version"] = schema_version;
  for (const auto& [name, value] : attributes) write_attribute(file.get(), name, value);
  for (const Array* array : arrays) {
    make_groups(file.get(), array->path, group_creation.get());
    write_array(file.get(), *array);
  }
  hdf5::write_dimension_scales(file.get(), arrays);

  std::vector<std::byte> bytes = image_of(file.get());
  const UserBlock block = make_user_block(std::span<const std::byte>(bytes).subspan(sizeof(UserBlock)));
  std::copy(block.begin(), block.end(), bytes.begin());
  return bytes;
}

}  // namespace krossfold::storage
