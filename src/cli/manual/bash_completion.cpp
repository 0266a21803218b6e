// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <utility>

#include "completion.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

namespace {

// Bash breaks words at colons and equals signs; the first function puts them together again, and removes from each answer what bash
// takes for an earlier word.
constexpr const char* functions = R"sh(
_krossfold() {
  local rest=${COMP_LINE:0:COMP_POINT} cur='' command='' previous='' option='' kind='' kept='' word
  local -i position=0 skips=0
  local -a typed=() words=() options=()
  while [[ $rest =~ ^[[:space:]]*(([^[:space:]\\]|\\.)+)(.*)$ ]]; do
    typed+=("${BASH_REMATCH[1]}")
    rest=${BASH_REMATCH[3]}
  done
  while ((${#typed[@]})) && [[ ${typed[0]} != "$1" ]]; do typed=("${typed[@]:1}"); done
  typed=("${typed[@]:1}")
  if [[ -z $rest ]] && ((${#typed[@]})); then
    cur=${typed[-1]}
    unset 'typed[-1]'
  fi
  for word in "${typed[@]}"; do
    previous=$word
    if [[ -z $command ]]; then
      [[ $word == -* ]] || command=$word
    elif ((skips)); then
      skips=0
      previous=''
    elif [[ $word == -* ]]; then
      _krossfold_takes "$command" "$word" && skips=1
    else
      position+=1
    fi
  done
  if ((skips)); then
    option=$previous
  elif [[ $cur == --*=* ]]; then
    option=${cur%%=*}
    kept=$option=
  fi
  kind='' words=()
  if [[ -n $option ]]; then
    _krossfold_takes "$command" "$option"
  elif [[ -z $command ]]; then
    kind=subcommand
    [[ $cur == -* ]] && words=(--help --version) kind=''
  elif [[ $cur == -* ]] || ! _krossfold_takes "$command" "$((position + 1))"; then
    _krossfold_options "$command"
    words=("${options[@]}")
  fi
  _krossfold_answer "${cur#"$kept"}"
}

# Fills COMPREPLY with the words, files and SPECs that continue the text $1.
_krossfold_answer() {
  local text=$1 base='' part breaks=''
  local -a found=()
  [[ $kind == subcommand ]] && words=("${subcommands[@]}")
  mapfile -t found < <(compgen -W "${words[*]}" -- "$text")
  if [[ $kind == spec || $kind == input ]]; then
    if [[ $text =~ ^($files_follow): ]]; then
      kind=file
    elif [[ $text =~ ^($folders_follow): ]]; then
      kind=folder
    else
      mapfile -t -O "${#found[@]}" found < <(compgen -W "$specs" -- "$text")
      [[ $kind == input ]] && kind=file || kind=''
    fi
    [[ $text == *:* && -n $kind ]] && base=${text%%:*}:
    if [[ -n $base && $text == *,* ]]; then base=${text%,*},; fi
  fi
  if [[ $kind == file || $kind == hdf5 || $kind == folder ]]; then
    _krossfold_files "${text#"$base"}"
  fi
  # Bash takes what precedes a colon or an equals sign for an earlier word.
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+='='
  [[ -n $breaks ]] && part=${cur%"${cur##*[$breaks]}"}
  COMPREPLY=()
  for word in "${found[@]}"; do
    word=$kept$word
    word=${word#"$part"}
    [[ " ${COMPREPLY[*]} " == *" $word "* ]] || COMPREPLY+=("$word")
  done
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[/:,] ]]; then compopt -o nospace; fi
}

# Adds the files, or only folders or HDF5 files, that begin with $1 to `found`, each after $base.
_krossfold_files() {
  local path=${1//\\/} name tilde=''
  [[ $path == '~/'* ]] && path=$HOME/${path#'~/'} tilde=1
  while IFS= read -r name; do
    if [[ -d $name ]]; then
      name+=/
    elif [[ $kind == folder || ($kind == hdf5 && $name != *.h5) ]]; then
      continue
    fi
    if [[ -n $tilde ]]; then
      printf -v name '~/%q' "${name#"$HOME/"}"
    else
      printf -v name %q "$name"
    fi
    found+=("$base$name")
  done < <(compgen -f -- "$path")
}
)sh";

const char* word_of(Completes kind) {
  switch (kind) {
    case Completes::spec:
      return "spec";
    case Completes::input:
      return "input";
    case Completes::file:
      return "file";
    case Completes::hdf5:
      return "hdf5";
    case Completes::folder:
      return "folder";
    case Completes::subcommand:
      return "subcommand";
    case Completes::nothing:
      break;
  }
  return "''";
}

/// The function that sets `kind` and `words` for an option or the number of an argument, and fails for flags.
std::string takes(const std::vector<CommandPage>& pages) {
  std::map<std::string, std::vector<std::string>> patterns;  // by what they set
  for (const CommandPage& page : pages) {
    int position = 0;
    for (const run::Option& option : page.options()) {
      if (option.is_flag) continue;
      const std::string value =
          text("kind=", word_of(completes(option)), " words=(", joined(completed_words(option), " "), ")");
      const auto add = [&](const std::string& name) { patterns[value].push_back(text("'", page.name, " ", name)); };
      if (option.is_positional) {
        add(option.repeats ? "'[0-9]*" : text(++position, "'"));
        continue;
      }
      add(text("--", option.name, "'"));
      if (!option.letter.empty()) add(text("-", option.letter, "'"));
    }
  }
  std::string single, repeated;  // an argument that takes all remaining words is tried last
  for (const auto& [value, names] : patterns) {
    std::vector<std::string> some, rest;
    for (const std::string& name : names) (name.ends_with("*") ? rest : some).push_back(name);
    if (!some.empty()) single += text("    ", joined(some, " | "), ") ", value, " ;;\n");
    if (!rest.empty()) repeated += text("    ", joined(rest, " | "), ") ", value, " ;;\n");
  }
  return text("_krossfold_takes() {\n  case \"$1 $2\" in\n", single, repeated, "    *) return 1 ;;\n  esac\n}\n");
}

std::string options(const std::vector<CommandPage>& pages) {
  std::string all = "_krossfold_options() {\n  case $1 in\n";
  for (const CommandPage& page : pages) {
    std::vector<std::string> names;
    for (const run::Option& option : page.options()) {
      if (!option.is_positional) names.push_back(shown_name(option));
    }
    all += text("    ", page.name, ") options=(", joined(names, " "), ") ;;\n");
  }
  return all + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const std::vector<CommandPage>& pages) {
  std::vector<std::string> names;
  for (const CommandPage& page : pages) names.push_back(page.name);
  const SpecWords words = spec_words();
  std::string body = functions;
  const auto local = [&](const std::string& after, const std::string& declaration) {
    body.insert(body.find(after) + after.size(), declaration);
  };
  local("local text=$1 base='' part breaks=''\n",
        text("  local specs='", joined(words.beginnings(), " "), "'\n  local files_follow='",
             joined(words.before_files, "|"), "' folders_follow='", joined(words.before_folders, "|"),
             "'\n  local -a subcommands=(", joined(names, " "), ")\n"));
  return text("# Completion of krossfold for bash, made by krossfold help --completion bash.\n", body, "\n",
              takes(pages), "\n", options(pages), "\ncomplete -F _krossfold krossfold\n");
}

}  // namespace krossfold::cli
