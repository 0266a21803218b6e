// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Arrays in HDF5 files that any program wrote, netCDF-4 files among them, read in pieces.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace krossfold::storage {

class ArraySource;

/// An attribute of an array.
struct ArrayAttribute {
  using Number = std::variant<double, std::int64_t, std::uint64_t>;

  /// '-' if there is none of that name; f, i or u for numbers; S for one text; '?' for anything else, and for more than a MiB.
  char kind = '-';
  std::vector<std::uint64_t> bits{};  ///< of its numbers, of 64 bits each
  std::string word{};                 ///< its text

  Number number(std::size_t k) const {
    if (kind == 'f') return std::bit_cast<double>(bits[k]);
    if (kind == 'i') return std::bit_cast<std::int64_t>(bits[k]);
    return bits[k];
  }
};

/// An array of a file that is open. Copies share it.
class StoredArray {
public:
  const std::string& path() const;
  const std::vector<std::uint64_t>& shape() const;  ///< empty for a single value
  /// What read() gives, in NumPy's letters: f (float or double), i, u (64 bits), b (bytes of 0 or 1), S (text, or the
  /// names of an enumeration), or '?' for a type that is none of these, such as a compound.
  char kind() const;
  std::size_t bytes() const;        ///< of an element given by read(); of text with a fixed length, that length; else 0
  const std::string& type() const;  ///< for people: "float64, 150 x 4"

  /// How many rows (of the first dimension) to read at once: whole chunks of a few MiB, at least one row.
  std::uint64_t rows_at_once() const;
  /// Reads the rows first ... first + count - 1 of an array of numbers or truth values into `values`, which holds count times
  /// the elements of a row, bytes() each. Throws an input error that names file and path if the file is damaged.
  void read(std::uint64_t first, std::uint64_t count, void* values) const;
  /// The same of an array of text, without the zeros or blanks that pad it.
  std::vector<std::string> read_text(std::uint64_t first, std::uint64_t count) const;

  bool has_attribute(const std::string& name) const;
  ArrayAttribute attribute(const std::string& name) const;

private:
  friend class ArrayFile;
  struct State;
  std::shared_ptr<const State> state_;
};

/// What is at a path of an HDF5 file. Something else than an array is a group, a type, or a link that leads nowhere or out of the file.
enum class PathKind : std::uint8_t { none, array, other };

/// An HDF5 file, open for reading, by a process of its own if there is a command for it (reader_process.hpp). It is read where it
/// lies, not into memory. Links to other files are not followed.
class ArrayFile {
public:
  /// Throws an input error if the file cannot be read, or if it is not HDF5.
  explicit ArrayFile(const std::string& file);

  const std::string& name() const { return name_; }
  PathKind kind_of(const std::string& path) const;
  bool has(const std::string& path) const { return kind_of(path) == PathKind::array; }
  /// Throws an input error that lists the arrays of the file if there is none at `path`; also if its values lie elsewhere, if they
  /// need a filter that HDF5 itself lacks, if they are more than the file can hold, or if parts of them were never written and have no
  /// fill value.
  StoredArray open(const std::string& path) const;
  /// All arrays for a message: "/x (float64, 150 x 4)", in the order of their paths.
  std::vector<std::string> listing() const;
  /// Attributes of the root group: a text ("" if there is none of that name), a number (`otherwise`).
  bool has_attribute(const std::string& name) const;
  std::string attribute(const std::string& name) const;
  std::int64_t attribute(const std::string& name, std::int64_t otherwise) const;

private:
  std::string name_;
  std::shared_ptr<ArraySource> source_;
};

}  // namespace krossfold::storage
