// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// An array of NumPy, its elements as in the file.
struct NumpyArray {
  std::string name;                    ///< the file, for messages: "a.npy", "a.npz, array X"
  std::vector<std::uint64_t> shape{};  ///< empty for a single value
  char kind = 'f';                     ///< f (float), i, u (integers), b (bool), U (UTF-32), S (bytes)
  std::size_t bytes = 8;               ///< of an element
  bool big_endian = false;
  bool fortran = false;                 ///< the first index runs fastest
  std::span<const std::byte> elements;  ///< shares the memory of the file
  std::string missing = "it is NaN";    ///< why a value counts as missing, for messages
  std::span<const char> absent{};  ///< (element, in the order of the file) not 0: it is missing; empty if only NaN is
};

/// The header of a .npy file, format versions 1 to 3 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html),
/// of elements f4, f8, i1 to i8, u1 to u8, b1, U and S in either byte order. Throws an input error for another element type,
/// above all for objects, which are pickles and could run code, or if the size does not match the shape.
NumpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

/// The elements in the order of C, whatever that of the file. Numbers are exact up to 2^53; words are as labels are written: text
/// without the zeros at its end, whole numbers without a point. numbers_of() throws an input error for text.
std::vector<double> numbers_of(const NumpyArray& array);
std::vector<std::string> words_of(const NumpyArray& array);

/// The names of the arrays of a .npz file, in its order: its members without .npy. Throws an input error if it is damaged.
std::vector<std::string> npz_arrays(std::span<const std::byte> bytes, const std::string& name);

/// The content of the member `member`.npy of a .npz file, a ZIP archive with stored or deflated members
/// (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, also ZIP64). Its checksum is verified, and memory is
/// allocated only for a size that the compressed data can have. Throws an input error that lists the members if there is
/// no such one, or if the archive is damaged, encrypted or compressed in another way.
std::vector<std::byte> read_npz_member(std::span<const std::byte> bytes, const std::string& member,
                                       const std::string& name);

/// Samples and labels in .npy files: x is (sample, feature); higher dimensions are flattened as by numpy.reshape(n, -1), a
/// single one is one feature. y is (sample) or (sample, 1), integers, numbers, truth values or strings. If `y` is "", the
/// labels are a column of x, as in read_table(), or may be absent with `encoding`. There are no names: columns are given by
/// number. Missing values are NaN. Throws an input error that names file, row and column.
Table read_npy(const std::string& x, const std::string& y, const TableParams& params = {},
               const TableEncoding* encoding = nullptr);

/// The same from the arrays `x` and `y` of a .npz file.
Table read_npz(const std::string& path, const std::string& x, const std::string& y, const TableParams& params = {},
               const TableEncoding* encoding = nullptr);

/// The same from arrays; `y` may be null.
Table numpy_table(const NumpyArray& x, const NumpyArray* y, const TableParams& params = {},
                  const TableEncoding* encoding = nullptr);

/// An array that is read in pieces of its first dimension, because it is too large to be in memory twice.
struct ArrayPieces {
  std::string name;                    ///< for messages
  std::vector<std::uint64_t> shape{};  ///< of the whole array
  char kind = 'f';                     ///< as in NumpyArray
  std::uint64_t rows = 1;              ///< of a piece
  /// The rows first ... first + count - 1, whose elements stay where they are until the next call.
  std::function<NumpyArray(std::uint64_t first, std::uint64_t count)> read;
};

/// The same from pieces; `format` is that of the table.
Table pieces_table(const ArrayPieces& x, const ArrayPieces* y, const std::string& format,
                   const TableParams& params = {}, const TableEncoding* encoding = nullptr);

}  // namespace krossfold::tables
