// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "input_prediction.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/log.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/storage/atomic_file.hpp"

namespace krossfold::cli {

/// Warns if everyone may replace the file that a command writes.
inline void warn_of_exposure(const std::string& output, const Log& log) {
  const std::string warning = storage::exposure_warning(output);
  if (!warning.empty()) log.warn(warning);
}

/// `krossfold predict`: applies a model to inputs and writes labels, decision values and, if the model has them, class
/// probabilities to stdout or to -o FILE.h5.
void run_predict(const PredictParams& params, const Log& log);
/// If params.output is not "": target is the file that it leads to, and request a checksum of what was asked for.
void print_predictions(const PredictParams& params, const std::string& target, const std::string& model,
                       const std::string& request, const std::vector<InputPrediction>& predictions);

/// `krossfold sample`: prints names drawn from a character model, one per line.
void run_sample(const SampleParams& params);

/// `krossfold report`: prints reports on result files, including their warnings.
void run_report(const ReportParams& params, const run::StudyRegistry& registry);

/// `krossfold plan`: prints the run times predicted for the studies of result files on other formations.
void run_plan(const PlanParams& params, const run::StudyRegistry& registry);

/// `krossfold data`: says what a SPEC holds, lists the kinds of SPEC, verifies that a study would take one, or converts it.
/// Verifying data that a study refuses throws that refusal: as a run error if it is about what files hold, and as an input error
/// if they cannot be read.
void run_data(const DataParams& params, const Log& log);

/// `krossfold export` and `krossfold import`: writes a model in a format of other programs, or makes a model of such a file, and
/// prints what was written and what to run.
void run_export(const ExportParams& params, const Log& log);
void run_import(const ImportParams& params, const Log& log);

/// `krossfold doctor`: says whether the machines and the set-up of these ranks run a study well; failed if something is wrong.
/// speaks: whether rank 0 prints; quiet: no lines about what is ok. Collective.
ExitCode run_doctor(const DoctorParams& params, const parallel::Communicator& world, bool speaks, bool quiet);

}  // namespace krossfold::cli
