// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: command_line.cpp is compiled by the host compiler alone.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "krossfold/model/name_sampler.hpp"
#include "krossfold/run/study_kind.hpp"

namespace krossfold::cli {

enum class Command { none, study, predict, sample, report, plan };

struct PredictParams {
  std::string model;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string output;
  std::string invert = "auto";       ///< see data::Invert
  std::string background = "white";  ///< or black: under transparent pictures
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

/// What the user asked for.
struct CommandLine {
  Command command = Command::none;
  std::string answer;                        ///< for Command::none: what to print on stdout (help, version)
  const run::StudyKind* kind = nullptr;      ///< of Command::study
  std::unique_ptr<run::StudyCommand> study;  ///< of Command::study
  run::RunParams run;
  PredictParams predict;
  SampleParams sample;
  ReportParams report;
  PlanParams plan;
  bool quiet = false, verbose = false;
};

/// Reads the command line. Throws an input error for anything it does not understand, with the nearest option or
/// subcommand that exists.
CommandLine parse(int argc, const char* const* argv, const run::StudyRegistry& registry);

}  // namespace krossfold::cli
