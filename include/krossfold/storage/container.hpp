// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Result and model files: HDF5 files preceded by a 512-byte user block with a checksum; plain data in memory.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace krossfold::storage {

/// The file format version that this library writes; newer versions are rejected.
inline constexpr std::int64_t schema_version = 2;

using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>,
                            std::vector<std::int64_t>, std::vector<std::string>>;

/// One dataset. An empty shape denotes a scalar (one value).
struct Array {
  std::string path;                  ///< "/fit/iterations"; groups are created as needed
  std::vector<std::uint64_t> shape;  ///< row-major
  Values values;
  std::vector<std::string> scales;  ///< path of the dimension scale per dimension, "" for none; may be empty
  std::string units;                ///< "1" for dimensionless values
  std::string long_name;            ///< used for axis labels
  bool is_scale = false;            ///< a dimension scale, even if no other array uses it
};

using Attribute = std::variant<std::int64_t, double, std::string>;

/// The content of a result or model file.
struct Container {
  std::map<std::string, Attribute>
      attributes;  ///< root group attributes; "kind" is required; "schema_version" is set on writing
  std::vector<Array> arrays;

  /// The dataset at `path`; throws a run error naming it if it does not exist.
  const Array& at(const std::string& path) const;
  bool has(const std::string& path) const;
  /// The values at `path`; throws a run error if they are not of type T.
  template <class T>
  const std::vector<T>& values(const std::string& path) const;
  /// A string attribute, or `otherwise` if there is none of that name.
  std::string attribute(const std::string& name, const std::string& otherwise = "") const;
};

/// Serialises the content to the bytes of a file: user block {magic "KROSSFLD", version, length of the rest, CRC-64 of
/// the rest, zeros up to 512}, then the HDF5 file (1.10 format: all metadata has checksums). Every dataset is chunked
/// with fletcher32 and has its dimension scales and the attributes `units` and `long_name`; scalars and empty datasets,
/// which HDF5 cannot filter, are stored in their object header and covered by its checksum. Strings in datasets are
/// zero-padded UTF-8 of fixed length, those in attributes UTF-8 of variable length. The bytes depend neither on the
/// order of the arrays nor on time (no time stamps). Throws a run error for content that could not be read back: no
/// `kind`, a shape that does not match its values, two arrays with the same path, a scale that is missing or of the
/// wrong length, a zero byte in a string.
std::vector<std::byte> to_bytes(const Container& container);

/// Parses the bytes of an untrusted file: checks magic and version, length and CRC-64 (unless !verify), then every size
/// before allocating memory. Throws an input error if a check fails, and for links out of the file, unknown types, or
/// datasets larger than the file could hold (32 times its size). Arrays are ordered by path. `name` is used in
/// messages. Without `verify`, the checksums inside the HDF5 part still detect damage, except in the letters of
/// attributes. A file made to do so may crash the HDF5 library, and with it this process: read_container() does not let it.
Container container_from_bytes(std::span<const std::byte> bytes, const std::string& name, bool verify = true);

/// Writes to_bytes(container) with write_atomically(), which follows no link at `path`.
void write_container(const std::string& path, const Container& container);

/// Reads a file with container_from_bytes(), in a process of its own if there is a command for it (reader_process.hpp). Also
/// throws an input error if the file cannot be read.
Container read_container(const std::string& path, bool verify = true);

/// Version of the HDF5 library in use, such as "1.10.8".
std::string hdf5_version();

}  // namespace krossfold::storage
