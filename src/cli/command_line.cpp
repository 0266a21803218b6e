// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <set>
#include <utility>

#include "config_file.hpp"
#include "data_options.hpp"
#include "installed_folders.hpp"
#include "interchange_options.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
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
  const std::string option = left[0].substr(0, left[0].find('='));
  throw_input_error(text("unknown option '", left[0], "' for krossfold ", app.get_name()), "",
                    suggestion(option, names, text("See krossfold ", app.get_name(), " --help.")));
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

double parse_above_zero(const std::string& value, const std::string& option) {
  const double number = parse_number(value, option);
  require(number > 0, text("bad value '", value, "' for ", option), "it must be above 0");
  return number;
}

double parse_positive_duration(const std::string& value, const std::string& option) {
  const double seconds = parse_duration(value, option);
  require(seconds > 0, text("bad value '", value, "' for ", option), "it must be above 0");
  return seconds;
}

std::vector<parallel::Schedule> parse_schedules(const std::string& value, const std::string&) {
  if (value == "all") return {std::begin(parallel::all_schedules), std::end(parallel::all_schedules)};
  return {parallel::parse_schedule(value)};
}

void add_plan(CLI::App& app, PlanParams& params) {
  run::PlanRequest& request = params.request;
  const auto parse_formations = [](const std::string& list, const std::string&) {
    return planning::parse_formations(list);
  };
  app.add_option("FILE", params.files, "result files, of finished or stopped studies");
  add_parsed(
      app, "--formation", request.formations, parse_formations,
      "NODESxRANKS, several with commas; groups joined by +, each with @SPEED relative to the ranks of the study: "
      "1x4,2x4,1x2+1x4@0.5. Default: 1x1, 1x2, 1x4, 2x4, ... as long as more ranks pay",
      "LIST");
  add_parsed(app, "--deadline", request.deadline, parse_positive_duration,
             "name the cheapest formation that finishes within this time", "DURATION");
  add_parsed(app, "--schedule", request.schedules, parse_schedules,
             std::string("all, or one of ") + parallel::schedule_names, "KIND", "dynamic");
  add_parsed(app, "--latency", request.latency, parse_above_zero, "trainings: latency of a message between ranks",
             "SECONDS", "5e-6");
  add_parsed(app, "--bandwidth", request.bandwidth, parse_above_zero, "trainings: bytes per second of a message",
             "BYTES", "as measured, else 5e9");
  app.add_option("--format", params.format, "text, json or csv")->capture_default_str();
}

run::OptionTable sample_options(SampleParams& params) {
  run::OptionTable table;
  table.add("count", params.count, "N", "number of names", 1);
  table.add("temperature", params.temperature, "T", "below 1: closer to the training names; above 1: bolder");
  table.add("seed", params.seed, "S", "seed of the draws").default_text = text(params.seed);
  return table;
}

void add_sample(CLI::App& app, SampleParams& params, const run::OptionTable& table) {
  app.add_option("MODEL", params.model, "model file, folder of models, or result file of krossfold train lstm");
  add_table(app, table);
  app.add_flag("--novel", params.novel, "omit the names that the model was trained on");
  app.add_option("--starts-with", params.starts_with, "first letters of the names")->type_name("S");
}

void check_format(const std::string& format) {
  const std::vector<std::string> formats = {"text", "json", "csv"};
  require(contains(formats, format), text("unknown --format '", format, "'"), "it is text, json or csv",
          suggestion(format, formats, ""));
}

run::OptionTable predict_options(PredictParams& params) {
  run::OptionTable table;
  run::add_table_options(table, params.table);
  return table;
}

