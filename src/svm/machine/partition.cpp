// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/partition.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"

namespace krossfold::svm {

namespace {

constexpr int least_size = 50, samples_per_centre = 100, lloyd_rounds = 25, split_rounds = 12;
constexpr std::uint16_t folds_of_parts = 65534;  // the purpose of the draw, see data::FoldDraw

/// Rows of scaled features, formed as they are asked for: all of them in double would take twice the memory of the data.
struct ScaledRows {
  Matrix<const float> raw;
  std::vector<double> offset, divisor;

  ScaledRows(const data::Dataset& samples, const data::Scale& scale) : raw(samples.raw) {
    require(!samples.is_sparse(), text(samples.name, ": sparse samples have no nearest centre"),
            "the centres of parts are compared with all values of a sample", "Give the samples in dense form.");
    for (int j = 0; j < samples.features(); ++j) {
      offset.push_back(scale.offset_of(j));
      divisor.push_back(scale.divisor_of(j));
    }
  }
  int size() const { return static_cast<int>(raw.extent(0)); }
  void read(int i, double* x) const {
    const float* values = &raw(i, 0);
    for (std::size_t j = 0; j < offset.size(); ++j) x[j] = (values[j] - offset[j]) / divisor[j];
  }
};

/// Rows that are there.
struct DoubleRows {
  Matrix<const double> values;

  int size() const { return static_cast<int>(values.extent(0)); }
  void read(int i, double* x) const { std::copy_n(&values(i, 0), values.extent(1), x); }
};

template <class Rows>
std::vector<int> nearest(const Matrix<const double>& centre, const Rows& rows) {
  constexpr int block = 256;
  const int n = rows.size(), k = static_cast<int>(centre.extent(0)), d = static_cast<int>(centre.extent(1));
  const Matrix<double> by_feature(uninitialized("krossfold::svm::centres"), d, k);  // the inner loop is over centres
  for (int c = 0; c < k; ++c) {
    for (int j = 0; j < d; ++j) by_feature(j, c) = centre(c, j);
  }
  std::vector<int> found(static_cast<std::size_t>(n));
  int* const out = found.data();
  const Rows* const from = &rows;
  Kokkos::parallel_for("krossfold::svm::nearest_centre", Kokkos::RangePolicy<Host>(Host(), 0, (n + block - 1) / block),
                       [=](int b) {
                         std::vector<double> x(static_cast<std::size_t>(d)), away(static_cast<std::size_t>(k));
                         for (int i = b * block; i < std::min(n, (b + 1) * block); ++i) {
                           from->read(i, x.data());
                           double* sum = away.data();
                           std::fill_n(sum, k, 0.0);
                           for (int j = 0; j < d; ++j) {
                             const double value = x[static_cast<std::size_t>(j)];
                             const double* c = &by_feature(j, 0);
                             KROSSFOLD_SIMD()
                             for (int p = 0; p < k; ++p) {
                               const double difference = value - c[p];
                               sum[p] += difference * difference;
                             }
                           }
                           out[i] = static_cast<int>(std::min_element(away.begin(), away.end()) - away.begin());
                         }
                       });
  fence(Host(), "krossfold::svm::nearest_centre");
  return found;
}

/// The places of k-means of some rows; fewer than k where centres have no row.
std::vector<std::vector<double>> k_means(const Matrix<const double>& x, int k, const StreamId& stream) {
  const int n = static_cast<int>(x.extent(0)), d = static_cast<int>(x.extent(1));
  const std::vector<int> order = random_permutation(stream, n);
  const Matrix<double> centre(uninitialized("krossfold::svm::k_means"), std::min(k, n), d);
  for (std::size_t c = 0; c < centre.extent(0); ++c) std::copy_n(&x(order[c], 0), d, &centre(c, 0));
  std::vector<int> of, count;
  for (int round = 0; round < lloyd_rounds; ++round) {
    std::vector<int> now = nearest(centre, DoubleRows{x});
    if (now == of) break;
    of = std::move(now);
    count.assign(centre.extent(0), 0);
    const Matrix<double> sum("krossfold::svm::k_means_sum", centre.extent(0), d);
    for (int i = 0; i < n; ++i) {
      const int c = of[static_cast<std::size_t>(i)];
      ++count[static_cast<std::size_t>(c)];
      for (int j = 0; j < d; ++j) sum(c, j) += x(i, j);
    }
    for (std::size_t c = 0; c < centre.extent(0); ++c) {
      for (int j = 0; j < d && count[c] > 0; ++j) centre(c, j) = sum(c, j) / count[c];
    }
  }
  std::vector<std::vector<double>> places;
  for (std::size_t c = 0; c < centre.extent(0); ++c) {
    if (count[c] > 0) places.emplace_back(&centre(c, 0), &centre(c, 0) + d);
  }
  return places;
}

/// Centres with the samples that are nearest to each.
class VoronoiParts {
public:
  VoronoiParts(const data::Dataset& train, const data::Scale& scale, int size, std::uint64_t seed)
      : rows_(train, scale), size_(size), stream_{.seed = seed, .purpose = random_purpose_partition} {}

