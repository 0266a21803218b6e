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

void choose_action(DataParams& params) {
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
  const bool converts = params.action == "convert";
  require(!converts || !params.output.empty(), "krossfold data convert needs a file to write", "",
          "Add -o table.h5, for example.");
  require(converts || params.output.empty(), "-o is for krossfold data convert", "", "Leave it out.");
  for (const auto& [option, given] : {std::pair<const char*, bool>{"--limit", params.task.limit != 0},
                                      {"--test", !params.task.test.empty()},
                                      {"--test-part", params.task.test_part != input::TaskParams{}.test_part}}) {
    require(!converts || !given, text(option, " is not for krossfold data convert"), "it writes all samples",
            "Give it to the study.");
  }
  require(converts || !params.overwrite, "--overwrite is for krossfold data convert", "", "Leave it out.");
}

}  // namespace krossfold::cli
