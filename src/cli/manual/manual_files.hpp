// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_page.hpp"

namespace krossfold::cli {

/// Writes manual pages and completions below a folder, where a system that has it as its prefix looks for them:
/// share/man/man1/krossfold*.1, share/bash-completion/completions/krossfold and share/zsh/site-functions/_krossfold.
/// Returns their number. Throws an input error for a folder that cannot be written.
int write_manual_files(const std::string& prefix, const std::vector<CommandPage>& pages, const std::string& version);

}  // namespace krossfold::cli
