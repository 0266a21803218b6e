// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/run_study.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "before_start.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/gang.hpp"
#include "krossfold/parallel/other_text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/output.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/reader_process.hpp"
#include "reading_watch.hpp"

namespace krossfold::run {

namespace {

double computing_seconds(const std::vector<Record>& records) {
  return std::accumulate(records.begin(), records.end(), 0.0,
                         [](double sum, const Record& record) { return sum + record.seconds; });
}

/// When the last of the units ended, in seconds since the study began.
double last_end(const std::vector<Record>& records) {
  double last = 0;
  for (const Record& record : records) last = std::max(last, record.started + record.seconds);
  return last;
}

/// The hosts of the ranks, each once, separated by blanks.
std::string hosts_of(const std::vector<parallel::RankPlace>& places) {
  std::set<std::string> known;
  std::string hosts;
  for (const auto& place : places) {
    if (known.insert(place.host).second) hosts += (hosts.empty() ? "" : " ") + place.host;
  }
  return hosts;
}

RunFacts facts_of(const StudyCase& study) {
  const RunContext& context = study.context;
  RunFacts facts;
  facts.status = "running";
  facts.started = utc_now();
  facts.command_line = context.run.command_line;
  facts.fingerprint = study.fingerprint;
  facts.mpi = parallel::mpi_library();
  facts.ranks = context.comm.size();
  facts.formation = parallel::formation(context.places);
  facts.schedule = name_of(context.run.schedule);
  facts.devices = parallel::describe(context.places);
  facts.hosts = hosts_of(context.places);
  return facts;
}

parallel::FarmParams farm_params(const StudyCase& study) {
  const RunContext& context = study.context;
  parallel::FarmParams farm;
  farm.grace = context.run.grace;
  farm.stop_requested = context.stop_requested;
  farm.drop_requested = context.drop_requested;
  farm.stall_timeout = context.run.stall_timeout;
  farm.schedule = context.run.schedule;
  farm.seed = study.facts.seed;
  for (const auto& place : context.places) farm.host.push_back(place.host);
  return farm;
}

/// The journal, whose records also go to the event log.
class LoggedJournal : public RecordLog {
public:
  LoggedJournal(RecordLog& journal, const StudyCase& study) : journal_(journal), study_(study) {}
  void append(const Record& record) override {
    journal_.append(record);
    if (study_.log == nullptr) return;
    std::string reason = record.reason;
    if (record.status == Status::done) {
      for (const LoggedEpoch& epoch : study_.epochs_of(record)) study_.log->epoch(record.key, epoch);
      reason = study_.divergence(record);
    }
    study_.log->unit(record, reason);
  }
  void sync() override { journal_.sync(); }

private:
  RecordLog& journal_;
  const StudyCase& study_;
};

/// Throws an input error if the event log would be the result file or the journal beside it, which need not exist yet.
void require_apart(const std::string& log, const std::string& output) {
  const auto place = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  for (const char* ending : {".h5", ".journal", ".lock"}) {  // an event log of that name would stop another study
    if (!log.ends_with(ending) || std::filesystem::exists(log) || place(log) == place(output) ||
        place(log) == place(storage::journal_path(output))) {
      continue;
    }
    throw_input_error(text("json-log ", log, " names a file of a study"),
                      text("results and what lies beside them end in ", ending),
                      "Choose another name for the log, such as log.jsonl.");
  }
  for (const std::string& other : {output, storage::journal_path(output)}) {
    if (place(log) != place(other)) continue;
    throw_input_error(text("json-log ", log, " names a file of the output"), text("the study writes ", other),
                      "Choose another file for the log.");
  }
}

/// The run of a study; the output is on rank 0.
class StudyRun {
public:
  StudyRun(const StudyKind& kind, StudyCase& study)
      : kind_(kind), study_(study), context_(study.context), sink_(""), facts_(facts_of(study)) {}

  /// Opens or creates the output. Returns true if the study is finished already. Collective.
  bool open() {
    const RunParams& run = context_.run;
    if (!run.expected_data.empty() && run.expected_data != text(std::hex, study_.fingerprint.data)) {
      context_.log.warn(text("the data differ from those that ", run.config, " was computed from"));
    }
    bool finished = false;
    parallel::on_root(context_.comm, [&] {
      storage::LockParams lock;
      lock.break_lock = run.break_lock;
      if (!run.json_log.empty()) require_apart(run.json_log, run.output);
      if (!run.json_log.empty()) json_log_ = std::make_unique<EventLog>(run.json_log);
      const auto stage = [this](const UnitKey& key) { return study_.stage(key); };
      output_ =
          std::make_unique<StudyOutput>(run.output, kind_.name(), study_.fingerprint, run.retry_failed, stage, lock);
      finished = output_->finished();
      facts_.run_id = output_->run_id();
      // Where a result that was renamed has its models, and on all ranks the same, whatever their working folders are.
      folder_ = std::filesystem::absolute(storage::find_models_folder(run.output, facts_.run_id)).string();
      if (!output_->started().empty()) facts_.started = output_->started();
      records_ = output_->take_records();
      if (!finished) note_other_builds();
      // From now on a result file tells how far the study is, however this run ends.
      if (!finished) {
        write(records_, facts_);
        output_->forget_left_out();
      }
    });
    finished = parallel::agree(context_.comm, finished);
    share_place();
    sink_ = storage::FolderSink(folder_);
    if (!output_) return finished;
    for (const std::string& warning : output_->warnings()) context_.log.warn(warning);
    if (finished) {
      remove_parts();  // of a run that was killed after it wrote its result
      context_.log.info(text(run.output, " is finished already: nothing to compute."));
    } else if (!records_.empty()) {
      context_.log.info(text("continuing ", run.output, ": ", records_.size(), " units were computed before"));
    }
    return finished;
  }

