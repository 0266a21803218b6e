// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/kind.hpp"

#include <memory>
#include <set>
#include <string>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/run/leaderboard.hpp"
#include "krossfold/studies/svm/parts_report.hpp"
#include "krossfold/studies/svm/parts_run.hpp"
#include "krossfold/studies/svm/report.hpp"
#include "krossfold/studies/svm/run.hpp"
#include "krossfold/studies/svm/schema.hpp"
#include "krossfold/studies/svm/stage_times.hpp"

namespace krossfold::studies {

namespace {

bool in_parts(const run::ResultFile& file) { return is_in_parts(storage::FieldReader(file.content, file.name)); }

std::string work_of(const SvmReport& r) {
  return text("search of ", r.cs, " C x ", r.gammas, " gamma, ", r.folds / r.repeats, " folds",
              r.repeats > 1 ? text(" ", r.repeats, " times") : "",
              r.parts.parts > 0 ? text(", ", r.parts.parts, " parts") : "");
}

class SvmCommand : public run::CommandOf<SvmParams, SvmCase> {
public:
  using CommandOf::CommandOf;
  void check(const std::set<std::string>&) const override {
    // By its value: a config file names every option.
    require(params_.part_cell == SvmParams().part_cell || studies::in_parts(params_), "--part-cell without --partition",
            "it says which cell the machines of the parts are trained at", "Leave it out, or add --partition.");
  }
  std::unique_ptr<run::StudyCase> lay_out(const run::RunContext& context) const override {
    if (studies::in_parts(params_)) return std::make_unique<PartsCase>(context, params_);
    return CommandOf::lay_out(context);
  }
};

class SvmKind : public run::StudyKind {
public:
  std::string name() const override { return "svm"; }
  std::string summary() const override {
    return "search C and gamma of support vector machines by k-fold cross-validation";
  }
  run::Guide guide() const override {
    return {
        "Trains support vector machines at every point of a grid of C and gamma, measures each by cross-validation, "
        "fits the "
        "best to the whole training part and tests it. The result file holds every fold error and the model.",
        {{"Search the built-in digits, 8 values of C by 8 of gamma",
          "krossfold svm --data digits --grid 8x8 -o digits.h5"},
         {"The same on 4 ranks, with class probabilities and two finer grids around the best cell",
          "mpirun -n 4 krossfold svm --data digits --grid 8x8 --refine 2 --probability -o sure.h5"},
         {"A table of your own, whose rare classes count as much as the frequent ones",
          "krossfold svm --data csv:table.csv --label outcome --class-weight balanced --select-by f1-macro -o "
          "table.h5"}},
        "docs/tutorial.md, docs/solver.md, docs/measures.md",
        {}};
  }
  std::unique_ptr<run::StudyCommand> command() const override { return std::make_unique<SvmCommand>(svm_options); }
  const storage::Schema& schema() const override { return svm_schema(); }
  report::Document report(const run::ResultFile& file) const override { return svm_document(file); }
  run::Comparable comparable(const run::ResultFile& file) const override {
    const SvmReport r(file);
    run::Comparable one = comparable_units(r);
    one.work = work_of(r);
    one.quality_name = "test error";
    if (r.has_test) one.quality = r.test_error;
    return one;
  }
  run::Standing standing(const run::ResultFile& file) const override {
    const SvmReport r(file);
    run::Standing one;
    one.work = work_of(r);
    if (r.has_test) one.test_error = r.test_error;
    if (r.has_best) one.validation_error = r.best_error;
    one.test_part = run::test_part_of(file, "/test");
    return one;
  }
  std::vector<report::Document> plan(const run::ResultFile& file, const run::PlanRequest& request) const override {
    require(!in_parts(file), text(file.name, " cannot be planned"), "it is a search in parts (--partition)",
            "Its units are short and many, so that ranks divide its time; report gives their sum.");
    return {plan_units(svm_plan_work(file), request)};
  }
};

}  // namespace

std::unique_ptr<run::StudyKind> svm_kind() { return std::make_unique<SvmKind>(); }

}  // namespace krossfold::studies