  Partition make() {
    std::vector<int> all(static_cast<std::size_t>(rows_.size()));
    std::iota(all.begin(), all.end(), 0);
    centre_ = split(all, parts_of(all.size()));
    can_split_.assign(centre_.size(), true);
    assign();
    for (int round = 0; round < split_rounds && split_large(); ++round) assign();
    merge_small();
    Partition partition{PartitionKind::voronoi, matrix(), {}};
    for (auto& part : part_) std::sort(part.begin(), part.end());
    partition.sample = std::move(part_);
    return partition;
  }

private:
  int parts_of(std::size_t samples) const {
    return static_cast<int>((samples + static_cast<std::size_t>(size_) - 1) / static_cast<std::size_t>(size_));
  }

  /// k-means of a random part of these samples.
  std::vector<std::vector<double>> split(const std::vector<int>& samples, int k) {
    StreamId stream = stream_;
    stream.trial = draws_++;
    const int n = static_cast<int>(samples.size());
    const std::vector<int> order = random_permutation(stream, n);
    const auto drawn = static_cast<int>(std::min<std::int64_t>(n, std::int64_t{samples_per_centre} * k));
    const auto d = rows_.offset.size();
    const Matrix<double> x(uninitialized("krossfold::svm::drawn"), drawn, d);
    for (int i = 0; i < drawn; ++i) rows_.read(samples[static_cast<std::size_t>(order[i])], &x(i, 0));
    stream.trial = draws_++;
    return k_means(x, k, stream);
  }

  Matrix<const double> matrix() const {
    const Matrix<double> all(uninitialized("krossfold::svm::centre"), centre_.size(), rows_.offset.size());
    for (std::size_t c = 0; c < centre_.size(); ++c) std::copy(centre_[c].begin(), centre_[c].end(), &all(c, 0));
    return all;
  }

  void assign() {
    const std::vector<int> of = nearest(matrix(), rows_);
    part_.assign(centre_.size(), {});
    for (std::size_t i = 0; i < of.size(); ++i) part_[static_cast<std::size_t>(of[i])].push_back(static_cast<int>(i));
  }

  /// Replaces the centres of parts that are too large. Returns false if there is none that can be split.
  bool split_large() {
    bool any = false;
    for (std::size_t p = 0, parts = part_.size(); p < parts; ++p) {
      if (!can_split_[p] || 5 * part_[p].size() <= 6 * static_cast<std::size_t>(size_)) continue;
      std::vector<std::vector<double>> children = split(part_[p], parts_of(part_[p].size()));
      if (children.size() < 2) {
        can_split_[p] = false;  // its samples are all alike
        continue;
      }
      centre_[p] = std::move(children.front());
      for (std::size_t c = 1; c < children.size(); ++c) {
        centre_.push_back(std::move(children[c]));
        can_split_.push_back(true);
      }
      any = true;
    }
    return any;
  }

