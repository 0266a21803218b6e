// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace krossfold::interchange {

/// A file to be written.
struct NewFile {
  std::string path;
  std::vector<std::byte> bytes;
};

/// Throws an input error if the path exists already, cannot be written, or is a name of a study's.
void check_new(const std::string& path);

/// Writes files none of which exists yet; if one does, none is left behind.
void write_new(const std::vector<NewFile>& files);

/// Makes a new folder that holds these files, whose paths are names in it. They are written into a folder with a random name beside it,
/// which then gets its name, so that a killed or failed import leaves none that could pass for a whole one.
void write_new_folder(const std::string& folder, std::vector<NewFile> files);

/// The letters of a text as bytes.
std::vector<std::byte> bytes_of(const std::string& letters);

/// The end of a path, ".model", in lower case.
std::string end_of(const std::string& path);

/// The path with another end.
std::string with_end(const std::string& path, const std::string& end);

}  // namespace krossfold::interchange
