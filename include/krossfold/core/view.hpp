// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold {

/// A contiguous array of T in the memory of execution space Exec.
template <class T, class Exec = Host>
using Vector = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>;

/// A row-major matrix of T; rows are samples. Its sub-matrices have the same type, with a larger row stride.
template <class T, class Exec = Host>
using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;

/// A stack of row-major matrices: (problem, row, column).
template <class T, class Exec = Host>
using Cube = Kokkos::View<T***, Kokkos::LayoutRight, typename Exec::memory_space>;

/// A short array that kernels write and the host reads after a fence.
template <class T>
using Flags = Kokkos::View<T*, Kokkos::LayoutRight, HostVisible>;

/// A member of a team of threads.
template <class Exec>
using Team = typename Kokkos::TeamPolicy<Exec>::member_type;

/// A copy between a host and a device waits for all kernels. Fibres, which need none, wait here.
inline void wait_like_a_copy() {
#ifdef KROSSFOLD_FIBRES
  fibres::finish();
#endif
}

/// Memory without gaps of the shape of `view`, in the same space.
template <class View>
auto dense_like(const View& view) {
  static_assert(View::rank == 1 || View::rank == 2);
  using Dense = Kokkos::View<typename View::non_const_data_type, Kokkos::LayoutRight, typename View::memory_space>;
  if constexpr (View::rank == 1) {
    return Dense(uninitialized("krossfold::core::dense"), view.extent(0));
  } else {
    return Dense(uninitialized("krossfold::core::dense"), view.extent(0), view.extent(1));
  }
}

/// A copy of `view` in the memory `Space`, or `view` itself if that is where it lives. Only what has no gaps can be copied between a
/// host and a device, so that rows with a padding go through a copy without one.
template <class Space, class View>
auto copy_in(const Space& space, const View& view) {
  using Copy = decltype(Kokkos::create_mirror_view_and_copy(space, view));
  wait_like_a_copy();
  if constexpr (!Kokkos::SpaceAccessibility<typename View::memory_space, Space>::accessible && View::rank <= 2) {
    if (!view.span_is_contiguous()) {
      const auto dense = dense_like(view);
      Kokkos::deep_copy(dense, view);
      return Copy(Kokkos::create_mirror_view_and_copy(space, dense));
    }
  }
  return Kokkos::create_mirror_view_and_copy(space, view);
}

/// A host-readable copy of `view`, or `view` itself if it already lives in host memory.
template <class View>
auto on_host(const View& view) {
  return copy_in(Kokkos::HostSpace(), view);
}

/// A copy of the host view in the memory of Exec, or the view itself if it already lives there.
template <class Exec, class View>
auto on_device(const View& view) {
  return copy_in(typename Exec::memory_space(), view);
}

/// Copies the values of a host view into `view`, of the same shape, whose rows may have a padding.
template <class View, class From>
void copy_into(const View& view, const From& from) {
  wait_like_a_copy();
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible) {
    if (!view.span_is_contiguous() || !from.span_is_contiguous()) {
      const auto dense = dense_like(view);
      const auto host = dense_like(from);
      Kokkos::deep_copy(host, from);
      Kokkos::deep_copy(dense, host);
      Kokkos::deep_copy(view, dense);
      return;
    }
  }
  Kokkos::deep_copy(view, from);
}

/// Host memory of the shape of `view`, to be filled and copied there; `view` itself if it already lives in host memory.
template <class View>
auto host_mirror(const View& view) {
  wait_like_a_copy();
  return Kokkos::create_mirror_view(view);
}

/// A copy of host values in the memory of Exec.
template <class Exec>
Vector<const int, Exec> list_on(const std::string& label, std::span<const int> values) {
  const Kokkos::View<const int*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                                       values.size());
  const Vector<int, Exec> list(uninitialized(label), values.size());
  Kokkos::deep_copy(list, host);
  return list;
}

/// The values of a contiguous host view in the order of memory.
template <class View>
std::vector<typename View::non_const_value_type> list_of(const View& view) {
  return {view.data(), view.data() + view.size()};
}

/// Rounds a row length up so that every row of a matrix starts on a 64-byte boundary.
template <class T>
KOKKOS_INLINE_FUNCTION constexpr int padded(int columns) {
  constexpr int step = 64 / static_cast<int>(sizeof(T));
  return (columns + step - 1) / step * step;
}

/// An uninitialised rows x columns matrix whose rows start on 64-byte boundaries (stride(0) >= columns). On a device what lies between
/// the rows is 0; a host is not to touch all pages at once.
template <class T, class Exec>
Matrix<T, Exec> padded_matrix(const std::string& label, int rows, int columns) {
  const Matrix<T, Exec> whole(uninitialized(label), rows, padded<T>(columns));
  const auto all = Kokkos::make_pair(0, rows);
  if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible) {
    if (rows > 0 && columns < padded<T>(columns))
      Kokkos::deep_copy(Kokkos::subview(whole, all, Kokkos::make_pair(columns, padded<T>(columns))), T(0));
  }
  return Kokkos::subview(whole, all, Kokkos::make_pair(0, columns));
}

}  // namespace krossfold
