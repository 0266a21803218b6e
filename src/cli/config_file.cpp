// SPDX-License-Identifier: BSD-3-Clause
#include "config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/text_lines.hpp"
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

/// The option of a key as it stands in the file: without quotes, and without the section before a dot.
std::string plain_key(std::string_view key, const std::string& study) {
  if (key.size() > 2 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front()) {
    key = key.substr(1, key.size() - 2);
  }
  if (key.starts_with(study + ".")) key.remove_prefix(study.size() + 1);
  return std::string(key);
}

/// A TOML file as CLI11 reads it rightly, and by option the line in the file and the value where it is a string.
struct PlainToml {
  std::string content;
  std::map<std::string, std::size_t> line;
  std::map<std::string, std::string> words;
};

/// Appends the character of a code point in UTF-8; false if there is none, or it would end the value.
bool append_character(std::string& words, std::uint32_t code) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
  const auto put = [&](std::uint32_t byte) { words += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return true;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes after the first
  constexpr std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
  put(lead[more] | code >> (6 * more));
  for (int k = more - 1; k >= 0; --k) put(0x80U | (code >> (6 * k) & 0x3FU));
  return true;
}

/// A string of TOML at the beginning of `value`, without its quotes and with its escapes read, and how many characters of `value` it takes;
/// 0 if it does not end, or has an escape that TOML does not know.
std::pair<std::string, std::size_t> toml_string(std::string_view value) {
  const std::string_view letters = "btnfr\"\\", meanings = "\b\t\n\f\r\"\\";
  const char quote = value.front();
  std::string words;
  for (std::size_t k = 1; k < value.size(); ++k) {
    if (value[k] == quote) return {words, k + 1};
    if (quote == '\'' || value[k] != '\\') {
      words += value[k];
      continue;
    }
    if (++k == value.size()) break;
    if (const std::size_t letter = letters.find(value[k]); letter != std::string_view::npos) {
      words += meanings[letter];
      continue;
    }
    const std::size_t digits = value[k] == 'u' ? 4 : value[k] == 'U' ? 8 : 0;
    if (digits == 0 || k + digits >= value.size()) break;
    std::uint32_t code = 0;
    const char* end = value.data() + k + 1 + digits;
    const auto [stop, error] = std::from_chars(value.data() + k + 1, end, code, 16);
    if (error != std::errc() || stop != end || !append_character(words, code)) break;
    k += digits;
  }
  return {"", 0};
}

/// Throws an input error for lines without an option and options without a value, over which CLI11 passes in silence, and for values of
/// several lines. Headers of sections come without the blanks and comments that CLI11 takes for a part of them, and strings as "x", because
/// CLI11 would take quotes and escapes within them for its own.
PlainToml plain_toml(const std::string& path, const std::string& content, const std::string& study) {
  PlainToml plain;
  for (data::TextLines lines(std::as_bytes(std::span(content))); lines.next();) {
    const std::string_view line = data::trimmed(lines.line());
    const auto refuse = [&](const char* why, const std::string& suggestion) {
      throw_input_error(text("--config ", path, ", line ", lines.number(), " cannot be read"), why, suggestion);
    };
    if (line.starts_with('[')) {
      const std::size_t end = line.find(']');
      const bool is_header = end != std::string_view::npos &&
                             (end + 1 == line.size() || data::trimmed(line.substr(end + 1)).starts_with('#'));
      const std::string section(is_header ? data::trimmed(line.substr(1, end - 1)) : "");
      if (is_header && section != study) {
        throw_input_error(text("--config ", path, ", line ", lines.number(), ": unknown section [", section, "]"),
                          text("the section is [", study, "]"), "Leave out what is not of this command.");
      }
      plain.content += is_header ? text("[", section, "]\n") : text(line, "\n");
      continue;
    }
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) refuse("it has no =", usage_of(study));
    const std::string name = plain_key(data::trimmed(line.substr(0, equals)), study);
    const std::string_view value = data::trimmed(line.substr(equals + 1));
    if (name.empty()) refuse("there is no option before its =", usage_of(study));
    if (value.empty() || value.front() == '#') {
      refuse("there is no value after its =", "leave the line out, or give a value");
    }
    const char quote = value.front();
    const bool is_string = quote == '"' || quote == '\'';
    if (is_string) {
      if (value.starts_with(std::string(3, quote))) {
        refuse("it has three quotes", "write the value in one line, in single quotes");
      }
      const auto [words, taken] = toml_string(value);
      if (taken == 0) {
        refuse("its string does not end, or has an unknown escape after a backslash",
               "in single quotes a backslash stands for itself");
      }
      const std::string_view rest = data::trimmed(value.substr(taken));
      if (!rest.empty() && rest.front() != '#') {
        refuse("something follows its string", "leave it out, or begin a comment with #");
      }
      if (words.empty()) {
        throw_input_error(text("--config ", path, ", line ", lines.number(), ": ", name, " has an empty value"), "",
                          "Leave out what has no value.");
      }
      plain.words[name] = words;
    }
    plain.content += is_string ? text(line.substr(0, equals), "= \"x\"\n") : text(line, "\n");
    const auto [set, is_new] = plain.line.emplace(name, static_cast<std::size_t>(lines.number()));
    if (!is_new) {
      throw_input_error(text("--config ", path, ", line ", lines.number(), ": ", name, " is set again"),
                        text("line ", set->second, " sets it"), "Set each option once.");
    }
  }
  return plain;
}

