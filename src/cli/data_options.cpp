// SPDX-License-Identifier: BSD-3-Clause
#include "data_options.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/option_groups.hpp"
#include "option_parsing.hpp"

namespace krossfold::cli {

run::OptionTable data_options(DataParams& params) {
  run::OptionTable table;
  table.begin_group(run::group::arguments);
  table.add_arguments(params.words, "SPEC", "data, or what to do with them").choices = {
      {"list", "the kinds of SPEC"},
      {"verify", "would a study take this SPEC? exit code 1 if it would not"},
      {"convert", "write an HDF5 file for --data hdf5:FILE"}};
  run::add_test_options(table, params.task);
  run::add_column_options(table, params.task.table);
  table.begin_group(run::group::folds);
  table.add("seed", params.seed, "S", "seed of the random test part").default_text = text(params.seed);
  table.begin_group(run::group::output);
  table.add("format", params.format, "FORMAT", "form of the answer").choices = {{"text"}, {"json"}};
  table.add("output", params.output, "FILE.h5", "the file that convert writes").letter = "o";
  table.add("overwrite", params.overwrite, "", "convert replaces an existing file");
  return table;
}

namespace {

/// Throws an input error for an option that the action would ignore.
void check_used(const std::string& action, const std::set<std::string>& given) {
  const std::set<std::string> of_any{"format", "quiet", "verbose"}, of_convert{"output", "overwrite"},
      of_studies{"limit", "test", "test-part", "seed"};
  for (const std::string& name : given) {
    const std::string option = text("--", name);
    if (action == "list") {
      require(of_any.contains(name), option + " is not for krossfold data list", "it reads no data", "Leave it out.");
    } else if (action == "convert") {
      require(!of_studies.contains(name), option + " is not for krossfold data convert", "it writes all samples",
              "Give it to the study.");
    } else {
      require(!of_convert.contains(name), option + " is for krossfold data convert", "", "Leave it out.");
    }
  }
}

}  // namespace

void choose_action(DataParams& params, const std::set<std::string>& given) {
  const std::string first = params.words.front();
  const bool is_action = contains<std::string>({"list", "verify", "convert"}, first);
  if (is_action) params.action = first;
  const std::size_t needed = !is_action || first == "list" ? 1 : 2;
  require(params.words.size() >= needed, text("krossfold data ", first, " needs data"), "",
          text("For example: krossfold data ", first, " csv:table.csv", first == "convert" ? " -o table.h5" : "", "."));
  require(params.words.size() == needed, text("unexpected word '", params.words.back(), "'"), "",
          "Give one SPEC: krossfold data SPEC, data verify SPEC or data convert SPEC -o FILE.h5.");
  if (params.action != "list") params.task.train = params.words.back();
  require(params.format != "csv", "krossfold data has no --format csv", "", "Use text or json.");
  require(params.action != "convert" || !params.output.empty(), "krossfold data convert needs a file to write", "",
          "Add -o table.h5, for example.");
  check_used(params.action, given);
}

}  // namespace krossfold::cli
