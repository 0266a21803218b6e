// SPDX-License-Identifier: BSD-3-Clause
// Results of scikit-learn 1.9.1 and numpy 2.4.6 for one ensemble, recorded from
//   p = (n / n.sum(2, keepdims=True)) in float32, with the whole numbers n of `count` below; q = p.mean(0) in double
//   metrics.log_loss(y, q, labels=range(4)), metrics.brier_score_loss(y, q, labels=range(4), scale_by_half=False),
//   metrics.confusion_matrix(y, q.argmax(1)), 1 - metrics.accuracy_score(y, p[m].argmax(1)),
//   metrics.roc_auc_score(out, score), numpy.percentile(p[[0, 1, 3, 4]], 25, axis=0), and, in numpy,
//   H = lambda x: -numpy.where(x > 0, x * numpy.log(numpy.where(x > 0, x, 1)), 0).sum(-1)
//   bin = numpy.digitize(q.max(1), numpy.linspace(0, 1, 16), right=True) - 1
#include <gmock/gmock.h>

#include "krossfold/ensemble/auroc.hpp"
#include "krossfold/ensemble/calibration.hpp"
#include "krossfold/ensemble/confusion.hpp"
#include "krossfold/ensemble/error_rate.hpp"
#include "krossfold/ensemble/mean_probability.hpp"
#include "krossfold/ensemble/quartiles.hpp"
#include "krossfold/ensemble/scores.hpp"
#include "krossfold/ensemble/uncertainty.hpp"
#include "krossfold/ensemble/votes.hpp"
#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

using testing::ElementsAre;
constexpr int models = 5, samples = 40, classes = 4;
constexpr double tolerance = 1e-13;  // the results are sums of up to 800 terms of order 1

int label_of(int i) { return (i * 7 + i / 3) % classes; }

int count(int m, int i, int c) {
  const int value = (37 * m + 101 * i + 59 * c + 13 * m * i * c) % 97;
  return (value < 30 ? 0 : value - 30) + (c == (m + i) % classes ? 3 : 0) +
         (c == label_of(i) && (3 * i + m) % 5 > 1 ? 25 : 0);
}

class ScikitLearn : public testing::Test {
protected:
  ScikitLearn() : p("krossfold::test::probability", models, samples, classes) {
    std::vector<int> truth;
    for (int i = 0; i < samples; ++i) truth.push_back(label_of(i));
    label = test::labels(truth);
    for (int m = 0; m < models; ++m) {
      for (int i = 0; i < samples; ++i) {
        int sum = 0;
        for (int c = 0; c < classes; ++c) sum += count(m, i, c);
        for (int c = 0; c < classes; ++c) {
          p(m, i, c) = static_cast<float>(count(m, i, c)) / static_cast<float>(sum);
        }
      }
    }
    device = on_device<Device>(p);
    all = members<Device>(device);
    const Matrix<double, Device> q("krossfold::test::mean", samples, classes);
    mean_probability<Device>(exec, q, all);
    mean = q;
  }

  Device exec;
  Cube<float> p;
  Cube<const float, Device> device;
  Vector<const int, Device> label;
  Members<Device> all;
  Matrix<const double, Device> mean;
};

TEST_F(ScikitLearn, agrees_on_errors_and_the_confusion_matrix) {
  const Matrix<int, Device> prediction("krossfold::test::prediction", models, samples);
  predicted_classes<Device>(exec, prediction, all);
  const auto error = error_rates<Device>(exec, prediction, label);
  EXPECT_THAT(error, testing::Pointwise(testing::DoubleEq(), {0.65, 0.5, 0.55, 0.775, 0.575}));

  const Vector<int, Device> choice("krossfold::test::choice", samples);
  most_probable_class<Device>(exec, choice, mean);
  EXPECT_DOUBLE_EQ(error_rate<Device>(exec, choice, label), 0.4);
  const Matrix<int, Device> table("krossfold::test::confusion", classes, classes);
  confusion<Device>(exec, table, choice, label);
  fence(exec, "krossfold::test::confusion");
  const auto found = on_host(table);
  EXPECT_THAT(std::vector<int>(found.data(), found.data() + found.size()),
              ElementsAre(7, 2, 2, 2, 0, 3, 1, 2, 1, 4, 9, 0, 1, 0, 1, 5));

  // 18 of the 40 votes are ties.
  const Matrix<int, Device> votes("krossfold::test::votes", samples, classes);
  count_votes<Device>(exec, votes, all);
  majority_vote<Device>(exec, choice, votes, mean);
  EXPECT_DOUBLE_EQ(error_rate<Device>(exec, choice, label), 0.425);
}

