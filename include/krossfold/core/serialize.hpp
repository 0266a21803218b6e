// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/unit.hpp"

namespace krossfold {

template <class T>
concept TriviallyCopyable = std::is_trivially_copyable_v<T>;

/// Appends plain values to a byte string in native byte order (little endian on every supported machine).
class ByteWriter {
public:
  template <TriviallyCopyable T>
  void put(const T& value) {
    append(&value, sizeof(T));
  }
  /// Writes the number of elements as 64 bits, then the elements.
  template <TriviallyCopyable T>
  void put_all(std::span<const T> values) {
    put<std::uint64_t>(values.size());
    append(values.data(), values.size_bytes());
  }
  void put_string(const std::string& value) { put_all(std::span<const char>(value)); }
  /// Writes each value: strings and vectors with put_all(), bool as 32 bits, others with put().
  template <class... T>
  void put_fields(const T&... values) {
    (put_field(values), ...);
  }

  /// Reserves room for that many more bytes, which avoids copies while a large string grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }

  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  // Not inline: GCC 12 warns of overflows that cannot happen where it sees into the insertion.
  void append(const void* data, std::size_t bytes);
  template <class T>
  void put_field(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      return put<std::int32_t>(value ? 1 : 0);
    else if constexpr (TriviallyCopyable<T>)
      return put(value);
    else
      put_all(std::span(value));
  }

  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote. Throws a run error naming `what` if the bytes end too early; sizes are checked
/// before memory is allocated.
class ByteReader {
public:
  ByteReader(std::span<const std::byte> bytes, std::string what) : bytes_(bytes), what_(std::move(what)) {}

  template <TriviallyCopyable T>
  T get() {
    T value;
    std::memcpy(&value, next(sizeof(T)), sizeof(T));
    return value;
  }
  template <TriviallyCopyable T>
  std::vector<T> get_all() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), next(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  /// Fills `values`.
  template <TriviallyCopyable T>
  void read(std::span<T> values) {
    if (!values.empty()) std::memcpy(values.data(), next(values.size_bytes()), values.size_bytes());
  }
  std::string get_string() {
    const auto letters = get_all<char>();
    return {letters.begin(), letters.end()};
  }
  /// Reads what put_fields() wrote for values of these types.
  template <class... T>
  void get_fields(T&... values) {
    (get_field(values), ...);
  }
  bool at_end() const { return bytes_.empty(); }
  /// Number of unread bytes.
  std::size_t left() const { return bytes_.size(); }
  /// Throws unless all bytes were read.
  void expect_end() const {
    if (!bytes_.empty()) fail();
  }

private:
  template <class T>
  void get_field(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = get<std::int32_t>() != 0;
    else if constexpr (TriviallyCopyable<T>)
      value = get<T>();
    else if constexpr (std::is_same_v<T, std::string>)
      value = get_string();
    else
      value = get_all<typename T::value_type>();
  }
  const std::byte* next(std::size_t count) {
    if (count > bytes_.size()) fail();
    const std::byte* first = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return first;
  }
  [[noreturn]] void fail() const;

  std::span<const std::byte> bytes_;
  std::string what_;
};

/// Serialises a record for the journal and for messages between ranks.
std::vector<std::byte> to_bytes(const Record& record);
Record record_from_bytes(std::span<const std::byte> bytes);

/// Serialises a unit, except its priority, for messages between ranks.
std::vector<std::byte> to_bytes(const Unit& unit);
Unit unit_from_bytes(std::span<const std::byte> bytes);

}  // namespace krossfold
