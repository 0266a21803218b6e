// SPDX-License-Identifier: BSD-3-Clause
#include "config_file.hpp"

#include <CLI/CLI.hpp>
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
#include "krossfold/studies/svm/params.hpp"

namespace krossfold::cli {

namespace {

std::string what_it_takes(const std::string& study) {
  return text("name a result file of krossfold ", study, ", or a TOML file with lines like folds = 10");
}

/// HDF5 files begin with their signature, or have a user block of 512 bytes before it.
bool is_hdf5(const std::string& content) {
  const std::string signature = "\x89HDF\r\n\x1a\n";
  return content.starts_with("KROSSFLD") || content.starts_with(signature) ||
         content.compare(std::min<std::size_t>(512, content.size()), signature.size(), signature) == 0;
}

ConfigFile from_result(const std::string& path, const std::string& study) {
  const storage::Container result = storage::read_container(path);
  if (result.attribute("kind") != study) {
    throw_input_error(text("--config ", path, " is not a result file of krossfold ", study),
                      text("it holds: ", result.attribute("kind")), what_it_takes(study));
  }
  ConfigFile config;
  config.data_digest = result.attribute("data_digest");
  for (const run::OptionValue& option : run::options_from_json(result.attribute("config"), path)) {
    const bool unset = option.value == "auto" || (option.name == "limit" && option.value == "0");
    if (!unset && !option.value.empty()) config.options.emplace_back(option.name, option.value);
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
      if (item.inputs.size() != 1) {
        throw_input_error(text("--config ", path, ": ", item.name, " has ", item.inputs.size(), " values"),
                          "each option takes one", "put text with blanks or commas between quotes, and say it once");
      }
      if (!item.inputs[0].empty()) config.options.emplace_back(item.name, item.inputs[0]);
    }
  } catch (const CLI::Error& error) {
    throw_input_error(text("--config ", path, " cannot be read"), error.what(), what_it_takes(study));
  }
  return config;
}

}  // namespace

ConfigFile read_config(const std::string& path, const std::string& study) {
  const std::string problem = text("--config ", path, " cannot be read");
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw_input_error(problem, "it is a folder", what_it_takes(study));
  }
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw_input_error(problem, std::strerror(errno), what_it_takes(study));
  if (is_hdf5(content)) return from_result(path, study);
  if (content.find('\0') != std::string::npos) {
    throw_input_error(problem, "it is neither a result file nor text", what_it_takes(study));
  }
  return from_toml(path, content, study);
}

}  // namespace krossfold::cli
