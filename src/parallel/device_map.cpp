// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/device_map.hpp"

#include <algorithm>
#include <map>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"
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

/// Hosts in the order of their first rank, with their ranks.
std::vector<std::pair<std::string, std::vector<int>>> by_host(const std::vector<RankPlace>& places) {
  std::vector<std::pair<std::string, std::vector<int>>> hosts;
  for (std::size_t r = 0; r < places.size(); ++r) {
    auto found = std::find_if(hosts.begin(), hosts.end(), [&](const auto& h) { return h.first == places[r].host; });
    if (found == hosts.end()) found = hosts.insert(hosts.end(), {places[r].host, {}});
    found->second.push_back(static_cast<int>(r));
  }
  return hosts;
}

/// "0-3,6" for the ascending numbers 0, 1, 2, 3, 6.
std::string ranges(const std::vector<int>& numbers) {
  std::string all;
  for (std::size_t first = 0, last; first < numbers.size(); first = last + 1) {
    for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    all += text(all.empty() ? "" : ",", numbers[first]);
    if (last > first) all += text("-", numbers[last]);
  }
  return all;
}

}  // namespace

int choose_device(const Communicator& comm) {
  const int visible = visible_devices(), local = local_rank(comm);
  return visible > 0 ? local % visible : -1;
}

std::vector<RankPlace> find_places(const Communicator& comm, int device) {
  ByteWriter writer;
  writer.put_string(host_name());
  writer.put<std::int32_t>(local_rank(comm));
  writer.put<std::int32_t>(device);
  writer.put_string(backend_description());
  const auto bytes = writer.take();
  const auto texts = all_gather(comm, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<RankPlace> places;
  for (const std::string& text : texts) {
    ByteReader reader(std::as_bytes(std::span(text)), "place of a rank");
    RankPlace place;
    place.host = reader.get_string();
    place.local_rank = reader.get<std::int32_t>();
    place.device = reader.get<std::int32_t>();
    place.backend = reader.get_string();
    places.push_back(place);
  }
  return places;
}

std::string describe(const std::vector<RankPlace>& places) {
  std::string all;
  for (const auto& [host, ranks] : by_host(places)) {
    std::map<std::pair<int, std::string>, std::vector<int>> by_place;
    for (const int rank : ranks) by_place[{places[rank].device, places[rank].backend}].push_back(rank);
    std::string line;
    for (const auto& [place, here] : by_place) {
      line += text(line.empty() ? " " : "; ", here.size() > 1 ? "ranks " : "rank ", ranges(here), " on ");
      if (place.first >= 0) line += text("device ", place.first, ", ");
      line += place.second;
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

}  // namespace krossfold::parallel
