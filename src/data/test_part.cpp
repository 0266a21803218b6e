// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/test_part.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

constexpr int parts = 5;

Task random_fifth(const Dataset& whole, std::uint64_t seed) {
  std::vector<std::vector<int>> of_class(whole.class_name.size());
  for (const int i : random_permutation({.seed = seed, .purpose = random_purpose_test_part}, whole.size())) {
    of_class[whole.label(i)].push_back(i);
  }
  std::vector<int> train, test;
  int dealt = 0;
  for (const std::vector<int>& samples : of_class) {
    for (const int i : samples) {
      // The third of five parts: so many test as 0.2 n rounds to, whatever n is.
      const bool tests = samples.size() > 1 && dealt++ % parts == parts / 2;
      (tests ? test : train).push_back(i);
    }
  }
  std::sort(train.begin(), train.end());
  std::sort(test.begin(), test.end());
  Task task;
  task.train = select(whole, train);
  if (!test.empty()) task.test = select(whole, test);
  return task;
}

Task last_fifth(const Dataset& whole) {
  const int train = static_cast<int>(std::lround(0.8 * whole.size()));
  Task task;
  task.train = rows(whole, 0, train);
  if (train < whole.size()) task.test = rows(whole, train, whole.size() - train);
  std::vector<bool> trained(whole.class_name.size(), false);
  for (int i = 0; i < train; ++i) trained[whole.label(i)] = true;
  for (std::size_t c = 0; c < trained.size(); ++c) {
    require(trained[c], text("class '", whole.class_name[c], "' occurs only in the last fifth of ", whole.name),
            "that part is held out to test", "Hold out a random fifth (test-part random), or give test data.");
  }
  return task;
}

}  // namespace

TestPart parse_test_part(const std::string& word) {
  if (word == "random") return TestPart::random;
  if (word == "last") return TestPart::last;
  throw_unknown_word("test-part", word, {"random", "last"}, "random or last");
}

Task split_off_test_part(const Dataset& whole, TestPart part, std::uint64_t seed) {
  return part == TestPart::random ? random_fifth(whole, seed) : last_fifth(whole);
}

Dataset limit_samples(const Dataset& train, int limit, TestPart part, std::uint64_t seed) {
  check_limit(limit, train.size(), text(train.name, " has ", train.size(), " samples"));
  if (limit == 0 || limit == train.size()) return train;
  if (part == TestPart::last) return rows(train, 0, limit);
  std::vector<int> kept = random_permutation({.seed = seed, .purpose = random_purpose_limit}, train.size());
  kept.resize(static_cast<std::size_t>(limit));
  std::sort(kept.begin(), kept.end());
  return select(train, kept);
}

void check_limit(int limit, std::ptrdiff_t most, const std::string& what) {
  require(limit >= 0 && limit <= most, text("limit ", limit, " is out of range"), text("the training part of ", what),
          text("Use 1 to ", most, ", or no limit to keep all."));
}

}  // namespace krossfold::data
