// SPDX-License-Identifier: BSD-3-Clause
#include "completion.hpp"

#include <map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/spec_form.hpp"
#include "option_parsing.hpp"

namespace krossfold::cli {

std::string completion_script(const std::string& shell, const std::vector<CommandPage>& pages) {
  if (shell == "bash") return bash_completion(pages);
  if (shell == "zsh") return zsh_completion(pages);
  throw_unknown_word("shell", shell, {"bash", "zsh"}, "bash or zsh");
}

Completes completes(const run::Option& option) {
  static const std::map<std::string, Completes> kinds = {
      {"SPEC", Completes::spec},     {"INPUT", Completes::input},          {"FILE", Completes::file},
      {"FILE.h5", Completes::hdf5},  {"RESULT.h5", Completes::hdf5},       {"MODEL", Completes::hdf5},
      {"FOLDER", Completes::folder}, {"SUBCOMMAND", Completes::subcommand}};
  const auto found = kinds.find(option.metavar);
  return found == kinds.end() ? Completes::nothing : found->second;
}

std::vector<std::string> completed_words(const run::Option& option) {
  std::vector<std::string> words;
  for (const run::Choice& choice : option.choices) {
    const std::string word = choice.word.substr(0, std::min(choice.word.find(':'), choice.word.size() - 1) + 1);
    if (!contains(words, word)) words.push_back(word);
  }
  return words;
}

std::vector<std::string> SpecWords::beginnings() const {
  std::vector<std::string> all = alone;
  for (const auto* kinds : {&before_files, &before_folders}) {
    for (const std::string& kind : *kinds) all.push_back(kind + ":");
  }
  return all;
}

SpecWords spec_words() {
  SpecWords words;
  for (const input::SpecForm& form : input::spec_forms()) {
    if (!form.rest.starts_with(":")) words.alone.push_back(form.kind);
    if (form.rest.empty()) continue;
    const bool of_folder = form.rest == ":FOLDER" || form.rest == "[:DIR]";
    (of_folder ? words.before_folders : words.before_files).push_back(form.kind);
  }
  return words;
}

}  // namespace krossfold::cli
