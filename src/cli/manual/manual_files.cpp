// SPDX-License-Identifier: BSD-3-Clause
#include "manual_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "completion.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "man_page.hpp"

namespace krossfold::cli {

int write_manual_files(const std::string& prefix, const std::vector<CommandPage>& pages, const std::string& version) {
  const std::string manual = prefix + "/share/man/man1/";
  std::vector<std::pair<std::string, std::string>> files = {
      {manual + "krossfold.1", man_page(pages, version)},
      {prefix + "/share/bash-completion/completions/krossfold", bash_completion(pages)},
      {prefix + "/share/zsh/site-functions/_krossfold", zsh_completion(pages)}};
  for (const CommandPage& page : pages) {
    files.emplace_back(text(manual, "krossfold-", page.name, ".1"), man_page(page, version));
  }
  for (const auto& [path, content] : files) {
    std::error_code fault;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), fault);
    std::ofstream file(path, std::ios::binary);
    file << content;
    file.close();
    if (!file) throw_input_error(text("cannot write ", path), std::strerror(fault ? fault.value() : errno));
  }
  return static_cast<int>(files.size());
}

}  // namespace krossfold::cli
