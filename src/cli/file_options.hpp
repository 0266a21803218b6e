// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The options of the subcommands that read files. Free of Kokkos, because the host compiler alone compiles file_options.cpp.

#include "command_line.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::cli {

run::OptionTable predict_options(PredictParams& params);
run::OptionTable sample_options(SampleParams& params);
run::OptionTable report_options(ReportParams& params);
run::OptionTable plan_options(PlanParams& params);
run::OptionTable doctor_options(DoctorParams& params);
run::OptionTable help_options(HelpParams& params);
/// Those that every subcommand has.
run::OptionTable message_options(CommandLine& line);

/// Throws an input error unless it is text, json or csv.
void check_format(const std::string& format);

}  // namespace krossfold::cli