  /// How the run ended that finished the study: there is no result if it diverged or if all its units failed. Collective.
  ExitCode earlier_end() const {
    const bool none = parallel::agree(context_.comm, (output_ && output_->diverged()) || all_failed());
    return none ? ExitCode::failed : ExitCode::done;
  }

  /// Computes the units. Collective.
  void compute() {
    warn_of_other_builds();
    const int before = static_cast<int>(records_.size());
    if (json_log_) json_log_->begin(kind_.name(), context_.run.output, study_.facts.config, facts_, before);
    study_.log = json_log_.get();
    const bool prepared = study_.prepare();
    parallel::FarmParams farm = farm_params(study_);
    if (!prepared) {
      farm.stop_requested = [] { return true; };  // before any unit begins
      if (context_.run.max_time > 0 && context_.seconds() > context_.run.max_time) {
        context_.log.warn("nothing was computed: max-time and grace were over before the study was set up");
      }
    }
    facts_.setup_seconds = context_.seconds();
    const double earlier = last_end(records_);
    double wall = 0, busy = 0;
    const std::vector<Phase> phases = study_.phases();
    for (const Phase& phase : phases) {
      limit_time(farm);
      const bool computed = static_cast<int>(records_.size()) > before;
      if (parallel::agree(context_.comm,
                          context_.comm.is_root() && computed && farm.max_time > 0 && farm.max_time <= no_time)) {
        finished_ = false;  // the next phase is of the next run
        break;
      }
      parallel::FarmOutcome outcome = compute(phase, farm, phases.size() > 1);
      finished_ = outcome.finished;
      wall += outcome.seconds;
      busy += (computing_seconds(outcome.records) - computing_seconds(records_)) * phase.width;
      records_ = std::move(outcome.records);
      if (!finished_) break;
    }
    facts_.seconds = earlier + wall;
    facts_.utilisation = std::max(0.0, busy) / (wall * facts_.ranks);
  }

  /// Writes the last state of the output. Collective.
  ExitCode close() {
    const std::string failure = finished_ ? study_.failure(records_) : "";
    facts_.status = !finished_ ? "stopped" : failure.empty() ? "finished" : "diverged";
    facts_.finished = utc_now();
    warn_of_ranks_apart();
    parallel::on_root(context_.comm, [&] {
      write(records_, facts_);
      if (finished_) {
        remove_parts();  // of units that ended elsewhere or whose run was killed at their end
        output_->close(records_);
      }
      if (json_log_) {
        json_log_->end(facts_);
        const std::string failure = json_log_->failure();
        if (!failure.empty()) context_.log.warn(text(context_.run.json_log, " lacks lines (", failure, ")"));
      }
    });
    const bool none = parallel::agree(context_.comm, all_failed());
    if (parallel::agree(context_.comm, !failure.empty())) {
      context_.log.warn(failure);
      return ExitCode::failed;
    }
    return !finished_ ? ExitCode::stopped : none ? ExitCode::failed : ExitCode::done;
  }

  void print_report() const {
    parallel::on_root(context_.comm, [&] {
      std::cout << report::to_text(kind_.report({context_.run.output, storage::read_container(output_->file())}))
                << std::flush;
    });
  }

private:
  /// On rank 0; false on others, which have no records.
  bool all_failed() const {
    const auto failed = [](const Record& record) { return record.status == Status::failed; };
    return !records_.empty() && std::all_of(records_.begin(), records_.end(), failed);
  }

  /// Units have the same bits on every rank only if all have the same program, kind of processor and BLAS kernel. Collective.
  void warn_of_other_builds() {
    const auto other = parallel::find_other_text(context_.comm, study_.fingerprint.build);
    if (!other || !context_.comm.is_root()) return;
    warn_and_keep(text("rank ", other->rank, " computes with ", other->text, ", and rank 0 with ", other->of_root,
                       ": the last bits of results depend on which of them computed a unit"));
  }

  void note_other_builds() {
    facts_.earlier_builds = output_->earlier_builds();
    if (facts_.earlier_builds.empty()) return;
    warn_and_keep(text("units may have been computed by another build (", joined(facts_.earlier_builds, "; "), "; now ",
                       study_.fingerprint.build,
                       "): they are kept, and may differ in their last bits from those of this one"));
  }

