// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "completion.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

namespace {

/// Words that may stand between single quotes, brackets and colons of a specification.
std::string plain(const std::string& words) {
  std::string all;
  for (const char letter : words) {
    if (letter == ':') {
      all += ',';
    } else if (std::string_view("[]\"'`$\\").find(letter) == std::string_view::npos) {
      all += letter;
    }
  }
  return all;
}

/// The words, each after a blank, in a specification, where a colon separates.
std::string escaped_words_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words)
    all += " " + (word.ends_with(':') ? word.substr(0, word.size() - 1) + "\\:" : word);
  return all;
}

/// What completes the value of an option.
std::string action_of(const run::Option& option) {
  const std::vector<std::string> words = completed_words(option);
  switch (completes(option)) {
    case Completes::spec:
      return " _krossfold_spec" + escaped_words_of(words);
    case Completes::input:
      return " _krossfold_input" + escaped_words_of(words);
    case Completes::file:
      return "_files";
    case Completes::hdf5:
      return "_files -g \"*.h5\"";
    case Completes::folder:
      return "_files -/";
    case Completes::subcommand:
      return "_krossfold_subcommands";
    case Completes::nothing:
      break;
  }
  if (words.empty()) return " ";
  const auto is_prefix = [](const std::string& word) { return word.ends_with(':'); };
  if (std::any_of(words.begin(), words.end(), is_prefix)) return " _krossfold_words" + escaped_words_of(words);
  std::string all = "((";
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& meaning = option.choices[k].meaning;
    all += text(k == 0 ? "" : " ", words[k], "\\:\"", plain(meaning.empty() ? words[k] : meaning), "\"");
  }
  return all + "))";
}

std::string specification(const run::Option& option, int& position) {
  const std::string action = option.is_flag ? "" : text(":", plain(option.metavar), ":", action_of(option));
  if (option.is_positional) return text("'", option.repeats ? "*" : text(++position), action, "'");
  const std::string help = text("[", plain(purpose_of(option)), "]", action, "'");
  const std::string name = shown_name(option), value = option.is_flag ? "" : "=";
  if (option.letter.empty()) return text("'", name, value, help);
  return text("'(-", option.letter, " ", name, ")'{-", option.letter, option.is_flag ? "" : "+", ",", name, value, "}'",
              help);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandPage>& pages) {
  const SpecWords spec = spec_words();
  std::string subcommands, cases;
  for (const CommandPage& page : pages) {
    subcommands += text("    '", page.name, ":", plain(page.summary), "'\n");
    cases += text("        ", page.name, ")\n          _arguments");
    int position = 0;
    for (const run::Option& option : page.options())
      cases += text(" \\\n            ", specification(option, position));
    cases += " ;;\n";
  }
  return text(R"(#compdef krossfold
# Completion of krossfold for zsh, made by krossfold help --completion zsh.

# Offers the words; after one that ends in a colon more follows.
_krossfold_words() {
  local word
  for word in "$@"; do
    if [[ $word == *: ]]; then compadd -S '' -- $word; else compadd -- $word; fi
  done
}

_krossfold_spec() {
  if compset -P '()",
              joined(spec.before_files, "|"), R"():'; then
    compset -P '*,'
    _files
  elif compset -P '()",
              joined(spec.before_folders, "|"), R"():'; then
    _files -/
  else
    _krossfold_words )",
              joined(spec.beginnings(), " "), R"( "$@"
  fi
}

_krossfold_input() {
  local text=$PREFIX
  _krossfold_spec "$@"
  [[ $text == *:* ]] || _files
}

_krossfold_subcommands() {
  local -a subcommands=(
)",
              subcommands, R"(  )
  _describe -t commands subcommand subcommands
}

_krossfold() {
  local context state line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[print the subcommands]' '(- *)--version[print the version]' \
    '1:subcommand:_krossfold_subcommands' '*::argument:->arguments'
  case $state in
    arguments)
      case $words[1] in
)",
              cases, R"(      esac ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _krossfold "$@"; else compdef _krossfold krossfold; fi
)");
}

}  // namespace krossfold::cli
