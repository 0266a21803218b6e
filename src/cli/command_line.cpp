// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "config_file.hpp"
#include "data_options.hpp"
#include "file_options.hpp"
#include "installed_folders.hpp"
#include "interchange_options.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "manual/command_page.hpp"
#include "manual/completion.hpp"
#include "manual/guides.hpp"
#include "manual/help_text.hpp"
#include "manual/man_page.hpp"
#include "manual/manual_files.hpp"
#include "option_parsing.hpp"
#include "study_options.hpp"

namespace krossfold::cli {

namespace {

/// The version and, of a program for other processors than the one that compiled it, which.
std::string version_line() {
  const BuildInfo build = build_info();
  const bool native = build.arch.empty() || build.arch == "native";
  return text("krossfold ", build.version, native ? "" : text(" (", build.arch, ")"));
}

/// Throws an input error that names the first option that the subcommand does not have.
void refuse_leftovers(const CLI::App& app) {
  const auto left = app.remaining();
  if (left.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  if (!left[0].starts_with("-")) {
    throw_input_error(text("unexpected word '", left[0], "' for krossfold ", app.get_name()), "",
                      text("See krossfold ", app.get_name(), " --help."));
  }
  const std::string option = left[0].substr(0, left[0].find('='));
  throw_input_error(text("unknown option '", left[0], "' for krossfold ", app.get_name()), "",
                    suggestion(option, names, text("See krossfold ", app.get_name(), " --help.")));
}

/// Throws what CLI11 says of an option in words of ours.
[[noreturn]] void throw_parse_error(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.find("missing") != std::string::npos) throw_input_error(option + " needs a value");
  if (message.find("ost 1 required") != std::string::npos) {
    throw_input_error(option + " is given more than once", "", "Give it once.");
  }
  throw_input_error(message, "", "See krossfold SUBCOMMAND --help.");
}

[[noreturn]] void refuse_value_of_switch(const std::string& name, const std::string& value) {
  throw_input_error(value.empty() ? text(name, " has a value") : text("bad value '", value, "' for ", name),
                    "it is a switch", text("Give ", name, " alone."));
}

/// Throws an input error for the switch that was given a value other than true or false, which CLI11 cannot read.
[[noreturn]] void refuse_values_of_switches(const CLI::App& app, const std::vector<const char*>& words) {
  for (const CLI::App* sub : app.get_subcommands()) {
    for (const std::string word : words) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = name.size() < word.size() ? sub->get_option_no_throw(name) : nullptr;
      if (option == nullptr || option->get_expected_max() != 0) continue;
      if (const std::string value = word.substr(name.size() + 1); value != "true" && value != "false")
        refuse_value_of_switch(name, value);
    }
  }
  throw_input_error("a switch has a value", "", "Leave the value out.");
}

/// Throws an input error for a word --NAME=, of which CLI11 would take the next word as the value, and for -o=FILE, of which it would take
/// the = for a part of the value.
void refuse_empty_values(const CLI::App& app, const std::vector<const char*>& words) {
  const std::vector<const CLI::App*> all = app.get_subcommands({});
  const auto sub = std::find_if(all.begin(), all.end(),
                                [&](const CLI::App* one) { return words.size() > 1 && one->get_name() == words[1]; });
  for (const std::string word : words) {
    if (word == "--") return;
    if (word.size() > 2 && word[0] == '-' && word[1] != '-' && word[2] == '=' && sub != all.end() &&
        (*sub)->get_option_no_throw(word.substr(0, 2)) != nullptr) {
      const std::string name = word.substr(0, 2);
      throw_input_error(text("a = after ", name), "the value of a short option follows without it",
                        text("Write ", name, " ", word.substr(3), "."));
    }
    if (word.size() < 4 || !word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const std::string name = word.substr(0, word.size() - 1);
    const CLI::Option* option = sub != all.end() ? (*sub)->get_option_no_throw(name) : nullptr;
    if (option == nullptr) continue;  // and so refused as unknown
    if (option->get_expected_max() == 0) refuse_value_of_switch(name, "");
    throw_input_error(text(name, " needs a value"), "nothing follows its =", "Give one, or leave the option out.");
  }
}

/// Throws an input error that names the first word before the subcommand, or instead of one.
void refuse_words_before_command(const CLI::App& app) {
  std::vector<std::string> commands;
  for (const CLI::App* sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  const auto left = app.remaining();
  if (left.empty()) return;
  if (left[0].starts_with("-")) {
    throw_input_error(text("unknown option '", left[0], "' before the subcommand"), "",
                      suggestion(left[0], {"--help", "--version"},
                                 "Put options after the subcommand: krossfold SUBCOMMAND OPTIONS."));
  }
  commands.insert(commands.end(), {"--help", "--version"});
  throw_input_error(text("unknown subcommand '", left[0], "'"), "",
                    suggestion(left[0], commands, "See krossfold --help."));
}

/// The long names of the options of a subcommand: all of them, those that the user gave, and the values of these.
struct OptionNames {
  std::set<std::string> known, given;
  std::map<std::string, std::string> value;
};

OptionNames option_names(const CLI::App& command) {
  OptionNames names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.known.insert(name);
      if (option->count() == 0) continue;
      names.given.insert(name);
      names.value[name] = option->results().front();
    }
  }
  return names;
}

/// The subcommands: one for each kind of study, and those beside them.
struct Commands {
  const run::StudyRegistry& registry;
  CLI::App app{"cross-validated model selection on CPUs and GPUs", "krossfold"};
  CommandLine line;
  run::OptionTable run_table = run_options(line.run), message_table = message_options(line),
                   predict_table = predict_options(line.predict), sample_table = sample_options(line.sample),
                   report_table = report_options(line.report), plan_table = plan_options(line.plan),
                   data_table = data_options(line.data), export_table = export_options(line.exported),
                   import_table = import_options(line.imported), doctor_table = doctor_options(line.doctor),
                   help_table = help_options(line.help);
  struct OneStudy {
    CLI::App* app;
    const run::StudyKind* kind;
    std::unique_ptr<run::StudyCommand> command;
  };
  std::vector<OneStudy> studies;
  struct Described {
    CLI::App* app;
    std::vector<const run::OptionTable*> tables;
    run::Guide guide;
  };
  std::vector<Described> described;
  CLI::App *predict, *sample, *report, *plan, *data, *to_others, *from_others, *doctor, *help;

