// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What passes through the socket of a reader process. Private to this layer. Each message is a MessageHead and its bytes: for a request
// the file or array concerned and what is asked of it, for an answer the values or the message of an error.

#include <cstdint>
#include <span>
#include <vector>

#include "array_source.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::storage {

enum class Request : std::uint32_t {
  container,
  open_file,
  close_file,
  path_kind,
  open_array,
  close_array,
  listing,
  read,
  read_text,
  array_has_attribute,
  array_attribute,
  has_attribute,
  attribute_text,
  attribute_number
};

/// What a reader process sends before its first answer, as the code of an empty message.
inline constexpr std::uint32_t reader_greeting = 0x4b465232;  // KFR2: requests and answers of this form

struct MessageHead {
  std::uint32_t code = 0;  ///< of a request: which; of an answer: 0, or the exit code of an error
  std::uint32_t unused = 0;
  std::uint64_t bytes = 0;
};

/// Send and receive all bytes through a socket. False if its other end is closed or fails.
bool send_message(int socket, std::uint32_t code, std::span<const std::byte> bytes);
bool receive_all(int socket, std::span<std::byte> bytes);
/// Receives as many bytes as a head announced; memory grows with what arrives, whatever was announced.
bool receive_bytes(int socket, std::uint64_t count, std::vector<std::byte>& bytes);

void put_words(ByteWriter& writer, const std::vector<std::string>& words);
std::vector<std::string> get_words(ByteReader& reader);
void put_facts(ByteWriter& writer, const ArrayFacts& facts);
void put_array_attribute(ByteWriter& writer, const ArrayAttribute& attribute);
void put_container(ByteWriter& writer, const Container& container);

/// Read these back. Throw run errors for contents that no reader sends: a type that does not exist, an element of the wrong
/// size, values that do not fill their shape.
ArrayFacts get_facts(ByteReader& reader);
ArrayAttribute get_array_attribute(ByteReader& reader);
Container get_container(ByteReader& reader);

}  // namespace krossfold::storage
