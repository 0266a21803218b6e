// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/model_files.hpp"
#include "krossfold/study/sample_names.hpp"

namespace krossfold::cli {

ExitCode run_sample(const SampleParams& params) {
  const std::string file = study::find_models(params.model).front();
  const study::LstmModel model = study::lstm_from_container(storage::read_container(file), file);
  const study::SampleParams sample{params.count, params.temperature, params.seed, params.novel, params.starts_with};
  for (const std::string& name : study::sample_names(model, sample)) std::cout << name << "\n";
  return ExitCode::done;
}

}  // namespace krossfold::cli
