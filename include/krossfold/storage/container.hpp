// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Result and model files are HDF5 files behind a 512-byte user block with a checksum. In memory they are plain data.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace krossfold::storage {

/// The version of the file format that this library writes; a newer one is refused.
inline constexpr std::int64_t schema_version = 1;

using Values = std::variant<std::vector<double>, std::vector<float>, std::vector<std::int32_t>,
                            std::vector<std::int64_t>, std::vector<std::string>>;

/// One dataset. An empty shape is a scalar (one value).
struct Array {
  std::string path;                  ///< "/fit/iterations": groups are made as needed
  std::vector<std::uint64_t> shape;  ///< row-major
  Values values;
  std::vector<std::string> scales;  ///< for each dimension the path of its dimension scale, "" for none; may be empty
  std::string units;                ///< "1" for pure numbers
  std::string long_name;            ///< for axis labels
};

using Attribute = std::variant<std::int64_t, double, std::string>;

/// The content of a result or model file.
struct Container {
  std::map<std::string, Attribute>
      attributes;  ///< of the root group; must have "kind"; "schema_version" is set on writing
  std::vector<Array> arrays;

  /// The dataset at `path`; throws a run error that names it if there is none.
  const Array& at(const std::string& path) const;
  bool has(const std::string& path) const;
  /// The values at `path` as T; throws a run error if they are of another type.
  template <class T>
  const std::vector<T>& values(const std::string& path) const;
  /// A string attribute, or `otherwise`.
  std::string attribute(const std::string& name, const std::string& otherwise = "") const;
};

/// The content as the bytes of a file: user block {magic "KROSSFLD", version, length of the rest, CRC-64 of the rest,
/// zeros up to 512}, then the HDF5 file (format of 1.10: all metadata has checksums). Every dataset is chunked with
/// fletcher32, has its dimension scales attached and the attributes `units` and `long_name`; scalars and empty datasets,
/// which HDF5 cannot filter, lie in their object header under its checksum. Strings are UTF-8 of fixed length, padded
/// with zeros. The same content, in whatever order its arrays are, gives the same bytes (no time stamps).
/// Throws a run error for content that could not be read back: no `kind`, a shape that does not match its values, two
/// arrays of one path, a scale that is missing or of another length, a zero byte in a string.
std::vector<std::byte> to_bytes(const Container& container);

/// Reads the bytes of a file, from anywhere: checks magic, version, length and CRC-64 (skipped if !verify), then every
/// size before it allocates; links out of the file, unknown types and datasets larger than the file could hold (32
/// times its size) are refused. The arrays are in the order of their paths. `name` is for messages. Throws an input error.
/// Without `verify`, damage is found by the checksums inside the HDF5 part; against a file made to exploit a fault of the
/// HDF5 library itself only keeping that library up to date helps.
Container container_from_bytes(std::span<const std::byte> bytes, const std::string& name, bool verify = true);

/// to_bytes and write_atomically.
void write_container(const std::string& path, const Container& container);

/// Reads a file. Throws an input error if it is missing or not one of ours.
Container read_container(const std::string& path, bool verify = true);

/// "1.10.8": the HDF5 library in use.
std::string hdf5_version();

}  // namespace krossfold::storage
