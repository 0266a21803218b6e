// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is fuzzed: each reader of bytes that may come from a stranger, under a name.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace krossfold::fuzz {

using Bytes = std::vector<std::byte>;

/// A reader, and what must hold whatever it reads.
struct Target {
  const char* name;
  /// Reads the input. The reader may refuse it by an Error; any other exception, and a property that does not hold, is a fault.
  void (*read)(std::span<const std::byte> input);
  /// Corrects lengths and checksums, so that a changed input gets past them; null if the format has none.
  void (*repair)(Bytes& input) = nullptr;
};

std::span<const Target> text_targets();     ///< csv, known, libsvm, names, toml, lock, spec
std::span<const Target> array_targets();    ///< idx, npy, npz, gzip, hdf5
std::span<const Target> picture_targets();  ///< png, jpeg
std::span<const Target> stored_targets();   ///< result, model, journal
std::span<const Target> part_targets();     ///< part
std::span<const Target> import_targets();   ///< svmmodel, range, npzmodel
std::span<const Target> message_targets();  ///< record, unit, request, answer, reply, payload

std::vector<Target> all_targets();

/// The target of that name; null if there is none.
const Target* find_target(const std::string& name);

/// Kinds of units whose states the target `part` reads, and a state of one as an input of it.
inline constexpr unsigned part_kinds =
    4;  ///< a fold of an SVM search, a trial of a bag, a training of a character model, the final fit of a bag
Bytes valid_part(unsigned kind);

/// Ends the process, as a fault that a fuzzer keeps, unless `holds`.
void must(bool holds, const char* property);

/// Hands the input to the target. Anything but an Error that it throws leaves this function.
void run(const Target& target, std::span<const std::byte> input);

/// A file with these bytes, for readers that take a path; deleted at the end.
class InputFile {
public:
  InputFile(std::span<const std::byte> bytes, const std::string& name);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

/// The first bytes of an input choose options; the rest is the file. Zero once the input is used up.
class Choices {
public:
  explicit Choices(std::span<const std::byte> input) : rest_(input) {}

  unsigned next(unsigned count) {
    if (rest_.empty()) return 0;
    const auto value = std::to_integer<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value % count;
  }
  std::span<const std::byte> rest() const { return rest_; }

private:
  std::span<const std::byte> rest_;
};

}  // namespace krossfold::fuzz
