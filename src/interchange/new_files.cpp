// SPDX-License-Identifier: BSD-3-Clause
#include "new_files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/atomic_file.hpp"

namespace krossfold::interchange {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_existing(const std::string& path) {
  throw_input_error(text(path, " exists"), "no file is overwritten", "Choose another -o, or move the file away.");
}

}  // namespace

void check_new(const std::string& path) {
  storage::check_output_name(path);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) refuse_existing(path);
  storage::check_writable(path);
}

void write_new(const std::vector<NewFile>& files) {
  for (const NewFile& file : files) check_new(file.path);
  for (std::size_t k = 0; k < files.size(); ++k) {
    const auto undo = [&] {
      std::error_code ignored;
      for (std::size_t done = 0; done < k; ++done) fs::remove(files[done].path, ignored);
    };
    try {
      if (storage::create_atomically(files[k].path, files[k].bytes)) continue;
    } catch (...) {
      undo();
      throw;
    }
    undo();
    refuse_existing(files[k].path);
  }
}

std::vector<std::byte> bytes_of(const std::string& letters) {
  const auto bytes = std::as_bytes(std::span(letters));
  return {bytes.begin(), bytes.end()};
}

std::string end_of(const std::string& path) {
  std::string end = fs::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end;
}

std::string with_end(const std::string& path, const std::string& end) {
  return fs::path(path).replace_extension(end).string();
}

}  // namespace krossfold::interchange
