// SPDX-License-Identifier: BSD-3-Clause
#include "user_block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::storage {

namespace {

static_assert(std::endian::native == std::endian::little);

struct Start {
  std::array<char, 8> magic{'K', 'R', 'O', 'S', 'S', 'F', 'L', 'D'};
  std::uint64_t version = schema_version;
  std::uint64_t length = 0;
  std::uint64_t crc = 0;
};
static_assert(sizeof(Start) == 32);

const std::string copy_again = "copy it again from where it was written";
const std::string read_unverified = copy_again + ", or see what report can still read of it unverified";

/// What is left to do about a file that is cut off, which HDF5 does not open.
std::string advice_on_cut(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (const std::string journal = journal_path(path); fs::exists(journal, ignored)) {
    return text(copy_again, ", or move it away and run its command again, which goes on from ", journal);
  }
  const fs::path file(path);
  const std::string begin = file.stem().string() + ".";
  for (const auto& entry : fs::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(".models")) {
      return text(copy_again, "; its models are files of their own, in ", entry.path().lexically_normal().string());
    }
  }
  return copy_again;
}

}  // namespace

UserBlock make_user_block(std::span<const std::byte> rest) {
  Start start;
  start.length = rest.size();
  start.crc = crc64(rest);
  UserBlock block{};
  std::memcpy(block.data(), &start, sizeof(start));
  return block;
}

std::int64_t check_user_block(std::span<const std::byte> bytes, const std::string& name, bool verify) {
  const std::string problem = text(name, " cannot be read");
  Start start;
  if (bytes.size() < start.magic.size() || std::memcmp(bytes.data(), start.magic.data(), start.magic.size()) != 0) {
    throw_input_error(problem, "it does not begin with \"KROSSFLD\": not a result or model file of Krossfold");
  }
  if (bytes.size() < sizeof(UserBlock)) {
    throw_input_error(problem, text("it is cut off: ", bytes.size(), " bytes, but the user block alone has 512"));
  }
  std::memcpy(&start, bytes.data(), sizeof(start));
  if (start.version > static_cast<std::uint64_t>(schema_version)) {
    throw_input_error(
        problem, text("it has format version ", start.version, ", but this program supports up to ", schema_version),
        "use a newer Krossfold");
  }
  if (start.version == 0) throw_input_error(problem, "its format version at offset 8 is 0: it is damaged");
  if (!verify) return static_cast<std::int64_t>(start.version);

  const auto rest = bytes.subspan(sizeof(UserBlock));
  if (rest.size() != start.length) {
    throw_input_error(problem,
                      text("it is ", rest.size() < start.length ? "cut off" : "too long", ": ", rest.size(),
                           " bytes follow the user block, but it was written with ", start.length),
                      rest.size() < start.length ? advice_on_cut(name) : read_unverified);
  }
  const auto zeros = bytes.subspan(sizeof(Start), sizeof(UserBlock) - sizeof(Start));
  const auto damage = std::find_if(zeros.begin(), zeros.end(), [](std::byte b) { return b != std::byte{0}; });
  if (damage != zeros.end()) {
    throw_input_error(problem, text("it is damaged at offset ", sizeof(Start) + (damage - zeros.begin())),
                      read_unverified);
  }
  if (crc64(rest) != start.crc) {
    throw_input_error(problem, "it is damaged: its CRC-64 is not the one it was written with", read_unverified);
  }
  return static_cast<std::int64_t>(start.version);
}

}  // namespace krossfold::storage
