// SPDX-License-Identifier: BSD-3-Clause
#include "file_options.hpp"

#include <iterator>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/option_groups.hpp"
#include "option_parsing.hpp"

namespace krossfold::cli {

namespace {

const std::vector<run::Choice> formats = {{"text"}, {"json"}, {"csv"}};

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

std::vector<planning::Formation> parse_formation_list(const std::string& list, const std::string&) {
  return planning::parse_formations(list);
}

planning::NodePrices parse_node_prices(const std::string& word, const std::string&) {
  return planning::parse_prices(word);
}

}  // namespace

run::OptionTable plan_options(PlanParams& params) {
  run::PlanRequest& request = params.request;
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_arguments(params.files, "RESULT.h5", "result files, of finished or stopped studies");
  table.begin_group("Formations");
  add_parsed(table, "formation", request.formations, parse_formation_list, "LIST",
             "NODESxRANKS, separated by commas: 1x4,2x4. Groups of unequal nodes are joined by +, each with @SPEED "
             "relative to the ranks of the study: 1x2+1x4@0.5",
             "1x1, 1x2, 1x4, 2x4, ... as long as more ranks pay");
  add_parsed(table, "deadline", request.deadline, parse_positive_duration, "DURATION",
             "name the cheapest formation that finishes within this time, such as 10m");
  add_parsed(
      table, "price", request.prices, parse_node_prices, "P",
      "price of an hour of a node, whatever its ranks do; the deadline's formation is then the one of the lowest "
      "price. P+Q is for formations of two groups of unequal nodes");
  run::Option& schedule = add_parsed(table, "schedule", request.schedules, parse_schedules, "KIND",
                                     "which rank computes which unit", "dynamic");
  for (const parallel::Schedule one : parallel::all_schedules) schedule.choices.push_back({parallel::name_of(one)});
  schedule.choices.push_back({"all"});
  add_parsed(table, "latency", request.latency, parse_above_zero, "SECONDS",
             "of trainings: latency of a message between ranks", "5e-6");
  add_parsed(table, "bandwidth", request.bandwidth, parse_above_zero, "BYTES",
             "of trainings: bytes per second of a message", "as measured, else 5e9");
  table.begin_group(run::group::output);
  table.add("format", params.format, "FORMAT", "form of the tables").choices = formats;
  return table;
}

run::OptionTable sample_options(SampleParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_argument(params.model, "MODEL", "model file, folder of models, or result file of krossfold train lstm");
  table.begin_group("Names");
  table.add("count", params.count, "N", "number of names", 1);
  table.add("temperature", params.temperature, "T",
            "how bold the names are: below 1 closer to the training names, above 1 bolder");
  table.add("seed", params.seed, "S", "seed of the draws").default_text = text(params.seed);
  table.add("novel", params.novel, "", "omit the names that the model was trained on");
  table.add("starts-with", params.starts_with, "S", "first letters of the names").may_be_empty = true;
  return table;
}

run::OptionTable predict_options(PredictParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_argument(params.model, "MODEL", "model file, folder of models, or result file");
  table.add_arguments(params.inputs, "INPUT",
                      "files whose names tell their format (*.csv, *.tsv, *.npy, *.h5, *.nc, *.libsvm, *.svm, *.txt, "
                      "*idx3-ubyte), pictures (*.png, *.jpg or folders of them), or SPECs");
  run::add_table_options(table, params.table);
  table.begin_group("Pictures");
  run::Option& invert = table.add("invert", params.invert, "WORD", "invert pictures into their negatives");
  invert.default_text = params.invert;
  invert.choices = {
      {"auto", "if their border is light and that of the training images dark, or vice versa"}, {"yes"}, {"no"}};
  table.add("background", params.background, "COLOUR", "background of transparent pictures").choices = {{"white"},
                                                                                                        {"black"}};
  table.begin_group(run::group::output);
  table.add("format", params.format, "FORMAT", "what is printed").choices = {
      {"text", "labels"},
      {"json", "everything: decision values, probabilities, votes, uncertainty"},
      {"csv", "the same as a table"}};
  table.add("output", params.output, "FILE.h5", "write HDF5 instead").letter = "o";
  table.add("overwrite", params.overwrite, "", "-o replaces predictions of another model or of other inputs");
  return table;
}

run::OptionTable report_options(ReportParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_arguments(params.files, "RESULT.h5", "result files");
  table.begin_group(run::group::output);
  table.add("format", params.format, "FORMAT", "form of the tables").choices = formats;
  table.add("status", params.status_only, "", "print only the status of each file");
  table.add("compare", params.compare, "",
            "compare runs of the same study in different places; list different studies by their test errors");
  table.add("unverified", params.unverified, "", "read files whose checksum does not match");
  return table;
}

run::OptionTable doctor_options(DoctorParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::output);
  table.add("json", params.json, "", "print JSON");
  run::Option& output = table.add("output", params.output, "FILE|FOLDER",
                                  "result file or folder whose file system is examined: rights, room, locks, syncs");
  output.letter = "o";
  return table;
}

run::OptionTable help_options(HelpParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_argument(params.subcommand, "SUBCOMMAND", "what to explain; krossfold itself if there is none");
  table.add_argument(params.kind, "KIND", "its first argument, such as lstm after train: only options that it has");
  table.begin_group(run::group::output);
  table.add("man", params.man, "", "as a manual page, for man -l -");
  table.add("completion", params.completion, "SHELL", "print the completion script of a shell instead").choices = {
      {"bash"}, {"zsh"}};
  table.add("write", params.write, "FOLDER",
            "write all manual pages and completion scripts to share/man, share/bash-completion and share/zsh in FOLDER "
            "instead");
  return table;
}

run::OptionTable message_options(CommandLine& line) {
  run::OptionTable table;
  table.begin_group(run::group::output);
  table.add("quiet", line.quiet, "", "print no progress, only the report or predictions, warnings and errors");
  table.add("verbose", line.verbose, "", "print more");
  return table;
}

void check_format(const std::string& format) {
  std::vector<std::string> names;
  for (const run::Choice& one : formats) names.push_back(one.word);
  require(contains(names, format), text("unknown --format '", format, "'"), "it is text, json or csv",
          suggestion(format, names, ""));
}

}  // namespace krossfold::cli
