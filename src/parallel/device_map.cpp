// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/device_map.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "krossfold/core/device_error.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/ranges.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::parallel {

namespace {

int local_rank(const Communicator& comm) {
  MPI_Comm node;
  int rank = 0;
  check(MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return rank;
}

/// The ranks of each host; hosts are ordered by their first rank.
std::vector<std::pair<std::string, std::vector<int>>> by_host(const std::vector<RankPlace>& places) {
  std::vector<std::pair<std::string, std::vector<int>>> hosts;
  for (std::size_t r = 0; r < places.size(); ++r) {
    auto found = std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.first == places[r].host; });
    if (found == hosts.end()) found = hosts.insert(hosts.end(), {places[r].host, {}});
    found->second.push_back(static_cast<int>(r));
  }
  return hosts;
}

}  // namespace

std::vector<int> usable_devices(const DeviceWish& wish, int visible, bool cpu_backend, const std::string& reason) {
  if (wish && cpu_backend) {
    throw_input_error("--gpu was given to a program without GPU support",
                      text("it was built for CPUs: Kokkos ", build_info().kokkos),
                      "Omit --gpu, or build Krossfold with a GPU preset (cmake --list-presets).");
  }
  if (visible == 0 && !cpu_backend) {
    throw_input_error("no GPU was found",
                      reason.empty() ? "none is visible to this process, which was built for GPUs" : reason,
                      "Check nvidia-smi, CUDA_VISIBLE_DEVICES and the GPUs requested by the batch job. report and plan "
                      "need none.");
  }
  std::vector<int> all(static_cast<std::size_t>(visible));
  std::iota(all.begin(), all.end(), 0);
  if (!wish || wish->empty()) return all;
  for (const int device : *wish) {
    if (device >= 0 && device < visible) continue;
    throw_input_error(text("--gpu names device ", device), text(host_name(), " has ", ranges(all)),
                      "Device numbers count the devices visible to the process.");
  }
  return *wish;
}

int device_of(int local_rank, const std::vector<int>& usable) {
  return usable.empty() ? -1 : usable[static_cast<std::size_t>(local_rank) % usable.size()];
}

std::vector<int> find_devices(const Communicator& comm, const DeviceWish& wish) {
  std::vector<int> usable;
  on_all(comm, [&] { usable = usable_devices(wish, visible_devices(), cpu_backend(), device_error()); });
  return usable;
}

int choose_device(const Communicator& comm, const std::vector<int>& usable) {
  return device_of(local_rank(comm), usable);
}

std::vector<RankPlace> find_places(const Communicator& comm, int device, int devices) {
  ByteWriter writer;
  check(MPI_Barrier(comm.handle()), "MPI_Barrier");  // all ranks have taken what the runtime takes of an accelerator
  const DeviceState state = device >= 0 ? device_state() : DeviceState();
  writer.put_fields(host_name(), local_rank(comm), device, backend_description(), devices, state.id, state.free_bytes);
  const auto bytes = writer.take();
  const auto texts = all_gather(comm, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<RankPlace> places;
  for (const std::string& text : texts) {
    ByteReader reader(std::as_bytes(std::span(text)), "place of a rank");
    RankPlace place;
    reader.get_fields(place.host, place.local_rank, place.device, place.backend, place.devices, place.state.id,
                      place.state.free_bytes);
    places.push_back(place);
  }
  return places;
}

std::string describe(const std::vector<RankPlace>& places) {
  std::string all;
  for (const auto& [host, ranks] : by_host(places)) {
    std::map<std::tuple<int, std::string, std::string>, std::vector<int>> by_place;
    for (const int rank : ranks) {
      by_place[{places[rank].device, places[rank].state.id, places[rank].backend}].push_back(rank);
    }
    std::string line;
    for (const auto& [place, here] : by_place) {
      line += text(line.empty() ? " " : "; ", here.size() > 1 ? "ranks " : "rank ", ranges(here), " on ");
      const auto& [device, id, backend] = place;
      if (device >= 0) line += text("device ", device, id.empty() ? "" : " at ", id, ", ");
      line += backend;
    }
    all += text(all.empty() ? "" : "\n", host, ":", line);
  }
  return all;
}

std::string formation(const std::vector<RankPlace>& places) {
  const auto hosts = by_host(places);
  const std::string backend = places.empty() ? "" : places[0].backend.substr(0, places[0].backend.find(' '));
  const bool equal =
      std::all_of(hosts.begin(), hosts.end(), [&](const auto& h) { return h.second.size() == hosts[0].second.size(); });
  if (equal && !hosts.empty()) return text(hosts.size(), "x", hosts[0].second.size(), "x", backend);
  std::string sizes;
  for (const auto& host : hosts) sizes += text(sizes.empty() ? "" : "+", host.second.size());
  return sizes + "x" + backend;
}

std::string idle_devices(const std::vector<RankPlace>& places, const std::string& command) {
  std::string idle;
  int total = 0, most = 0, least = 0;
  const auto hosts = by_host(places);
  for (const auto& [host, ranks] : hosts) {
    const int here = static_cast<int>(ranks.size()), devices = places[ranks[0]].devices;
    total += std::max(devices, here);
    most = std::max({most, devices, here});
    least = least == 0 ? std::max(devices, here) : std::min(least, std::max(devices, here));
    if (devices > here) {
      idle += text(idle.empty() ? "" : ", ", devices - here, " of ", devices, " on ", host);
    }
  }
  if (idle.empty()) return "";
  // With slots alone mpirun might fill the first host.
  const std::string by_node = hosts.size() > 1 && most == least ? text(" --map-by ppr:", most, ":node") : "";
  return text("idle GPUs: ", idle, " (a rank uses one). To use all:\n  mpirun -n ", total, by_node, " ", command,
              "\n  srun --mpi=pmix --ntasks-per-node=", most, " --gpus-per-node=", most, " ", command);
}

}  // namespace krossfold::parallel