  explicit Commands(const run::StudyRegistry& kinds) : registry(kinds) {
    app.set_version_flag("--version", version_line());
    app.set_help_flag("-h,--help", "print this help");
    app.allow_extras();
    app.require_subcommand(0, 1);  // so that the name of a second one is an ordinary word
    for (const auto& kind : registry.kinds()) {
      std::unique_ptr<run::StudyCommand> command = kind->command();
      const std::vector<const run::OptionTable*> tables{&command->options(), &run_table};
      studies.push_back({add(kind->name(), kind->summary(), tables, kind->guide()), kind.get(), std::move(command)});
    }
    const auto add_file_command = [&](const std::string& name, const std::string& summary,
                                      const run::OptionTable& table) {
      return add(name, summary, {&table}, guide_of(name));
    };
    predict = add_file_command("predict", "apply a trained model to data", predict_table);
    sample = add_file_command("sample", "sample new names from a trained character model", sample_table);
    report = add_file_command("report", "print tables from result files", report_table);
    plan = add_file_command("plan", "predict run times on other numbers of ranks from a result file", plan_table);
    data = add_file_command("data", "say what data hold, verify or convert them", data_table);
    to_others = add_file_command("export", "write a model for other programs: LIBSVM, ONNX, NumPy", export_table);
    from_others = add_file_command("import", "make a model of a file of LIBSVM or NumPy", import_table);
    doctor = add_file_command("doctor", "check whether this machine and set-up run a study well", doctor_table);
    help = add_file_command("help", "explain a subcommand; manual pages and completion", help_table);
  }
  Commands(const Commands&) = delete;  // CLI11 holds pointers to the members

  CLI::App* add(const std::string& name, const std::string& summary, std::vector<const run::OptionTable*> tables,
                const run::Guide& guide) {
    CLI::App* sub = app.add_subcommand(name, summary);
    sub->allow_extras();
    tables.push_back(&message_table);
    for (const run::OptionTable* table : tables) add_table(*sub, *table);
    described.push_back({sub, std::move(tables), guide});
    return sub;
  }

  /// Of commands that have not read any words, whose flags therefore have their defaults.
  std::vector<CommandPage> pages() const {
    const Commands unread(registry);
    std::vector<CommandPage> all;
    for (const Described& one : unread.described) all.push_back(page_of(*one.app, one.tables, one.guide));
    return all;
  }

