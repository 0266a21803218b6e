// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/doctor/examine.hpp"

#include <exception>
#include <memory>
#include <optional>

#include "krossfold/core/device_error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/parallel/job_end.hpp"
#include "krossfold/storage/folder_probe.hpp"
#include "wording.hpp"

namespace krossfold::doctor {

namespace {

/// The facts of this rank, with Kokkos started if there is a device for it. Collective.
RankFacts facts_with_kokkos(const parallel::Communicator& world, std::optional<KokkosRuntime>& kokkos) {
  std::vector<int> usable;
  std::string problem;
  try {
    usable = parallel::usable_devices({}, visible_devices(), cpu_backend(), device_error());
  } catch (const Error& error) {
    problem = error.what();
  }
  parallel::RankPlace place;
  place.host = host_name();
  place.device = parallel::choose_device(world, usable);
  place.devices = static_cast<int>(usable.size());
  if (problem.empty()) {
    kokkos.emplace(place.device);
    place.backend = backend_description();
    if (place.device >= 0) place.state = device_state();
    try {
      require_working_device();
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  RankFacts facts = facts_of_this_rank(world, place, problem);
  facts.mps = place.device >= 0 && device_shared_by_mps();
  return facts;
}

}  // namespace

Examination examine(const parallel::Communicator& world, const std::string& output) {
  std::optional<KokkosRuntime> kokkos;
  RankFacts facts = facts_with_kokkos(world, kokkos);
  std::unique_ptr<storage::FolderProbe> probe;
  if (world.is_root()) probe = std::make_unique<storage::FolderProbe>(output);
  parallel::patient_barrier(world);
  const std::string path = parallel::all_gather(world, probe ? probe->path() : "")[0];
  if (!world.is_root() && !path.empty()) facts.view = storage::view_of(path);
  Examination found;
  found.ranks = gather(world, facts);
  if (!world.is_root()) return found;
  const Ranks& ranks = found.ranks;
  const storage::FolderFacts& folder = probe->facts();
  found.findings = {check_launch(ranks),      check_build(ranks),
                    check_processor(ranks),   check_cores(ranks),
                    check_kokkos(ranks),      check_devices(ranks),
                    check_mpi(ranks),         check_threads(ranks),
                    check_gpu_aware(ranks),   check_shared_memory(ranks),
                    check_memory(ranks),      check_blas(ranks),
                    check_hdf5(ranks),        check_output(ranks, folder),
                    check_room(folder),       check_locks(ranks, folder),
                    check_limits(ranks),      check_clock(ranks),
                    check_environment(ranks), check_slurm(ranks, slurm_facts(), parallel::epoch_seconds())};
  return found;
}

}  // namespace krossfold::doctor
