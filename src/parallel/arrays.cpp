// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/arrays.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/parallel/mpi_facts.hpp"

namespace krossfold::parallel {

namespace {

/// Calls exchange(pointer) with the numbers in memory that MPI accepts, and copies them back from there if `received`.
template <class Exec, class Exchange>
void staged(const Vector<float, Exec>& numbers, bool received, const Exchange& exchange) {
  if (mpi_accepts<Exec>()) return exchange(numbers.data());
  const auto copy = on_host(numbers);
  exchange(copy.data());
  if (received) Kokkos::deep_copy(numbers, copy);
}

}  // namespace

template <class Exec>
bool mpi_accepts() {
  return std::is_same_v<Exec, Host> || gpu_aware();
}

template <class Exec>
void broadcast(const Communicator& comm, const Vector<float, Exec>& numbers) {
  staged<Exec>(numbers, !comm.is_root(), [&](float* first) {
    broadcast(comm, std::as_writable_bytes(std::span(first, static_cast<std::size_t>(numbers.extent(0)))));
  });
}

template <class Exec>
void all_gather(const Communicator& comm, const Vector<float, Exec>& numbers, std::span<const std::int64_t> begin) {
  if (begin.back() > std::numeric_limits<int>::max()) {
    throw_run_error(text("arrays of ", begin.back(), " numbers are too long to exchange"), "MPI counts have 32 bits",
                    "Use a smaller batch.");
  }
  const std::vector<int> first(begin.begin(), begin.end() - 1);
  std::vector<int> count;
  for (std::size_t r = 0; r < first.size(); ++r) count.push_back(static_cast<int>(begin[r + 1] - begin[r]));
  staged<Exec>(numbers, true, [&](float* all) {
    check(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count.data(), first.data(), MPI_FLOAT, comm.handle()),
          "MPI_Allgatherv");
  });
}

void all_sum(const Communicator& comm, std::span<double> numbers) {
  constexpr std::size_t piece = std::size_t{1} << 27;  // MPI counts are int
  for (std::size_t first = 0; first < numbers.size(); first += piece) {
    const auto count = static_cast<int>(std::min(piece, numbers.size() - first));
    check(MPI_Allreduce(MPI_IN_PLACE, numbers.data() + first, count, MPI_DOUBLE, MPI_SUM, comm.handle()),
          "MPI_Allreduce");
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                               \
  template bool mpi_accepts<Exec>();                                              \
  template void broadcast<Exec>(const Communicator&, const Vector<float, Exec>&); \
  template void all_gather<Exec>(const Communicator&, const Vector<float, Exec>&, std::span<const std::int64_t>);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::parallel
