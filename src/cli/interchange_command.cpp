// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/interchange/export_model.hpp"
#include "krossfold/interchange/import_model.hpp"

namespace krossfold::cli {

namespace {

void print(const interchange::Written& written) {
  for (std::size_t k = 0; k < written.files.size(); ++k)
    std::cout << (k > 0 ? ", " : "") << printable(written.files[k]);
  std::cout << " written\n";
  for (const std::string& note : written.notes) std::cout << printable(note) << "\n";
}

}  // namespace

void run_export(const ExportParams& params, const Log& log) {
  print(interchange::export_model(params.model, params.output));
  warn_of_exposure(params.output, log);
}

void run_import(const ImportParams& params, const Log& log) {
  print(interchange::import_model(params.file, params.output, params.libsvm));
  warn_of_exposure(params.output, log);
}

}  // namespace krossfold::cli
