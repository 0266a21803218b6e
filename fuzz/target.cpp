// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/target.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "krossfold/core/error.hpp"

namespace krossfold::fuzz {

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto part : {text_targets(), array_targets(), picture_targets(), stored_targets(), part_targets(),
                          import_targets(), message_targets()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const Target* find_target(const std::string& name) {
  static const std::vector<Target> all = all_targets();
  for (const Target& target : all)
    if (name == target.name) return &target;
  return nullptr;
}

void must(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "fault: it does not hold that %s\n", property);
  std::abort();
}

void run(const Target& target, std::span<const std::byte> input) {
  try {
    target.read(input);
  } catch (const Error& error) {
    must(error.what()[0] != '\0', "an error has a message");
  }
}

InputFile::InputFile(std::span<const std::byte> bytes, const std::string& name) {
  // In memory where the machine has such a folder: a fuzzer writes thousands a second.
  static const std::string folder = [] {
    const std::filesystem::path memory = "/dev/shm";
    std::string made = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
                       "krossfold-fuzz-XXXXXX";
    must(::mkdtemp(made.data()) != nullptr, "a temporary folder can be made");
    return made;
  }();
  path_ = folder + "/" + name;
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  must(file.good(), "the input can be written");
}

InputFile::~InputFile() { ::unlink(path_.c_str()); }

}  // namespace krossfold::fuzz
