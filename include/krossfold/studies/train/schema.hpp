// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/run/unit_table.hpp"

namespace krossfold::studies {

/// The datasets of the result file of `krossfold train` and `krossfold names`, whose units are runs: trainings on the same data.
struct TrainSchema : run::ResultSchema {
  using Real = storage::Field<double>;
  using Whole = storage::Field<std::int32_t>;
  using Large = storage::Field<std::int64_t>;
  using Name = storage::Field<std::string>;

  Whole run_number = add_index("/run_number", "number of the run");
  Whole epoch = add_index("/epoch", "number of the epoch", 1);

  Whole workers = add<std::int32_t>("/run/workers", "run_number", "1", "workers that share a batch");
  Whole ranks = add<std::int32_t>("/run/ranks", "run_number", "1", "ranks that computed the run");
  Whole batch = add<std::int32_t>("/run/batch", "run_number", "1", "samples of a step, of all workers together");
  Real rate = add<double>("/run/rate", "run_number", "1", "learning rate");
  Name strategy = add<std::string>("/run/strategy", "run_number", "1", "how the workers share the training");
  Large summed = add<std::int64_t>("/run/summed", "run_number", "1", "numbers summed over the workers in a step");
  Large gathered = add<std::int64_t>("/run/gathered", "run_number", "1", "numbers that the workers gather in a step");
  Whole sums = add<std::int32_t>("/run/sums", "run_number", "1", "sums over the workers in a step");
  Whole gathers = add<std::int32_t>("/run/gathers", "run_number", "1", "gathers in a step");
  Real replicated =
      add<double>("/run/replicated", "run_number", "1", "share of the operations of a step that every worker repeats");
  Whole status = add<std::int32_t>("/run/status", "run_number", "1", "0 missing, 1 done, 2 failed");
  Name reason = add<std::string>("/run/reason", "run_number", "1", "why the run failed or diverged");
  Name model = add<std::string>("/run/model", "run_number", "1",
                                "model file; several, separated by blanks, if the weights are split over ranks");
  Name model_checksum = add<std::string>("/run/model_checksum", "run_number", "1", "CRC-64 of each model file");

  Real loss = add<double>("/training/loss", "run_number epoch", "1", "mean training loss of the epoch, in nats");
  Real held_out_loss = add<double>("/training/held_out_loss", "run_number epoch", "1",
                                   "mean loss of the held-out samples after the epoch, in nats");
  Real held_out_error = add<double>("/training/held_out_error", "run_number epoch", "1",
                                    "fraction of the held-out samples misclassified");
  Whole epoch_ranks = add<std::int32_t>("/training/ranks", "run_number epoch", "1",
                                        "ranks that computed the epoch; 0 if their number changed during it");
  Real seconds = add<double>("/training/seconds", "run_number epoch", "s", "wall time of the steps of the epoch");
  Real comm_seconds = add<double>("/training/comm_seconds", "run_number epoch", "s",
                                  "part of that time for the exchange with other ranks, on the first rank");
};

const TrainSchema& train_schema();

}  // namespace krossfold::studies