  /// Takes away the centres of parts that are too small, which changes nothing for the samples of the other parts.
  void merge_small() {
    while (part_.size() > 1) {
      const auto smallest = std::min_element(part_.begin(), part_.end(),
                                             [](const auto& a, const auto& b) { return a.size() < b.size(); });
      if (8 * smallest->size() >= static_cast<std::size_t>(size_)) return;
      const std::vector<int> homeless = std::move(*smallest);
      centre_.erase(centre_.begin() + (smallest - part_.begin()));
      part_.erase(smallest);
      const Matrix<double> x(uninitialized("krossfold::svm::homeless"), homeless.size(), rows_.offset.size());
      for (std::size_t i = 0; i < homeless.size(); ++i) rows_.read(homeless[i], &x(i, 0));
      const std::vector<int> to = nearest(matrix(), DoubleRows{x});
      for (std::size_t i = 0; i < to.size(); ++i) part_[static_cast<std::size_t>(to[i])].push_back(homeless[i]);
    }
  }

  ScaledRows rows_;
  int size_;
  StreamId stream_;
  std::uint32_t draws_ = 0;
  std::vector<std::vector<double>> centre_;
  std::vector<std::vector<int>> part_;
  std::vector<bool> can_split_;
};

}  // namespace

PartitionParams parse_partition(const std::string& word) {
  if (word == "none") return {};
  const std::string kind = word.substr(0, word.find(':'));
  if (kind != "voronoi" && kind != "random") {
    throw_unknown_word("--partition", kind, {"none", "voronoi", "random"}, "none, voronoi:SIZE or random:SIZE");
  }
  const std::string digits = word.substr(std::min(kind.size() + 1, word.size()));
  int size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  require(error == std::errc() && end == digits.data() + digits.size() && size >= least_size,
          text("bad partition ", quoted(word)),
          text("SIZE, the samples of a part, is a whole number of at least ", least_size),
          text("For example partition ", kind, ":2000."));
  return {kind == "voronoi" ? PartitionKind::voronoi : PartitionKind::random, size};
}

const char* name_of(PartitionKind kind) {
  return kind == PartitionKind::voronoi ? "voronoi" : kind == PartitionKind::random ? "random" : "none";
}

std::size_t Partition::largest() const {
  std::size_t most = 0;
  for (const auto& one : sample) most = std::max(most, one.size());
  return most;
}

Partition make_partition(const data::Dataset& train, const data::Scale& scale, const PartitionParams& params,
                         std::uint64_t seed) {
  const int n = train.size();
  if (params.kind == PartitionKind::voronoi && n > 0) return VoronoiParts(train, scale, params.size, seed).make();
  Partition partition{params.kind, {}, {}};
  const int parts = params.kind == PartitionKind::random ? (n + params.size - 1) / params.size : 1;
  if (parts > 1) {
    partition.sample =
        data::make_folds(data::FoldKind::stratified_shuffled, parts, train.label, seed, {.purpose = folds_of_parts})
            .held;
  } else {
    partition.sample.resize(1, std::vector<int>(static_cast<std::size_t>(n)));
    std::iota(partition.sample[0].begin(), partition.sample[0].end(), 0);
  }
  return partition;
}

std::vector<int> nearest_centre(const Matrix<const double>& centre, const data::Scale& scale,
                                const data::Dataset& samples) {
  require(samples.features() == static_cast<int>(centre.extent(1)),
          text(samples.name, ": samples of ", samples.features(), " features"),
          text("the model was trained on ", centre.extent(1)), "Use data prepared like the training data.");
  return nearest(centre, ScaledRows(samples, scale));
}

}  // namespace krossfold::svm
