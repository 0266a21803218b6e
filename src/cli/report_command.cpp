// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>

#include "commands.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/compare.hpp"

namespace krossfold::cli {

void run_report(const ReportParams& params, const run::StudyRegistry& registry) {
  require(!params.compare || !params.status_only, "--status with --compare",
          "one prints a word for each file, the other a table", "Leave out one of the two.");
  require(!params.status_only || params.format == "text", text("--status with --format ", params.format),
          "it prints one word for each file", "Leave out one of the two.");
  // All files are read before anything is printed, so that a bad one leaves no partial output.
  std::vector<run::ResultFile> files;
  for (const std::string& file : params.files) files.push_back(registry.read(file, !params.unverified));
  if (params.compare) {
    std::cout << report::render({run::compare(registry, files)}, params.format);
    return;
  }
  if (params.status_only) {
    for (const run::ResultFile& file : files) std::cout << file.content.attribute("status") << "\n";
    return;
  }
  std::vector<report::Document> documents;
  for (const run::ResultFile& file : files) {
    const run::StudyKind& kind = registry.kind_of(file);
    require(params.format != "csv" || &kind == &registry.kind_of(files[0]),
            text(files[0].name, " and ", file.name, " do not go into one table"),
            "they are of different kinds of studies", "Report on them one after the other.");
    documents.push_back(kind.report(file));
  }
  std::cout << report::render(documents, params.format);
}

}  // namespace krossfold::cli
