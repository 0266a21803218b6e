// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace krossfold::interchange {

/// Makes a .npz file as numpy.savez does: a ZIP archive whose members, NAME.npy, are stored as they are. The bytes depend only on the
/// arrays (no time stamps). Shapes are those of the arrays in the order of C; {} is a single value.
class NpzWriter {
public:
  using Shape = std::vector<std::int64_t>;

  void add(const std::string& name, const Shape& shape, std::span<const double> values);
  void add(const std::string& name, const Shape& shape, std::span<const float> values);
  void add(const std::string& name, const Shape& shape, std::span<const std::int64_t> values);
  /// Text in UTF-8, whose invalid bytes are read as Latin-1.
  void add(const std::string& name, const Shape& shape, const std::vector<std::string>& values);

  void add(const std::string& name, double value) { add(name, {}, std::span(&value, 1)); }
  void add(const std::string& name, std::int64_t value) { add(name, {}, std::span(&value, 1)); }
  void add(const std::string& name, const std::string& value) { add(name, {}, std::vector{value}); }

  /// The file. Throws an input error if an array or the file is larger than 4 GiB, which needs another form of archive.
  std::vector<std::byte> finish();

private:
  struct Member {
    std::string name;
    std::uint64_t begin, size;
    std::uint32_t crc;
  };

  void add(const std::string& name, const std::string& type, const Shape& shape, std::span<const std::byte> elements);

  std::vector<std::byte> bytes_;
  std::vector<Member> member_;
};

}  // namespace krossfold::interchange
