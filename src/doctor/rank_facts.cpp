// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/doctor/rank_facts.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/memory.hpp"
#include "krossfold/core/processor.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/job_end.hpp"
#include "krossfold/parallel/node_memory.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5_version.hpp"

namespace krossfold::doctor {

namespace {

/// Calls use with everything in the facts, in one order, for writing and for reading. The settings are one text.
template <class Facts, class Settings, class Use>
void with_fields(Facts& f, Settings& settings, const Use& use) {
  use(f.place.host, f.place.local_rank, f.place.device, f.place.backend, f.place.devices, f.place.state.id,
      f.place.state.free_bytes, f.device_problem, f.concurrency, f.cpu_backend, f.build, f.optimised, f.processor,
      f.processor_level, f.build_level, f.missing_instructions, f.mpi, f.threads, f.gpu_aware, f.launch_problem,
      f.nvidia_gpus, f.processors, f.cores, f.processor_count, f.processor_quota, f.shared_memory, f.blas,
      f.better_blas, f.blas_threads, f.hdf5, f.hdf5_headers, f.memory, f.free_memory, f.group_memory, f.open_files,
      f.address_space, f.core_files, f.mps, f.clock, settings, f.view.visible, f.view.locked, f.view.problem);
}

template <class Exec>
int threads_of(const Exec& exec) {
  return exec.concurrency();
}

std::uint64_t limit_of(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur;
}

bool leaves_core_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 0;
}

/// Devices /dev/nvidia0, /dev/nvidia1, ...
int count_nvidia_gpus() {
  int count = 0;
  std::error_code error;
  while (std::filesystem::exists(text("/dev/nvidia", count), error)) ++count;
  return count;
}

std::string build_of_this_program() {
  const BuildInfo info = build_info();
  const std::string hash = info.git_commit.substr(0, info.git_commit.find('-'));
  return text(info.version, " (", hash.substr(0, 12), info.git_commit.substr(hash.size()), "), ", info.compiler,
              ", Kokkos ", info.kokkos);
}

}  // namespace

const std::vector<std::string>& watched_variables() {
  static const std::vector<std::string> names = {"CUDA_LAUNCH_BLOCKING",   "HDF5_DISABLE_VERSION_CHECK",
                                                 "KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS",
                                                 "MALLOC_CHECK_",          "MALLOC_PERTURB_",
                                                 "MKL_NUM_THREADS",        "OMPI_MCA_btl",
                                                 "OMP_NUM_THREADS",        "OMP_PROC_BIND",
                                                 "OPENBLAS_CORETYPE"};
  return names;
}

RankFacts facts_of_this_rank(const parallel::Communicator& world, const parallel::RankPlace& place,
                             const std::string& device_problem) {
  RankFacts facts;
  facts.place = place;
  facts.device_problem = device_problem;
  facts.cpu_backend = cpu_backend();
  facts.concurrency = place.backend.empty() ? 1 : threads_of(Host());
  facts.build = build_of_this_program();
#if !defined(__OPTIMIZE__)
  facts.optimised = false;
#endif
  facts.processor = cpu_name();
  facts.processor_level = processor_level();
  facts.build_level = build_level();
  facts.missing_instructions = joined(missing_instructions(), " ");
  facts.mpi = parallel::mpi_library();
  facts.threads = parallel::thread_level();
  facts.gpu_aware = parallel::gpu_aware();
  try {
    parallel::check_one_world(world);
  } catch (const Error& problem) {
    facts.launch_problem = problem.what();
  }
  facts.nvidia_gpus = count_nvidia_gpus();
  facts.processors = usable_processors();
  facts.cores = cores_of(facts.processors);
  facts.processor_count = processor_count();
  facts.shared_memory = parallel::free_node_memory();
  facts.blas = blas_kernel();
  facts.better_blas = better_blas_kernel();
  facts.blas_threads = blas_threads();
  facts.hdf5 = storage::hdf5_version();
  facts.hdf5_headers = storage::hdf5_header_version();
  const GroupLimits group = group_limits();
  facts.processor_quota = group.processors;
  facts.group_memory = group.memory;
  facts.memory = memory_limit();
  facts.free_memory = free_memory();
  facts.open_files = limit_of(RLIMIT_NOFILE);
  facts.address_space = limit_of(RLIMIT_AS);
  facts.core_files = leaves_core_files();
  for (const std::string& name : watched_variables()) {
    if (const char* value = std::getenv(name.c_str())) facts.settings.push_back(name + "=" + value);
  }
  return facts;
}

std::string to_bytes(const RankFacts& facts) {
  ByteWriter writer;
  const std::string settings = joined(facts.settings, "\n");
  with_fields(facts, settings, [&](const auto&... values) { writer.put_fields(values...); });
  const auto bytes = writer.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

RankFacts facts_from_bytes(const std::string& bytes) {
  RankFacts facts;
  std::string settings;
  ByteReader reader(std::as_bytes(std::span(bytes)), "facts of a rank");
  with_fields(facts, settings, [&](auto&... values) { reader.get_fields(values...); });
  for (std::size_t first = 0; first < settings.size();) {
    const std::size_t end = std::min(settings.find('\n', first), settings.size());
    facts.settings.push_back(settings.substr(first, end - first));
    first = end + 1;
  }
  return facts;
}

std::vector<RankFacts> gather(const parallel::Communicator& world, RankFacts facts) {
  parallel::patient_barrier(world);
  facts.clock = parallel::epoch_seconds();
  std::vector<RankFacts> all;
  for (const std::string& bytes : parallel::all_gather(world, to_bytes(facts))) all.push_back(facts_from_bytes(bytes));
  return all;
}

}  // namespace krossfold::doctor
