// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/tables/numpy_files.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

struct Member {
  std::string name;
  std::uint64_t flags = 0, method = 0, crc = 0, packed = 0, size = 0, header = 0;
};

/// A ZIP archive in memory; every access is checked.
class Archive {
public:
  Archive(std::span<const std::byte> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::vector<Member> members() const {
    std::uint64_t at = 0, count = 0;
    find_directory(at, count);
    std::vector<Member> all;
    std::set<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (number(at, 4) != 0x02014b50) damaged(at, "no entry of its directory is there");
      Member member;
      member.flags = number(at + 8, 2);
      member.method = number(at + 10, 2);
      member.crc = number(at + 16, 4);
      member.packed = number(at + 20, 4);
      member.size = number(at + 24, 4);
      member.header = number(at + 42, 4);
      const std::uint64_t name = number(at + 28, 2), extra = number(at + 30, 2), comment = number(at + 32, 2);
      const auto written = part(at + 46, name);
      member.name.assign(reinterpret_cast<const char*>(written.data()), written.size());
      read_long_sizes(at + 46 + name, extra, member);
      if (!names.insert(member.name).second) damaged(at, text(quoted(member.name), " is there twice"));
      all.push_back(std::move(member));
      at += 46 + name + extra + comment;
    }
    return all;
  }

  std::vector<std::byte> content(const Member& member) const {
    if ((member.flags & 1u) != 0)
      throw_input_error(text(where(member), " is encrypted"), "", "save it without a password");
    if (member.method != Z_DEFLATED && member.method != 0) {
      throw_input_error(text(where(member), " is compressed by method ", member.method),
                        "stored and deflated members are read", "save it with numpy.savez or numpy.savez_compressed");
    }
    if (number(member.header, 4) != 0x04034b50) damaged(member.header, "no member starts there");
    const std::uint64_t start = member.header + 30 + number(member.header + 26, 2) + number(member.header + 28, 2);
    const auto packed = part(start, member.packed);
    // A byte of deflated data yields at most 1032.
    const bool plausible = member.method == 0 ? member.size == member.packed : member.size / 1032 <= member.packed + 1;
    if (!plausible) damaged(start, text(member.size, " bytes cannot come from ", member.packed));
    data::check_memory(member.size, where(member));
    std::vector<std::byte> out(packed.begin(), member.method == 0 ? packed.end() : packed.begin());
    if (member.method != 0) out = inflated(member, packed, start);
    if (checksum(out) != member.crc) damaged(start, "the checksum is wrong");
    return out;
  }

private:
  [[noreturn]] void damaged(std::uint64_t at, const std::string& why) const {
    throw_input_error(text(name_, " is damaged at byte ", at), why, "save it again");
  }
  std::string where(const Member& member) const { return text(name_, ", array ", quoted(member.name)); }

  std::span<const std::byte> part(std::uint64_t at, std::uint64_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) damaged(at, text("it has only ", bytes_.size(), " bytes"));
    return bytes_.subspan(at, count);
  }
  std::uint64_t number(std::uint64_t at, std::uint64_t count) const {
    std::uint64_t value = 0;
    const auto bytes = part(at, count);
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
  }

  /// The end of the archive tells where its directory is; a comment of up to 65535 bytes may follow it.
  void find_directory(std::uint64_t& at, std::uint64_t& count) const {
    constexpr std::uint64_t end_bytes = 22, longest_comment = 65535;
    if (bytes_.size() < end_bytes)
      throw_input_error(text(name_, " is no .npz file"), "it is too short for a ZIP archive");
    const std::uint64_t last = bytes_.size() - end_bytes, first = last > longest_comment ? last - longest_comment : 0;
    std::uint64_t end = last + 1;
    while (end > first && number(end - 1, 4) != 0x06054b50) --end;
    if (end == first)
      throw_input_error(text(name_, " is no .npz file, or is cut off"), "a ZIP archive ends with its directory");
    --end;
    count = number(end + 10, 2);
    at = number(end + 16, 4);
    const bool is_long = at == 0xffffffff || count == 0xffff;
    if (is_long && end >= 20 && number(end - 20, 4) == 0x07064b50) {
      const std::uint64_t long_end = number(end - 12, 8);
      if (number(long_end, 4) != 0x06064b50) damaged(long_end, "the end of the directory is not there");
      count = number(long_end + 32, 8);
      at = number(long_end + 48, 8);
    }
    if (count > bytes_.size() / 46) damaged(end, text(count, " members do not fit"));
  }

  /// Sizes of 4 GiB and more stand in the extra field 1, in this order.
  void read_long_sizes(std::uint64_t at, std::uint64_t length, Member& member) const {
    part(at, length);
    for (const std::uint64_t end = at + length; at + 4 <= end;) {
      const std::uint64_t id = number(at, 2), bytes = number(at + 2, 2);
      std::uint64_t field = at + 4;
      at = field + bytes;
      if (id != 1) continue;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.header}) {
        if (*value != 0xffffffff || field + 8 > at) continue;
        *value = number(field, 8);
        field += 8;
      }
    }
  }

  std::vector<std::byte> inflated(const Member& member, std::span<const std::byte> packed, std::uint64_t start) const {
    std::vector<std::byte> out(member.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw_run_error("zlib cannot start", "inflateInit2 failed");
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    std::size_t read = 0, written = 0;
    int status = Z_OK;
    while (status == Z_OK) {
      const auto give = static_cast<uInt>(std::min(most, packed.size() - read));
      const auto space = static_cast<uInt>(std::min(most, out.size() - written));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + read));
      stream.avail_in = give;
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
      stream.avail_out = space;
      status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_OK && stream.avail_in == give && stream.avail_out == space) status = Z_BUF_ERROR;
      read += give - stream.avail_in;
      written += space - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END || written != out.size())
      damaged(start + read, "its compressed data are not what they should be");
    return out;
  }

  static std::uint64_t checksum(std::span<const std::byte> bytes) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }

  std::span<const std::byte> bytes_;
  const std::string& name_;
};

}  // namespace

std::vector<std::string> npz_arrays(std::span<const std::byte> bytes, const std::string& name) {
  std::vector<std::string> arrays;
  for (const Member& one : Archive(bytes, name).members()) {
    if (one.name.ends_with(".npy")) arrays.push_back(one.name.substr(0, one.name.size() - 4));
  }
  return arrays;
}

std::vector<std::byte> read_npz_member(std::span<const std::byte> bytes, const std::string& member,
                                       const std::string& name) {
  const Archive archive(bytes, name);
  std::vector<std::string> arrays;
  for (const Member& one : archive.members()) {
    if (one.name == member + ".npy") return archive.content(one);
    arrays.push_back(one.name.ends_with(".npy") ? one.name.substr(0, one.name.size() - 4) : quoted(one.name));
  }
  if (member.empty()) {
    throw_input_error(text("no array of ", name, " is named"), text("there are ", some_of(arrays)),
                      text("Write npz:", name, ":X for one with the label in a column, or npz:", name, ":X,Y."));
  }
  const std::string near = nearest_word(member, arrays);
  throw_input_error(text(name, " has no array ", quoted(member)), text("there are ", some_of(arrays)),
                    near.empty() ? "" : text("Did you mean ", near, "?"));
}

}  // namespace krossfold::tables
