// SPDX-License-Identifier: BSD-3-Clause
// Arrays of more than 2^31 numbers: an index of 32 bits anywhere would show in the last rows, or end in a fault. On a device with the
// memory for it; on a CPU only with KROSSFOLD_LONG_TESTS=1, as it takes 18 GiB.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/kernels/dense.hpp"

namespace krossfold {
namespace {

using kernels::DenseShape;

constexpr std::int64_t inputs = 65600;
constexpr int units = 32768;
constexpr float rate = 0.5f;

// Numbers of few digits, whose sums are exact in any order.
KOKKOS_INLINE_FUNCTION float weight_of(std::int64_t input, int unit) {
  return static_cast<float>((input * 31 + std::int64_t{unit} * 7) % 17 - 8) / 16;
}
KOKKOS_INLINE_FUNCTION float x_of(std::int64_t input) { return static_cast<float>(input % 5 - 2) / 4; }
KOKKOS_INLINE_FUNCTION float dy_of(int unit) { return static_cast<float>(unit % 3 - 1) / 8; }

bool has_memory() {
  constexpr std::uint64_t needed = std::uint64_t{18} << 30;
  if (!cpu_backend()) return device_state().free_bytes >= needed;
  const char* wanted = std::getenv("KROSSFOLD_LONG_TESTS");
  return wanted != nullptr && std::strcmp(wanted, "1") == 0;
}

void fill(const Vector<float, Device>& weight, const Vector<float, Device>& x, const Vector<float, Device>& dy) {
  Kokkos::parallel_for(
      "krossfold::test::fill_weights", Kokkos::RangePolicy<Device, Kokkos::IndexType<std::int64_t>>(0, inputs * units),
      KOKKOS_LAMBDA(std::int64_t k) { weight(k) = weight_of(k / units, static_cast<int>(k % units)); });
  Kokkos::parallel_for(
      "krossfold::test::fill_inputs", Kokkos::RangePolicy<Device>(0, static_cast<int>(inputs)), KOKKOS_LAMBDA(int i) {
        x(i) = x_of(i);
        if (i < units) dy(i) = dy_of(i);
      });
}

TEST(LargeArrays, of_weights_are_read_and_updated_to_the_last) {
  if (!has_memory()) GTEST_SKIP() << "needs 18 GiB of a device's memory, or KROSSFOLD_LONG_TESTS=1 on a CPU";
  const DenseShape shape{inputs, units, 1};
  ASSERT_GT(shape.weights(), std::int64_t{1} << 31);
  ASSERT_EQ(shape.stride(), units);
  const auto form = kernels::best_dense_form<Device>(1);
  const int partials = kernels::dense_partials(form, inputs);
  const Vector<float, Device> weight("krossfold::test::weight", shape.weights()),
      velocity("krossfold::test::velocity", shape.weights()), x("krossfold::test::x", inputs),
      dx("krossfold::test::dx", inputs), dy("krossfold::test::dy", units),
      partial("krossfold::test::partial", std::int64_t{partials} * units);
  fill(weight, x, dy);
  kernels::dense_forward<Device>(Device(), form, {partial, weight, x}, shape);
  kernels::dense_backward<Device>(Device(), form, {weight, velocity, dx, x, dy}, shape,
                                  {.rate = rate, .momentum = 0.5f, .input_is_rectified = false});
  const auto sums = on_host(partial), gradient = on_host(dx);
  for (const int unit : {0, 1, 12345, units - 1}) {
    double found = 0, expected = 0;
    for (int p = 0; p < partials; ++p) found += static_cast<double>(sums(std::int64_t{p} * units + unit));
    for (std::int64_t i = 0; i < inputs; ++i) expected += static_cast<double>(weight_of(i, unit) * x_of(i));
    EXPECT_EQ(found, expected) << unit;
  }
  for (const std::int64_t input : {std::int64_t{0}, std::int64_t{40000}, inputs - 1}) {
    double expected = 0;
    for (int unit = 0; unit < units; ++unit) expected += static_cast<double>(weight_of(input, unit) * dy_of(unit));
    EXPECT_EQ(static_cast<double>(gradient(input)), expected) << input;
    const auto row = on_host(Kokkos::subview(weight, Kokkos::make_pair(input * units, (input + 1) * units)));
    int wrong = 0;
    for (int unit = 0; unit < units; ++unit) {
      wrong += row(unit) != weight_of(input, unit) - rate * x_of(input) * dy_of(unit) ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0) << input;
  }
}

}  // namespace
}  // namespace krossfold
