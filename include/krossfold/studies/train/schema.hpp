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

  Name class_name = name("/class_name", "class_name", "names of the classes");
  Whole sample = add_index("/test/sample", "number of the held-out sample in its file, from 0");
  Whole label = add<std::int32_t>("/test/label", "sample", "1", "true class index");
  Whole prediction =
      add<std::int32_t>("/test/prediction", "run_number sample", "1",
                        "class index by the model's weights; -1 where the run has no model or finds no class");

  Whole workers = of_run<std::int32_t>("workers", "workers that share a batch");
  Whole ranks = of_run<std::int32_t>("ranks", "ranks that computed the run");
  Whole batch = of_run<std::int32_t>("batch", "samples of a step, of all workers together");
  Real rate = of_run<double>("rate", "learning rate");
  Name strategy = of_run<std::string>("strategy", "how the workers share the training");
  Large summed = of_run<std::int64_t>("summed", "numbers summed over the workers in a step");
  Large gathered = of_run<std::int64_t>("gathered", "numbers that the workers gather in a step");
  Whole sums = of_run<std::int32_t>("sums", "sums over the workers in a step");
  Whole gathers = of_run<std::int32_t>("gathers", "gathers in a step");
  Real replicated = of_run<double>("replicated", "share of the operations of a step that every worker repeats");
  Whole status = of_run<std::int32_t>("status", "0 missing, 1 done, 2 failed");
  Name reason = of_run<std::string>("reason", "why the run failed or diverged");
  Name model =
      of_run<std::string>("model", "model file; several, separated by blanks, if the weights are split over ranks");
  Whole kept_epoch = of_run<std::int32_t>("kept_epoch", "epoch whose weights the model has, from 1; 0 without a model");
  Name model_checksum = of_run<std::string>("model_checksum", "CRC-64 of each model file");

  Real loss = of_epoch<double>("loss", "1", "mean training loss of the epoch, in nats");
  Real held_out_loss =
      of_epoch<double>("held_out_loss", "1", "mean loss of the held-out samples after the epoch, in nats");
  Real held_out_error = of_epoch<double>("held_out_error", "1", "fraction of the held-out samples misclassified");
  Real validation_loss = of_epoch<double>("validation_loss", "1", "mean loss of the samples that validate, in nats");
  Real validation_error =
      of_epoch<double>("validation_error", "1", "fraction of the samples that validate misclassified");
  Whole epoch_ranks =
      of_epoch<std::int32_t>("ranks", "1", "ranks that computed the epoch; 0 if their number changed during it");
  Real seconds = of_epoch<double>("seconds", "s", "wall time of the steps of the epoch");
  Real comm_seconds =
      of_epoch<double>("comm_seconds", "s", "part of that time for the exchange with other ranks, on the first rank");

private:
  template <class T>
  storage::Field<T> of_run(const std::string& name, const char* meaning) {
    return add<T>("/run/" + name, "run_number", "1", meaning);
  }
  template <class T>
  storage::Field<T> of_epoch(const std::string& name, const char* units, const char* meaning) {
    return add<T>("/training/" + name, "run_number epoch", units, meaning);
  }
};

const TrainSchema& train_schema();

}  // namespace krossfold::studies
