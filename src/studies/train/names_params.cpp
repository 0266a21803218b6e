// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/names_params.hpp"

#include "krossfold/run/option_groups.hpp"

namespace krossfold::studies {

// The order of the options is that of the fingerprint.
run::OptionTable names_options(NamesParams& p) {
  run::OptionTable table;
  table.begin_group(run::group::data);
  table.add("data", p.data, "SPEC", "names to train on").choices = {{"names", "pet names, built in"},
                                                                    {"names:FILE", "a file with one name a line"},
                                                                    {"names:FILE#COLUMN", "a column of a CSV file"}};
  table.add("limit", p.limit, "N", "keep only the first N training names", 1);
  table.begin_group(run::group::search);
  table.add("workers", p.workers, "LIST", "numbers of workers, separated by commas", 1);
  table
      .add("batch-per-worker", p.batch_per_worker, "LIST",
           "names per worker and step, separated by commas; a batch has at most all names", 1)
      .default_text = "1024,4096,16384, fewer for short lists";
  table.add("rate", p.rate, "LIST", "learning rates of Adam, separated by commas");
  table.begin_group(run::group::training);
  table.add("epochs", p.epochs, "N", "number of epochs", 1);
  table.begin_group(run::group::model);
  table.add("layers", p.layers, "N", "layers of LSTM cells", 1);
  table.add("hidden", p.hidden, "N", "cells of a layer", 1);
  table.add("window", p.window, "N", "letters of a window: longer names keep only their last N letters", 2);
  table.add("dropout", p.dropout, "P", "probability of dropping an output of a cell between layers").group =
      run::group::training;
  table.begin_group(run::group::folds);
  table.add("seed", p.seed, "S", "seed of all random streams").default_text = text(p.seed);
  return table;
}

std::vector<run::OptionValue> options_of(const NamesParams& params) { return run::values_of(params, names_options); }

}  // namespace krossfold::studies
