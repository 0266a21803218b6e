// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krossfold/input/spec.hpp"
#include "krossfold/run/attributes.hpp"
#include "krossfold/studies/bag/ood_images.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/bag/result.hpp"
#include "krossfold/studies/bag/schema.hpp"

namespace krossfold::test {

/// Three bootstraps of two trials of three folds on a few digits; records are made up, but for what is said of them.
class BagResult : public ::testing::Test {
protected:
  const data::Task task = input::load_task({.limit = 300});
  const studies::OodImages ood = studies::gather_ood(task, 1, {});
  studies::BagLayout search;
  run::RunFacts facts;
  const int n = task.test.size();

  BagResult() {
    studies::BagParams params;
    params.bootstraps = 3;
    params.trials = 2;
    params.folds = 3;
    params.epochs = 4;
    search = studies::lay_out_bag(params, task);
    facts.status = "finished";
    facts.seconds = 10;
    facts.ranks = 2;
  }
  static Record record_of(const UnitKey& key, const std::vector<std::byte>& payload) {
    return {.key = key, .status = Status::done, .started = 1, .seconds = 2, .rank = 1, .payload = payload};
  }
  std::vector<Record> trials() const {
    std::vector<Record> records;
    for (int b = 0; b < 3; ++b) {
      for (int t = 0; t < 2; ++t) {
        for (int f = 0; f < 3; ++f) {
          studies::TrialResult trial;
          trial.held = 100;
          trial.wrong = t == b % 2 ? 10 : 20 + f;
          trial.training.epoch_loss = {2, 1};
          records.push_back(record_of({studies::bag_unit_trial, {b, t, f}}, trial.to_bytes()));
        }
      }
    }
    return records;
  }
  /// A network that is right but for every `wrong_every`-th test image, and says so with this probability.
  Record final_fit(int bootstrap, int wrong_every, float sure) const {
    studies::FinalResult fit;
    fit.training.epoch_loss = {2, 1, 0.5};
    fit.out_of_bag = 40;
    fit.out_of_bag_wrong = 4;
    for (int i = 0; i < n; ++i) {
      const int says = (task.test.label(i) + (i % wrong_every == bootstrap ? 1 : 0)) % 10;
      for (int c = 0; c < 10; ++c) fit.probability.push_back(c == says ? sure : (1 - sure) / 9);
    }
    fit.ood_probability.assign(static_cast<std::size_t>(ood.images.size()) * 10, 0.1F);
    fit.model_name = "bootstrap_0" + std::to_string(bootstrap) + ".h5";
    fit.model_checksum = 0xABC;
    return record_of({studies::bag_unit_final, {bootstrap, bootstrap % 2, 0}}, fit.to_bytes());
  }
  std::vector<Record> all_records() const {
    std::vector<Record> records = trials();
    for (int b = 0; b < 3; ++b) records.push_back(final_fit(b, 10, 0.9F));
    return records;
  }
  storage::Container result(const std::vector<Record>& records) const {
    const studies::BagParams& params = search.params;
    storage::Container content;
    run::add_run_attributes(content, "bag", {options_of(params), params.seed, params.fold_kind, task}, facts);
    studies::BagStudy study(search);
    write_bag_result(search, task, ood, records, study, content);
    return content;
  }
};

}  // namespace krossfold::test
