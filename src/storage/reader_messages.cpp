// SPDX-License-Identifier: BSD-3-Clause
#include "reader_messages.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace krossfold::storage {

namespace {

constexpr std::uint64_t step = 64u << 20;  // bytes that memory grows by at once

[[noreturn]] void refuse(const char* why) { throw_run_error("damaged answer", why); }

template <std::size_t kind = 0>
Values get_values(std::size_t wanted, ByteReader& reader) {
  if constexpr (kind == std::variant_size_v<Values>) {
    refuse("its values are of a type that does not exist");
  } else {
    if (wanted != kind) return get_values<kind + 1>(wanted, reader);
    using Vector = std::variant_alternative_t<kind, Values>;
    if constexpr (std::is_same_v<Vector, std::vector<std::string>>)
      return get_words(reader);
    else
      return reader.get_all<typename Vector::value_type>();
  }
}

Attribute get_attribute(ByteReader& reader) {
  switch (reader.get<std::uint32_t>()) {
    case 0:
      return reader.get<std::int64_t>();
    case 1:
      return reader.get<double>();
    case 2:
      return reader.get_string();
    default:
      refuse("an attribute is of a type that does not exist");
  }
}

/// Whether the product of the shape is that count; by divisions, as the product may overflow.
bool fills(const std::vector<std::uint64_t>& shape, std::uint64_t count) {
  if (count == 0) return std::find(shape.begin(), shape.end(), std::uint64_t{0}) != shape.end();
  for (const std::uint64_t n : shape) {
    if (n == 0 || count % n != 0) return false;
    count /= n;
  }
  return count == 1;
}

/// About the bytes that put_container() writes.
std::size_t size_of(const Container& container) {
  std::size_t bytes = 1 << 16;
  for (const Array& array : container.arrays) {
    bytes += 1024 + std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array.values);
  }
  return bytes;
}

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

bool receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

bool send_message(int socket, std::uint32_t code, std::span<const std::byte> bytes) {
  const MessageHead head{.code = code, .bytes = bytes.size()};
  return send_all(socket, std::as_bytes(std::span(&head, 1))) && send_all(socket, bytes);
}

bool receive_bytes(int socket, std::uint64_t count, std::vector<std::byte>& bytes) {
  bytes.clear();
  while (bytes.size() < count) {
    const std::size_t have = bytes.size();
    bytes.resize(have + std::min(step, count - have));
    if (!receive_all(socket, std::span(bytes).subspan(have))) return false;
  }
  return true;
}

void put_words(ByteWriter& writer, const std::vector<std::string>& words) {
  writer.put<std::uint64_t>(words.size());
  for (const std::string& word : words) writer.put_string(word);
}

std::vector<std::string> get_words(ByteReader& reader) {
  const auto count = reader.get<std::uint64_t>();
  if (count > reader.left() / sizeof(std::uint64_t)) refuse("it announces more words than it holds");
  std::vector<std::string> words(count);
  for (std::string& word : words) word = reader.get_string();
  return words;
}

void put_facts(ByteWriter& writer, const ArrayFacts& facts) {
  writer.put_fields(facts.number, facts.path, facts.shape, facts.kind, facts.bytes, facts.type, facts.rows_at_once);
}

ArrayFacts get_facts(ByteReader& reader) {
  ArrayFacts facts;
  reader.get_fields(facts.number, facts.path, facts.shape, facts.kind, facts.bytes, facts.type, facts.rows_at_once);
  const bool fits = facts.kind == 'f' ? facts.bytes == sizeof(float) || facts.bytes == sizeof(double)
                    : facts.kind == 'i' || facts.kind == 'u' ? facts.bytes == sizeof(std::int64_t)
                    : facts.kind == 'b'                      ? facts.bytes == 1
                                                             : facts.kind == 'S' || facts.kind == '?';
  if (!fits || facts.rows_at_once == 0) refuse("an array is of a type that does not exist");
  return facts;
}

void put_array_attribute(ByteWriter& writer, const ArrayAttribute& attribute) {
  writer.put_fields(attribute.kind, attribute.bits, attribute.word);
}

ArrayAttribute get_array_attribute(ByteReader& reader) {
  ArrayAttribute attribute;
  reader.get_fields(attribute.kind, attribute.bits, attribute.word);
  return attribute;
}

void put_container(ByteWriter& writer, const Container& container) {
  writer.reserve(size_of(container));
  writer.put<std::uint64_t>(container.attributes.size());
  for (const auto& [name, value] : container.attributes) {
    writer.put_string(name);
    writer.put(static_cast<std::uint32_t>(value.index()));
    std::visit([&](const auto& single) { writer.put_fields(single); }, value);
  }
  writer.put<std::uint64_t>(container.arrays.size());
  for (const Array& array : container.arrays) {
    writer.put_fields(array.path, array.shape, array.units, array.long_name, array.is_scale);
    put_words(writer, array.scales);
    writer.put<std::uint64_t>(array.values.index());
    std::visit(
        [&](const auto& values) {
          if constexpr (std::is_same_v<decltype(values), const std::vector<std::string>&>)
            put_words(writer, values);
          else
            writer.put_all(std::span(values));
        },
        array.values);
  }
}

Container get_container(ByteReader& reader) {
  Container container;
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    std::string name = reader.get_string();
    container.attributes[std::move(name)] = get_attribute(reader);
  }
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Array array;
    reader.get_fields(array.path, array.shape, array.units, array.long_name, array.is_scale);
    array.scales = get_words(reader);
    array.values = get_values(reader.get<std::uint64_t>(), reader);
    const std::uint64_t count =
        std::visit([](const auto& values) { return std::uint64_t{values.size()}; }, array.values);
    if (!fills(array.shape, count)) refuse("values do not fill their shape");
    if (!array.scales.empty() && array.scales.size() != array.shape.size()) refuse("scales do not fit a shape");
    container.arrays.push_back(std::move(array));
  }
  reader.expect_end();
  return container;
}

}  // namespace krossfold::storage
