// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <set>
#include <utility>

#include "config_file.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "option_parsing.hpp"
#include "study_options.hpp"

namespace krossfold::cli {

namespace {

/// Planned subcommands: this version does not have them, but they are no typing errors.
const std::vector<std::string> planned = {"data", "doctor"};

/// Options that the app does not know are left over; the first of them is named.
void refuse_leftovers(const CLI::App& app) {
  const auto left = app.remaining();
  if (left.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string option = left[0].substr(0, left[0].find('='));
  const std::string nearest = nearest_word(option, names);
  throw_input_error(
      text("unknown option '", left[0], "' for krossfold ", app.get_name()), "",
      nearest.empty() ? text("See krossfold ", app.get_name(), " --help.") : text("Did you mean ", nearest, "?"));
}

/// The same for what stands before the subcommand, or instead of one.
void refuse_words_before_command(const CLI::App& app) {
  const auto left = app.remaining();
  if (left.empty()) return;
  if (left[0].starts_with("-")) {
    const std::string nearest = nearest_word(left[0], {"--help", "--version"});
    throw_input_error(text("unknown option '", left[0], "' before the subcommand"), "",
                      nearest.empty() ? "Put options after the subcommand: krossfold SUBCOMMAND OPTIONS."
                                      : text("Did you mean ", nearest, "?"));
  }
  if (contains(planned, left[0])) {
    throw_input_error(text("krossfold ", left[0], " is not available in this version"),
                      text(build_info().version, " has svm, bag, train, names, predict, sample, report and plan"), "");
  }
  const std::string nearest = nearest_word(
      left[0], {"svm", "bag", "train", "names", "predict", "sample", "report", "plan", "--help", "--version"});
  throw_input_error(text("unknown subcommand '", left[0], "'"), "",
                    nearest.empty() ? "See krossfold --help." : text("Did you mean ", nearest, "?"));
}

double parse_above_zero(const std::string& value, const std::string& option) {
  const double number = parse_number(value, option);
  if (!(number > 0)) throw_input_error(text("bad value '", value, "' for ", option), "it is above 0");
  return number;
}

void add_plan(CLI::App& app, PlanParams& params) {
  app.add_option("FILE", params.files, "result files, of finished or stopped studies");
  add_parsed(
      app, "--formation", [&params](const std::string& v) { params.plan.formations = study::parse_formations(v); },
      "NODESxRANKS, several with commas; groups joined by +, each with @SPEED against the ranks of the study: "
      "1x4,2x4,1x2+1x4@0.5. Default: 1x1, 1x2, 1x4, 2x4, ... as long as more ranks pay",
      "LIST", "");
  add_parsed(
      app, "--deadline",
      [&params](const std::string& v) {
        params.plan.deadline = parse_duration(v, "--deadline");
        if (params.plan.deadline <= 0) throw_input_error(text("bad value '", v, "' for --deadline"), "it is above 0");
      },
      "names the cheapest formation that is done in this time", "DURATION", "");
  add_parsed(
      app, "--schedule",
      [&params](const std::string& v) {
        auto& schedules = params.plan.schedules;
        if (v == "all") {
          schedules.assign(std::begin(parallel::all_schedules), std::end(parallel::all_schedules));
        } else {
          schedules = {parallel::parse_schedule(v)};
        }
      },
      std::string("all, or one of ") + parallel::schedule_names, "KIND", name_of(params.plan.schedules[0]));
  add_parsed(
      app, "--latency", [&params](const std::string& v) { params.scaling.latency = parse_above_zero(v, "--latency"); },
      "trainings: seconds before a message between ranks moves", "SECONDS", "5e-6");
  add_parsed(
      app, "--bandwidth",
      [&params](const std::string& v) { params.scaling.bandwidth = parse_above_zero(v, "--bandwidth"); },
      "trainings: bytes a second that it then moves with", "BYTES", "as measured, else 5e9");
  app.add_option("--format", params.format, "text, json or csv")->capture_default_str();
}

void add_sample(CLI::App& app, SampleParams& params) {
  app.add_option("MODEL", params.model, "model file, folder of models, or result file of krossfold train lstm");
  add_whole(app, "--count", params.count, 1, "how many names", "N", text(params.count));
  add_parsed(
      app, "--temperature", [&params](const std::string& v) { params.temperature = parse_number(v, "--temperature"); },
      "below 1 more like the training names, above 1 bolder", "T", shortest(params.temperature));
  add_whole(app, "--seed", params.seed, std::uint64_t{0}, "seed of the draws", "S", text(params.seed));
  app.add_flag("--novel", params.novel, "leave out the names that the model was trained on");
  app.add_option("--starts-with", params.starts_with, "their first letters")->type_name("S");
}

void check_format(const std::string& format) {
  if (format == "text" || format == "json" || format == "csv") return;
  const std::string nearest = nearest_word(format, {"text", "json", "csv"});
  throw_input_error(text("unknown --format '", format, "'"), "it is text, json or csv",
                    nearest.empty() ? "" : text("Did you mean ", nearest, "?"));
}

/// The long names of the options of a study: those that there are, and those that were given.
struct OptionNames {
  std::set<std::string> known, given;
};

CommandLine parse_words(const std::vector<const char*>& words, OptionNames& names) {
  CommandLine line;
  CLI::App app("Krossfold: cross-validated model selection on CPUs and GPUs", "krossfold");
  app.set_version_flag("--version", "krossfold " + build_info().version);
  app.allow_extras();
  app.require_subcommand(0, 1);  // the name of another one is then a word like any other
  app.footer(
      "Under MPI: mpirun -n R krossfold ..., or srun --mpi=pmix krossfold ...\n"
      "Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 75 stopped and resumable.");

  CLI::App* svm =
      app.add_subcommand("svm", "search C and gamma of RBF support vector machines by k-fold cross-validation");
  CLI::App* bag = app.add_subcommand(
      "bag",
      "bagging: a random search of convolutional networks in every bootstrap sample, and what they say together");
  CLI::App* train = app.add_subcommand("train", "train one network on all ranks together");
  CLI::App* names_study = app.add_subcommand(
      "names", "train a character model of names with several numbers of workers, batches and rates");
  CLI::App* predict = app.add_subcommand("predict", "apply a trained model to data");
  CLI::App* sample = app.add_subcommand("sample", "new names from a trained character model");
  CLI::App* report = app.add_subcommand("report", "tables out of result files");
  CLI::App* plan = app.add_subcommand("plan", "predict from a result file what other numbers of ranks would do");
  for (CLI::App* sub : {svm, bag, train, names_study, predict, sample, report, plan}) {
    sub->allow_extras();
    sub->add_flag("--quiet", line.quiet, "say nothing but warnings and errors");
    sub->add_flag("--verbose", line.verbose, "say more");
  }
  add_svm_options(*svm, line.svm);
  add_bag_options(*bag, line.bag);
  add_train_options(*train, line.train);
  add_names_options(*names_study, line.names);
  for (CLI::App* sub : {svm, bag, train, names_study}) add_run_options(*sub, line.run);
  predict->add_option("MODEL", line.predict.model, "model file, folder of models, or result file");
  predict->add_option(
      "INPUT", line.predict.inputs,
      "files (*.csv, *.libsvm, *idx3-ubyte, each also .gz), pictures (*.png or folders of them), data SPECs");
  predict
      ->add_option("--format", line.predict.format,
                   "text (labels), json or csv (all there is: decision values, probabilities, votes, doubts)")
      ->capture_default_str();
  predict->add_option("-o,--output", line.predict.output, "write HDF5 instead")->type_name("FILE.h5");
  predict
      ->add_option("--invert", line.predict.invert,
                   "turn pictures into their negatives: auto (see docs/data.md), yes, no")
      ->capture_default_str();
  predict->add_option("--background", line.predict.background, "what transparent pictures lie on: white or black")
      ->capture_default_str();
  report->add_option("FILE", line.report.files, "result files");
  report->add_option("--format", line.report.format, "text, json or csv")->capture_default_str();
  report->add_flag("--status", line.report.status_only, "print only the status of each file");
  report->add_flag("--compare", line.report.compare, "set runs of the same study in different places side by side");
  report->add_flag("--unverified", line.report.unverified, "read files whose checksum does not match");

  add_plan(*plan, line.plan);
  add_sample(*sample, line.sample);

  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    line.answer = app.help();
    return line;
  } catch (const CLI::CallForVersion&) {
    line.answer = text("krossfold ", build_info().version, "\n");
    return line;
  } catch (const CLI::ParseError& error) {
    throw_input_error(error.what(), "", "See krossfold SUBCOMMAND --help.");
  }
  refuse_words_before_command(app);
  if (*svm || *bag || *train || *names_study) {
    const CLI::App& sub = *svm ? *svm : *bag ? *bag : *train ? *train : *names_study;
    refuse_leftovers(sub);
    line.command = *svm ? Command::svm : *bag ? Command::bag : *train ? Command::train : Command::names;
    for (const CLI::Option* option : sub.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.known.insert(name);
        if (option->count() > 0) names.given.insert(name);
      }
    }
    if (*train) study::check_taken(line.train, names.given);
  } else if (*predict) {
    refuse_leftovers(*predict);
    line.command = Command::predict;
    check_format(line.predict.format);
    if (line.predict.model.empty() || line.predict.inputs.empty()) {
      throw_input_error("krossfold predict needs a model and at least one input", "",
                        "For example: krossfold predict results.h5 digits.csv");
    }
  } else if (*sample) {
    refuse_leftovers(*sample);
    line.command = Command::sample;
    if (line.sample.model.empty())
      throw_input_error("krossfold sample needs a model", "", "For example: krossfold sample names.h5");
  } else if (*report) {
    refuse_leftovers(*report);
    line.command = Command::report;
    check_format(line.report.format);
    if (line.report.files.empty())
      throw_input_error("krossfold report needs a result file", "", "For example: krossfold report results.h5");
  } else if (*plan) {
    refuse_leftovers(*plan);
    line.command = Command::plan;
    check_format(line.plan.format);
    if (line.plan.files.empty())
      throw_input_error("krossfold plan needs a result file", "", "For example: krossfold plan results.h5");
  } else {
    throw_input_error("no subcommand given", "",
                      "Try: krossfold svm --data digits -o results.h5, or krossfold --help.");
  }
  return line;
}

/// The command line with the options of its --config file that it does not give itself.
CommandLine add_config(const CommandLine& line, std::vector<const char*> words, const OptionNames& names) {
  const std::string& path = line.run.config;
  const std::string study = words[1];
  const ConfigFile config = read_config(path, study);
  std::vector<std::string> more;
  for (const auto& [name, value] : config.options) {
    if (!names.known.contains(name) || name == "config" || name == "help") {
      const std::string nearest = nearest_word(name, {names.known.begin(), names.known.end()});
      throw_input_error(
          text("--config ", path, ": krossfold ", study, " has no option ", name), "",
          nearest.empty() ? text("See krossfold ", study, " --help.") : text("Did you mean ", nearest, "?"));
    }
    if (!names.given.contains(name)) more.push_back(text("--", name, "=", value));
  }
  std::vector<const char*> added;
  for (const std::string& word : more) added.push_back(word.c_str());
  words.insert(words.begin() + 2, added.begin(), added.end());  // after the subcommand
  try {
    OptionNames ignored;
    CommandLine all = parse_words(words, ignored);
    const bool same_data =
        !names.given.contains("data") && !names.given.contains("test") && !names.given.contains("limit");
    if (same_data) all.run.expected_data = config.data_digest;
    return all;
  } catch (const Error& error) {  // the words of the user were read before without one
    throw Error::from_message(error.code(), text("--config ", path, ": ", error.what()));
  }
}

}  // namespace

CommandLine parse(int argc, const char* const* argv) {
  const std::vector<const char*> words(argv, argv + argc);
  OptionNames names;
  CommandLine line = parse_words(words, names);
  if (!is_study(line.command)) return line;
  if (!line.run.config.empty()) line = add_config(line, words, names);
  if (line.run.output.empty() && !line.run.dry_run) {
    throw_input_error("no result file named", text("krossfold ", argv[1], " writes one"), "Add -o results.h5.");
  }
  return line;
}

}  // namespace krossfold::cli