void add_predict(CLI::App& app, PredictParams& params, const run::OptionTable& table) {
  app.add_option("MODEL", params.model, "model file, folder of models, or result file");
  app.add_option(
      "INPUT", params.inputs,
      "files (*.csv, *.tsv, *.npy, *.h5, *.nc, *.libsvm, *idx3-ubyte), pictures (*.png, *.jpg or folders of them), "
      "data SPECs");
  app.add_option("--format", params.format,
                 "text (labels), json or csv (everything: decision values, probabilities, votes, uncertainty)")
      ->capture_default_str();
  app.add_option("-o,--output", params.output, "write HDF5 instead")->type_name("FILE.h5");
  app.add_option("--invert", params.invert, "invert pictures into their negatives: auto (see docs/data.md), yes, no")
      ->capture_default_str();
  app.add_option("--background", params.background, "background of transparent pictures: white or black")
      ->capture_default_str();
  add_table(app, table);
}

void add_report(CLI::App& app, ReportParams& params) {
  app.add_option("FILE", params.files, "result files");
  app.add_option("--format", params.format, "text, json or csv")->capture_default_str();
  app.add_flag("--status", params.status_only, "print only the status of each file");
  app.add_flag("--compare", params.compare, "compare runs of the same study in different places");
  app.add_flag("--unverified", params.unverified, "read files whose checksum does not match");
}

void add_doctor(CLI::App& app, DoctorParams& params) {
  app.add_flag("--json", params.json, "print JSON");
  app.add_option("-o,--output", params.output,
                 "result file or folder whose file system is examined: rights, room, locks, syncs")
      ->type_name("FILE|FOLDER")
      ->capture_default_str();
}

/// The long names of a study's options: all of them, and those that the user gave.
struct OptionNames {
  std::set<std::string> known, given;
};

/// The subcommands: one for each kind of study, and those beside them.
struct Commands {
  CLI::App app{"Krossfold: cross-validated model selection on CPUs and GPUs", "krossfold"};
  CommandLine line;
  run::OptionTable sample_table = sample_options(line.sample), predict_table = predict_options(line.predict),
                   data_table = data_options(line.data);
  struct OneStudy {
    CLI::App* app;
    const run::StudyKind* kind;
    std::unique_ptr<run::StudyCommand> command;
  };
  std::vector<OneStudy> studies;
  CLI::App *predict, *sample, *report, *plan, *data, *doctor, *to_others, *from_others;

  explicit Commands(const run::StudyRegistry& registry) {
    app.set_version_flag("--version", version_line());
    app.allow_extras();
    app.require_subcommand(0, 1);  // so that the name of a second one is an ordinary word
    app.footer(
        "Under MPI: mpirun -n R krossfold ..., or srun --mpi=pmix krossfold ...\n"
        "Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 75 stopped and resumable." +
        installed_folders());
    for (const auto& kind : registry.kinds()) {
      CLI::App* sub = app.add_subcommand(kind->name(), kind->summary());
      studies.push_back({sub, kind.get(), kind->command()});
      add_table(*sub, studies.back().command->options());
      add_run_options(*sub, line.run);
    }
    add_predict(*(predict = app.add_subcommand("predict", "apply a trained model to data")), line.predict,
                predict_table);
    add_sample(*(sample = app.add_subcommand("sample", "sample new names from a trained character model")), line.sample,
               sample_table);
    add_report(*(report = app.add_subcommand("report", "print tables from result files")), line.report);
    add_plan(*(plan = app.add_subcommand("plan", "predict run times on other numbers of ranks from a result file")),
             line.plan);
    add_data(*(data = app.add_subcommand("data", "say what data hold, verify or convert them")), line.data, data_table);
    add_export(*(to_others = app.add_subcommand("export", "write a model for other programs: LIBSVM, ONNX, NumPy")),
               line.exported);
    add_import(*(from_others = app.add_subcommand("import", "make a model of a file of LIBSVM or NumPy")),
               line.imported);
    add_doctor(*(doctor = app.add_subcommand("doctor", "check whether this machine and set-up run a study well")),
               line.doctor);
    for (CLI::App* sub : app.get_subcommands({})) {
      sub->allow_extras();
      sub->add_flag("--quiet", line.quiet, "print no progress, only the report or predictions, warnings and errors");
      sub->add_flag("--verbose", line.verbose, "print more");
    }
  }
  Commands(const Commands&) = delete;  // CLI11 holds pointers to the members

