// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/compare.hpp"
#include "krossfold/study/file_report.hpp"

namespace krossfold::cli {

ExitCode run_report(const ReportParams& params) {
  // All files are read before anything is printed: a bad one leaves no half of an answer.
  std::vector<study::ResultFile> files;
  for (const std::string& file : params.files) {
    files.push_back({file, storage::read_container(file, !params.unverified)});
    study::check_is_result(files.back().content, file);
  }
  if (params.compare) {
    std::cout << study::comparison_report(study::compare(files), params.format);
  } else if (params.status_only) {
    for (const study::ResultFile& file : files) std::cout << file.content.attribute("status") << "\n";
  } else {
    std::cout << study::report_on(files, params.format);
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
