// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "config_file.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::cli {

namespace {

using study::Range;

/// Planned subcommands: this version does not have them, but they are no typing errors.
const std::vector<std::string> planned = {"bag", "train", "names", "sample", "data", "doctor"};

/// Planned options of the subcommands that there are.
const std::map<std::string, std::vector<std::string>> planned_options = {
    {"svm", {"--json-log"}},
    {"report", {"--compare"}},
};

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Range parse_range(const std::string& value, const std::string& option) {
  const auto colon = value.find(':');
  if (colon == std::string::npos) {
    throw_input_error(text("bad value '", value, "' for ", option), "it takes a range LO:HI",
                      text("For example ", option, " -3:6."));
  }
  return {parse_number(value.substr(0, colon), option), parse_number(value.substr(colon + 1), option)};
}

/// `digits` as a T, if they are a whole number. CLI11's own conversion takes -1 for an unsigned one and numbers that are
/// too large.
template <class T>
std::optional<T> whole_number(const std::string& digits) {
  T number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

template <class T>
T parse_whole(const std::string& value, const std::string& option, T least) {
  const std::optional<T> number = whole_number<T>(value);
  if (number && *number >= least) return *number;
  throw_input_error(text("bad value '", value, "' for ", option),
                    text("it takes a whole number from ", least, " to ", std::numeric_limits<T>::max()));
}

void parse_grid(const std::string& value, study::SvmParams& svm) {
  const auto x = value.find('x');
  if (x == std::string::npos) {
    throw_input_error(text("bad value '", value, "' for --grid"), "it takes NCxNG", "For example --grid 24x24.");
  }
  const auto part = [&](const std::string& digits) {
    if (const auto number = whole_number<int>(digits)) return *number;
    throw_input_error(text("bad value '", value, "' for --grid"), "it takes two whole numbers NCxNG",
                      "For example --grid 24x24.");
  };
  svm.grid_c = part(value.substr(0, x));
  svm.grid_gamma = part(value.substr(x + 1));
}

/// "0,2,3", or "all": an empty list.
std::vector<int> parse_devices(const std::string& value) {
  std::vector<int> devices;
  if (value == "all") return devices;
  for (std::size_t first = 0; first <= value.size();) {
    const std::size_t comma = std::min(value.find(',', first), value.size());
    const auto device = whole_number<int>(value.substr(first, comma - first));
    if (!device || *device < 0 || contains(devices, *device)) {
      throw_input_error(text("bad value '", value, "' for --gpu"), "it takes different device numbers, or all",
                        "For example --gpu 0,2,3.");
    }
    devices.push_back(*device);
    first = comma + 1;
  }
  return devices;
}

std::string range_text(const Range& range) { return shortest(range.low) + ":" + shortest(range.high); }

/// An option whose value needs more than a conversion.
CLI::Option* add_parsed(CLI::App& app, const std::string& names, std::function<void(const std::string&)> read,
                        const std::string& help, const std::string& type, const std::string& standard) {
  auto* option = app.add_option_function<std::string>(names, std::move(read), help)->type_name(type);
  if (!standard.empty()) option->default_str(standard);
  return option;
}

template <class T>
void add_whole(CLI::App& app, const std::string& name, T& value, T least, const std::string& help,
               const std::string& type, const std::string& standard) {
  add_parsed(
      app, name, [&value, name, least](const std::string& v) { value = parse_whole(v, name, least); }, help, type,
      standard);
}

void add_run_options(CLI::App& app, study::RunParams& run) {
  app.add_option("-o,--output", run.output, "result file to write; an unfinished one is continued")
      ->type_name("FILE.h5");
  add_parsed(
      app, "--max-time", [&run](const std::string& v) { run.max_time = parse_duration(v, "--max-time"); },
      "stop cleanly after this time, but not before one unit has begun (exit code 75); the same command continues",
      "DURATION", "");
  add_parsed(
      app, "--grace", [&run](const std::string& v) { run.grace = parse_duration(v, "--grace"); },
      "time that units in flight then have to finish", "DURATION", "30s");
  add_parsed(
      app, "--checkpoint-every",
      [&run](const std::string& v) { run.checkpoint_every = parse_duration(v, "--checkpoint-every"); },
      "how often a unit in flight stores what it has found", "DURATION", "1m");
  add_parsed(
      app, "--stall-timeout",
      [&run](const std::string& v) { run.stall_timeout = parse_duration(v, "--stall-timeout"); },
      "a rank without a sign of life for this time (more than a disk may take) ends the run with its name; 0 for never",
      "DURATION", "30m");
  add_parsed(
      app, "--schedule", [&run](const std::string& v) { run.schedule = parallel::parse_schedule(v); },
      "who computes which unit: " + std::string(parallel::schedule_names), "KIND", name_of(run.schedule));
  add_parsed(
      app, "--memory-limit", [&run](const std::string& v) { run.memory_limit = parse_size(v, "--memory-limit"); },
      "memory a rank may use; with less of it kernel rows are computed again", "SIZE", "");
  add_parsed(
      app, "--gpu", [&run](const std::string& v) { run.devices = parse_devices(v); },
      "GPUs that the ranks of a node take in turn: numbers such as 0,2,3, or all", "LIST|all", "");
  app.add_flag("--retry-failed", run.retry_failed, "compute again the units that failed");
  app.add_flag("--break-lock", run.break_lock, "take over an output that a run on another host seems to work on");
  app.add_option("--config", run.config,
                 "take the options not given here from FILE: a result file (those it was computed with) or TOML")
      ->type_name("FILE");
  app.add_flag("--dry-run", run.dry_run, "print units, memory and devices, compute nothing");
}

void add_svm(CLI::App& app, study::SvmParams& svm) {
  app.add_option("--data", svm.data, "training data: digits, mnist[:DIR], idx:IMAGES,LABELS, csv:FILE, libsvm:FILE")
      ->type_name("SPEC")
      ->capture_default_str();
  app.add_option("--test", svm.test, "test data; default: the data set's own, else its last fifth")->type_name("SPEC");
  add_whole(app, "--limit", svm.limit, 1, "keep only the first N training samples", "N", "");
  add_parsed(
      app, "--grid", [&svm](const std::string& v) { parse_grid(v, svm); }, "number of values of C and gamma", "NCxNG",
      text(svm.grid_c, "x", svm.grid_gamma));
  add_parsed(
      app, "--log10-c", [&svm](const std::string& v) { svm.log10_c = parse_range(v, "--log10-c"); }, "range of log10 C",
      "LO:HI", range_text(svm.log10_c));
  add_parsed(
      app, "--log10-gamma", [&svm](const std::string& v) { svm.log10_gamma = parse_range(v, "--log10-gamma"); },
      "range of log10 gamma", "LO:HI", "-6:-2 plus log10(784 / features)");
  add_whole(app, "--folds", svm.folds, 2, "number of folds", "K", text(svm.folds));
  app.add_option("--fold-kind", svm.fold_kind, "contiguous, stratified or shuffled")
      ->type_name("KIND")
      ->capture_default_str();
  add_whole(app, "--seed", svm.seed, std::uint64_t{0}, "seed of all random streams", "S", text(svm.seed));
  app.add_option("--scale", svm.scale, "OFFSET:DIVISOR, standard or none; default: by the data")->type_name("SCALE");
  app.add_option("--multiclass", svm.multiclass, "ovr (one against the rest) or ovo (one against one, with votes)")
      ->type_name("KIND")
      ->capture_default_str();
  add_parsed(
      app, "--tolerance", [&svm](const std::string& v) { svm.tolerance = parse_number(v, "--tolerance"); },
      "largest violation of the KKT conditions", "T", shortest(svm.tolerance));
  add_whole(app, "--max-iterations", svm.max_iterations, std::int64_t{1}, "iteration budget of a fit", "N",
            text(svm.max_iterations));
  app.add_flag("--refit,!--no-refit", svm.refit,
               "fit the best cell on the whole training part (default); or end before");
  add_whole(app, "--refine", svm.refine, 0, "rounds of a finer grid round the best cell so far", "N", text(svm.refine));
  app.add_flag("--probability,!--no-probability", svm.probability,
               "calibrate class probabilities for the model (Platt's sigmoids)");
}

/// Options that the app does not know are left over; the first of them is named.
void refuse_leftovers(const CLI::App& app) {
  const auto left = app.remaining();
  if (left.empty()) return;
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string option = left[0].substr(0, left[0].find('='));
  const auto later = planned_options.find(app.get_name());
  if (later != planned_options.end() && contains(later->second, option)) {
    throw_input_error(text(option, " is not available in this version"), "",
                      text("See krossfold ", app.get_name(), " --help."));
  }
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
                      text(build_info().version, " has svm, predict, report and plan"), "");
  }
  const std::string nearest = nearest_word(left[0], {"svm", "predict", "report", "plan", "--help", "--version"});
  throw_input_error(text("unknown subcommand '", left[0], "'"), "",
                    nearest.empty() ? "See krossfold --help." : text("Did you mean ", nearest, "?"));
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
  app.add_option("--format", params.format, "text, json or csv")->capture_default_str();
}