  CommandPage page(const std::string& name) const {
    std::vector<std::string> names;
    for (CommandPage& one : pages()) {
      if (one.name == name) return std::move(one);
      names.push_back(one.name);
    }
    throw_input_error(text("unknown subcommand '", name, "'"), "", suggestion(name, names, "See krossfold --help."));
  }

  /// The page of a subcommand; after `train lstm --help` that of lstm alone.
  CommandPage page_asked_for(const CLI::App& command) const {
    CommandPage whole = page(command.get_name());
    for (const CLI::Option* argument : command.get_options()) {
      if (argument->get_positional() && argument->count() > 0) return whole.restricted_to(argument->results().front());
    }
    return whole;
  }

  /// Returns false if the user asked for help or the version, which line.answer then holds.
  bool read(const std::vector<const char*>& words) {
    refuse_empty_values(app, words);
    try {
      app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
      const std::vector<CLI::App*> asked = app.get_subcommands();
      line.answer = asked.empty() ? overview(pages(), installed_folders()) : help_of(page_asked_for(*asked.front()));
      return false;
    } catch (const CLI::CallForVersion&) {
      line.answer = version_line() + "\n";
      return false;
    } catch (const CLI::ParseError& error) {
      throw_parse_error(error.what());
    } catch (const std::invalid_argument&) {
      refuse_values_of_switches(app, words);
    }
    refuse_words_before_command(app);
    for (const CLI::App* sub : app.get_subcommands()) refuse_leftovers(*sub);
    return true;
  }

  /// The answer of `krossfold help`.
  std::string explanation(const HelpParams& asked) const {
    if (!asked.write.empty()) {
      return text("wrote ", write_manual_files(asked.write, pages(), build_info().version), " files to ", asked.write,
                  "/share\n");
    }
    if (!asked.completion.empty()) return completion_script(asked.completion, pages());
    if (asked.subcommand.empty())
      return asked.man ? man_page(pages(), build_info().version) : overview(pages(), installed_folders());
    CommandPage one = page(asked.subcommand);
    if (!asked.kind.empty()) {
      const std::vector<std::string> kinds = one.kinds();
      require(contains(kinds, asked.kind), text("unknown word '", asked.kind, "' after ", asked.subcommand), "",
              suggestion(asked.kind, kinds, text("See krossfold help ", asked.subcommand, ".")));
      one = one.restricted_to(asked.kind);
    }
    return asked.man ? man_page(one, build_info().version) : help_of(one);
  }

  void choose_study(OneStudy& study, OptionNames& names) {
    line.command = Command::study;
    names = option_names(*study.app);
    study.command->check(names.given);
    line.kind = study.kind;
    line.study = std::move(study.command);
  }

