// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/cli/program.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "illegal_instruction.hpp"
#include "krossfold/core/device_error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/memory.hpp"
#include "krossfold/core/printable.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/parallel/job_end.hpp"
#include "krossfold/parallel/mpi_facts.hpp"
#include "krossfold/parallel/other_text.hpp"
#include "krossfold/run/run_study.hpp"
#include "krossfold/storage/reader_process.hpp"

namespace krossfold::cli {

namespace {

constexpr std::string_view reads_hdf5 =
    "--read-hdf5";  // the argument of the processes that read HDF5 files for this one

std::atomic<int> stop_signals = 0;                     // the first requests a stop, the second an immediate one
static_assert(std::atomic<int>::is_always_lock_free);  // handlers of signals may then change it

void count_signal(int) { ++stop_signals; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = count_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) sigaction(signal, &action, nullptr);
}

/// Throws a run error if a limit of the address space (ulimit -v) leaves less than BLAS takes: it waits for ever for its 128 MiB.
void check_address_space() {
  constexpr std::uint64_t least = std::uint64_t{256} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::uint64_t used = process_memory().addresses;
  if (used == 0 || used + least <= limit.rlim_cur) return;
  throw_run_error(text("the address space of a process is limited to ", size_text(limit.rlim_cur)),
                  text("the program itself has ", size_text(used), ", and needs ", size_text(least), " besides"),
                  "raise the limit: ulimit -v");
}

/// A path under which this program can be started once more, even after another one was installed in its place. Under valgrind
/// /proc/self/exe is valgrind, and only what that link says, which valgrind answers, is the program.
std::string this_program() {
  const std::filesystem::path link = "/proc/self/exe";
  std::error_code fault;
  const auto named = std::filesystem::read_symlink(link, fault);
  if (fault || !std::filesystem::exists(named, fault)) return link.string();
  return std::filesystem::equivalent(named, link, fault) || fault ? link.string() : named.string();
}

/// OpenBLAS falls back to a slow kernel on processors it does not know. It chooses the kernel while it is loaded, so the only
/// way to correct the choice is to start the program again with the variable set.
void choose_blas_kernel(char** argv) {
  const std::string better = better_blas_kernel();
  if (!better.empty() && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
    setenv("OPENBLAS_CORETYPE", better.c_str(), 1);
    execv(this_program().c_str(), argv);  // returns only if it fails; the slow kernel works too
  }
  use_one_blas_thread();
}

/// True on the process that prints messages before MPI has started, or where each process is alone in its world.
bool speaks_before_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank) == 0;
  }
  return true;
}

int complain(const Error& error, bool speaks) {
  if (speaks) std::cerr << "krossfold: error: " << printable(error.what()) << std::endl;
  return static_cast<int>(error.code());
}

/// Throws a run error if not all of what was printed could be written.
void check_printed() {
  errno = 0;
  if (std::cout.flush()) return;
  throw_run_error("the output is not complete",
                  text("standard output takes no more", errno != 0 ? text(": ", std::strerror(errno)) : std::string()),
                  "Is the disk full that it goes to?");
}

/// Says what was put together from several lines, of which the first may be a warning.
void say_lines(const Log& log, const std::string& lines, bool warns) {
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line); warns = false) warns ? log.warn(line) : log.info(line);
}

/// The words of the command without those that may differ from rank to rank, as what they set is a rank's own.
std::string shared_words(int argc, char** argv) {
  constexpr std::array<std::string_view, 3> own_values = {"--memory-limit", "--gpu", "--json-log"};
  constexpr std::array<std::string_view, 2> own_switches = {"--quiet", "--verbose"};
  const auto is_one_of = [](const auto& names, std::string_view word) {
    return std::find(names.begin(), names.end(), word.substr(0, word.find('='))) != names.end();
  };
  std::string words;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (is_one_of(own_switches, word)) continue;
    if (is_one_of(own_values, word)) {
      k += word.find('=') == std::string_view::npos ? 1 : 0;
      continue;
    }
    words += text(words.empty() ? "" : " ", word);
  }
  return words;
}

/// Throws an input error unless all ranks were started with the same words: each would wait for others that do something else. Collective.
void check_same_words(const parallel::Communicator& world, const std::string& words) {
  const auto other = parallel::find_other_text(world, words);
  if (!other) return;
  throw_input_error(text("rank ", other->rank, " was started with other words than rank 0"),
                    text("krossfold ", other->text, " instead of krossfold ", other->of_root),
                    "Start all ranks of a job with the same words, and different studies as jobs of their own.");
}

/// Throws an input error unless all ranks read the same configuration: units would differ with the rank. Collective.
void check_same_configuration(const parallel::Communicator& world, const CommandLine& line) {
  const auto other = parallel::find_other_text(world, line.configured);
  if (!other) return;
  throw_input_error(
      text("rank ", other->rank, " read another --config ", line.run.config, " than rank 0"),
      "each would compute its units in another way",
      "Name a file that is the same for all ranks, by its whole path; standard input is given to rank 0 alone.");
}

/// When this run has to stop before the batch system ends the job; never if there is no such end. Only rank 0 finds out.
parallel::Deadline find_deadline(const parallel::Communicator& world, const Log& log, const run::RunParams& run) {
  constexpr double never = std::numeric_limits<double>::infinity();
  parallel::Deadline deadline{never, never};
  if (run.dry_run || !world.is_root()) return deadline;
  if (const auto job = parallel::find_job_end(parallel::slurm_queries())) {
    deadline = parallel::deadline_of(*job, run.grace);
    log.info(parallel::describe(*job, deadline, parallel::epoch_seconds()));
  }
  return deadline;
}