void check_format(const std::string& format) {
  if (format == "text" || format == "json" || format == "csv") return;
  const std::string nearest = nearest_word(format, {"text", "json", "csv"});
  throw_input_error(text("unknown --format '", format, "'"), "it is text, json or csv",
                    nearest.empty() ? "" : text("Did you mean ", nearest, "?"));
}

/// The long names of the options of `krossfold svm`: those that there are, and those that were given.
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
  CLI::App* predict = app.add_subcommand("predict", "apply a trained model to data");
  CLI::App* report = app.add_subcommand("report", "tables out of result files");
  CLI::App* plan = app.add_subcommand("plan", "predict from a result file what other numbers of ranks would do");
  for (CLI::App* sub : {svm, predict, report, plan}) {
    sub->allow_extras();
    sub->add_flag("--quiet", line.quiet, "say nothing but warnings and errors");
    sub->add_flag("--verbose", line.verbose, "say more");
  }
  add_svm(*svm, line.svm);
  add_run_options(*svm, line.run);
  predict->add_option("MODEL", line.predict.model, "model file, folder of models, or result file");
  predict->add_option(
      "INPUT", line.predict.inputs,
      "files (*.csv, *.libsvm, *idx3-ubyte, each also .gz), pictures (*.png or folders of them), data SPECs");
  predict
      ->add_option("--format", line.predict.format,
                   "text (labels), json or csv (with decision values and probabilities)")
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
  report->add_flag("--unverified", line.report.unverified, "read files whose checksum does not match");

  add_plan(*plan, line.plan);

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
  if (*svm) {
    refuse_leftovers(*svm);
    line.command = Command::svm;
    for (const CLI::Option* option : std::as_const(*svm).get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.known.insert(name);
        if (option->count() > 0) names.given.insert(name);
      }
    }
  } else if (*predict) {
    refuse_leftovers(*predict);
    line.command = Command::predict;
    check_format(line.predict.format);
    if (line.predict.model.empty() || line.predict.inputs.empty()) {
      throw_input_error("krossfold predict needs a model and at least one input", "",
                        "For example: krossfold predict results.h5 digits.csv");
    }
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
  const ConfigFile config = read_config(path);
  std::vector<std::string> more;
  for (const auto& [name, value] : config.options) {
    if (!names.known.contains(name) || name == "config" || name == "help") {
      const std::string nearest = nearest_word(name, {names.known.begin(), names.known.end()});
      throw_input_error(text("--config ", path, ": krossfold svm has no option ", name), "",
                        nearest.empty() ? "See krossfold svm --help." : text("Did you mean ", nearest, "?"));
    }
    if (!names.given.contains(name)) more.push_back(text("--", name, "=", value));
  }
  std::vector<const char*> added;
  for (const std::string& word : more) added.push_back(word.c_str());
  words.insert(words.begin() + 2, added.begin(), added.end());  // after "krossfold svm"
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
  if (line.command != Command::svm) return line;
  if (!line.run.config.empty()) line = add_config(line, words, names);
  if (line.run.output.empty() && !line.run.dry_run) {
    throw_input_error("no result file named", "krossfold svm writes one", "Add -o results.h5.");
  }
  return line;
}

}  // namespace krossfold::cli
