// SPDX-License-Identifier: BSD-3-Clause
// A thousand fits need no more memory than ten.
#include <gtest/gtest.h>

#include "krossfold/svm/train.hpp"
#include "test/memory_in_use.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

TEST(SvmMemory, is_that_of_ten_fits_after_a_thousand) {
  const data::Dataset set = test::some_digits(60, {3, 5, 8});
  test::expect_no_memory_is_kept([&] {
    const svm::Machine machine = svm::train(Device(), set, {.c = {0.1, 10}});
    svm::decision_values(Device(), machine, set);
  });
}

/// Interior points, the path of the active set and the kernel in double have memory of their own.
TEST(SvmMemory, is_that_of_ten_fits_after_a_thousand_whichever_method_solves_them) {
  const test::Overlapping cloud(60, 2, 3);
  const Matrix<float> raw("krossfold::test::raw", cloud.size(), 2);
  const Vector<int> label("krossfold::test::label", cloud.size());
  for (int i = 0; i < cloud.size(); ++i) {
    label(i) = cloud.y[i] > 0 ? 1 : 0;
    for (int f = 0; f < 2; ++f) raw(i, f) = static_cast<float>(cloud.x(i, f));
  }
  const data::Dataset set = data::make_dataset("cloud", raw, label, {"a", "b"});
  int interior = 0;
  test::expect_no_memory_is_kept(
      [&] {
        const svm::Machine machine = svm::train(Device(), set, {.c = {1, 1e3, 1e6}, .gamma = 0.5});
        interior += machine.fit[0].interior_steps > 0 ? 1 : 0;
        EXPECT_TRUE(machine.fit[0].converged);
      },
      10, 300);
}

}  // namespace
}  // namespace krossfold
