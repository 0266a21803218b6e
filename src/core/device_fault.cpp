// SPDX-License-Identifier: BSD-3-Clause
#include <type_traits>

#include "krossfold/core/device_error.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/provenance.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/core/view.hpp"

#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_IMPL_VIEW_LEGACY) && \
    defined(MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS) &&            \
    !defined(MDSPAN_IMPL_USE_FAKE_ATTRIBUTE_NO_UNIQUE_ADDRESS) &&      \
    (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1209)
#error \
    "this Kokkos gives kernels Views that CUDA 12.9 and later misplace; take a newer one or build it with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON"
#endif

namespace krossfold {

namespace {

constexpr int count = 64;

/// Bytes from one object to the next, as the compiler at hand places them; it is no constant for either of the two.
template <class T>
KOKKOS_INLINE_FUNCTION int distance_of_two(const T* pair) {
  return static_cast<int>(reinterpret_cast<const char*>(pair + 1) - reinterpret_cast<const char*>(pair));
}

struct Sizes {
  int of_vector, of_matrix;
};

KOKKOS_INLINE_FUNCTION Sizes sizes() {
  return {distance_of_two<Vector<float, Device>>(nullptr), distance_of_two<Matrix<double, Device>>(nullptr)};
}

/// The sizes that a device finds. The kernel is given nothing whose parts could lie elsewhere.
void find_sizes(Sizes* out) {
  Kokkos::parallel_for(
      "krossfold::core::find_sizes", Kokkos::RangePolicy<Device>(0, 1), KOKKOS_LAMBDA(int) { *out = sizes(); });
}

/// 3 i + 1 at each i, with Views before and behind the factor.
void fill(const Vector<int, Device>& out, int factor, const Matrix<int, Device>& plus) {
  Kokkos::parallel_for(
      "krossfold::core::fill", Kokkos::RangePolicy<Device>(0, count),
      KOKKOS_LAMBDA(int i) { out(i) = factor * i + plus(0, i); });
}

}  // namespace

std::string device_fault() {
  if constexpr (std::is_same_v<Device, Host>) return {};
  const Flags<Sizes> found("krossfold::core::sizes", 1);
  found(0) = {0, 0};
  find_sizes(found.data());
  fence(Device(), "krossfold::core::find_sizes");
  const Sizes here = sizes(), there = found(0);
  if (here.of_vector != there.of_vector || here.of_matrix != there.of_matrix) {
    return text("kernels are given Views of ", there.of_vector, " and ", there.of_matrix, " bytes where the host has ",
                here.of_vector, " and ", here.of_matrix);
  }
  const Vector<int, Device> out("krossfold::core::out", count);
  const Matrix<int, Device> plus("krossfold::core::plus", 1, count);
  Kokkos::deep_copy(plus, 1);
  fill(out, 3, plus);
  const auto numbers = on_host(out);
  for (int i = 0; i < count; ++i) {
    if (numbers(i) != 3 * i + 1) return text("a kernel wrote ", numbers(i), " where ", 3 * i + 1, " is right");
  }
  return {};
}

void require_working_device() {
  const std::string fault = device_fault();
  if (fault.empty()) return;
  throw_run_error(text("the GPU ", device_state().id, " of ", host_name(), " computes wrong results"), fault,
                  "Take another GPU, or a program whose Kokkos is newer or built with "
                  "-DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON (docs/gpu.md).");
}

}  // namespace krossfold
