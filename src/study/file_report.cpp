// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/file_report.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/bag_report.hpp"
#include "krossfold/study/report.hpp"

namespace krossfold::study {

namespace {

bool is_bag(const ResultFile& file) { return file.content.attribute("kind") == "bag"; }

std::string table(const std::vector<ResultFile>& files) {
  std::string lines = is_bag(files.front()) ? bag_csv_header : report_csv_header;
  for (const ResultFile& file : files) {
    if (is_bag(file) != is_bag(files.front())) {
      throw_input_error(text(files.front().name, " and ", file.name, " do not go into one table"),
                        "they are of different kinds of studies", "Report on them one after the other.");
    }
    // Either report checks the file.
    if (is_bag(file)) {
      make_bag_report(file.content, file.name);
      lines += bag_csv_rows(file.content, file.name);
    } else {
      make_report(file.content, file.name);
      lines += report_csv_rows(file.content, file.name);
    }
  }
  return lines;
}

}  // namespace

void check_is_result(const storage::Container& content, const std::string& name) {
  const std::string kind = content.attribute("kind");
  if (kind == "svm" || kind == "bag") return;
  throw_input_error(text(name, " is not a result file"), text("it holds: ", kind),
                    "Name the FILE.h5 that a study wrote with -o.");
}

std::string report_on(const std::vector<ResultFile>& files, const std::string& format) {
  for (const ResultFile& file : files) check_is_result(file.content, file.name);
  if (format == "csv") return table(files);
  const bool json = format == "json";
  std::string all;
  for (const ResultFile& file : files) {
    if (json && !all.empty()) all.back() = ',';  // instead of the end of the line
    if (is_bag(file)) {
      const BagReport report = make_bag_report(file.content, file.name);
      all += json ? bag_report_json(report) : bag_report_text(report);
    } else {
      const Report report = make_report(file.content, file.name);
      all += json ? report_json(report) : report_text(report);
    }
  }
  return json && files.size() > 1 ? text("[", all, "]\n") : all;
}

}  // namespace krossfold::study
