// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_svm.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>

#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/parallel/task_farm.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/study/report.hpp"
#include "krossfold/study/svm_executor.hpp"
#include "krossfold/study/svm_result.hpp"
#include "krossfold/study/svm_study.hpp"

namespace krossfold::study {

namespace {

namespace fs = std::filesystem;

storage::Fingerprint fingerprint_of(const SvmParams& params, const data::Task& task) {
  const BuildInfo build = build_info();
  storage::Fingerprint print;
  print.config = fingerprint_text(options_of(params));
  print.data = task.train.digest ^ (task.test.digest * 0x9E3779B97F4A7C15u);
  print.build = text("krossfold ", build.version, " ", build.git_commit, ", ", build.compiler, ", Kokkos ",
                     build.kokkos, ", ", cpu_name(), ", ", blas_kernel());
  return print;
}

/// What an existing output file means for this run.
enum class Existing { none, stopped, finished };

/// Throws an input error unless the file is of this very study.
Existing look_at_output(const std::string& path, const storage::Fingerprint& print) {
  storage::check_writable(path);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return Existing::none;
  const storage::Container content = storage::read_container(path);
  const std::string another = "Choose another -o, or move the file away.";
  if (content.attribute("kind") != "svm") {
    throw_input_error(text(path, " exists and is not of this study"), text("it holds: ", content.attribute("kind")),
                      another);
  }
  storage::Fingerprint before = print;
  before.config = content.attribute("fingerprint");
  before.data = std::stoull("0" + content.attribute("data_digest"), nullptr, 16);
  const std::string changed = storage::difference(before, print);
  if (!changed.empty()) throw_input_error(text(path, " exists and is of another study"), changed, another);
  if (content.attribute("status") == "finished") return Existing::finished;
  if (!fs::exists(storage::journal_path(path), ignored)) {
    throw_input_error(text(path, " cannot be continued"),
                      text("the study is unfinished and its journal ", storage::journal_path(path), " is missing"),
                      another);
  }
  return Existing::stopped;
}

void check_memory(const SvmSearch& search, const Surroundings& around, const RunParams& run) {
  const std::uint64_t need = memory_estimate(search);
  const std::string suggestion = "Use fewer samples (--limit), or fewer ranks a machine.";
  if (run.memory_limit > 0 && need > run.memory_limit) {
    throw_input_error(text("the study needs ", size_text(need), " on every rank"),
                      text("--memory-limit allows ", size_text(run.memory_limit)), suggestion);
  }
  const auto here = std::count_if(around.places.begin(), around.places.end(), [&](const auto& place) {
    return place.host == around.places[around.comm.rank()].host;
  });
  const std::uint64_t memory = machine_memory();
  if (around.places[0].device < 0 && need * static_cast<std::uint64_t>(here) > memory) {
    throw_input_error(text("the study needs ", size_text(need), " on every rank"),
                      text(here, " ranks share the ", size_text(memory), " of this machine"), suggestion);
  }
}

void print_plan(const SvmSearch& search, const Surroundings& around) {
  std::cout << "units    " << search.gamma.size() * static_cast<std::size_t>(search.folds.folds())
            << " (gamma, fold), each " << search.c.size() << " C x " << search.classes << " classes"
            << (search.params.refit ? "; then the refit" : "") << "\nsamples  " << search.samples << " training, "
            << search.test_samples << " test, " << search.features << " features\nmemory   "
            << size_text(memory_estimate(search)) << " a rank\ndevices  " << parallel::describe(around.places) << "\n";
}

/// The wall time of all runs of the study up to now, from its records.
double total_seconds(const std::vector<Record>& replayed, double this_run) {
  double earlier = 0;
  for (const Record& record : replayed) earlier = std::max(earlier, record.started + record.seconds);
  return earlier + this_run;
}

RunFacts facts_of(const Surroundings& around, const RunParams& run, const storage::Fingerprint& print) {
  RunFacts facts;
  facts.command_line = run.command_line;
  facts.fingerprint = print;
  facts.mpi = parallel::mpi_library();
  facts.ranks = around.comm.size();
  facts.formation = parallel::formation(around.places);
  facts.devices = parallel::describe(around.places);
  for (const auto& place : around.places) {
    if (facts.hosts.find(place.host) == std::string::npos) facts.hosts += (facts.hosts.empty() ? "" : " ") + place.host;
  }
  return facts;
}

void print_report(const std::string& path) {
  std::cout << report_text(make_report(storage::read_container(path), path)) << std::flush;
}

}  // namespace

ExitCode run_svm(const Surroundings& around, const SvmParams& params, const RunParams& run) {
  const parallel::Communicator& comm = around.comm;
  const std::string started = utc_now();
  const data::Task task = parallel::load_and_broadcast(comm, [&] {
    return data::load_task({params.data, params.test, params.limit});
  });
  const SvmSearch search = plan_svm(params, task);  // the same on every rank, errors included
  if (run.dry_run) {
    if (comm.is_root()) print_plan(search, around);
    return ExitCode::done;
  }
  check_memory(search, around, run);

  const storage::Fingerprint print = fingerprint_of(params, task);
  Existing existing = Existing::none;
  std::unique_ptr<storage::Journal> journal;
  parallel::on_root(comm, [&] {
    existing = look_at_output(run.output, print);
    std::error_code ignored;
    const std::string path = storage::journal_path(run.output);
    if (existing == Existing::finished && !fs::exists(path, ignored)) return;
    journal = std::make_unique<storage::Journal>(path, print);
    // Another run may have finished between that look and our lock, or was killed before it could delete its journal.
    existing = look_at_output(run.output, print);
    if (existing != Existing::finished) return;
    journal->remove();
    journal.reset();
  });
  parallel::broadcast(comm, std::as_writable_bytes(std::span(&existing, 1)));
  if (existing == Existing::finished) {
    around.log.info(text(run.output, " is finished already: nothing to compute."));
    if (comm.is_root()) print_report(run.output);
    return ExitCode::done;
  }
  if (journal) {
    for (const std::string& warning : {journal->lock_warning(), journal->build_warning()}) {
      if (!warning.empty()) around.log.warn(warning);
    }
    if (!journal->replayed().empty()) {
      around.log.info(text("continuing ", run.output, ": ", journal->replayed().size(), " units were computed before"));
    }
  }

  SvmExecutor executor(search, task);
  storage::FolderSink sink(storage::models_folder(run.output));
  parallel::FarmParams farm;
  farm.max_time = run.max_time;
  farm.grace = run.grace;
  farm.stop_requested = around.stop_requested;
  SvmStudy study(search);
  parallel::FarmOutcome outcome;
  {
    Progress progress(around.log, "svm search");
    std::unique_ptr<parallel::FarmRoot> root;
    if (journal) root.reset(new parallel::FarmRoot{study, *journal, journal->replayed(), &progress});
    outcome = parallel::run_farm(comm, root.get(), executor, sink, farm);
  }

  parallel::on_root(comm, [&] {
    RunFacts facts = facts_of(around, run, print);
    facts.status = outcome.finished ? "finished" : "stopped";
    facts.started = started;
    facts.finished = utc_now();
    facts.seconds = total_seconds(journal->replayed(), outcome.seconds);
    storage::write_container(run.output, make_svm_result(search, task, outcome.records, facts));
    if (outcome.finished) journal->remove();
    print_report(run.output);
    if (!outcome.finished) around.log.info("stopped; the same command continues where it left off");
  });
  return outcome.finished ? ExitCode::done : ExitCode::stopped;
}

}  // namespace krossfold::study