/// speaks: whether this process prints where each is alone in its world.
ExitCode run_command(const CommandLine& line, const parallel::Communicator& world, const run::StudyRegistry& registry,
                     bool speaks) {
  const Verbosity verbosity = line.quiet ? Verbosity::quiet : line.verbose ? Verbosity::verbose : Verbosity::normal;
  const Log log(verbosity, world.is_root());
  const auto on_root = [&](const auto& command) {
    const storage::KeptReader reader;
    parallel::on_root(world, command);
    return ExitCode::done;
  };
  if (line.command == Command::report) return on_root([&] { run_report(line.report, registry); });
  if (line.command == Command::plan) return on_root([&] { run_plan(line.plan, registry); });
  if (line.command == Command::doctor) return run_doctor(line.doctor, world, world.size() > 1 || speaks, line.quiet);
  const auto began = std::chrono::steady_clock::now();
  const std::vector<int> usable = parallel::find_devices(world, line.run.devices);
  const int device = parallel::choose_device(world, usable);
  const KokkosRuntime kokkos(device);
  if (!cpu_backend()) parallel::on_all(world, require_working_device);
  if (line.command == Command::predict) return on_root([&] { run_predict(line.predict, log); });
  if (line.command == Command::data) return on_root([&] { run_data(line.data, log); });
  if (line.command == Command::export_model) return on_root([&] { run_export(line.exported, log); });
  if (line.command == Command::import_model) return on_root([&] { run_import(line.imported, log); });
  if (line.command == Command::sample) return on_root([&] { run_sample(line.sample); });
  const auto places = parallel::find_places(world, device, static_cast<int>(usable.size()));
  if (!line.run.dry_run) say_lines(log, parallel::describe(places), false);
  say_lines(log, parallel::idle_devices(places, line.run.command_line), true);
  log.detail(text("BLAS: ", blas_kernel(), "; processor: ", cpu_name()));
  const parallel::Deadline deadline = find_deadline(world, log, line.run);
  const auto said = std::make_shared<bool>(false);
  const auto stop = [&log, deadline, said, grace = line.run.grace] {
    if (stop_signals > 0 && !std::exchange(*said, true)) {
      log.info(text("stopping: units in flight have ", duration_text(grace), " to finish; a second signal drops them"));
    }
    return stop_signals > 0 || parallel::epoch_seconds() >= deadline.stop;
  };
  const auto drop = [deadline] { return stop_signals > 1 || parallel::epoch_seconds() >= deadline.drop; };
  const run::RunContext context{world, log, places, line.run, began, stop, drop};
  return run::run_study(context, *line.kind, *line.study);
}

}  // namespace

int run_program(int argc, char** argv, const run::StudyRegistry& registry) {
  explain_illegal_instructions();
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond ulimit -f is an error of its write, EFBIG
  if (argc == 2 && argv[1] == reads_hdf5) return storage::serve_reader_requests(STDIN_FILENO);
  storage::set_reader_command({this_program(), std::string(reads_hdf5)});
  choose_blas_kernel(argv);
  const bool speaks = speaks_before_mpi();  // MPI changes the variables of a process that it finds alone
  CommandLine line;
  try {
    line = parse(argc, argv, registry);
  } catch (const Error& error) {
    // The launcher ends the job when the first process fails, which must be the one that prints the reason.
    if (!speaks) std::this_thread::sleep_for(std::chrono::seconds(2));
    return complain(error, speaks || error.code() == ExitCode::failed);  // of this process alone, perhaps
  }
  if (line.command == Command::none) {
    try {
      // As above, of an error.
      if (!speaks && line.answers_error) std::this_thread::sleep_for(std::chrono::seconds(2));
      if (speaks) (line.answers_error ? std::cerr : std::cout) << line.answer << std::flush;
      check_printed();
    } catch (const Error& error) {
      return complain(error, speaks);
    }
    return static_cast<int>(line.answers_error ? ExitCode::usage : ExitCode::done);
  }
  if (line.command == Command::study) catch_signals();
  const std::string words = shared_words(argc, argv);  // MPI may take some
  for (int k = 0; k < argc; ++k) line.run.command_line += (k > 0 ? " " : "") + std::string(argv[k]);
  try {
    const parallel::MpiRuntime mpi(&argc, &argv);
    const parallel::Communicator world(MPI_COMM_WORLD);
    // A separate communicator: its barrier must not match collective calls of ranks that are unaware of an error.
    const parallel::Communicator ends(MPI_COMM_WORLD);
    try {
      check_same_words(world, words);
      check_same_configuration(world, line);
      if (line.command != Command::doctor) {  // which says so itself
        parallel::require_threads();
        parallel::check_one_world(world);
        check_address_space();
      }
      const ExitCode code = run_command(line, world, registry, speaks);
      check_printed();
      parallel::patient_barrier(ends);
      return static_cast<int>(code);
    } catch (const std::exception& exception) {
      const auto* error = dynamic_cast<const Error*>(&exception);
      const Error shown = error != nullptr ? *error : Error(ExitCode::failed, explanation_of(exception));
      if (world.is_root()) complain(shown, true);
      if (!parallel::all_arrive(ends, 5)) {  // the other ranks are unaware of the error and would wait for ever
        if (!world.is_root()) complain(shown, true);
        parallel::abort_job(world, shown.code());
      }
      return static_cast<int>(shown.code());
    }
  } catch (const Error& error) {
    return complain(error, true);
  }
}

}  // namespace krossfold::cli
