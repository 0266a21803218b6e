// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// A file that was read.
struct ResultFile {
  std::string name;
  storage::Container content;
};

/// Throws an input error if the content of the file `name` is not the result of a study.
void check_is_result(const storage::Container& content, const std::string& name);

/// What there is to say about result files of any kind of study. `format` is text, json (one object, or a list of several) or
/// csv (a line before those of the files; all must be of one kind).
/// Throws an input error that names the file if one is not the result of a study, or its datasets do not fit together.
std::string report_on(const std::vector<ResultFile>& files, const std::string& format);

}  // namespace krossfold::study
