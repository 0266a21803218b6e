// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/parallel/schedule.hpp"
#include "krossfold/planning/formation.hpp"
#include "krossfold/planning/planned_work.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/guide.hpp"
#include "krossfold/run/option_table.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/run/run_params.hpp"

namespace krossfold::run {

struct RunContext;
struct StudyCase;

/// One call of a subcommand: its parameters, and the table of options bound to them.
class StudyCommand {
public:
  virtual ~StudyCommand() = default;
  virtual const OptionTable& options() const = 0;
  /// Throws an input error for options that exclude one another; `given` names those that the user set.
  virtual void check(const std::set<std::string>& given) const { static_cast<void>(given); }
  /// Loads the data and checks the options against them. Throws an input error if either is invalid. Collective.
  virtual std::unique_ptr<StudyCase> lay_out(const RunContext& context) const = 0;
};

/// The formations to plan for, and what is known about them.
struct PlanRequest {
  std::vector<planning::Formation> formations;  ///< if empty, 1x1, 1x2, 1x4, 2x4, ... as long as more ranks pay
  std::optional<std::vector<parallel::Schedule>> schedules;
  std::optional<double> latency, bandwidth;  ///< of the link, in seconds and bytes per second
  double deadline = 0;                       ///< seconds; 0 for none
  planning::NodePrices prices{};
};

/// A finished study as compare() sees it.
struct Comparable {
  std::string data, work;  ///< what was computed: "search of 24x24 cells, 5 folds"
  int ranks = 1;
  double seconds = 0;      ///< wall time, for a single training of its steps
  double computing = 0;    ///< seconds that one rank would compute, which characterises the device
  double utilisation = 0;  ///< share of seconds x ranks in which ranks were computing
  std::string quality_name;
  double quality = 0;  ///< test error or held-out loss; NaN if there is none
  /// `seconds` on another number of ranks; if empty, computing / (ranks x utilisation).
  std::function<double(int ranks)> seconds_on{};
};

/// A study as leaderboard() sees it, finished or not; NaN for what it has not.
struct Standing {
  std::string work;               ///< what was computed
  double test_error = NAN;        ///< share of the test part that the study's model gets wrong
  double validation_error = NAN;  ///< by which the study chose its model: of cross-validation or of its validation part
  double loss = NAN;              ///< held-out loss of a training
  std::string test_part;          ///< test_part_of(file, group) (run/leaderboard.hpp); "" without a stored test part
};

/// The part of a Comparable that follows from the summary of a study of many units; the kind adds `work` and the quality.
Comparable comparable_units(const ResultSummary& summary);

/// Simulates the farm of a study of many units. Throws an input error if the request describes a link, which has no effect.
report::Document plan_units(const planning::PlannedWork& work, const PlanRequest& request);

/// A kind of study: its subcommand, and the meaning of its result files. Programs may register kinds of their own.
class StudyKind {
public:
  virtual ~StudyKind() = default;
  virtual std::string name() const = 0;     ///< name of the subcommand and attribute `kind` of result files
  virtual std::string summary() const = 0;  ///< line of help
  /// Description, examples and pages for its help; a kind may have none.
  virtual Guide guide() const { return {}; }
  virtual std::unique_ptr<StudyCommand> command() const = 0;
  virtual const storage::Schema& schema() const = 0;
  virtual report::Document report(const ResultFile& file) const = 0;
  virtual Comparable comparable(const ResultFile& file) const = 0;
  /// Results beside those of other kinds; a kind may have none.
  virtual Standing standing(const ResultFile& file) const {
    static_cast<void>(file);
    return {};
  }
  /// Options in which compared files may differ, because they only determine how ranks share the work.
  virtual std::set<std::string> shared_options() const { return {}; }
  /// A document for each part of the file that can be planned. Throws an input error for requests without meaning for the kind.
  virtual std::vector<report::Document> plan(const ResultFile& file, const PlanRequest& request) const = 0;
};

/// The kinds that a program knows.
class StudyRegistry {
public:
  void add(std::unique_ptr<StudyKind> kind) { kinds_.push_back(std::move(kind)); }
  const std::vector<std::unique_ptr<StudyKind>>& kinds() const { return kinds_; }
  /// The kind of that name; nullptr if there is none.
  const StudyKind* find(const std::string& name) const;
  /// The kind of a result file. Throws an input error if the file is not the result of a study.
  const StudyKind& kind_of(const ResultFile& file) const;
  /// Reads a result file of any supported version. Throws an input error if it is not one.
  ResultFile read(const std::string& path, bool verify = true) const;

private:
  std::vector<std::unique_ptr<StudyKind>> kinds_;
};

/// A command whose options set a Params and whose study is Case(context, params).
template <class Params, class Case>
class CommandOf : public StudyCommand {
public:
  explicit CommandOf(OptionTable (*table)(Params&)) : table_(table(params_)) {}
  const OptionTable& options() const override { return table_; }
  std::unique_ptr<StudyCase> lay_out(const RunContext& context) const override {
    return std::make_unique<Case>(context, params_);
  }

protected:
  Params params_;

private:
  OptionTable table_;
};

}  // namespace krossfold::run
