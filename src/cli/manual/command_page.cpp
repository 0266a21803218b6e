// SPDX-License-Identifier: BSD-3-Clause
#include "command_page.hpp"

#include <algorithm>

#include "krossfold/core/text.hpp"
#include "krossfold/run/option_groups.hpp"
#include "option_parsing.hpp"

namespace krossfold::cli {

namespace {

bool is_named(const run::Option& option, const CLI::Option& parsed) {
  return option.is_positional ? option.metavar == parsed.get_name(true, false) : parsed.check_lname(option.name);
}

run::Option described(const CLI::Option& parsed) {
  run::Option option;
  option.help = parsed.get_description();
  option.default_text = parsed.get_default_str();
  option.is_flag = parsed.get_expected_max() == 0;
  option.is_positional = parsed.get_lnames().empty() && parsed.get_snames().empty();
  option.repeats = option.is_positional && parsed.get_expected_max() > 1;
  option.group = option.is_positional ? run::group::arguments : run::group::general;
  option.name = option.is_positional ? parsed.get_name(true, false) : parsed.get_lnames().front();
  if (!option.is_flag) option.metavar = option.is_positional ? option.name : parsed.get_type_name();
  const std::vector<std::string> types_of_cli11 = {"", "TEXT", "INT", "UINT", "FLOAT", "BOOLEAN"};
  if (!option.is_flag && contains(types_of_cli11, option.metavar)) option.metavar = "VALUE";
  if (!parsed.get_snames().empty()) option.letter = parsed.get_snames().front();
  return option;
}

std::string usage_of(const std::string& program, const CommandPage& page) {
  std::string usage = text(program, " ", page.name);
  for (const run::Option& option : page.options()) {
    if (option.is_positional) usage += " " + heading_of(option);
  }
  return usage + (page.is_study() ? " -o FILE.h5 [OPTION]..." : " [OPTION]...");
}

}  // namespace

std::vector<run::Option> CommandPage::options() const {
  std::vector<run::Option> all;
  for (const Group& group : groups) all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

bool CommandPage::is_study() const {
  const std::vector<run::Option> all = options();
  return std::any_of(all.begin(), all.end(), [](const run::Option& one) { return one.name == "config"; });
}

std::vector<std::string> CommandPage::kinds() const {
  std::vector<std::string> words;
  for (const run::Option& one : options()) {
    for (const std::string& word : one.only_of) {
      if (!contains(words, word)) words.push_back(word);
    }
  }
  return words;
}

CommandPage CommandPage::restricted_to(const std::string& word) const {
  CommandPage page = *this;
  if (!contains(kinds(), word)) return page;
  for (Group& group : page.groups) {
    std::erase_if(group.options,
                  [&](const run::Option& one) { return !one.only_of.empty() && !contains(one.only_of, word); });
    for (run::Option& one : group.options) one.only_of.clear();
  }
  std::erase_if(page.groups, [](const Group& group) { return group.options.empty(); });
  return page;
}

CommandPage page_of(const CLI::App& app, const std::vector<const run::OptionTable*>& tables, const run::Guide& guide) {
  std::vector<run::Option> known;
  for (const run::OptionTable* table : tables) {
    known.insert(known.end(), table->options().begin(), table->options().end());
  }
  CommandPage page{app.get_name(), app.get_description(), guide, {}};
  const auto parsed = app.get_options([](const CLI::Option*) { return true; });
  std::vector<run::Option> options;
  for (const CLI::Option* one : parsed) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const run::Option& option) { return is_named(option, *one); });
    options.push_back(found != known.end() ? *found : described(*one));
  }
  // --help comes first in CLI11, and belongs to the end.
  if (!options.empty() && options.front().name == "help")
    std::rotate(options.begin(), options.begin() + 1, options.end());
  for (run::Option& option : options) {
    // The page outlives the parameters that the option is bound to.
    option.get = [set = option.is_set_flag()] { return std::string(set ? "true" : "false"); };
    option.set = {};
    const std::string heading = option.group.empty() ? "Options" : option.group;
    auto group = std::find_if(page.groups.begin(), page.groups.end(),
                              [&](const CommandPage::Group& one) { return one.heading == heading; });
    if (group == page.groups.end()) group = page.groups.insert(group, {heading, {}});
    group->options.push_back(option);
  }
  if (page.guide.usage.empty()) page.guide.usage = {usage_of("krossfold", page)};
  return page;
}

std::vector<run::Choice> exit_codes(bool of_study) {
  std::vector<run::Choice> codes = {
      {"0", "done"}, {"1", "failed while running"}, {"2", "wrong usage or input; nothing was changed"}};
  if (of_study) codes.push_back({"75", "stopped; the same command continues"});
  return codes;
}

std::string shown_name(const run::Option& option) {
  if (option.is_positional) return option.metavar;
  return text(option.is_set_flag() ? "--no-" : "--", option.name);
}

std::string heading_of(const run::Option& option) {
  if (option.is_positional) return option.metavar + (option.repeats ? "..." : "");
  const std::string letter = option.letter.empty() ? "" : text("-", option.letter, ", ");
  return letter + shown_name(option) + (option.is_flag ? "" : " " + option.metavar);
}

std::string purpose_of(const run::Option& option) {
  std::string words;
  for (const std::string& word : option.only_of) words += (words.empty() ? "" : ", ") + word;
  return words.empty() ? option.help : text(words, ": ", option.help);
}

std::string description_of(const run::Option& option) {
  std::string description = purpose_of(option);
  if (!option.default_text.empty() && !option.is_flag) description += text(" (default: ", option.default_text, ")");
  return description;
}

}  // namespace krossfold::cli
