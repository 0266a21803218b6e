// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace krossfold::interchange {

/// What ends the messages of all that is wrong with the arrays of a file.
inline constexpr const char* npz_advice = "The arrays of a model are in docs/export.md.";

/// Checked access to the arrays of a .npz file. Anything missing or invalid is an input error that names the file and the array.
class NpzReader {
public:
  NpzReader(std::span<const std::byte> bytes, std::string name);

  struct Numbers {
    std::vector<std::uint64_t> shape;
    std::vector<double> value;  ///< in the order of C
  };

  const std::string& name() const { return name_; }
  bool has(const std::string& array) const { return arrays_.contains(array); }

  /// An array of numbers, which are finite unless `nan` allows those that are none.
  Numbers numbers(const std::string& array, bool nan = false) const;
  std::vector<std::string> words(const std::string& array) const;
  /// Arrays of one element.
  double number(const std::string& array) const;
  std::string word(const std::string& array) const;
  /// A whole number from `least` to `most`.
  std::int64_t whole(const std::string& array, std::int64_t least, std::int64_t most) const;

  /// Refuses an array with a point in its name, as the parameters of a module have, that none of the above has read: a layer
  /// that the model does not have.
  void require_all_parameters_read() const;

  void require(bool right, const std::string& why) const;

private:
  std::vector<std::byte> bytes_of(const std::string& array) const;

  std::span<const std::byte> bytes_;
  std::string name_;
  std::set<std::string> arrays_;
  mutable std::set<std::string> read_;
};

}  // namespace krossfold::interchange
