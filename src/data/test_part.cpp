// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/test_part.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"

namespace krossfold::data {
namespace {

constexpr int parts = 5;

TestSplit sorted(TestSplit split) {
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  return split;
}

/// The samples of each class in random order, the classes in random order.
std::vector<std::vector<int>> shuffled_classes(const Labels& labels, const StreamId& stream) {
  std::vector<std::vector<int>> of_class(labels.class_name.size()), shuffled;
  for (const int i : random_permutation(stream, static_cast<int>(labels.label.extent(0)))) {
    of_class[labels.label(i)].push_back(i);
  }
  for (const int c : random_class_order(stream, static_cast<int>(of_class.size()))) {
    shuffled.push_back(std::move(of_class[c]));
  }
  return shuffled;
}

TestSplit random_fifth(const Labels& labels, std::uint64_t seed) {
  TestSplit split;
  int dealt = 0;
  for (const std::vector<int>& samples :
       shuffled_classes(labels, {.seed = seed, .purpose = random_purpose_test_part})) {
    for (const int i : samples) {
      // The third of five parts: so many test as 0.2 n rounds to, whatever n is.
      const bool tests = samples.size() > 1 && dealt++ % parts == parts / 2;
      (tests ? split.test : split.train).push_back(i);
    }
  }
  return sorted(split);
}

/// The samples of each class in random order form a line of which every 1/share-th is held out; a class with one sample trains.
TestSplit random_share(const Labels& labels, double share, const StreamId& stream) {
  TestSplit split;
  double dealt = 0;
  for (const std::vector<int>& samples : shuffled_classes(labels, stream)) {
    for (const int i : samples) {
      const bool held = samples.size() > 1 && std::floor((dealt + 1) * share + 0.5) > std::floor(dealt * share + 0.5);
      dealt += samples.size() > 1 ? 1 : 0;
      (held ? split.test : split.train).push_back(i);
    }
  }
  return sorted(std::move(split));
}

/// For each fold whether every class has samples in the others.
std::vector<bool> leaves_every_class(const FoldSplit& folds, const Vector<const int>& label) {
  std::map<int, int> all;
  for (std::size_t i = 0; i < label.extent(0); ++i) ++all[label(i)];
  std::vector<bool> leaves;
  for (const std::vector<int>& held : folds.held) {
    std::map<int, int> here;
    for (const int i : held) ++here[label(i)];
    leaves.push_back(
        std::none_of(here.begin(), here.end(), [&](const auto& one) { return one.second == all[one.first]; }));
  }
  return leaves;
}

/// The fold that is held out, if possible one that leaves samples of every class: by the seed one of those whose sizes differ from the wanted
/// one by half of it at most, or the one that differs least, the smaller of two. (The largest group of all is a fold of its own where it
/// exceeds that size.)
int held_out_fold(const FoldSplit& folds, const Vector<const int>& label, double wanted, const StreamId& stream) {
  std::vector<int> fitting;
  const std::vector<bool> leaves = leaves_every_class(folds, label);
  const auto first = std::find(leaves.begin(), leaves.end(), true);
  int nearest = first == leaves.end() ? 0 : static_cast<int>(first - leaves.begin());
  const auto size = [&](int f) { return static_cast<double>(folds.held[static_cast<std::size_t>(f)].size()); };
  const auto rank = [&](int f) { return std::pair(std::abs(size(f) - wanted), size(f)); };
  for (int f = 0; f < folds.folds(); ++f) {
    if (first != leaves.end() && !leaves[static_cast<std::size_t>(f)]) continue;
    if (std::abs(size(f) - wanted) <= wanted / 2) fitting.push_back(f);
    if (rank(f) < rank(nearest)) nearest = f;
  }
  if (fitting.empty()) return nearest;
  StreamId choice = stream;
  choice.bootstrap = 2;
  return fitting[random_below(choice, 0, fitting.size())];
}

/// Holds out one of round(1 / share) parts of two groups or more, or of as many as there are groups.
TestSplit split_groups(double share, std::size_t groups, const Vector<const int>& label, const Vector<const int>& group,
                       const StreamId& stream) {
  const double parts = std::round(1 / share);
  const int k = static_cast<int>(std::min(parts, static_cast<double>(groups)));
  const FoldSplit folds = make_group_folds(k, label, group, stream);
  const int n = static_cast<int>(label.extent(0));
  const int held = held_out_fold(folds, label, n * (k < parts ? share : 1.0 / k), stream);
  return {folds.training(held, n), folds.held[static_cast<std::size_t>(held)]};
}

TestSplit share_of_groups(const Labels& labels, const Vector<const int>& group, double share, std::uint64_t seed) {
  const std::set<int> groups(group.data(), group.data() + group.extent(0));
  require(groups.size() >= 2, "no test part can be split off", "all samples are of one group", "Give test data.");
  return split_groups(share, groups.size(), labels.label, group, {.seed = seed, .purpose = random_purpose_test_part});
}

TestSplit last_fifth(const Labels& labels, const Vector<const int>& group, const std::string& name) {
  const int n = static_cast<int>(labels.label.extent(0)), train = static_cast<int>(std::lround(0.8 * n));
  TestSplit split;
  std::vector<bool> trained(labels.class_name.size(), false);
  std::set<int> groups;
  for (int i = 0; i < n; ++i) {
    const bool trains = i < train;
    (trains ? split.train : split.test).push_back(i);
    const auto c = static_cast<std::size_t>(labels.label(i));
    require(trains || trained[c], text("class '", labels.class_name[c], "' occurs only in the last fifth of ", name),
            "that part is held out to test", "Hold out a random fifth (--test-part random), or give test data.");
    if (trains) trained[c] = true;
    if (group.extent(0) == 0) continue;
    if (trains) groups.insert(group(i));
    require(trains || !groups.contains(group(i)), text("a group lies in both parts of ", name),
            "its last fifth is held out to test", "Hold out random groups (--test-part random), or give test data.");
  }
  return split;
}

}  // namespace

TestPart parse_test_part(const std::string& word) {
  if (word == "random") return TestPart::random;
  if (word == "last") return TestPart::last;
  if (word == "none") return TestPart::none;
  if (!word.empty() && word.find_first_not_of("0123456789.eE+-") == std::string::npos) {
    const double share = parse_number(word, "test-part");
    require(share > 0 && share <= 0.5, text("a test part of ", word, " of the data"), "it is above 0 and at most 0.5",
            "Give a share such as 0.3, or random for a fifth.");
    return {TestPart::random, share};
  }
  throw_unknown_word("test-part", word, {"random", "last", "none"}, "random, last, none or a share such as 0.3");
}

TestSplit choose_test_part(const Labels& labels, const Vector<const int>& group, const std::string& name, TestPart part,
                           std::uint64_t seed) {
  if (part == TestPart::last) return last_fifth(labels, group, name);
  if (part == TestPart::none) {
    TestSplit split;
    split.train.resize(labels.label.extent(0));
    std::iota(split.train.begin(), split.train.end(), 0);
    return split;
  }
  if (group.extent(0) != 0) return share_of_groups(labels, group, part.share, seed);
  // The usual fifth is dealt in another way, which earlier results have.
  return part.share == TestPart().share
             ? random_fifth(labels, seed)
             : random_share(labels, part.share, {.seed = seed, .purpose = random_purpose_test_part});
}

Task split(const Dataset& whole, const TestSplit& samples, TestPart part) {
  const int train = static_cast<int>(samples.train.size());
  Task task;
  // The last fifth, and all samples, share the memory of the file.
  task.train = part == TestPart::random ? select(whole, samples.train) : rows(whole, 0, train);
  if (samples.test.empty()) return task;
  task.test = part == TestPart::last ? rows(whole, train, whole.size() - train) : select(whole, samples.test);
  return task;
}

Task split_off_test_part(const Dataset& whole, TestPart part, std::uint64_t seed) {
  return split(whole, choose_test_part({whole.label, whole.class_name}, whole.group, whole.name, part, seed), part);
}

Task split_off_validation(const Dataset& train, double share, std::uint64_t seed) {
  const StreamId stream{.seed = seed, .purpose = random_purpose_validation};
  TestSplit split;
  if (train.group.extent(0) != 0) {
    const std::set<int> groups(train.group.data(), train.group.data() + train.group.extent(0));
    if (groups.size() < 2) return {.train = train, .test = {}};
    split = split_groups(share, groups.size(), train.label, train.group, stream);
  } else {
    split = random_share({train.label, train.class_name}, share, stream);
  }
  if (split.test.empty()) return {.train = train, .test = {}};
  return {.train = select(train, split.train), .test = select(train, split.test)};
}

Dataset limit_samples(const Dataset& train, int limit, TestPart part, std::uint64_t seed) {
  check_limit(limit, train.size(), text(train.name, " has ", train.size(), " samples"));
  if (limit == 0 || limit == train.size()) return train;
  if (part == TestPart::last) return rows(train, 0, limit);
  struct Candidate {
    double position;  // among the samples of its class, from 0 to 1
    int sample;
  };
  std::vector<Candidate> candidates;
  const Labels labels{train.label, train.class_name};
  for (const std::vector<int>& samples : shuffled_classes(labels, {.seed = seed, .purpose = random_purpose_limit})) {
    const auto count = static_cast<double>(samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k) {
      candidates.push_back({k == 0 ? 0 : (static_cast<double>(k) + 0.5) / count, samples[k]});
    }
  }
  // Ties go to the class that comes first in the random order.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.position < b.position; });
  std::vector<int> kept;
  for (int k = 0; k < limit; ++k) kept.push_back(candidates[static_cast<std::size_t>(k)].sample);
  std::sort(kept.begin(), kept.end());
  return select(train, kept);
}

void check_limit(int limit, std::ptrdiff_t most, const std::string& what) {
  require(limit >= 0 && limit <= most, text("--limit ", limit, " is out of range"), text("the training part of ", what),
          text("Use 1 to ", most, ", or leave it out to keep all."));
}

}  // namespace krossfold::data
