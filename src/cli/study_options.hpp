// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: compiled by the host compiler alone.

#include <CLI/CLI.hpp>

#include "krossfold/study/bag_params.hpp"
#include "krossfold/study/names_params.hpp"
#include "krossfold/study/svm_params.hpp"
#include "krossfold/study/train_params.hpp"

namespace krossfold::cli {

/// The options of every study that no result depends on.
void add_run_options(CLI::App& app, study::RunParams& run);

/// Those of each study that results depend on.
void add_svm_options(CLI::App& app, study::SvmParams& svm);
void add_bag_options(CLI::App& app, study::BagParams& bag);
void add_train_options(CLI::App& app, study::TrainParams& train);
void add_names_options(CLI::App& app, study::NamesParams& names);

}  // namespace krossfold::cli