TEST_F(ScikitLearn, agrees_on_nll_and_brier_score) {
  const Scores of_mean = scores<Device, double>(exec, mean, label);
  EXPECT_NEAR(of_mean.nll, 1.0855370641518338, tolerance);
  EXPECT_NEAR(of_mean.brier, 0.59353498505067637, tolerance);
  const double nll[] = {4.7782432445641465, 4.5183979970291279, 5.4085952890453868, 4.7776571712683111,
                        2.8089208933518579};
  const double brier[] = {0.81608185767319874, 0.67128668435133876, 0.71618250901524616, 0.85438856900273419,
                          0.66470977364562023};
  const int zero[] = {4, 4, 5, 4, 2};  // true classes with probability 0
  for (int m = 0; m < models; ++m) {
    const Matrix<const float, Device> one = Kokkos::subview(device, m, Kokkos::ALL, Kokkos::ALL);
    const Scores found = scores<Device, float>(exec, one, label);
    EXPECT_NEAR(found.nll, nll[m], tolerance) << "model " << m;
    EXPECT_NEAR(found.brier, brier[m], tolerance) << "model " << m;
    EXPECT_EQ(found.clamped, zero[m]) << "model " << m;
  }
}

TEST_F(ScikitLearn, agrees_on_entropies_and_auroc) {
  const auto uncertainty = make_uncertainty<Device>(samples);
  measure_uncertainty<Device>(exec, uncertainty, all, mean);
  fence(exec, "krossfold::test::uncertainty");
  const auto predictive = on_host(uncertainty.predictive_entropy), expected = on_host(uncertainty.expected_entropy),
             information = on_host(uncertainty.mutual_information);
  double sum[3] = {};
  std::vector<double> usual, out;
  for (int i = 0; i < samples; ++i) {
    sum[0] += predictive(i);
    sum[1] += expected(i);
    sum[2] += information(i);
    (i % 3 == 0 ? out : usual).push_back(predictive(i));
  }
  EXPECT_NEAR(sum[0], 51.819851668038751, samples * tolerance);
  EXPECT_NEAR(sum[1], 37.62347796996896, samples * tolerance);
  EXPECT_NEAR(sum[2], 14.196373698069801, samples * tolerance);
  const double first[] = {0.44064907698830447, 0.52095104476673926, 0.37873509974451813};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(information(i), first[i], tolerance);
  EXPECT_DOUBLE_EQ(auroc(usual, out), 0.64285714285714279);

  // The vote count of the winning class, a score with many ties.
  const Matrix<int, Device> votes("krossfold::test::votes", samples, classes);
  count_votes<Device>(exec, votes, all);
  fence(exec, "krossfold::test::votes");
  const auto vote = on_host(votes);
  usual.clear();
  out.clear();
  for (int i = 0; i < samples; ++i) {
    (i % 3 == 0 ? out : usual).push_back(*std::max_element(&vote(i, 0), &vote(i, 0) + classes));
  }
  EXPECT_DOUBLE_EQ(auroc(usual, out), 0.30357142857142855);
}

TEST_F(ScikitLearn, agrees_on_calibration) {
  const Calibration found = calibration<Device, double>(exec, mean, label);
  EXPECT_THAT(found.count, ElementsAre(0, 0, 0, 0, 14, 10, 10, 4, 2, 0, 0, 0, 0, 0, 0));
  EXPECT_NEAR(found.ece, 0.21861024376004931, tolerance);
}

TEST_F(ScikitLearn, agrees_on_quartiles) {
  const Cube<double, Device> quartile("krossfold::test::quartile", int{quartile_count}, samples, classes);
  const std::vector<int> four = {0, 1, 3, 4};
  quartiles<Device>(exec, quartile, members<Device>(device, four));
  fence(exec, "krossfold::test::quartile");
  const auto found = on_host(quartile);
  const double of_one[] = {0, 0.17647058889269829, 0.27063214033842087, 0.34686892479658127, 0.46956521272659302};
  double sum[quartile_count] = {};
  for (int q = 0; q < quartile_count; ++q) {
    EXPECT_EQ(found(q, 3, 1), of_one[q]) << "quartile " << q;
    for (int i = 0; i < samples; ++i) {
      for (int c = 0; c < classes; ++c) sum[q] += found(q, i, c);
    }
  }
  EXPECT_NEAR(sum[lower_quartile], 20.768151016440243, samples * tolerance);
  EXPECT_NEAR(sum[upper_quartile], 55.90480072144419, samples * tolerance);
}

}  // namespace
}  // namespace krossfold::ensemble
