// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/report.hpp"

namespace krossfold::cli {

ExitCode run_report(const ReportParams& params) {
  // All files are read before anything is printed: a bad one leaves no half of an answer.
  std::vector<study::Report> reports;
  std::string statuses, table = study::report_csv_header;
  for (const std::string& file : params.files) {
    const storage::Container result = storage::read_container(file, !params.unverified);
    if (result.attribute("kind") != "svm") {
      throw_input_error(text(file, " is not a result file"), text("it holds: ", result.attribute("kind")),
                        "Name the FILE.h5 that a study wrote with -o.");
    }
    if (params.status_only) {
      statuses += result.attribute("status") + "\n";
      continue;
    }
    reports.push_back(study::make_report(result, file));  // checks the file, for the table too
    if (params.format == "csv") table += study::report_csv_rows(result, file);
  }
  if (params.status_only) {
    std::cout << statuses;
  } else if (params.format == "json") {
    std::cout << study::report_json(reports);
  } else if (params.format == "csv") {
    std::cout << table;
  } else {
    for (const study::Report& report : reports) std::cout << study::report_text(report);
  }
  return ExitCode::done;
}

}  // namespace krossfold::cli
