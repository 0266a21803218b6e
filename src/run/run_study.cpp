// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/run_study.hpp"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <span>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/task_farm.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/output.hpp"
#include "krossfold/storage/atomic_file.hpp"

namespace krossfold::run {

namespace {

/// Wall time of all runs of the study, and which share of this one the ranks were computing.
class Times {
public:
  explicit Times(const std::vector<Record>& earlier) : known_(computed(earlier)) {
    for (const Record& record : earlier) before_ = std::max(before_, record.started + record.seconds);
  }
  void add(const parallel::FarmOutcome& outcome, int width) {
    wall_ += outcome.seconds;
    busy_ += (computed(outcome.records) - known_) * std::max(1, width);
    known_ = computed(outcome.records);
  }
  void put(RunFacts& facts) const {
    facts.seconds = before_ + wall_;
    facts.utilisation = std::max(0.0, busy_) / (wall_ * facts.ranks);
  }

private:
  static double computed(const std::vector<Record>& records) {
    double sum = 0;
    for (const Record& record : records) sum += record.seconds;
    return sum;
  }
  double known_, before_ = 0, wall_ = 0, busy_ = 0;
};

RunFacts facts_of(const RunContext& context, const RunParams& run, const storage::Fingerprint& print) {
  RunFacts facts;
  facts.status = "running";
  facts.started = utc_now();
  facts.command_line = run.command_line;
  facts.fingerprint = print;
  facts.mpi = parallel::mpi_library();
  facts.ranks = context.comm.size();
  facts.formation = parallel::formation(context.places);
  facts.schedule = name_of(run.schedule);
  facts.devices = parallel::describe(context.places);
  for (const auto& place : context.places) {
    if (facts.hosts.find(place.host) == std::string::npos) facts.hosts += (facts.hosts.empty() ? "" : " ") + place.host;
  }
  return facts;
}

void print_report(const std::string& path, const StudyCase& what) {
  std::cout << report::to_text(what.report({path, storage::read_container(path)})) << std::flush;
}

parallel::FarmParams farm_params(const RunContext& context, const RunParams& run, const StudyCase& what) {
  parallel::FarmParams farm;
  farm.grace = run.grace;
  farm.stop_requested = context.stop_requested;
  farm.drop_requested = context.drop_requested;
  farm.stall_timeout = run.stall_timeout;
  farm.schedule = run.schedule;
  farm.seed = what.seed;
  for (const auto& place : context.places) farm.host.push_back(place.host);
  return farm;
}

/// The journal, and what --json-log has of its records.
class LoggedJournal : public RecordLog {
public:
  LoggedJournal(RecordLog& journal, const StudyCase& what) : journal_(journal), what_(what) {}
  void append(const Record& record) override {
    journal_.append(record);
    if (what_.log == nullptr) return;
    if (record.status == Status::done) {
      for (const LoggedEpoch& epoch : what_.epochs_of(record)) what_.log->epoch(record.key, epoch);
    }
    what_.log->unit(record);
  }
  void sync() override { journal_.sync(); }

private:
  RecordLog& journal_;
  const StudyCase& what_;
};

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

storage::Fingerprint make_fingerprint(const std::string& options, const data::Task& task) {
  const BuildInfo build = build_info();
  storage::Fingerprint print;
  print.config = options;
  print.data = task.train.digest ^ (task.test.digest * 0x9E3779B97F4A7C15u);
  print.build = text("krossfold ", build.version, " ", build.git_commit, ", ", build.compiler, ", Kokkos ",
                     build.kokkos, ", ", cpu_name(), ", ", blas_kernel());
  return print;
}

std::uint64_t identity_of(const storage::Fingerprint& fingerprint) {
  const std::string all =
      text(fingerprint.config, '\n', fingerprint.data, '\n', fingerprint.build, '\n', backend_description());
  // Two programs may say the same of themselves: what counts is the program.
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return crc64(std::as_bytes(std::span(program)), crc64(std::as_bytes(std::span(all))));
}

Executor& StudyCase::executor() { throw_run_error(kind + " computes units with gangs only", ""); }

parallel::GangExecutor& StudyCase::gang_executor() { throw_run_error(kind + " has no units for gangs", ""); }

ExitCode run_study(const RunContext& context, const RunParams& run, std::chrono::steady_clock::time_point began,
                   StudyCase& what) {
  const parallel::Communicator& comm = context.comm;
  const storage::Fingerprint& print = what.fingerprint;
  if (!run.expected_data.empty() && run.expected_data != text(std::hex, print.data)) {
    context.log.warn(text("the data are not those that ", run.config, " was computed from"));
  }
  std::unique_ptr<EventLog> json_log;
  std::unique_ptr<StudyOutput> output;
  bool finished = false;
  RunFacts facts = facts_of(context, run, print);
  parallel::on_root(comm, [&] {
    storage::LockParams lock;
    lock.break_lock = run.break_lock;
    if (!run.json_log.empty()) json_log = std::make_unique<EventLog>(run.json_log);
    const auto stage = [&what](const UnitKey& key) { return what.stage(key); };
    output = std::make_unique<StudyOutput>(run.output, what.kind, print, run.retry_failed, stage, lock);
    finished = output->finished();
    if (!output->started().empty()) facts.started = output->started();
    // From now on there is a result file that says how far the study is, whatever ends this run.
    if (!finished) {
      output->write(what.result(output->records(), facts));
      output->forget_left_out();
    }
  });
  parallel::broadcast(comm, std::as_writable_bytes(std::span(&finished, 1)));
  if (output) {
    for (const std::string& warning : output->warnings()) context.log.warn(warning);
  }
  storage::FolderSink sink(storage::models_folder(run.output));
  if (finished) {
    // A run that was killed after its result was written may have left some.
    if (comm.is_root()) sink.remove_all(".part");
    context.log.info(text(run.output, " is finished already: nothing to compute."));
    if (comm.is_root()) print_report(run.output, what);
    return ExitCode::done;
  }
  if (output && !output->records().empty()) {
    context.log.info(text("continuing ", run.output, ": ", output->records().size(), " units were computed before"));
  }

  if (json_log) json_log->begin(what.kind, run.output, what.config, facts, static_cast<int>(output->records().size()));
  what.log = json_log.get();
  const bool prepared = what.prepare();
  parallel::FarmParams farm = farm_params(context, run, what);
  if (!prepared) farm.stop_requested = [] { return true; };  // before any unit begins
  facts.setup_seconds = seconds_since(began);
  if (run.max_time > 0) farm.max_time = std::max(run.max_time - facts.setup_seconds, 1e-9);
  parallel::FarmOutcome outcome;
  std::vector<Record> records;  // so far
  if (output) records = output->records();
  Times times(records);
  const std::vector<Phase> phases = what.phases();
  for (const Phase& phase : phases) {
    Progress progress(context.log, phases.size() == 1
                                       ? what.progress
                                       : text(what.progress, " on ", report::counted(phase.width, "rank")));
    std::unique_ptr<LoggedJournal> journal;
    std::unique_ptr<parallel::FarmRoot> root;
    if (output) {
      journal = std::make_unique<LoggedJournal>(output->journal(), what);
      root = std::make_unique<parallel::FarmRoot>(
          parallel::FarmRoot{phase.study, *journal, records, what.progress.empty() ? nullptr : &progress});
      root->snapshot = [&](const std::vector<Record>& all) {
        RunFacts now = facts;
        for (const Record& record : all) now.seconds = std::max(now.seconds, record.started + record.seconds);
        output->write(what.result(all, now));
      };
    }
    outcome = phase.width > 0 ? parallel::run_gangs(comm, phase.width, root.get(), what.gang_executor(), sink, farm)
                              : parallel::run_farm(comm, root.get(), what.executor(), sink, farm);
    records = outcome.records;
    times.add(outcome, phase.width);
    if (!outcome.finished) break;
    if (farm.max_time > 0) farm.max_time = std::max(farm.max_time - outcome.seconds, 1e-9);
  }

  parallel::on_root(comm, [&] {
    facts.status = outcome.finished ? "finished" : "stopped";
    facts.finished = utc_now();
    times.put(facts);
    output->write(what.result(records, facts));
    if (outcome.finished) {
      sink.remove_all(".part");  // of units that ended elsewhere or whose run was killed just then
      output->close(records);
    }
    if (json_log) {
      json_log->end(facts);
      const std::string failure = json_log->failure();
      if (!failure.empty()) context.log.warn(text("--json-log ", run.json_log, " lacks lines (", failure, ")"));
    }
    print_report(run.output, what);
    if (!outcome.finished) context.log.info("stopped; the same command continues where it left off");
  });
  const auto failed = [](const Record& record) { return record.status == Status::failed; };
  bool nothing = !records.empty() && std::all_of(records.begin(), records.end(), failed);
  parallel::broadcast(comm, std::as_writable_bytes(std::span(&nothing, 1)));
  return !outcome.finished ? ExitCode::stopped : nothing ? ExitCode::failed : ExitCode::done;
}

}  // namespace krossfold::run
