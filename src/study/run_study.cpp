// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_study.hpp"

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
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/study/file_report.hpp"
#include "krossfold/study/study_output.hpp"

namespace krossfold::study {

namespace {

/// Wall time of all runs of the study, and which share of this one the ranks were computing.
void add_times(RunFacts& facts, const std::vector<Record>& earlier, const parallel::FarmOutcome& outcome, int width) {
  double before = 0, all = 0;
  for (const Record& record : earlier) {
    before = std::max(before, record.started + record.seconds);
    all -= record.seconds;
  }
  for (const Record& record : outcome.records) all += record.seconds;
  facts.seconds = before + outcome.seconds;
  facts.utilisation = std::max(0.0, all) * width / (outcome.seconds * facts.ranks);
}

RunFacts facts_of(const Surroundings& around, const RunParams& run, const storage::Fingerprint& print) {
  RunFacts facts;
  facts.status = "running";
  facts.started = utc_now();
  facts.command_line = run.command_line;
  facts.fingerprint = print;
  facts.mpi = parallel::mpi_library();
  facts.ranks = around.comm.size();
  facts.formation = parallel::formation(around.places);
  facts.schedule = name_of(run.schedule);
  facts.devices = parallel::describe(around.places);
  for (const auto& place : around.places) {
    if (facts.hosts.find(place.host) == std::string::npos) facts.hosts += (facts.hosts.empty() ? "" : " ") + place.host;
  }
  return facts;
}

void print_report(const std::string& path) {
  std::cout << report_on({{path, storage::read_container(path)}}, "text") << std::flush;
}

parallel::FarmParams farm_params(const Surroundings& around, const RunParams& run, const StudyCase& what) {
  parallel::FarmParams farm;
  farm.grace = run.grace;
  farm.stop_requested = around.stop_requested;
  farm.drop_requested = around.drop_requested;
  farm.stall_timeout = run.stall_timeout;
  farm.schedule = run.schedule;
  farm.seed = what.seed;
  for (const auto& place : around.places) farm.host.push_back(place.host);
  return farm;
}

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

ExitCode run_study(const Surroundings& around, const RunParams& run, std::chrono::steady_clock::time_point began,
                   StudyCase& what) {
  const parallel::Communicator& comm = around.comm;
  const storage::Fingerprint& print = what.fingerprint;
  if (!run.expected_data.empty() && run.expected_data != text(std::hex, print.data)) {
    around.log.warn(text("the data are not those that ", run.config, " was computed from"));
  }
  std::unique_ptr<StudyOutput> output;
  bool finished = false;
  RunFacts facts = facts_of(around, run, print);
  parallel::on_root(comm, [&] {
    storage::LockParams lock;
    lock.break_lock = run.break_lock;
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
    for (const std::string& warning : output->warnings()) around.log.warn(warning);
  }
  storage::FolderSink sink(storage::models_folder(run.output));
  if (finished) {
    // A run that was killed after its result was written may have left some.
    if (comm.is_root()) sink.remove_all(".part");
    around.log.info(text(run.output, " is finished already: nothing to compute."));
    if (comm.is_root()) print_report(run.output);
    return ExitCode::done;
  }
  if (output && !output->records().empty()) {
    around.log.info(text("continuing ", run.output, ": ", output->records().size(), " units were computed before"));
  }

  const bool prepared = what.prepare();
  parallel::FarmParams farm = farm_params(around, run, what);
  if (!prepared) farm.stop_requested = [] { return true; };  // before any unit begins
  facts.setup_seconds = seconds_since(began);
  if (run.max_time > 0) farm.max_time = std::max(run.max_time - facts.setup_seconds, 1e-9);
  parallel::FarmOutcome outcome;
  {
    Progress progress(around.log, what.progress);
    std::unique_ptr<parallel::FarmRoot> root;
    if (output) {
      root.reset(new parallel::FarmRoot{what.study(), output->journal(), output->records(), &progress});
      root->snapshot = [&](const std::vector<Record>& records) {
        RunFacts now = facts;
        for (const Record& record : records) now.seconds = std::max(now.seconds, record.started + record.seconds);
        output->write(what.result(records, now));
      };
    }
    outcome = what.gang_width > 0
                  ? parallel::run_gangs(comm, what.gang_width, root.get(), what.gang_executor(), sink, farm)
                  : parallel::run_farm(comm, root.get(), what.executor(), sink, farm);
  }

  parallel::on_root(comm, [&] {
    facts.status = outcome.finished ? "finished" : "stopped";
    facts.finished = utc_now();
    add_times(facts, output->records(), outcome, std::max(1, what.gang_width));
    output->write(what.result(outcome.records, facts));
    if (outcome.finished) {
      sink.remove_all(".part");  // of units that ended elsewhere or whose run was killed just then
      output->close(outcome.records);
    }
    print_report(run.output);
    if (!outcome.finished) around.log.info("stopped; the same command continues where it left off");
  });
  return outcome.finished ? ExitCode::done : ExitCode::stopped;
}

}  // namespace krossfold::study
