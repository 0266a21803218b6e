// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Kernels that are launched again and again with the same arguments, at the price of one launch for all of them.

#include <functional>
#include <memory>
#include <type_traits>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold {

/// Whether launches in this space can be recorded.
#ifdef KOKKOS_ENABLE_CUDA
template <class Exec>
inline constexpr bool has_graphs = std::is_same_v<Exec, Kokkos::Cuda>;
#else
template <class Exec>
inline constexpr bool has_graphs = false;
#endif

/// Whether work in this space is repeated by a LaunchGraph: with fibres too, which run the code of a device.
#ifdef KROSSFOLD_FIBRES
template <class Exec>
inline constexpr bool repeats_launches = !std::is_same_v<Exec, Host>;
#else
template <class Exec>
inline constexpr bool repeats_launches = has_graphs<Exec>;
#endif

/// What `launches` starts in the stream of `exec`: kernels, copies within the device and products of KokkosBlas. On CUDA it is called once
/// and recorded, not run; each launch() starts all of it as one graph (CUDA C++ Programming Guide, "CUDA Graphs"), so that a host pays
/// a few microseconds instead of as many for each kernel. Elsewhere, and if it cannot be recorded, launch() calls `launches`.
/// Results are bitwise the same either way.
///
/// Arguments are those of the recording: what changes from one launch to the next must lie in memory of the device. Views that kernels
/// use must live as long as the graph. `launches` must neither wait (a fence, a reduction to a number) nor need memory of its
/// own: it must have run once before, as Kokkos and BLAS allocate some at their first call. Functors of 512 bytes or more, which Kokkos
/// passes through a buffer of the host, cannot be repeated: a graph with a copy from the host is refused, and `launches` called instead.
template <class Exec>
class LaunchGraph {
public:
  LaunchGraph(const Exec& exec, std::function<void()> launches);
  /// Does not wait for the device. Throws a run error if the device refuses.
  void launch();
  /// True if it launches a graph.
  bool recorded() const { return graph_ != nullptr; }

private:
  struct Graph;
  Exec exec_;
  std::function<void()> launches_;
  std::shared_ptr<Graph> graph_;
};

}  // namespace krossfold
