// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/file_report.hpp"

#include <algorithm>
#include <iterator>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/bag_report.hpp"
#include "krossfold/study/report.hpp"
#include "krossfold/study/train_report.hpp"

namespace krossfold::study {

namespace {

/// How one kind of study is reported.
struct Kind {
  const char* name;
  const char* csv_header;
  /// Each checks the file first.
  std::string (*text)(const ResultFile&);
  std::string (*json)(const ResultFile&);
  std::string (*csv_rows)(const ResultFile&);
};

const Kind kinds[] = {
    {"svm", report_csv_header, [](const ResultFile& f) { return report_text(make_report(f.content, f.name)); },
     [](const ResultFile& f) { return report_json(make_report(f.content, f.name)); },
     [](const ResultFile& f) {
       make_report(f.content, f.name);
       return report_csv_rows(f.content, f.name);
     }},
    {"bag", bag_csv_header, [](const ResultFile& f) { return bag_report_text(make_bag_report(f.content, f.name)); },
     [](const ResultFile& f) { return bag_report_json(make_bag_report(f.content, f.name)); },
     [](const ResultFile& f) {
       make_bag_report(f.content, f.name);
       return bag_csv_rows(f.content, f.name);
     }},
    {"train", train_csv_header,
     [](const ResultFile& f) { return train_report_text(make_train_report(f.content, f.name)); },
     [](const ResultFile& f) { return train_report_json(make_train_report(f.content, f.name)); },
     [](const ResultFile& f) { return train_csv_rows(make_train_report(f.content, f.name)); }},
    {"names", train_csv_header,
     [](const ResultFile& f) { return train_report_text(make_train_report(f.content, f.name)); },
     [](const ResultFile& f) { return train_report_json(make_train_report(f.content, f.name)); },
     [](const ResultFile& f) { return train_csv_rows(make_train_report(f.content, f.name)); }},
};

/// nullptr for a file that is no result.
const Kind* kind_of(const storage::Container& content) {
  const std::string name = content.attribute("kind");
  const auto* found = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.name == name; });
  return found == std::end(kinds) ? nullptr : found;
}

std::string table(const std::vector<ResultFile>& files) {
  const Kind* kind = kind_of(files.front().content);
  std::string lines = kind->csv_header;
  for (const ResultFile& file : files) {
    if (kind_of(file.content) != kind) {
      throw_input_error(text(files.front().name, " and ", file.name, " do not go into one table"),
                        "they are of different kinds of studies", "Report on them one after the other.");
    }
    lines += kind->csv_rows(file);
  }
  return lines;
}

}  // namespace

void check_is_result(const storage::Container& content, const std::string& name) {
  if (kind_of(content) != nullptr) return;
  throw_input_error(text(name, " is not a result file"), text("it holds: ", content.attribute("kind")),
                    "Name the FILE.h5 that a study wrote with -o.");
}

std::string report_on(const std::vector<ResultFile>& files, const std::string& format) {
  for (const ResultFile& file : files) check_is_result(file.content, file.name);
  if (format == "csv") return table(files);
  const bool json = format == "json";
  std::string all;
  for (const ResultFile& file : files) {
    if (json && !all.empty()) all.back() = ',';  // instead of the end of the line
    const Kind* kind = kind_of(file.content);
    all += json ? kind->json(file) : kind->text(file);
  }
  return json && files.size() > 1 ? text("[", all, "]\n") : all;
}

}  // namespace krossfold::study
