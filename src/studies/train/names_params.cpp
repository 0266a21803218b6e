// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/names_params.hpp"

namespace krossfold::studies {

run::OptionTable names_options(NamesParams& p) {
  run::OptionTable table;
  table.add("data", p.data, "SPEC", "names (built in), names:FILE (one a line), names:FILE#COLUMN (of a CSV file)");
  table.add("limit", p.limit, "N", "keep only the first N training names", 1);
  table.add("workers", p.workers, "LIST", "numbers of workers, separated by commas", 1);
  table
      .add("batch-per-worker", p.batch_per_worker, "LIST", "names per worker and step; a batch has at most all names",
           1)
      .default_text = "1024,4096,16384, fewer for short lists";
  table.add("rate", p.rate, "LIST", "learning rates of Adam");
  table.add("epochs", p.epochs, "N", "number of epochs", 1);
  table.add("layers", p.layers, "N", "layers of LSTM cells", 1);
  table.add("hidden", p.hidden, "N", "cells of a layer", 1);
  table.add("window", p.window, "N", "letters of a window: longer names keep only their last N letters", 2);
  table.add("dropout", p.dropout, "P", "probability of dropping an output of a cell between layers");
  table.add("seed", p.seed, "S", "seed of all random streams").default_text = text(p.seed);
  return table;
}

std::vector<run::OptionValue> options_of(const NamesParams& params) { return run::values_of(params, names_options); }

}  // namespace krossfold::studies
