// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/compare.hpp"

#include <set>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::run {

namespace {

/// The options that determine the results, except those in which compared files may differ.
std::string options_of(const storage::Container& content, const std::set<std::string>& ignored) {
  std::istringstream lines(content.attribute("fingerprint"));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!ignored.contains(line.substr(0, line.find(" = ")))) kept += line + "\n";
  }
  return kept;
}

double seconds_on(const Comparable& one, int ranks) {
  if (ranks == one.ranks) return one.seconds;
  return one.seconds_on ? one.seconds_on(ranks) : one.computing / (ranks * one.utilisation);
}

void check_alike(const StudyKind& kind, const ResultFile& first, const ResultFile& file) {
  const auto differ = [&](const std::string& why) {
    throw_input_error(text(first.name, " and ", file.name, " cannot be compared"), why,
                      "Compare runs of the same study that differ in where they ran.");
  };
  const auto same = [&](const char* name) { return file.content.attribute(name) == first.content.attribute(name); };
  if (!same("kind")) differ("they are of different kinds of studies");
  if (!same("data_digest")) differ("they have different data");
  if (options_of(file.content, kind.shared_options()) != options_of(first.content, kind.shared_options()))
    differ("they have different options");
  if (file.content.attribute("status") != "finished") differ(text(file.name, " is not finished"));
}

}  // namespace

report::Document compare(const StudyRegistry& registry, const std::vector<ResultFile>& files) {
  require(files.size() >= 2, "--compare needs at least two result files", "",
          "For example: krossfold report --compare a.h5 b.h5");
  const StudyKind& kind = registry.kind_of(files.front());
  std::vector<Comparable> sides;
  std::set<int> ranks;
  for (const ResultFile& file : files) {
    check_alike(kind, files.front(), file);
    sides.push_back(kind.comparable(file));
    require(sides.back().seconds > 0, text(file.name, " has no times"), "nothing of it is computed",
            "Finish it first.");
    ranks.insert(sides.back().ranks);
  }
  const Comparable& first = sides.front();
  report::Document document;
  document.title =
      text("comparison of ", files.size(), " results: ", kind.name(), " on ", first.data, ", ", first.work);
  document.facts({{"kind", kind.name()}, {"data", first.data}, {"work", first.work}});
  report::Table runs{"files",
                     "",
                     {{"file", "file"},
                      {"status", ""},
                      {"formation", "formation"},
                      {"devices", "devices"},
                      {"ranks", "ranks"},
                      {"seconds", "seconds"},
                      {"", "speed-up", report::Format::two_decimals},
                      {"", "rank-hours"},
                      {"utilisation", "computing", report::Format::percent},
                      {"computing_seconds", "of one rank"},
                      {"quality", first.quality_name}},
                     {},
                     3};
  report::Table times{"on_ranks",
                      "seconds on so many ranks of each file's kind; m: modelled from its own",
                      {{"file", "file"},
                       {"formation", ""},
                       {"devices", ""},
                       {"own_ranks", ""},
                       {"ranks", "ranks"},
                       {"seconds", "seconds"},
                       {"measured", ""}},
                      {},
                      1};
  times.in_csv = true;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const Comparable& one = sides[f];
    const std::string formation = files[f].content.attribute("formation"),
                      devices = files[f].content.attribute("devices");
    runs.rows.push_back({files[f].name, files[f].content.attribute("status"), formation, devices, one.ranks,
                         one.seconds, first.seconds / one.seconds, one.seconds * one.ranks / 3600, one.utilisation,
                         one.computing, one.quality});
    for (const int count : ranks) {
      const double seconds = seconds_on(one, count);
      const bool measured = count == one.ranks;
      times.rows.push_back({files[f].name,
                            formation,
                            devices,
                            one.ranks,
                            count,
                            {seconds, report::rounded(seconds) + (measured ? "  " : " m")},
                            measured});
    }
  }
  document.table(std::move(runs));
  document.line("speed-up", "against the first file");
  document.line("of one rank", "seconds that one rank would compute all of it, without waiting for others");
  document.table(std::move(times));
  return document;
}

}  // namespace krossfold::run
