// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Small trainings without computing them: tasks, records and result files.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/studies/train/layout.hpp"
#include "krossfold/studies/train/payload.hpp"
#include "krossfold/studies/train/result.hpp"
#include "krossfold/studies/train/schema.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::test {

/// 60 of the digits, which are images of 8x8; this share of them validates.
inline training::TrainTask digits_task(double validation = 0) {
  training::TrainTask task;
  task.samples = input::load_task({.train = "digits", .limit = 60});
  if (validation > 0) {
    const data::Task parts = data::split_off_validation(task.samples.train, validation, 1);
    task.samples.train = parts.train;
    task.validation = parts.test;
  }
  return task;
}

inline training::TrainTask names_task() {
  training::TrainTask task;
  task.names = input::split_names(input::load_names("names"), 60);
  return task;
}

inline studies::TrainParams train_params(const std::string& network) {
  studies::TrainParams params;
  params.network = network;
  params.epochs = 3;
  params.batch = 20;
  return params;
}

/// A training that is done: epoch e of 1, 2, ... took `seconds`, a tenth of that for the exchange; its held-out losses are `held_out`.
inline studies::TrainRecord done_training(const std::vector<double>& held_out, double seconds, int ranks,
                                          double error = 0.25) {
  studies::TrainRecord training;
  training.held_out_loss = held_out;
  for (const double loss : held_out) {
    training.loss.push_back(loss + 0.5);
    training.held_out_error.push_back(error);
    training.seconds.push_back(seconds);
    training.comm_seconds.push_back(seconds / 10);
    training.epoch_ranks.push_back(ranks);
  }
  training.ranks = ranks;
  training.model = {{"network.h5", 0xabc}};
  return training;
}

inline Record record_of(int run, const studies::TrainRecord& training) {
  Record record;
  record.key = {studies::train_unit, {run, 0, 0}};
  record.status = Status::done;
  record.payload = training.to_bytes();
  return record;
}

inline Record failed_record(int run, const std::string& reason) {
  Record record;
  record.key = {studies::train_unit, {run, 0, 0}};
  record.status = Status::failed;
  record.reason = reason;
  return record;
}

/// The result file of these trainings.
inline storage::Container result_of(const std::string& kind, const std::vector<run::OptionValue>& options,
                                    const std::vector<studies::TrainLayout>& runs, const training::TrainTask& task,
                                    const std::vector<Record>& records, const run::RunFacts& facts) {
  storage::Container content;
  run::add_run_attributes(content, kind, facts_of(options, runs, task), facts);
  write_train_result(runs, task, records, content);
  return content;
}

/// The result of a training of `network` on `ranks` ranks.
inline storage::Container train_result(const std::string& network, const std::vector<Record>& records, int ranks = 2,
                                       double validation = 0) {
  const training::TrainTask task = network == "lstm" ? names_task() : digits_task(validation);
  const std::vector runs{studies::lay_out_train(train_params(network), task, ranks)};
  run::RunFacts facts;
  facts.status = "finished";
  facts.formation = text("1x", ranks, "xSerial");
  facts.ranks = ranks;
  facts.seconds = 10;
  return result_of("train", options_of(runs.front().params), runs, task, records, facts);
}

/// A study of names on 2 ranks: workers 1, 2 and 4, batches of 10 for each, one rate; the runs with `records` are done.
inline storage::Container names_result(const std::vector<Record>& records) {
  const training::TrainTask task = names_task();
  studies::NamesParams params;
  params.workers = {1, 2, 4};
  params.batch_per_worker = {10, 20};
  params.rate = {0.01};
  params.epochs = 3;
  run::RunFacts facts;
  facts.status = "finished";
  facts.ranks = 2;
  facts.seconds = 100;
  return result_of("names", options_of(params), lay_out_names(params, task, 2), task, records, facts);
}

}  // namespace krossfold::test
