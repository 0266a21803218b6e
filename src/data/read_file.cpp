// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"

namespace krossfold::data {
namespace {

class FileDescriptor {
public:
  explicit FileDescriptor(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int number() const { return number_; }

private:
  int number_;
};

[[noreturn]] void throw_unreadable(const std::string& path, int error_number) {
  throw_input_error(text("cannot read ", path), std::strerror(error_number), "check the path and its permissions");
}

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

/// Inflates the members of a gzip file, one after another, into a growing buffer, or the first `most` bytes of what they hold.
class Inflater {
public:
  Inflater(std::span<const std::byte> bytes, const std::string& name, std::size_t most)
      : in_(bytes), name_(name), most_(most) {
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw_run_error("zlib cannot start", "inflateInit2 failed");
    // Text typically compresses to a quarter of its size; the buffer doubles if that is too small.
    out_.resize(std::min(std::max<std::size_t>(4 * bytes.size(), 4096), std::max<std::size_t>(most, 1)));
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  std::vector<std::byte> run() {
    while (written_ < most_) {
      const int status = step();
      if (written_ == most_) break;
      if (status == Z_STREAM_END) {
        if (padding_only()) break;
        if (!is_gzip(in_.subspan(read_))) {
          throw_input_error(text(name_, " continues after the end of its compressed data, at byte ", read_), "",
                            "fetch the file again");
        }
        inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw_input_error(text(name_, " is damaged at byte ", read_),
                          stream_.msg != nullptr ? stream_.msg : "zlib refuses it", "fetch the file again");
      } else if (read_ == in_.size() && stream_.avail_out > 0) {
        throw_input_error(text(name_, " is cut off"),
                          text("its compressed data continues past its last byte, number ", read_),
                          "fetch the file again");
      }
    }
    out_.resize(written_);
    return std::move(out_);
  }

private:
  int step() {
    if (written_ == out_.size()) {
      check_memory(2 * out_.size(), text(name_, ", decompressed,"));
      out_.resize(std::min(2 * out_.size(), most_));
    }
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto give = static_cast<uInt>(std::min(most, in_.size() - read_));
    const auto space = static_cast<uInt>(std::min(most, out_.size() - written_));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in_.data() + read_));
    stream_.avail_in = give;
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + written_);
    stream_.avail_out = space;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    read_ += give - stream_.avail_in;
    written_ += space - stream_.avail_out;
    return status;
  }

  /// True if only zero bytes follow, which may pad the last block of a file, as on tape.
  bool padding_only() const {
    const auto rest = in_.subspan(read_);
    return std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; });
  }

  std::span<const std::byte> in_;
  const std::string& name_;
  std::size_t most_;
  std::vector<std::byte> out_;
  std::size_t read_ = 0, written_ = 0;
  z_stream stream_{};
};

}  // namespace

std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name) {
  if (!is_gzip(bytes)) throw_input_error(text(name, " is not gzip data"), "it does not start with 1f 8b");
  return Inflater(bytes, name, std::numeric_limits<std::size_t>::max()).run();
}

std::vector<std::byte> read_file(const std::string& path, std::size_t most) {
  const FileDescriptor file(path);
  if (file.number() < 0) throw_unreadable(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw_unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) throw_input_error(text("cannot read ", path), "it is a folder", "name a file in it");
  if (status.st_size > 0) check_memory(static_cast<std::uint64_t>(status.st_size), path);

  // The size is only a hint: pipes have none, and a file may grow. One extra byte lets the next read see the end.
  const std::size_t whole = static_cast<std::size_t>(std::max<off_t>(status.st_size, 4095)) + 1;
  std::vector<std::byte> bytes(std::min(whole, std::max<std::size_t>(most, 2)));  // two tell whether it is compressed
  std::size_t used = 0;
  while (true) {
    if (used >= most && used >= 2 && !is_gzip(bytes)) break;
    if (used == bytes.size()) {
      check_memory(2 * used, path);
      bytes.resize(std::max(whole, 2 * used));
    }
    const ssize_t got = ::read(file.number(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unreadable(path, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  if (is_gzip(bytes)) return Inflater(bytes, path, most).run();
  bytes.resize(std::min(used, most));
  return bytes;
}

}  // namespace krossfold::data
