// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/svm/partitioned_machine.hpp"
#include "krossfold/svm/train.hpp"
#include "test/core/refusal.hpp"
#include "test/data/sample_dataset.hpp"

namespace krossfold::svm {
namespace {

/// Clusters of very different sizes, binary.
data::Dataset clusters(int n, int d, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> noise;
  std::vector<std::vector<float>> centre(7, std::vector<float>(d));
  for (auto& one : centre) {
    for (float& x : one) x = 5 * noise(random);
  }
  const Matrix<float> raw("krossfold::test::raw", n, d);
  const Vector<int> label("krossfold::test::label", n);
  for (int i = 0; i < n; ++i) {
    const int c = std::min(6, static_cast<int>(std::abs(noise(random)) * 3));
    for (int j = 0; j < d; ++j) raw(i, j) = centre[c][j] + noise(random);
    label(i) = (c + (noise(random) > 1.5F ? 1 : 0)) % 2;
  }
  return data::make_dataset("clusters", raw, label, {"a", "b"});
}

/// The nearest centre of a sample, by the definition.
int plain_nearest(const Partition& partition, const data::Scale& scale, const data::Dataset& samples, int i) {
  int best = 0;
  double least = HUGE_VAL;
  for (int p = 0; p < partition.parts(); ++p) {
    double sum = 0;
    for (int j = 0; j < samples.features(); ++j) {
      const double x = (static_cast<double>(samples.raw(i, j)) - scale.offset_of(j)) / scale.divisor_of(j);
      sum += (x - partition.centre(p, j)) * (x - partition.centre(p, j));
    }
    if (sum < least) {
      least = sum;
      best = p;
    }
  }
  return best;
}

std::vector<int> part_of_each(const Partition& partition, int n) {
  std::vector<int> of(n, -1);
  for (int p = 0; p < partition.parts(); ++p) {
    EXPECT_TRUE(std::is_sorted(partition.sample[p].begin(), partition.sample[p].end()));
    for (const int i : partition.sample[p]) {
      EXPECT_EQ(of[i], -1) << "sample " << i << " is in two parts";
      of[i] = p;
    }
  }
  EXPECT_EQ(std::count(of.begin(), of.end(), -1), 0) << "a sample is in no part";
  return of;
}

TEST(Partition, every_sample_is_in_the_part_of_its_nearest_centre) {
  for (const auto& [n, d, size] : {std::tuple{3000, 5, 200}, {1000, 30, 60}, {500, 2, 499}, {200, 3, 1000}}) {
    const data::Dataset train = clusters(n, d, 3);
    const data::Scale scale = data::fit_scale(train, "");
    const Partition partition = make_partition(train, scale, {PartitionKind::voronoi, size}, 5);
    const std::vector<int> of = part_of_each(partition, n);
    const std::vector<int> nearest = nearest_centre(partition.centre, scale, train);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(of[i], nearest[i]) << i;
      ASSERT_EQ(of[i], plain_nearest(partition, scale, train, i)) << i;
    }
  }
}

TEST(Partition, samples_of_parts_too_small_go_to_the_nearest_other) {
  const int n = 1200;
  const Matrix<float> raw("krossfold::test::raw", n, 2);
  const Vector<int> label("krossfold::test::label", n);
  for (int i = 0; i < n; ++i) {
    const bool far = i % 100 == 7;  // 12 of them, in the directions of four clusters
    raw(i, 0) = static_cast<float>((i % 2 == 0 ? -1 : 1) * (far ? 90 : 10) + std::sin(0.7 * i));
    raw(i, 1) = static_cast<float>((i % 3 == 0 ? -1 : 1) * (far ? 90 : 10) + std::cos(1.1 * i));
    label(i) = i % 2;
  }
  const data::Dataset train = data::make_dataset("far", raw, label, {"a", "b"});
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Partition partition = make_partition(train, {}, {PartitionKind::voronoi, 150}, seed);
    const std::vector<int> of = part_of_each(partition, n), nearest = nearest_centre(partition.centre, {}, train);
    ASSERT_EQ(static_cast<int>(partition.centre.extent(0)), partition.parts());
    for (int i = 0; i < n; ++i) ASSERT_EQ(of[i], nearest[i]) << "seed " << seed << ", sample " << i;
    for (const auto& part : partition.sample) EXPECT_GE(part.size(), 150 / 8) << seed;
  }
}

TEST(Partition, no_part_is_much_larger_or_smaller_than_asked_for) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const data::Dataset train = clusters(6000, 6, 11);
    const Partition partition = make_partition(train, data::fit_scale(train, ""), {PartitionKind::voronoi, 300}, seed);
    EXPECT_GE(partition.parts(), 20);
    EXPECT_LE(partition.parts(), 60);
    for (const auto& part : partition.sample) {
      EXPECT_LE(part.size(), 1.5 * 300) << seed;
      EXPECT_GE(part.size(), 300 / 8) << seed;
    }
  }
}

TEST(Partition, is_a_function_of_data_and_seed_alone) {
  const data::Dataset train = clusters(2000, 4, 8);
  const data::Scale scale = data::fit_scale(train, "");
  for (const PartitionKind kind : {PartitionKind::voronoi, PartitionKind::random}) {
    const Partition one = make_partition(train, scale, {kind, 150}, 5),
                    again = make_partition(train, scale, {kind, 150}, 5),
                    other = make_partition(train, scale, {kind, 150}, 6);
    EXPECT_EQ(one.sample, again.sample);
    EXPECT_NE(one.sample, other.sample);
  }
}