  void choose(OptionNames& names) {
    require(!line.quiet || !line.verbose, "--quiet and --verbose contradict each other", "", "Give one of them.");
    for (OneStudy& study : studies) {
      if (*study.app) return choose_study(study, names);
    }
    const auto take = [&](const CLI::App* sub, Command command, const std::string& format, bool complete,
                          const char* needs, const char* example) {
      if (!*sub) return;
      line.command = command;
      check_format(format);
      require(complete, text("krossfold ", sub->get_name(), " needs ", needs), "",
              text("For example: krossfold ", sub->get_name(), " ", example));
    };
    take(predict, Command::predict, line.predict.format, !line.predict.model.empty() && !line.predict.inputs.empty(),
         "a model and at least one input", "results.h5 digits.csv");
    take(sample, Command::sample, "text", !line.sample.model.empty(), "a model", "names.h5");
    take(report, Command::report, line.report.format, !line.report.files.empty(), "a result file", "results.h5");
    take(plan, Command::plan, line.plan.format, !line.plan.files.empty(), "a result file", "results.h5");
    take(data, Command::data, line.data.format, !line.data.words.empty(), "data", "csv:table.csv --label outcome");
    if (*data) choose_action(line.data, option_names(*data).given);
    take(to_others, Command::export_model, "text", !line.exported.model.empty() && !line.exported.output.empty(),
         "a model and a file to write", "results.h5 -o svm.onnx");
    take(from_others, Command::import_model, "text", !line.imported.file.empty() && !line.imported.output.empty(),
         "a file and the model to write", "svm.model -o svm.h5");
    take(doctor, Command::doctor, "text", true, "", "");
    if (*help) {
      line.answer = explanation(line.help);
      return;
    }
    require(!line.report.compare || line.report.files.size() >= 2, "--compare needs at least two result files", "",
            "For example: krossfold report --compare a.h5 b.h5");
    if (line.command == Command::none) {
      line.answer = text(
          "krossfold: error: no subcommand given. Try krossfold svm --data digits -o results.h5, or "
          "krossfold --help.\n\nSubcommands:\n",
          list_of(pages()));
      line.answers_error = true;
    }
  }
};

CommandLine parse_words(const std::vector<const char*>& words, const run::StudyRegistry& registry, OptionNames& names) {
  Commands commands(registry);
  if (commands.read(words)) commands.choose(names);
  return std::move(commands.line);
}

/// True if --NAME is a word of the message.
bool names_option(const std::string& message, const std::string& name) {
  const std::string option = "--" + name;
  for (std::size_t at = message.find(option); at != std::string::npos; at = message.find(option, at + 1)) {
    const char next = at + option.size() < message.size() ? message[at + option.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '-') return true;
  }
  return false;
}

/// The command line extended by those options of its --config file that it does not give itself.
CommandLine add_config(const CommandLine& line, std::vector<const char*> words, const OptionNames& names,
                       const run::StudyRegistry& registry) {
  const std::string& path = line.run.config;
  const std::string study = words[1];
  const ConfigFile config = read_config(path, study);
  std::vector<std::string> more;
  for (const auto& [name, value] : config.options) {
    const std::string where = text("--config ", path, line_of(config, name), ": ");
    require(name != "config" && name != "help", text(where, name, " is for the command line alone"), "",
            "Remove it from the file.");
    require(names.known.contains(name), text(where, "krossfold ", study, " has no option ", name), "",
            suggestion(name, {names.known.begin(), names.known.end()}, text("See krossfold ", study, " --help.")));
    const bool talks = name == "quiet" || name == "verbose";
    if (talks && (names.given.contains("quiet") || names.given.contains("verbose"))) continue;
    if (!names.given.contains(name) && !is_replaced(name, value, names.value))
      more.push_back(text("--", name, "=", value));
  }
  for (const auto& [name, value] : config.unsaid) {
    const bool of_other_data = name == "image" && names.given.contains("data");
    if (!value.empty() && names.known.contains(name) && !names.given.contains(name) && !of_other_data) {
      more.push_back(text("--", name, "=", value));
    }
  }
  std::vector<const char*> added;
  for (const std::string& word : more) added.push_back(word.c_str());
  words.insert(words.begin() + 2, added.begin(), added.end());  // after the subcommand
  try {
    OptionNames ignored;
    CommandLine all = parse_words(words, registry, ignored);
    const auto chooses_data = [](const std::string& name) {
      return contains<std::string>({"data", "test", "test-part", "limit", "seed", "label", "drop", "group", "weight",
                                    "delimiter", "decimal", "skip-lines", "header", "missing", "categorical", "image"},
                                   name);
    };
    if (std::none_of(names.given.begin(), names.given.end(), chooses_data)) all.run.expected_data = config.data_digest;
    for (const std::string& word : more) all.configured += word + "\n";
    return all;
  } catch (const Error& error) {  // due to the file: the user's own words were read before without an error
    std::string line;
    for (const auto& [name, value] : config.options) {
      if (line.empty() && names_option(error.what(), name)) line = line_of(config, name);
    }
    throw Error::from_message(error.code(), text("--config ", path, line, ": ", error.what()));
  }
}

}  // namespace

CommandLine parse(int argc, const char* const* argv, const run::StudyRegistry& registry) {
  const std::vector<const char*> words(argv, argv + argc);
  OptionNames names;
  CommandLine line = parse_words(words, registry, names);
  if (line.command != Command::study) return line;
  refuse_contradictions(names.value, "");
  if (!line.run.config.empty()) line = add_config(line, words, names, registry);
  if (line.run.output.empty() && !line.run.dry_run) {
    throw_input_error("no result file named", text("krossfold ", argv[1], " writes one"), "Add -o results.h5.");
  }
  return line;
}

}  // namespace krossfold::cli
