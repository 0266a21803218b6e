// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: command_line.cpp is compiled by the host compiler alone.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/study/bag_params.hpp"
#include "krossfold/study/names_params.hpp"
#include "krossfold/study/plan.hpp"
#include "krossfold/study/svm_params.hpp"
#include "krossfold/study/train_params.hpp"
#include "krossfold/study/train_scaling.hpp"

namespace krossfold::cli {

enum class Command { none, svm, bag, train, names, predict, sample, report, plan };

/// True for those that write a result file.
inline bool is_study(Command command) {
  return command == Command::svm || command == Command::bag || command == Command::train || command == Command::names;
}

struct PredictParams {
  std::string model;
  std::vector<std::string> inputs;
  std::string format = "text";
  std::string output;
  std::string invert = "auto";       ///< see data::Invert
  std::string background = "white";  ///< or black: under transparent pictures
};

struct SampleParams {
  std::string model;
  int count = 20;
  double temperature = 1;
  std::uint64_t seed = 0;
  bool novel = false;
  std::string starts_with;
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
  study::PlanParams plan;
  study::ScalingParams scaling;  ///< of trainings; formations and deadline are those of `plan`
};

/// What the user asked for.
struct CommandLine {
  Command command = Command::none;
  std::string answer;  ///< for Command::none: what to print on stdout (help, version)
  study::SvmParams svm;
  study::BagParams bag;
  study::TrainParams train;
  study::NamesParams names;
  study::RunParams run;
  PredictParams predict;
  SampleParams sample;
  ReportParams report;
  PlanParams plan;
  bool quiet = false, verbose = false;
};

/// Reads the command line. Throws an input error for anything it does not understand, with the nearest option or
/// subcommand that exists.
CommandLine parse(int argc, const char* const* argv);

}  // namespace krossfold::cli
