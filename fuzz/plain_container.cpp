// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/plain_container.hpp"

#include <algorithm>
#include <cstring>

#include "krossfold/core/serialize.hpp"

namespace krossfold::fuzz {

namespace {

/// Kinds of entries: attributes, then arrays in the order of storage::Values.
enum Kind : unsigned char { whole, real, words, doubles, floats, ints, longs, strings, kinds };

class Reader {
public:
  explicit Reader(std::span<const std::byte> rest) : rest_(rest) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  template <class T>
  T number() {
    T value{};
    const std::size_t size = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), size);
    rest_ = rest_.subspan(size);
    return value;
  }
  std::string letters() {
    const auto wanted = number<std::uint64_t>();  // before what is left is counted
    const std::size_t size = std::min<std::uint64_t>(wanted, left());
    std::string value(reinterpret_cast<const char*>(rest_.data()), size);
    rest_ = rest_.subspan(size);
    return value;
  }

private:
  std::span<const std::byte> rest_;
};

template <class T>
std::vector<T> numbers(Reader& reader, std::uint64_t count) {
  std::vector<T> values(std::min<std::uint64_t>(count, reader.left() / sizeof(T)));
  for (T& value : values) value = reader.number<T>();
  return values;
}

storage::Values values_of(Reader& reader, unsigned kind, std::uint64_t count) {
  switch (kind) {
    case doubles:
      return numbers<double>(reader, count);
    case floats:
      return numbers<float>(reader, count);
    case ints:
      return numbers<std::int32_t>(reader, count);
    case longs:
      return numbers<std::int64_t>(reader, count);
    default:
      break;
  }
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < count && !reader.at_end(); ++i) values.push_back(reader.letters());
  return values;
}

}  // namespace

Bytes to_plain(const storage::Container& container) {
  ByteWriter writer;
  for (const auto& [name, attribute] : container.attributes) {
    writer.put_fields(static_cast<unsigned char>(attribute.index()), name);
    std::visit([&](const auto& value) { writer.put_fields(value); }, attribute);
  }
  for (const storage::Array& array : container.arrays) {
    writer.put_fields(static_cast<unsigned char>(doubles + array.values.index()), array.path,
                      static_cast<unsigned char>(array.shape.size()));
    for (const std::uint64_t extent : array.shape) writer.put(static_cast<std::uint32_t>(extent));
    std::visit(
        [&](const auto& values) {
          for (const auto& value : values) writer.put_fields(value);
        },
        array.values);
  }
  return writer.take();
}

storage::Container from_plain(std::span<const std::byte> bytes) {
  storage::Container container;
  for (Reader reader(bytes); !reader.at_end();) {
    const unsigned kind = reader.number<unsigned char>() % kinds;
    const std::string name = reader.letters();
    if (kind == whole) {
      container.attributes[name] = reader.number<std::int64_t>();
    } else if (kind == real) {
      container.attributes[name] = reader.number<double>();
    } else if (kind == words) {
      container.attributes[name] = reader.letters();
    } else {
      storage::Array array;
      array.path = name;
      std::uint64_t count = 1;
      array.shape.resize(reader.number<unsigned char>() % 5);
      for (std::uint64_t& extent : array.shape) {
        extent = reader.number<std::uint32_t>() % (1U << 20);
        count = std::min<std::uint64_t>(count * extent, 1 << 22);
      }
      array.values = values_of(reader, kind, count);
      // What a file gives has as many values as its shape says.
      const std::size_t there = std::visit([](const auto& values) { return values.size(); }, array.values);
      if (there != count) array.shape = {there};
      if (!container.has(name)) container.arrays.push_back(std::move(array));
    }
  }
  return container;
}

}  // namespace krossfold::fuzz