ConfigFile from_toml(const std::string& path, const std::string& content, const std::string& study) {
  ConfigFile config;
  PlainToml plain = plain_toml(path, content, study);
  config.line = std::move(plain.line);
  std::istringstream lines(plain.content);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(lines)) {
      if (item.name == "++" || item.name == "--") continue;  // begin and end of a section
      if (item.name.empty()) {
        throw_input_error(text("--config ", path, " cannot be read"), "a name ends with a dot, as of a section",
                          usage_of(study));
      }
      if (!item.parents.empty() && item.parents != std::vector<std::string>{study}) {
        throw_input_error(text("--config ", path, line_of(config, item.name), ": unknown section in ", item.fullname()),
                          text("the section is [", study, "]"));
      }
      if (item.inputs.size() != 1 || item.inputs[0].empty()) {
        const std::string values = item.inputs.size() == 1 ? "an empty value" : text(item.inputs.size(), " values");
        throw_input_error(
            text("--config ", path, line_of(config, item.name), ": ", item.name, " has ", values),
            "each option takes one",
            "Quote text that has blanks or commas, set each option once, and leave out what has no value.");
      }
      const auto words = plain.words.find(item.name);
      config.options.emplace_back(item.name, words != plain.words.end() ? words->second : item.inputs[0]);
    }
  } catch (const CLI::Error& error) {
    throw_input_error(text("--config ", path, " cannot be read"), error.what(), usage_of(study));
  }
  refuse_contradictions({config.options.begin(), config.options.end()}, text("--config ", path, ": "));
  return config;
}

/// An option that others take the place of, whatever it says, or if it says `value`.
struct Replaced {
  const char *option, *value;
  std::vector<std::string> by;
};

const std::vector<Replaced>& replaced_options() {
  static const std::vector<Replaced> all = {{"c-values", "", {"log10-c", "grid"}},
                                            {"gamma-values", "", {"log10-gamma", "grid"}},
                                            {"fold-kind", "leave-one-out", {"folds"}}};
  return all;
}

}  // namespace

bool is_replaced(const std::string& name, const std::string& value, const std::map<std::string, std::string>& given) {
  const auto replaces = [&](const std::string& by) {
    const auto found = given.find(by);
    return found != given.end() && !found->second.empty();
  };
  const std::vector<Replaced>& all = replaced_options();
  return std::any_of(all.begin(), all.end(), [&](const Replaced& one) {
    const bool meant = name == one.option && (*one.value == 0 || value == one.value);
    return meant && std::any_of(one.by.begin(), one.by.end(), replaces);
  });
}

void refuse_contradictions(const std::map<std::string, std::string>& options, const std::string& where) {
  const auto refuse = [&](const std::string& option, const std::string& other, const std::string& why) {
    throw_input_error(text(where, option, " does not go with ", other), why, "Leave out one of the two.");
  };
  const auto has = [&](const char* name) {
    const auto found = options.find(name);
    return found != options.end() && !found->second.empty();
  };
  if (has("c-values") && has("log10-c")) refuse("--c-values", "--log10-c", "each says which values of C are tried");
  if (has("gamma-values") && has("log10-gamma")) {
    refuse("--gamma-values", "--log10-gamma", "each says which values of gamma are tried");
  }
  if (has("c-values") && has("gamma-values") && has("grid")) {
    refuse("--grid", "--c-values and --gamma-values", "the lists say how many values there are");
  }
}

std::string line_of(const ConfigFile& config, const std::string& name) {
  const auto found = config.line.find(name);
  return found == config.line.end() ? "" : text(", line ", found->second);
}

ConfigFile read_config(const std::string& path, const std::string& study) {
  const std::string problem = text("--config ", path, " cannot be read");
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw_input_error(problem, "it is a folder", usage_of(study));
  }
  std::ifstream file(path, std::ios::binary);
  constexpr std::size_t most = std::size_t{1} << 20;
  std::string content(most + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.is_open() || file.bad()) throw_input_error(problem, std::strerror(errno), usage_of(study));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (is_hdf5(content)) return from_result(path, study);
  if (content.find('\0') != std::string::npos) {
    throw_input_error(problem, "it is neither a result file nor text", usage_of(study));
  }
  if (content.size() > most)
    throw_input_error(problem, "it is no result file, and has more than 1 MiB", usage_of(study));
  return from_toml(path, content, study);
}

}  // namespace krossfold::cli
