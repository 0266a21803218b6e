// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/kind.hpp"

#include "krossfold/core/text.hpp"
#include "krossfold/run/leaderboard.hpp"
#include "krossfold/studies/bag/report.hpp"
#include "krossfold/studies/bag/run.hpp"
#include "krossfold/studies/bag/schema.hpp"
#include "krossfold/studies/bag/stage_times.hpp"

namespace krossfold::studies {

namespace {

class BagKind : public run::StudyKind {
public:
  std::string name() const override { return "bag"; }
  std::string summary() const override {
    return "bag convolutional networks, each the best of a random search on its bootstrap sample";
  }
  run::Guide guide() const override {
    return {
        "Draws bootstrap samples, searches each at random for the best convolutional network, and lets the final "
        "networks vote. "
        "Reports votes, uncertainty, calibration and how well samples of no class are detected.",
        {{"12 networks on the built-in digits, each the best of 12 small ones",
          "krossfold bag --data digits --channels 4:24 --hidden 32:128 --kernel 3:3 -o bag.h5"},
         {"A short study on 2 ranks that gives up trials early",
          "mpirun -n 2 krossfold bag --data digits --bootstraps 4 --trials 6 --epochs 5 --prune -o short.h5"}},
        "docs/ensembles.md, docs/networks.md",
        {}};
  }
  std::unique_ptr<run::StudyCommand> command() const override {
    return std::make_unique<run::CommandOf<BagParams, BagCase>>(bag_options);
  }
  const storage::Schema& schema() const override { return bag_schema(); }
  report::Document report(const run::ResultFile& file) const override { return bag_document(file); }
  run::Comparable comparable(const run::ResultFile& file) const override {
    const BagReport r(file);
    run::Comparable one = comparable_units(r);
    one.work = text(r.bootstraps, " bootstraps x ", r.trials, " trials x ", r.folds, " folds");
    one.quality_name = "vote";
    if (!r.error.empty()) one.quality = r.error.front();
    return one;
  }
  run::Standing standing(const run::ResultFile& file) const override {
    const BagReport r(file);
    run::Standing one;
    one.work = text(r.bootstraps, " bootstraps x ", r.trials, " trials, majority vote");
    if (r.has_ensemble && !r.error.empty()) one.test_error = r.error.front();
    one.test_part = run::test_part_of(file, "/ensemble");
    return one;
  }
  std::vector<report::Document> plan(const run::ResultFile& file, const run::PlanRequest& request) const override {
    return {plan_units(bag_plan_work(file), request)};
  }
};

}  // namespace

std::unique_ptr<run::StudyKind> bag_kind() { return std::make_unique<BagKind>(); }

}  // namespace krossfold::studies
