// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/params.hpp"

#include "krossfold/run/option_groups.hpp"

namespace krossfold::studies {

// The order of the options is that of the fingerprint.
run::OptionTable bag_options(BagParams& p) {
  run::OptionTable table;
  run::add_data_options(table, p.task);
  table.begin_group(run::group::search);
  table.add("bootstraps", p.bootstraps, "B", "number of networks, each trained on its own bootstrap sample", 1);
  table.add("trials", p.trials, "T", "random trials for every bootstrap sample", 1);
  run::add_fold_options(table, p.folds, p.fold_kind, p.seed, p.scale);
  run::add_class_weight(table, p.class_weight);
  table.begin_group(run::group::training);
  table.add("batch", p.batch, "N", "samples of a training step", 1);
  table.add("epochs", p.epochs, "N", "a training has at most so many epochs", 1);
  run::add_stop_ratio(table, p.stop_ratio);
  table.begin_group(run::group::search);
  table.add("channels", p.channels, "LO:HI", "range of the channels of the convolution", 1).default_text =
      "1:999, less for images of less than 784 pixels or for few samples, but 1:8 at least";
  table.add("kernel", p.kernel, "LO:HI", "range of the side of the convolution's kernels", 1).default_text =
      "2:10, at most the side of the images";
  table.add("hidden", p.hidden, "LO:HI", "range of the units of the hidden layer", 1).default_text =
      "1:1999, less in the same proportion, but 1:16 at least";
  table.add("log10-rate", p.log10_rate, "LO:HI", "range of log10 of the learning rate");
  table.add("log10-momentum", p.log10_momentum, "LO:HI", "range of log10 of the momentum");
  table
      .add("ood", p.ood, "INPUT",
           "samples of none of the classes, to measure how well the ensemble detects them: a SPEC, a PNG file or a "
           "folder of them")
      .group = run::group::data;
  table.add("prune", p.prune, "", "skip the folds of trials that can no longer win");
  return table;
}

std::vector<run::OptionValue> options_of(const BagParams& params) { return run::values_of(params, bag_options); }

}  // namespace krossfold::studies
