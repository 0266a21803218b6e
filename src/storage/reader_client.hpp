// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The end of a reader process that asks. Private to this layer.

#include <memory>
#include <string>
#include <vector>

#include "array_source.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::storage {

/// What set_reader_command() was given last; empty: none.
const std::vector<std::string>& reader_command();

/// Start a process by that command, which opens the file. What goes wrong with the process while it reads (a crash, too much
/// time, an answer that cannot be) is an input error that names the file; a process that cannot be started, or is killed, is a run error.
std::shared_ptr<ArraySource> open_arrays_elsewhere(const std::string& file);
Container read_container_elsewhere(const std::string& file, bool verify);

}  // namespace krossfold::storage
