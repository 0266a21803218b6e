// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/softmax_cross_entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

struct Found {
  Vector<double> loss;
  Vector<float> dz;
};

Found softmax_cross_entropy(const Vector<float>& z, const std::vector<int>& labels, int classes, double divisor) {
  const Vector<int> label("krossfold::test::label", labels.size());
  for (std::size_t s = 0; s < labels.size(); ++s) label(s) = labels[s];
  const Vector<double, Device> loss("krossfold::test::loss", labels.size());
  const Vector<float, Device> dz("krossfold::test::dz", z.extent(0));
  kernels::softmax_cross_entropy<Device>(Device(), loss, dz, test::to_device(z), test::to_device(label), classes,
                                         divisor);
  return {on_host(loss), on_host(dz)};
}

double loss_of(const std::vector<double>& z, int truth) {
  double sum = 0;
  for (const double value : z) sum += std::exp(value);
  return std::log(sum) - z[truth];
}

TEST(SoftmaxCrossEntropy, agrees_with_finite_differences_in_double) {
  const int classes = 10, batch = 7;
  const auto z = test::random_vector(classes * batch, 1, -4, 4);
  std::vector<int> label(batch);
  for (int s = 0; s < batch; ++s) label[s] = s * 3 % classes;
  const Found found = softmax_cross_entropy(z, label, classes, 5);
  for (int s = 0; s < batch; ++s) {
    std::vector<double> logits(classes);
    for (int c = 0; c < classes; ++c) logits[c] = static_cast<double>(z(c * batch + s));
    EXPECT_NEAR(found.loss(s), loss_of(logits, label[s]) / 5, 1e-14);
    for (int c = 0; c < classes; ++c) {
      auto up = logits, down = logits;
      up[c] += 1e-5;
      down[c] -= 1e-5;
      EXPECT_NEAR(found.dz(c * batch + s), (loss_of(up, label[s]) - loss_of(down, label[s])) / 2e-5 / 5, 1e-7);
    }
  }
}

TEST(WeighLosses, multiplies_the_loss_and_its_gradient_by_the_weight_of_the_row) {
  const int classes = 3, batch = 4;
  const std::vector<double> weights{0, 0.5, 2, 3, 7};
  const std::vector<int> rows{9, 9, 4, 2, 0, 1};  // the batch begins at 2
  const Vector<double> weight("krossfold::test::weight", weights.size()), loss("krossfold::test::loss", batch);
  const Vector<int> row("krossfold::test::row", rows.size());
  const Vector<float> dz("krossfold::test::dz", classes * batch);
  std::copy(weights.begin(), weights.end(), weight.data());
  std::copy(rows.begin(), rows.end(), row.data());
  for (int s = 0; s < batch; ++s) loss(s) = s + 1;
  for (int k = 0; k < classes * batch; ++k) dz(k) = static_cast<float>(k + 1);
  const auto loss_device = test::to_device(loss);
  const auto dz_device = test::to_device(dz);
  kernels::weigh_losses<Device>(Device(), loss_device, dz_device, classes, test::to_device(weight),
                                test::to_device(row), 2, batch);
  const auto found = on_host(loss_device);
  const auto gradient = on_host(dz_device);
  for (int s = 0; s < batch; ++s) {
    const double w = weights[static_cast<std::size_t>(rows[static_cast<std::size_t>(2 + s)])];
    EXPECT_EQ(found(s), w * (s + 1));
    for (int c = 0; c < classes; ++c)
      EXPECT_EQ(gradient(c * batch + s), static_cast<float>(w) * static_cast<float>(c * batch + s + 1));
  }
}

TEST(SoftmaxCrossEntropy, of_equal_logits_is_the_logarithm_of_the_classes) {
  const Vector<float> z("krossfold::test::z", 4);
  EXPECT_NEAR(softmax_cross_entropy(z, {2}, 4, 1).loss(0), std::log(4.0), 1e-15);
}

TEST(SoftmaxCrossEntropy, does_not_overflow) {
  const Vector<float> z("krossfold::test::z", 3);
  z(0) = 3e38f;
  z(1) = -3e38f;
  EXPECT_EQ(softmax_cross_entropy(z, {0}, 3, 1).loss(0), 0);
  EXPECT_NEAR(softmax_cross_entropy(z, {2}, 3, 1).loss(0) / 3e38, 1, 1e-6);
}

TEST(SoftmaxCrossEntropy, of_values_that_are_not_finite_is_not_finite) {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (int at = 0; at < 3; ++at) {
      const Vector<float> z("krossfold::test::z", 3);
      z(at) = bad;
      if (bad == -INFINITY && at != 1) continue;  // a class of probability 0 leaves the loss finite
      EXPECT_FALSE(std::isfinite(softmax_cross_entropy(z, {1}, 3, 1).loss(0))) << bad << " at " << at;
    }
  }
}

TEST(Softmax, rows_sum_to_one_and_agree_with_the_definition) {
  const int classes = 5, batch = 6;
  const auto z = test::random_vector(classes * batch, 2, -9, 9);
  const Matrix<float, Device> p("krossfold::test::p", 10, classes);
  kernels::softmax<Device>(Device(), p, 3, test::to_device(z), classes, batch);
  const auto found = on_host(p);
  for (int s = 0; s < batch; ++s) {
    double sum = 0;
    for (int c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(z(c * batch + s)));
    for (int c = 0; c < classes; ++c) {
      EXPECT_NEAR(found(3 + s, c), std::exp(static_cast<double>(z(c * batch + s))) / sum, 1e-7);
    }
  }
  for (const int row : {0, 2, 9}) EXPECT_EQ(found(row, 0), 0) << "not asked for";
}

}  // namespace
}  // namespace krossfold