  /// Warns now and in every report.
  void warn_and_keep(const std::string& warning) {
    context_.log.warn(warning);
    study_.facts.warnings.push_back(warning);
  }

  /// Ranks other than 0 store parts and models in the same folder. Collective.
  void share_place() {
    parallel::broadcast(context_.comm, facts_.run_id);
    parallel::broadcast(context_.comm, folder_);
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::path(folder_).parent_path(), ignored)) return;
    folder_ =
        storage::models_folder(context_.run.output, facts_.run_id);  // the same folder under another path, perhaps
  }

  /// All of them, or where a unit failed the states of units alone: --retry-failed may need what other units stored for it.
  void remove_parts() {
    const auto failed = [](const Record& record) { return record.status == Status::failed; };
    sink_.remove_all(".part", std::any_of(records_.begin(), records_.end(), failed) ? "unit-" : "");
  }

  /// Warns if a rank on another host does not see the output: what it stored (models, states of units) lies where rank 0 does not see
  /// it. Not of a short run, as a network file system may show a name late. Collective.
  void warn_of_ranks_apart() {
    constexpr double late = 90;
    if (!parallel::agree(context_.comm, context_.seconds() > late)) return;
    const parallel::RankPlace& own = context_.places[context_.comm.rank()];
    const std::filesystem::path output =
        std::filesystem::path(folder_).parent_path() / std::filesystem::path(context_.run.output).filename();
    std::error_code error;
    const bool apart = own.host != context_.places[0].host &&
                       std::filesystem::status(output, error).type() == std::filesystem::file_type::not_found;
    for (const std::string& host : parallel::all_gather(context_.comm, apart ? own.host : "")) {
      if (host.empty()) continue;
      context_.log.warn(text(
          host, " does not see ", output.string(),
          ": what its ranks stored, models and states of units, lies there; choose an output that all hosts share"));
      return;
    }
  }

  /// Gives a farm that begins now what is left of max_time and grace.
  void limit_time(parallel::FarmParams& farm) const {
    const RunParams& run = context_.run;
    if (run.max_time <= 0) return;
    const double left = run.max_time - context_.seconds();
    farm.max_time = std::max(left, no_time);
    farm.grace = std::clamp(run.grace + left, 0.0, run.grace);
  }

  void write(const std::vector<Record>& records, const RunFacts& facts) {
    storage::Container content;
    add_run_attributes(content, kind_.name(), study_.facts, facts);
    study_.write_result(records, content);
    output_->write(content);
  }

  parallel::FarmOutcome compute(const Phase& phase, const parallel::FarmParams& farm, bool one_of_several) {
    const std::string width = one_of_several ? text(" on ", report::counted(phase.width, "rank")) : "";
    Progress progress(context_.log, study_.progress + width);
    std::unique_ptr<LoggedJournal> journal;
    std::unique_ptr<parallel::FarmRoot> root;
    if (output_) {
      journal = std::make_unique<LoggedJournal>(output_->journal(), study_);
      root = std::make_unique<parallel::FarmRoot>(
          parallel::FarmRoot{phase.study, *journal, records_, study_.progress.empty() ? nullptr : &progress});
      root->snapshot = [this](const std::vector<Record>& all) {
        RunFacts now = facts_;
        now.seconds = last_end(all);
        write(all, now);
      };
    }
    return parallel::run_gangs(context_.comm, phase.width, root.get(), study_.executor(), sink_, farm);
  }

  const StudyKind& kind_;
  StudyCase& study_;
  const RunContext& context_;
  std::string folder_;  ///< of the models, an absolute path
  storage::FolderSink sink_;
  RunFacts facts_;
  std::unique_ptr<EventLog> json_log_;
  std::unique_ptr<StudyOutput> output_;  ///< on rank 0
  std::vector<Record> records_;          ///< so far; on rank 0
  bool finished_ = false;
};

}  // namespace

bool StudyCase::ends_setup() const { return is_over(context); }

CheckpointParams checkpoint_params(const StudyCase& study) {
  return {identity_of(study.fingerprint), study.context.run.checkpoint_every,
          crc64(std::as_bytes(std::span(study.fingerprint.build)))};
}

ExitCode run_study(const RunContext& context, const StudyKind& kind, const StudyCommand& command) {
  const std::unique_ptr<StudyCase> study = [&] {
    const storage::KeptReader reader;  // a converted data set is opened several times
    const ReadingWatch watch(context);
    return command.lay_out(context);
  }();
  for (const std::string& line : study->facts.understood) context.log.info(line);
  for (const std::string& warning : study->facts.warnings) context.log.warn(warning);
  if (context.run.dry_run) parallel::on_root(context.comm, [&] { print_dry_run(*study, kind); });
  require_memory(*study, kind);
  if (context.run.dry_run) return ExitCode::done;
  StudyRun run(kind, *study);
  const bool finished = run.open();
  if (!finished) run.compute();
  const ExitCode code = finished ? run.earlier_end() : run.close();
  run.print_report();
  if (code == ExitCode::stopped) context.log.info("stopped; the same command continues where it left off");
  return code;
}

}  // namespace krossfold::run
