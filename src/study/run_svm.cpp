// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/run_svm.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <type_traits>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/parallel/node_memory.hpp"
#include "krossfold/parallel/stop_news.hpp"
#include "krossfold/parallel/task_farm.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/study/report.hpp"
#include "krossfold/study/study_output.hpp"
#include "krossfold/study/svm_executor.hpp"
#include "krossfold/study/svm_memory.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_result.hpp"
#include "krossfold/study/svm_study.hpp"

namespace krossfold::study {

namespace {

/// The data counts by its values, not by how its path was written; the range of gamma as it was used.
storage::Fingerprint fingerprint_of(const SvmSearch& search, const data::Task& task) {
  const BuildInfo build = build_info();
  storage::Fingerprint print;
  SvmParams params = search.params;
  params.log10_gamma = search.log10_gamma;
  print.config = fingerprint_text(options_of(params));
  print.data = task.train.digest ^ (task.test.digest * 0x9E3779B97F4A7C15u);
  print.build = text("krossfold ", build.version, " ", build.git_commit, ", ", build.compiler, ", Kokkos ",
                     build.kokkos, ", ", cpu_name(), ", ", blas_kernel());
  return print;
}

/// Of all that the bits of a unit's result depend on.
std::uint64_t identity_of(const storage::Fingerprint& print) {
  const std::string all = text(print.config, '\n', print.data, '\n', print.build, '\n', backend_description());
  // Two programs may say the same of themselves: what counts is the program.
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return crc64(std::as_bytes(std::span(program)), crc64(std::as_bytes(std::span(all))));
}

/// The plan for this rank. Throws on every rank if it does not suit one of them.
MemoryPlan plan_memory_of(const SvmSearch& search, const Surroundings& around, const RunParams& run) {
  const parallel::RankPlace& mine = around.places[around.comm.rank()];
  MemoryRoom room;
  room.ranks = static_cast<int>(std::count_if(around.places.begin(), around.places.end(),
                                              [&](const auto& place) { return place.host == mine.host; }));
  room.bytes = machine_memory() / 100 * 95 / static_cast<std::uint64_t>(room.ranks);
  room.why = text(room.ranks, " ranks share the ", size_text(machine_memory()), " of ", mine.host);
  if (mine.device >= 0) {
    room.bytes = std::numeric_limits<std::uint64_t>::max();  // of the device: its runtime refuses what does not fit
  } else {
    room.node_memory = parallel::free_node_memory();
  }
  if (run.memory_limit > 0 && run.memory_limit < room.bytes) {
    room.bytes = run.memory_limit;
    room.why = text("--memory-limit allows ", size_text(run.memory_limit));
  }
  MemoryPlan plan;
  parallel::on_all(around.comm, [&] { plan = plan_memory(search, room); });
  // Making shared memory is a step of all ranks together.
  const auto shared = parallel::all_gather(around.comm, plan.shared_distances ? "shared" : "own");
  if (std::count(shared.begin(), shared.end(), "own") > 0) {
    room.node_memory = 0;
    parallel::on_all(around.comm, [&] { plan = plan_memory(search, room); });
  }
  return plan;
}

/// Squared distances that the ranks of a node compute together and share.
struct NodeDistances {
  std::unique_ptr<parallel::NodeMemory> memory;
  SharedDistances shared;
  bool complete = true;  ///< false if the run was stopped on the way
};

NodeDistances share_distances(const SvmSearch& search, const data::Task& task, const Surroundings& around) {
  const int n = search.samples, stride = padded<float>(n);
  NodeDistances node;
  node.memory = std::make_unique<parallel::NodeMemory>(
      around.comm, sizeof(float) * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(stride));
  const Matrix<float, Host> whole(reinterpret_cast<float*>(node.memory->data()), n, stride);
  const Matrix<float, Host> distance = Kokkos::subview(whole, Kokkos::make_pair(0, n), Kokkos::make_pair(0, n));
  const auto points = svm::make_points<Host>(task.train, search.scale, svm::best_form(task.train, search.scale));
  parallel::StopNews news(around.comm, around.stop_requested);
  try {
    svm::squared_distance<Host>(Host(), distance, points, {node.memory->rank(), node.memory->size()}, [&] {
      if (news.stopped()) throw Stopped();
    });
  } catch (const Stopped&) {
  }
  node.complete = !news.finish();
  node.memory->barrier();
  if constexpr (std::is_same_v<Device, Host>) node.shared.distance = distance;
  node.shared.unit = points.unit;
  return node;
}

void print_plan(const SvmSearch& search, const Surroundings& around, const MemoryPlan& plan) {
  const int refined_units = refined_count(search.params.grid_gamma) * search.folds.folds();
  std::cout << "units    " << search.gamma.size() * static_cast<std::size_t>(search.folds.folds())
            << " (gamma, fold), each " << search.c.size() << " C x " << search.problems << " binary problems"
            << (search.params.refine > 0
                    ? text("; then ", search.params.refine, " finer grids of ", refined_units, " units")
                    : "")
            << (search.params.probability ? text("; then ", search.folds.folds(), " for the probabilities") : "")
            << (search.params.refit ? "; then the refit" : "") << "\nsamples  " << search.samples << " training, "
            << search.test_samples << " test, " << search.features << " features\nmemory   " << describe(plan)
            << "\ndevices  " << parallel::describe(around.places) << "\n";
}

/// Wall time of all runs of the study, and which share of this one the ranks were computing.
void add_times(RunFacts& facts, const std::vector<Record>& earlier, const parallel::FarmOutcome& outcome) {
  double before = 0, all = 0;
  for (const Record& record : earlier) {
    before = std::max(before, record.started + record.seconds);
    all -= record.seconds;
  }
  for (const Record& record : outcome.records) all += record.seconds;
  facts.seconds = before + outcome.seconds;
  facts.utilisation = std::max(0.0, all) / (outcome.seconds * facts.ranks);
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
  std::cout << report_text(make_report(storage::read_container(path), path)) << std::flush;
}

}  // namespace

ExitCode run_svm(const Surroundings& around, const SvmParams& params, const RunParams& run) {
  const auto began = std::chrono::steady_clock::now();
  const parallel::Communicator& comm = around.comm;
  const data::Task task = parallel::load_and_broadcast(comm, [&] {
    return data::load_task({params.data, params.test, params.limit});
  });
  SvmSearch search;
  parallel::on_all(comm, [&] { search = plan_svm(params, task); });
  const MemoryPlan plan = plan_memory_of(search, around, run);
  if (run.dry_run) {
    if (comm.is_root()) print_plan(search, around, plan);
    return ExitCode::done;
  }

  const storage::Fingerprint print = fingerprint_of(search, task);
  if (!run.expected_data.empty() && run.expected_data != text(std::hex, print.data)) {
    around.log.warn(text("the data are not those that ", run.config, " was computed from"));
  }
  std::unique_ptr<StudyOutput> output;
  bool finished = false;
  RunFacts facts = facts_of(around, run, print);
  parallel::on_root(comm, [&] {
    storage::LockParams lock;
    lock.break_lock = run.break_lock;
    output = std::make_unique<StudyOutput>(run.output, "svm", print, run.retry_failed, svm_stage, lock);
    finished = output->finished();
    if (!output->started().empty()) facts.started = output->started();
    // From now on there is a result file that says how far the study is, whatever ends this run.
    if (!finished) {
      output->write(make_svm_result(search, task, output->records(), facts));
      output->forget_left_out();
    }
  });
  parallel::broadcast(comm, std::as_writable_bytes(std::span(&finished, 1)));
  if (output) {
    for (const std::string& warning : output->warnings()) around.log.warn(warning);
  }
  if (finished) {
    // A run that was killed after its result was written may have left some.
    if (comm.is_root()) storage::FolderSink(storage::models_folder(run.output)).remove_all(".part");
    around.log.info(text(run.output, " is finished already: nothing to compute."));
    if (comm.is_root()) print_report(run.output);
    return ExitCode::done;
  }
  if (output && !output->records().empty()) {
    around.log.info(text("continuing ", run.output, ": ", output->records().size(), " units were computed before"));
  }

  around.log.info(text("memory: ", describe(plan)));
  const NodeDistances node = plan.shared_distances ? share_distances(search, task, around) : NodeDistances();
  PartParams parts;
  parts.identity = identity_of(print);
  parts.every = run.checkpoint_every;
  SvmExecutor executor(search, task, plan, node.shared, parts);
  storage::FolderSink sink(storage::models_folder(run.output));
  parallel::FarmParams farm;
  if (run.max_time > 0) {  // counts from the beginning, with reading and distances
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    farm.max_time = std::max(run.max_time - spent, 1e-9);
  }
  farm.grace = run.grace;
  farm.stop_requested = around.stop_requested;
  farm.stall_timeout = run.stall_timeout;
  farm.schedule = run.schedule;
  farm.seed = params.seed;
  for (const auto& place : around.places) farm.host.push_back(place.host);
  farm.drop_requested = around.drop_requested;
  if (!node.complete) farm.stop_requested = [] { return true; };  // before any unit begins
  SvmStudy study(search, task.train.label);
  facts.setup_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  parallel::FarmOutcome outcome;
  {
    Progress progress(around.log, "svm search");
    std::unique_ptr<parallel::FarmRoot> root;
    if (output) {
      root.reset(new parallel::FarmRoot{study, output->journal(), output->records(), &progress});
      root->snapshot = [&](const std::vector<Record>& records) {
        RunFacts now = facts;
        for (const Record& record : records) now.seconds = std::max(now.seconds, record.started + record.seconds);
        output->write(make_svm_result(search, task, records, now));
      };
    }
    outcome = parallel::run_farm(comm, root.get(), executor, sink, farm);
  }

  parallel::on_root(comm, [&] {
    facts.status = outcome.finished ? "finished" : "stopped";
    facts.finished = utc_now();
    add_times(facts, output->records(), outcome);
    output->write(make_svm_result(search, task, outcome.records, facts));
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
