// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What ArrayFile and StoredArray ask of an HDF5 file, answered in this process (hdf5_arrays) or by another (reader_process).
// Private to this layer.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "krossfold/storage/array_file.hpp"

namespace krossfold::storage {

/// What is known of an array once it is open; the fields are those of StoredArray.
struct ArrayFacts {
  std::uint64_t number = 0;  ///< by which its source knows it
  std::string path;
  std::vector<std::uint64_t> shape;
  char kind = '?';
  std::uint64_t bytes = 0;
  std::string type;
  std::uint64_t rows_at_once = 1;
};

/// An HDF5 file that is open. Its functions throw input errors that name the file.
class ArraySource {
public:
  ArraySource() = default;
  ArraySource(const ArraySource&) = delete;
  ArraySource& operator=(const ArraySource&) = delete;
  virtual ~ArraySource() = default;

  virtual PathKind kind_of(const std::string& path) = 0;
  virtual ArrayFacts open(const std::string& path) = 0;
  virtual void close(std::uint64_t array) = 0;
  virtual std::vector<std::string> listing() = 0;
  /// `values` has the bytes of these rows: count times the elements of a row times the bytes of an element.
  virtual void read(std::uint64_t array, std::uint64_t first, std::uint64_t count, std::span<std::byte> values) = 0;
  virtual std::vector<std::string> read_text(std::uint64_t array, std::uint64_t first, std::uint64_t count) = 0;
  virtual bool array_has_attribute(std::uint64_t array, const std::string& name) = 0;
  virtual ArrayAttribute array_attribute(std::uint64_t array, const std::string& name) = 0;
  virtual bool has_attribute(const std::string& name) = 0;
  virtual std::string attribute(const std::string& name) = 0;
  virtual std::int64_t attribute(const std::string& name, std::int64_t otherwise) = 0;
};

/// Opens a file with the HDF5 library in this process.
std::shared_ptr<ArraySource> open_hdf5_arrays(const std::string& file);

}  // namespace krossfold::storage
