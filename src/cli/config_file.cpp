// SPDX-License-Identifier: BSD-3-Clause
#include "config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/options.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::cli {

namespace {

std::string usage_of(const std::string& study) {
  return text("name a result file of krossfold ", study, ", or a TOML file with lines like folds = 10");
}

/// True if the content begins with the signature of HDF5, possibly after a user block of 512 bytes.
bool is_hdf5(const std::string& content) {
  const std::string signature = "\x89HDF\r\n\x1a\n";
  return content.starts_with("KROSSFLD") || content.starts_with(signature) ||
         content.compare(std::min<std::size_t>(512, content.size()), signature.size(), signature) == 0;
}

ConfigFile from_result(const std::string& path, const std::string& study) {
  const storage::Container result = storage::read_container(path);
  if (result.attribute("kind") != study) {
    throw_input_error(text("--config ", path, " is not a result file of krossfold ", study),
                      text("it holds: ", result.attribute("kind")), usage_of(study));
  }
  ConfigFile config;
  config.data_digest = result.attribute("data_digest");
  const std::vector<run::OptionValue> said = run::options_from_json(result.attribute("config"), path);
  for (const run::OptionValue& option : said) {
    const bool unset = (option.value == "auto" && option.is_default) || (option.name == "limit" && option.value == "0");
    if (!unset && !option.value.empty()) config.options.emplace_back(option.name, option.value);
  }
  for (const run::OptionValue& option : run::older_values(said)) {
    const bool is_said = std::any_of(said.begin(), said.end(), [&](const auto& o) { return o.name == option.name; });
    if (!is_said) config.unsaid.emplace_back(option.name, option.value);
  }
  return config;
}

ConfigFile from_toml(const std::string& path, const std::string& content, const std::string& study) {
  ConfigFile config;
  std::istringstream lines(content);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(lines)) {
      if (item.name == "++" || item.name == "--") continue;  // begin and end of a section
      if (!item.parents.empty() && item.parents != std::vector<std::string>{study}) {
        throw_input_error(text("--config ", path, ": unknown section in ", item.fullname()),
                          text("the section is [", study, "]"));
      }
      if (item.name.empty()) {
        throw_input_error(text("--config ", path, " cannot be read"),
                          "a line has no option before its =", usage_of(study));
      }
      if (item.inputs.size() != 1) {
        throw_input_error(text("--config ", path, ": ", item.name, " has ", item.inputs.size(), " values"),
                          "each option takes one", "Quote text that has blanks or commas, and set each option once.");
      }
      if (!item.inputs[0].empty()) config.options.emplace_back(item.name, item.inputs[0]);
    }
  } catch (const CLI::Error& error) {
    throw_input_error(text("--config ", path, " cannot be read"), error.what(), usage_of(study));
  }
  return config;
}

}  // namespace

ConfigFile read_config(const std::string& path, const std::string& study) {
  const std::string problem = text("--config ", path, " cannot be read");
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw_input_error(problem, "it is a folder", usage_of(study));
  }
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw_input_error(problem, std::strerror(errno), usage_of(study));
  if (is_hdf5(content)) return from_result(path, study);
  if (content.find('\0') != std::string::npos) {
    throw_input_error(problem, "it is neither a result file nor text", usage_of(study));
  }
  return from_toml(path, content, study);
}

}  // namespace krossfold::cli