TEST(Partition, equal_samples_stay_together_however_many_they_are) {
  const int n = 1000;
  const Matrix<float> raw("krossfold::test::raw", n, 2);
  const Vector<int> label("krossfold::test::label", n);
  for (int i = 0; i < n; ++i) {
    raw(i, 0) = i < 700 ? 1.5F : static_cast<float>(i) * 0.01F;
    label(i) = i % 2;
  }
  const data::Dataset train = data::make_dataset("equal", raw, label, {"a", "b"});
  const Partition partition = make_partition(train, {}, {PartitionKind::voronoi, 100}, 1);
  const std::vector<int> of = part_of_each(partition, n);
  for (int i = 0; i < 700; ++i) EXPECT_EQ(of[i], of[0]);
  EXPECT_GE(partition.parts(), 3);
}

TEST(Partition, random_parts_have_the_same_share_of_each_class) {
  const data::Dataset train = test::sample_dataset(1000, 4, 3, 2);
  const Partition partition = make_partition(train, {}, {PartitionKind::random, 150}, 4);
  ASSERT_EQ(partition.parts(), 7);
  part_of_each(partition, 1000);
  for (int c = 0; c < 3; ++c) {
    std::vector<std::ptrdiff_t> count;
    for (const auto& part : partition.sample) {
      count.push_back(std::count_if(part.begin(), part.end(), [&](int i) { return train.label(i) == c; }));
    }
    EXPECT_LE(*std::max_element(count.begin(), count.end()) - *std::min_element(count.begin(), count.end()), 1);
  }
}

TEST(Partition, sparse_samples_have_no_nearest_centre) {
  const data::Dataset dense = clusters(200, 3, 4);
  const data::Dataset sparse =
      data::make_sparse_dataset("sparse", data::sparse_values(dense), dense.label, dense.class_name);
  EXPECT_THAT(test::refusal([&] {
                make_partition(sparse, {}, {PartitionKind::voronoi, 50}, 1);
              }),
              testing::HasSubstr("sparse samples"));
  const Partition partition = make_partition(dense, {}, {PartitionKind::voronoi, 50}, 1);
  EXPECT_THAT(test::refusal([&] { nearest_centre(partition.centre, {}, sparse); }),
              testing::HasSubstr("sparse samples"));
}

TEST(Partition, words_are_parsed_or_refused) {
  EXPECT_EQ(parse_partition("none").kind, PartitionKind::whole);
  EXPECT_EQ(parse_partition("voronoi:2000").kind, PartitionKind::voronoi);
  EXPECT_EQ(parse_partition("voronoi:2000").size, 2000);
  EXPECT_EQ(parse_partition("random:50").kind, PartitionKind::random);
  for (const char* bad : {"voronoi", "voronoi:", "voronoi:49", "voronoi:-5", "voronoi:200x", "random:1e3", ":200", "",
                          "2000", "voronoi:99999999999"}) {
    EXPECT_THROW(parse_partition(bad), Error) << bad;
  }
  EXPECT_THAT(test::refusal([] { parse_partition("vornoi:200"); }), testing::HasSubstr("voronoi"));
}

struct Trained {
  data::Dataset train, fresh;
  PartitionedMachine machine;
};

Trained train_parts(PartitionKind kind, int classes) {
  Trained trained{test::sample_dataset(400, 5, classes, 1), test::sample_dataset(150, 5, classes, 2), {}};
  const data::Scale scale = data::fit_scale(trained.train, "");
  const Partition partition = make_partition(trained.train, scale, {kind, 90}, 1);
  trained.machine.kind = kind;
  trained.machine.centre = partition.centre;
  for (const auto& part : partition.sample) {
    TrainParams params;
    params.c = {1.0};
    params.gamma = 0.1;
    params.scale = scale;
    trained.machine.part.push_back(train<Host>(Host(), part_of(trained.train, part), params));
  }
  return trained;
}

TEST(PartitionedMachine, a_sample_has_the_decision_values_of_the_machine_of_its_part) {
  for (const int classes : {2, 3}) {
    const Trained t = train_parts(PartitionKind::voronoi, classes);
    ASSERT_GE(t.machine.parts(), 3);
    const Matrix<double> decision = decision_values(Host(), t.machine, t.fresh);
    Partition partition;
    partition.centre = t.machine.centre;
    partition.sample.resize(t.machine.part.size());
    for (int i = 0; i < t.fresh.size(); ++i) {
      const int p = plain_nearest(partition, t.machine.first().scale, t.fresh, i);
      const Matrix<double> alone = decision_values(Host(), t.machine.part[p], part_of(t.fresh, {i}));
      for (int b = 0; b < t.machine.first().problems(); ++b) ASSERT_NEAR(decision(i, b), alone(0, b), 1e-6) << i;
    }
  }
}

TEST(PartitionedMachine, random_parts_give_the_mean_of_all_decision_values) {
  const Trained t = train_parts(PartitionKind::random, 3);
  const Matrix<double> decision = decision_values(Host(), t.machine, t.fresh);
  for (int b = 0; b < 3; ++b) {
    std::vector<double> sum(t.fresh.size(), 0);
    for (const Machine& part : t.machine.part) {
      const Matrix<double> one = decision_values(Host(), part, t.fresh);
      for (int i = 0; i < t.fresh.size(); ++i) sum[i] += one(i, b);
    }
    for (int i = 0; i < t.fresh.size(); ++i) EXPECT_NEAR(decision(i, b), sum[i] / t.machine.parts(), 1e-12);
  }
}

TEST(PartitionedMachine, samples_of_other_features_are_refused) {
  for (const PartitionKind kind : {PartitionKind::voronoi, PartitionKind::random}) {
    const Trained t = train_parts(kind, 2);
    EXPECT_THAT(test::refusal([&] { decision_values(Host(), t.machine, test::sample_dataset(10, 4, 2, 1)); }),
                testing::HasSubstr("4 features"));
  }
}

}  // namespace
}  // namespace krossfold::svm
