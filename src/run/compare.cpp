// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/compare.hpp"

#include <set>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/leaderboard.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::run {

namespace {

/// One of the files compared.
struct Side : Comparable {
  std::string file, status, formation, devices;
};

/// The lines of a text, such as one of each host, in one line.
std::string one_line(const std::string& lines) {
  std::istringstream all(lines);
  std::string joined;
  for (std::string line; std::getline(all, line);) joined += (joined.empty() ? "" : "; ") + line;
  return joined;
}

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

/// Why the files are not of one study; "" if they are.
std::string difference_of(const StudyKind& kind, const ResultFile& first, const ResultFile& file) {
  const auto same = [&](const char* name) { return file.content.attribute(name) == first.content.attribute(name); };
  const auto differ = [&](const std::string& why) { return text(first.name, " and ", file.name, " ", why); };
  if (!same("kind")) return differ("are of different kinds of studies");
  if (!same("data_digest") && !same("data")) return differ("have different data");
  const storage::Fingerprint ours{options_of(first.content, kind.shared_options()), 0, ""},
      theirs{options_of(file.content, kind.shared_options()), 0, ""};
  const std::string why = storage::difference(ours, theirs);
  if (!why.empty()) return differ(text("have different options: ", why));
  return same("data_digest") ? "" : differ("have different data");
}

report::Table table_of_files(const std::vector<Side>& sides) {
  const Side& first = sides.front();
  report::Table table;
  table.key = "files";
  table.left = 3;
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), sides, cell); };
  add({"file", "file"}, &Side::file);
  add({"status", ""}, &Side::status);
  add({"formation", "formation"}, &Side::formation);
  add({"devices", "devices"}, &Side::devices);
  add({"ranks", "ranks"}, &Side::ranks);
  add({"seconds", "seconds"}, &Side::seconds);
  add({"speed_up", "speed-up", report::Format::two_decimals},
      [&](const Side& one) { return first.seconds / one.seconds; });
  add({"rank_hours", "rank-hours"}, [](const Side& one) { return one.seconds * one.ranks / 3600; });
  add({"utilisation", "computing", report::Format::percent}, &Side::utilisation);
  add({"computing_seconds", "of one rank"}, &Side::computing);
  add({"quality", first.quality_name}, &Side::quality);
  return table;
}

/// A row for each file and number of ranks.
report::Table table_of_ranks(const std::vector<Side>& sides, const std::set<int>& ranks) {
  report::Table table;
  table.key = "on_ranks";
  table.heading = "seconds on so many ranks of each file's kind; m: modelled from its own";
  table.columns = {{"file", "file"},       {"formation", ""}, {"devices", ""},  {"own_ranks", ""},   {"ranks", "ranks"},
                   {"seconds", "seconds"}, {"measured", ""},  {"speed_up", ""}, {"utilisation", ""}, {"quality", ""}};
  table.left = 1;
  table.in_csv = true;
  for (const Side& one : sides) {
    for (const int count : ranks) {
      const double seconds = seconds_on(one, count);
      const bool measured = count == one.ranks;
      table.rows.push_back({one.file,
                            one.formation,
                            one_line(one.devices),
                            one.ranks,
                            count,
                            {seconds, report::rounded(seconds) + (measured ? "  " : " m")},
                            measured,
                            sides.front().seconds / seconds,
                            measured ? report::Value(one.utilisation) : report::Value(),
                            measured ? report::Value(one.quality) : report::Value()});
    }
  }
  return table;
}

}  // namespace

report::Document compare(const StudyRegistry& registry, const std::vector<ResultFile>& files) {
  require(files.size() >= 2, "a comparison needs at least two result files");
  const StudyKind& kind = registry.kind_of(files.front());
  for (const ResultFile& file : files) {
    if (const std::string why = difference_of(kind, files.front(), file); !why.empty()) {
      report::Document document = leaderboard(registry, files);
      document.line("", "times are compared only of one study; " + why);
      return document;
    }
  }
  std::vector<Side> sides;
  std::set<int> ranks;
  for (const ResultFile& file : files) {
    require(has_ended(file.content.attribute("status")), text(file.name, " cannot be compared"), "it is not finished",
            "Finish it first.");
    sides.push_back({kind.comparable(file), file.name, file.content.attribute("status"),
                     file.content.attribute("formation"), file.content.attribute("devices")});
    require(sides.back().seconds > 0, text(file.name, " has no times"), "none of its units is computed",
            "Finish it first.");
    ranks.insert(sides.back().ranks);
  }
  const Side& first = sides.front();
  report::Document document;
  document.title =
      text("comparison of ", files.size(), " results: ", kind.name(), " on ", first.data, ", ", first.work);
  document.facts(
      {{"kind", kind.name()}, {"data", first.data}, {"work", first.work}, {"quality_is", first.quality_name}});
  document.table(table_of_files(sides));
  document.line("speed-up", "against the first file");
  document.line("of one rank", "seconds that one rank would compute all of it, without waiting for others");
  document.table(table_of_ranks(sides, ranks));
  return document;
}

}  // namespace krossfold::run
