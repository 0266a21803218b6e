// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/container.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/posix_file.hpp"
#include "reader_client.hpp"

namespace krossfold::storage {

namespace {

auto find(const Container& container, const std::string& path) {
  return std::find_if(container.arrays.begin(), container.arrays.end(),
                      [&](const Array& array) { return array.path == path; });
}

std::vector<std::byte> read_regular_file(const std::string& path) {
  const std::string problem = text("cannot read ", path);
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) throw_input_error(problem, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_input_error(problem, std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    throw_input_error(problem, S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a regular file");

  std::vector<std::byte> bytes;
  const int error = read_all(file, bytes);
  if (error != 0) throw_input_error(problem, std::strerror(error));
  return bytes;
}

}  // namespace

const Array& Container::at(const std::string& path) const {
  const auto found = find(*this, path);
  if (found == arrays.end()) throw_run_error(text("the file has no dataset ", path));
  return *found;
}

bool Container::has(const std::string& path) const { return find(*this, path) != arrays.end(); }

template <class T>
const std::vector<T>& Container::values(const std::string& path) const {
  const auto* values = std::get_if<std::vector<T>>(&at(path).values);
  if (values == nullptr) throw_run_error(text("the dataset ", path, " has an unexpected type"));
  return *values;
}
template const std::vector<double>& Container::values(const std::string&) const;
template const std::vector<float>& Container::values(const std::string&) const;
template const std::vector<std::int32_t>& Container::values(const std::string&) const;
template const std::vector<std::int64_t>& Container::values(const std::string&) const;
template const std::vector<std::string>& Container::values(const std::string&) const;

std::string Container::attribute(const std::string& name, const std::string& otherwise) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return otherwise;
  const auto* value = std::get_if<std::string>(&found->second);
  return value == nullptr ? otherwise : *value;
}

void write_container(const std::string& path, const Container& container) {
  write_atomically(path, to_bytes(container));
}

Container read_container(const std::string& path, bool verify) {
  if (!reader_command().empty()) return read_container_elsewhere(path, verify);
  return container_from_bytes(read_regular_file(path), path, verify);
}

}  // namespace krossfold::storage
