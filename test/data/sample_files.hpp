// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the tests of this folder: files that exist as long as a test, and expected errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::test {

/// A new folder that is removed at the end of the scope.
class SampleFolder {
public:
  SampleFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "krossfold_data_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder in " + pattern);
    path_ = pattern;
  }
  ~SampleFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    const std::string file = path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream out(file, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
    return file;
  }

private:
  std::string path_;
};

/// Sets an environment variable, or unsets it if `value` is nullopt, until the end of the scope.
class Environment {
public:
  Environment(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

/// One member of a gzip file.
inline std::string gzipped(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::span<const std::byte> bytes_of(std::string_view content) { return std::as_bytes(std::span(content)); }

inline std::string string_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Expects `action` to throw an input error whose message contains all `parts`.
inline void expect_input_error(const std::function<void()>& action, const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    for (const std::string& part : parts) EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    return;
  }
  ADD_FAILURE() << "no error where one was expected that says " << ::testing::PrintToString(parts);
}

inline Matrix<const float> matrix(const std::vector<std::vector<float>>& rows) {
  const Matrix<float> values("krossfold::test::values", rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) values(i, j) = rows[i][j];
  }
  return values;
}

inline Vector<const int> labels(const std::vector<int>& values) {
  const Vector<int> label("krossfold::test::label", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) label(i) = values[i];
  return label;
}

inline std::vector<float> row(const data::Dataset& dataset, int i) {
  std::vector<float> values;
  for (int j = 0; j < dataset.features(); ++j) values.push_back(dataset.raw(i, j));
  return values;
}

inline std::vector<int> all_labels(const data::Dataset& dataset) {
  std::vector<int> values;
  for (std::size_t i = 0; i < dataset.label.extent(0); ++i) values.push_back(dataset.label(i));
  return values;
}

}  // namespace krossfold::test
