// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles command_line.cpp.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "krossfold/input/task_params.hpp"
#include "krossfold/interchange/libsvm_data.hpp"
#include "krossfold/model/name_sampler.hpp"
#include "krossfold/run/study_kind.hpp"
#include "krossfold/tables/table_params.hpp"

namespace krossfold::cli {

enum class Command { none, study, predict, sample, report, plan, data, export_model, import_model, doctor };

struct PredictParams {
  std::string model;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string output;
  bool overwrite = false;            ///< replace predictions of another model or of other inputs
  std::string invert = "auto";       ///< see input::Invert
  std::string background = "white";  ///< background of transparent pictures: white or black
  tables::TableParams table;         ///< how tables are laid out
};

struct SampleParams : model::SampleParams {
  std::string model;
};

struct ReportParams {
  std::vector<std::string> files;
  std::string format = "text";
  bool status_only = false;
  bool compare = false;
  bool unverified = false;
};

struct PlanParams {
  std::vector<std::string> files;
  std::string format = "text";
  run::PlanRequest request;
};

struct DataParams {
  std::vector<std::string> words;  ///< SPEC, list, verify SPEC, or convert SPEC
  std::string format = "text";
  std::string output;
  bool overwrite = false;
  std::uint64_t seed = 0;
  input::TaskParams task;
  std::string action = "describe";  ///< from the words: describe, list, verify or convert
};

struct ExportParams {
  std::string model, output;
};

struct ImportParams {
  std::string file, output;
  interchange::LibsvmData libsvm;
};

struct DoctorParams {
  bool json = false;
  std::string output = ".";  ///< a result file or a folder
};

struct HelpParams {
  std::string subcommand;  ///< "" for the program
  std::string kind;        ///< the first word after it, such as lstm of train: only the options that it has; "" for all
  bool man = false;        ///< as a manual page
  std::string completion;  ///< bash or zsh: the completion script of this shell instead
  std::string write;       ///< folder to which all manual pages and scripts are written instead
};

/// The parsed command line.
struct CommandLine {
  Command command = Command::none;
  std::string answer;                        ///< of Command::none: the text for stdout (help, version)
  bool answers_error = false;                ///< it is for stderr, and the exit code is that of a usage error
  const run::StudyKind* kind = nullptr;      ///< of Command::study
  std::unique_ptr<run::StudyCommand> study;  ///< of Command::study
  std::string configured;                    ///< the words that --config added, one a line
  run::RunParams run;
  PredictParams predict;
  SampleParams sample;
  ReportParams report;
  PlanParams plan;
  DataParams data;
  ExportParams exported;
  ImportParams imported;
  DoctorParams doctor;
  HelpParams help;
  bool quiet = false, verbose = false;
};

/// Parses the command line. Throws an input error for unknown words, which suggests the nearest option or subcommand.
CommandLine parse(int argc, const char* const* argv, const run::StudyRegistry& registry);

}  // namespace krossfold::cli
