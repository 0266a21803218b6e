// SPDX-License-Identifier: BSD-3-Clause
#include "help_text.hpp"

#include <algorithm>
#include <sstream>

#include "krossfold/core/text.hpp"

namespace krossfold::cli {

namespace {

constexpr std::size_t option_column = 26;

std::string choices_of(const run::Option& option) {
  std::size_t longest = 0;
  bool have_meanings = false;
  for (const run::Choice& choice : option.choices) {
    longest = std::max(longest, choice.word.size());
    have_meanings = have_meanings || !choice.meaning.empty();
  }
  const std::size_t indent = option_column + 2;
  std::string all;
  if (have_meanings) {
    for (const run::Choice& choice : option.choices) {
      all += wrap(std::string(indent, ' ') + choice.word, indent + longest + 2, choice.meaning);
    }
    return all;
  }
  for (const run::Choice& choice : option.choices) all += (all.empty() ? "" : ", ") + choice.word;
  return option.choices.size() < 2 ? "" : wrap("", indent, all);
}

std::string usage(const std::vector<std::string>& forms) {
  std::string all;
  for (const std::string& form : forms) all += wrap(all.empty() ? "Usage:" : "", 8, form);
  return all;
}

std::string footer(const std::string& pages, bool of_study) {
  std::string codes = "Exit codes:\n";
  for (const auto& [code, meaning] : exit_codes(of_study)) codes += wrap(text("  ", code), 6, meaning);
  return codes + "\n" + wrap("Read on:", 10, pages + ".");
}

}  // namespace

std::string wrap(const std::string& start, std::size_t indent, const std::string& words, const std::string& broken,
                 std::size_t columns) {
  std::string all, line = start;
  if (words.empty()) return line + "\n";
  if (!line.empty() && line.size() + 2 > indent) {  // no room for two blanks
    all = line + "\n";
    line.clear();
  }
  line.resize(std::max(line.size(), indent), ' ');
  std::istringstream stream(words);
  bool first = true;
  for (std::string word; stream >> word; first = false) {
    if (!first && line.size() + 1 + word.size() + broken.size() > columns) {
      all += line + broken + "\n";
      line.assign(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
  }
  return all + line + "\n";
}

std::string help_of(const CommandPage& page) {
  std::string all = wrap("", 0, text("krossfold ", page.name, " - ", page.summary)) + "\n" + usage(page.guide.usage);
  if (!page.guide.description.empty()) all += "\n" + wrap("", 0, page.guide.description);
  for (const CommandPage::Group& group : page.groups) {
    all += "\n" + group.heading + ":\n";
    for (const run::Option& option : group.options) {
      all += wrap("  " + heading_of(option), option_column, description_of(option)) + choices_of(option);
    }
  }
  if (!page.guide.examples.empty()) all += "\nExamples:\n";
  for (const run::Example& example : page.guide.examples) {
    all += wrap("", 2, titled(example)) + in_lines(example.command, 6, 80).substr(2);
  }
  const std::string manual = text("man krossfold-", page.name);
  return all + "\n" + footer(page.guide.pages.empty() ? manual : text(page.guide.pages, ", ", manual), page.is_study());
}

std::string in_lines(const std::string& command, std::size_t indent, std::size_t columns) {
  constexpr char glue = '\1';  // between an option and its value
  std::istringstream words(command);
  std::string glued, last;
  for (std::string word; words >> word; last = word) {
    const bool is_value = last.starts_with('-') && !word.starts_with('-');
    glued += (glued.empty() ? "" : is_value ? std::string(1, glue) : " ") + word;
  }
  std::string lines = wrap("", indent, glued, " \\", columns);
  std::replace(lines.begin(), lines.end(), glue, ' ');
  return lines;
}

std::string titled(const run::Example& example) {
  return example.purpose + (example.purpose.ends_with('?') ? "" : ":");
}

std::string list_of(const std::vector<CommandPage>& pages) {
  std::string all;
  for (const CommandPage& page : pages) all += wrap("  " + page.name, 12, page.summary);
  return all;
}

std::string overview(const std::vector<CommandPage>& pages, const std::string& last) {
  return wrap("", 0, program_description) + "\n" + usage(program_usage) + "\nSubcommands:\n" + list_of(pages) +
         "\nOptions:\n" + wrap("  -h, --help", option_column, "print this help") +
         wrap("  --version", option_column, "print the version") +
         "\nBegin with:\n    krossfold svm --data digits --grid 8x8 -o results.h5\n    krossfold help svm\n\n" +
         footer("README.md, docs/tutorial.md, man krossfold", true) + (last.empty() ? "" : "\n" + last + "\n");
}

}  // namespace krossfold::cli