  /// Returns false if the user asked for help or the version, which line.answer then holds.
  bool read(const std::vector<const char*>& words) {
    try {
      app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::CallForHelp&) {
      line.answer = app.help();
      return false;
    } catch (const CLI::CallForVersion&) {
      line.answer = version_line() + "\n";
      return false;
    } catch (const CLI::ParseError& error) {
      throw_input_error(error.what(), "", "See krossfold SUBCOMMAND --help.");
    }
    refuse_words_before_command(app);
    for (const CLI::App* sub : app.get_subcommands()) refuse_leftovers(*sub);
    return true;
  }

  void choose_study(OneStudy& study, OptionNames& names) {
    line.command = Command::study;
    for (const CLI::Option* option : study.app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.known.insert(name);
        if (option->count() > 0) names.given.insert(name);
      }
    }
    study.command->check(names.given);
    line.kind = study.kind;
    line.study = std::move(study.command);
  }

  void choose(OptionNames& names) {
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
    take(doctor, Command::doctor, "text", true, "", "");
    if (*data) choose_action(line.data);
    take(to_others, Command::export_model, "text", !line.exported.model.empty() && !line.exported.output.empty(),
         "a model and a file to write", "results.h5 -o svm.onnx");
    take(from_others, Command::import_model, "text", !line.imported.file.empty() && !line.imported.output.empty(),
         "a file and the model to write", "svm.model -o svm.h5");
    require(!line.report.compare || line.report.files.size() >= 2, "--compare needs at least two result files", "",
            "For example: krossfold report --compare a.h5 b.h5");
    require(line.command != Command::none, "no subcommand given", "",
            "Try: krossfold svm --data digits -o results.h5, or krossfold --help.");
  }
};

CommandLine parse_words(const std::vector<const char*>& words, const run::StudyRegistry& registry, OptionNames& names) {
  Commands commands(registry);
  if (commands.read(words)) commands.choose(names);
  return std::move(commands.line);
}

/// The command line extended by those options of its --config file that it does not give itself.
CommandLine add_config(const CommandLine& line, std::vector<const char*> words, const OptionNames& names,
                       const run::StudyRegistry& registry) {
  const std::string& path = line.run.config;
  const std::string study = words[1];
  const ConfigFile config = read_config(path, study);
  std::vector<std::string> more;
  for (const auto& [name, value] : config.options) {
    if (!names.known.contains(name) || name == "config" || name == "help") {
      throw_input_error(
          text("--config ", path, ": krossfold ", study, " has no option ", name), "",
          suggestion(name, {names.known.begin(), names.known.end()}, text("See krossfold ", study, " --help.")));
    }
    if (!names.given.contains(name)) more.push_back(text("--", name, "=", value));
  }
  for (const auto& [name, value] : config.unsaid) {
    const bool of_other_data = name == "image" && names.given.contains("data");
    if (names.known.contains(name) && !names.given.contains(name) && !of_other_data) {
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
                                    "delimiter", "header", "missing", "categorical", "image"},
                                   name);
    };
    if (std::none_of(names.given.begin(), names.given.end(), chooses_data)) all.run.expected_data = config.data_digest;
    return all;
  } catch (const Error& error) {  // due to the file: the user's own words were read before without an error
    throw Error::from_message(error.code(), text("--config ", path, ": ", error.what()));
  }
}

}  // namespace

CommandLine parse(int argc, const char* const* argv, const run::StudyRegistry& registry) {
  const std::vector<const char*> words(argv, argv + argc);
  OptionNames names;
  CommandLine line = parse_words(words, registry, names);
  if (line.command != Command::study) return line;
  if (!line.run.config.empty()) line = add_config(line, words, names, registry);
  if (line.run.output.empty() && !line.run.dry_run) {
    throw_input_error("no result file named", text("krossfold ", argv[1], " writes one"), "Add -o results.h5.");
  }
  return line;
}

}  // namespace krossfold::cli
