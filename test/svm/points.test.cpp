// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/points.hpp"

#include <gtest/gtest.h>

#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

using svm::PointForm;

data::Dataset set_of(const Matrix<float>& raw) {
  const Vector<int> label("krossfold::test::label", raw.extent(0));
  label(0) = 1;
  return data::make_dataset("made", raw, label, {"a", "b"});
}

TEST(PointForm, is_whole_float_for_pixels_and_less_special_where_it_must_be) {
  const data::Dataset digits = tables::embedded_digits();
  EXPECT_EQ(svm::best_form(digits, data::fit_scale(digits, "")), PointForm::whole_float);
  EXPECT_EQ(svm::best_form(digits, data::fit_scale(digits, "standard")), PointForm::scaled_double);

  const Matrix<float> large("krossfold::test::large", 2, 3), real("krossfold::test::real", 2, 3);
  large(0, 0) = 100000;
  real(0, 0) = 0.5f;
  const data::Scale uniform{{0.0}, {2.0}};
  EXPECT_EQ(svm::best_form(set_of(large), uniform), PointForm::whole_double);
  EXPECT_EQ(svm::best_form(set_of(real), uniform), PointForm::scaled_double);
  EXPECT_EQ(svm::common_form(PointForm::whole_float, PointForm::scaled_double), PointForm::scaled_double);
  EXPECT_EQ(svm::common_form(PointForm::whole_double, PointForm::whole_float), PointForm::whole_double);
}

TEST(Points, have_the_same_distances_in_every_form) {
  const data::Dataset set = test::some_digits(80, {0, 1, 2, 3});
  const data::Scale scale = data::fit_scale(set, "8:4.618802153517006");
  const auto x = data::apply_scale(scale, set.raw);
  for (const PointForm form : {PointForm::whole_float, PointForm::whole_double, PointForm::scaled_double}) {
    const auto points = svm::make_points<Device>(set, scale, form);
    EXPECT_EQ(points.size(), 80);
    const Matrix<float, Device> d2("krossfold::test::d2", 80, 80);
    svm::squared_distance(Device(), d2, points);
    const auto found = on_host(d2);
    for (int i = 0; i < 80; ++i) {
      for (int j = 0; j < 80; ++j) {
        double right = 0;
        for (int k = 0; k < 64; ++k) right += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
        ASSERT_NEAR(points.unit * static_cast<double>(found(i, j)), right, 2e-7 * right + 1e-12) << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace krossfold
