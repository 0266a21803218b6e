// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/folds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

/// In the order of FoldKind.
const std::array<std::string, 6> kind_names = {"contiguous",          "stratified",    "shuffled",
                                               "stratified-shuffled", "leave-one-out", "group"};

std::vector<int> in_order(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// numpy.round(numpy.linspace(0, n, k + 1)) with the same step and rounding, so that the bounds agree even at ties.
std::vector<int> fold_bounds(int n, int k) {
  const double step = static_cast<double>(n) / k;
  std::vector<int> bounds(static_cast<std::size_t>(k) + 1);
  for (int f = 0; f < k; ++f) bounds[f] = static_cast<int>(std::nearbyint(f * step));
  bounds[k] = n;
  return bounds;
}

FoldSplit cut(const std::vector<int>& order, int k) {
  const std::vector<int> bounds = fold_bounds(static_cast<int>(order.size()), k);
  FoldSplit split;
  for (int f = 0; f < k; ++f) {
    split.held.emplace_back(order.begin() + bounds[f], order.begin() + bounds[f + 1]);
    std::sort(split.held.back().begin(), split.held.back().end());
  }
  return split;
}

/// Deals the samples of each class, in the given order, to the folds in turn. class_order: the classes in the order in which
/// they are dealt.
FoldSplit deal(std::vector<int> by_class, const Vector<const int>& label, const std::vector<int>& class_order, int k) {
  std::vector<int> place(class_order.size());
  for (std::size_t at = 0; at < place.size(); ++at) place[class_order[at]] = static_cast<int>(at);
  std::stable_sort(by_class.begin(), by_class.end(), [&](int a, int b) { return place[label(a)] < place[label(b)]; });
  FoldSplit split;
  split.held.resize(k);
  int next = 0;
  for (const int sample : by_class) {
    split.held[next].push_back(sample);
    next = next + 1 == k ? 0 : next + 1;
  }
  for (auto& held : split.held) std::sort(held.begin(), held.end());
  return split;
}

/// How many folds lack a class, and which classes are lacking anywhere.
struct Lack {
  explicit Lack(std::size_t classes) : lacking(classes, false) {}

  template <class Predicate>
  void add(Predicate&& is_lacking) {
    std::size_t here = 0;
    for (std::size_t c = 0; c < lacking.size(); ++c) {
      if (!is_lacking(c)) continue;
      lacking[c] = true;
      ++here;
    }
    if (here == 0) return;
    ++folds;
    least = std::min(least, here);
  }
  /// Names and "it" or "them".
  std::string names(const std::vector<std::string>& class_name) const {
    std::vector<std::string> found;
    for (std::size_t c = 0; c < lacking.size(); ++c) {
      if (lacking[c]) found.push_back(class_name[c]);
    }
    return named_classes(found);
  }
  /// The same, with "some of the" where a fold that lacks one of them has another.
  std::string some(const std::vector<std::string>& class_name) const {
    const auto all = static_cast<std::size_t>(std::count(lacking.begin(), lacking.end(), true));
    return (least < all ? "some of the " : "") + names(class_name);
  }
  std::string them() const { return std::count(lacking.begin(), lacking.end(), true) == 1 ? "it" : "them"; }

  int folds = 0;
  std::size_t least = std::numeric_limits<std::size_t>::max();  ///< classes that a fold lacks, of those that lack any
  std::vector<bool> lacking;
};

int largest(const Vector<const int>& label) {
  return label.extent(0) == 0 ? 0 : *std::max_element(label.data(), label.data() + label.extent(0));
}

}  // namespace

std::vector<int> FoldSplit::training(int fold, int n) const {
  const std::vector<int>& out = held[fold];
  std::vector<int> in;
  in.reserve(static_cast<std::size_t>(n) - out.size());
  auto skip = out.begin();
  for (int i = 0; i < n; ++i) {
    if (skip != out.end() && *skip == i) {
      ++skip;
    } else {
      in.push_back(i);
    }
  }
  return in;
}

FoldKind parse_fold_kind(const std::string& word) {
  const auto found = std::find(kind_names.begin(), kind_names.end(), word);
  if (found != kind_names.end()) return static_cast<FoldKind>(found - kind_names.begin());
  throw_unknown_word("--fold-kind", word, {kind_names.begin(), kind_names.end()},
                     "contiguous, stratified, shuffled, stratified-shuffled, leave-one-out or group");
}

namespace {

StreamId stream_of(RandomPurpose purpose, std::uint64_t seed, FoldDraw draw) {
  return {.seed = seed, .purpose = purpose, .fold = draw.purpose, .trial = draw.repeat};
}

}  // namespace

FoldSplit make_folds(FoldKind kind, int k, const Vector<const int>& label, std::uint64_t seed, FoldDraw draw) {
  const int n = static_cast<int>(label.extent(0));
  if (kind == FoldKind::leave_one_out) k = n;
  require(k >= 2, text(k, " folds are too few"), "cross-validation needs at least two folds", "");
  require(k <= n, text(k, " folds are more than the ", n, " training samples"), "every fold needs a sample",
          n >= 2 ? text("Use at most ", n, " folds.") : "");
  const auto split = [&]() -> FoldSplit {
    switch (kind) {
      case FoldKind::stratified:
        return deal(in_order(n), label, in_order(largest(label) + 1), k);
      case FoldKind::stratified_shuffled: {
        const StreamId stream = stream_of(random_purpose_stratified_folds, seed, draw);
        return deal(random_permutation(stream, n), label, random_class_order(stream, largest(label) + 1), k);
      }
      case FoldKind::shuffled:
        return cut(random_permutation(stream_of(random_purpose_shuffled_folds, seed, draw), n), k);
      case FoldKind::group:
        throw_run_error("folds by group need the groups");
      default:
        return cut(in_order(n), k);
    }
  };
  FoldSplit made = split();
  made.kind = kind;
  return made;
}

FoldSplit split_folds(const Dataset& train, FoldKind kind, int k, std::uint64_t seed, FoldDraw draw) {
  if (train.group.extent(0) == 0) {
    require(kind != FoldKind::group, text("--fold-kind group needs groups, and ", train.name, " has none"), "",
            "Name their column with --group.");
    return make_folds(kind, k, train.label, seed, draw);
  }
  require(kind == FoldKind::group || kind == FoldKind::stratified_shuffled,
          text("--fold-kind ", kind_names[static_cast<std::size_t>(kind)], " would tear groups apart"),
          text("the samples of ", train.name, " have groups"), "Use --fold-kind group.");
  return make_group_folds(k, train.label, train.group, stream_of(random_purpose_group_folds, seed, draw));
}

FoldSplit repeat_folds(const Dataset& train, FoldKind kind, int k, int repeats, std::uint64_t seed) {
  FoldSplit all = split_folds(train, kind, k, seed);
  const bool random =
      all.kind == FoldKind::shuffled || all.kind == FoldKind::stratified_shuffled || all.kind == FoldKind::group;
  require(repeats >= 1, text("bad --repeats ", repeats), "it is at least 1", "");
  require(repeats == 1 || random,
          text("--repeats ", repeats, " of --fold-kind ", kind_names[static_cast<std::size_t>(kind)]),
          "these folds are not random: all repetitions would be equal", "Use --fold-kind stratified-shuffled.");
  for (int r = 1; r < repeats; ++r) {
    FoldSplit more = split_folds(train, kind, k, seed, {.repeat = static_cast<std::uint32_t>(r)});
    std::move(more.held.begin(), more.held.end(), std::back_inserter(all.held));
  }
  all.repeats = repeats;
  return all;
}

NestedFolds nest_folds(const Dataset& train, FoldKind kind, int outer, int k, std::uint64_t seed) {
  require(kind != FoldKind::leave_one_out, "--outer does not go with leave-one-out folds",
          "it would take a search for each sample", "Use --fold-kind stratified-shuffled.");
  NestedFolds nested{split_folds(train, kind, outer, seed, {.purpose = outer_folds}), {}};
  for (int o = 0; o < nested.outer.folds(); ++o) {
    const std::vector<int> samples = nested.outer.training(o, static_cast<int>(train.label.extent(0)));
    const auto pick = [&](const Vector<const int>& of) {
      const Vector<int> some(uninitialized("krossfold::data::of_outer_fold"), of.extent(0) == 0 ? 0 : samples.size());
      for (std::size_t i = 0; i < some.extent(0); ++i) some(i) = of(samples[i]);
      return some;
    };
    Dataset rest;  // folds depend on labels and groups alone
    rest.name = train.name;
    rest.label = pick(train.label);
    rest.group = pick(train.group);
    FoldSplit inner = split_folds(rest, kind, k, seed, {.purpose = static_cast<std::uint16_t>(1 + o)});
    for (std::vector<int>& held : inner.held) {
      for (int& i : held) i = samples[i];
    }
    nested.inner.push_back(std::move(inner));
  }
  return nested;
}

std::vector<int> fold_sizes(FoldKind kind, int k, int n) {
  if (kind == FoldKind::leave_one_out) return std::vector<int>(n, 1);
  const bool dealt = kind == FoldKind::stratified || kind == FoldKind::stratified_shuffled;
  const std::vector<int> bounds = fold_bounds(n, k);
  std::vector<int> sizes;
  for (int f = 0; f < k; ++f) sizes.push_back(dealt ? n / k + (f < n % k ? 1 : 0) : bounds[f + 1] - bounds[f]);
  return sizes;
}

std::vector<int> random_class_order(StreamId stream, int classes) {
  stream.bootstrap = 1;
  return random_permutation(stream, classes);
}

std::string named_classes(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string all;
  for (std::size_t c = 0; c < names.size() && c < most; ++c) all += (c == 0 ? "" : ", ") + names[c];
  return text(names.size() == 1 ? "class " : "classes ", all,
              names.size() > most ? text(" and ", names.size() - most, " more") : "");
}

std::vector<std::string> missing_classes(const FoldSplit& split, const Vector<const int>& label,
                                         const std::vector<std::string>& class_name,
                                         const Vector<const double>& weight) {
  const std::size_t classes = class_name.size(), folds = split.held.size();
  std::vector<std::size_t> all(classes, 0), counted(classes, 0);  // counted: of some weight
  const auto counts = [&](std::size_t i) { return weight.extent(0) == 0 || weight(i) > 0 ? 1U : 0U; };
  for (std::size_t i = 0; i < label.extent(0); ++i) {
    ++all[label(i)];
    counted[label(i)] += counts(i);
  }
  Lack alone(classes), untrained(classes), unmeasured(classes);
  for (const std::vector<int>& held : split.held) {
    std::vector<std::size_t> here(classes, 0), here_counted(classes, 0);
    for (const int i : held) {
      ++here[label(i)];
      here_counted[label(i)] += counts(static_cast<std::size_t>(i));
    }
    alone.add([&](std::size_t c) { return all[c] == 1 && here[c] == 1; });
    untrained.add([&](std::size_t c) { return all[c] > 1 && counted[c] > 0 && here_counted[c] == counted[c]; });
    unmeasured.add([&](std::size_t c) { return all[c] > 1 && here[c] == 0; });
  }
  std::string advice, fewer;
  for (std::size_t c = 0; c < classes; ++c) {
    if (all[c] > 1 && all[c] < folds / split.repeats)
      fewer = ": take no more folds than the class has samples, and each of them measures it";
  }
  if (split.kind == FoldKind::contiguous || split.kind == FoldKind::shuffled) {
    advice = "; fold-kind stratified-shuffled shares every class";
  } else if (split.kind == FoldKind::group) {
    advice = ": there are too few groups with such samples";
  }
  const auto count = [&](int some) { return text(some, " of ", folds, " folds "); };
  std::vector<std::string> sentences;
  if (alone.folds > 0) {
    const bool one = alone.them() == "it";
    sentences.push_back(text(alone.names(class_name), one ? " has" : " have", " one training sample",
                             one ? ": the fold that holds it out trains without the class"
                                 : " each: the folds that hold them out train without these classes"));
  }
  if (untrained.folds > 0) {
    sentences.push_back(text(count(untrained.folds), untrained.folds == 1 ? "trains" : "train", " without ",
                             untrained.some(class_name), " and so cannot predict ", untrained.them(), advice));
  }
  if (unmeasured.folds > 0 && folds < label.extent(0)) {
    sentences.push_back(text(count(unmeasured.folds), unmeasured.folds == 1 ? "holds" : "hold", " out no sample of ",
                             unmeasured.some(class_name), " and so cannot measure ", unmeasured.them(),
                             advice.empty() ? fewer : advice));
  }
  return sentences;
}

std::string missing_in_nested(const NestedFolds& nested, const Vector<const int>& label,
                              const std::vector<std::string>& class_name) {
  const auto count = [&](const std::vector<int>& samples) {
    std::vector<std::size_t> of_class(class_name.size(), 0);
    for (const int i : samples) ++of_class[static_cast<std::size_t>(label(i))];
    return of_class;
  };
  std::vector<int> samples(label.extent(0));
  std::iota(samples.begin(), samples.end(), 0);
  const std::vector<std::size_t> all = count(samples);
  std::vector<bool> lacks(class_name.size(), false);
  int outer = 0;
  for (int o = 0; o < nested.outer.folds(); ++o) {
    const std::vector<std::size_t> trained = count(nested.outer.training(o, static_cast<int>(label.extent(0))));
    bool here = false;
    const auto lose = [&](std::size_t c, bool lost) {
      if (!lost) return;
      here = true;
      lacks[c] = true;
    };
    for (std::size_t c = 0; c < all.size(); ++c) lose(c, all[c] > 1 && trained[c] == 0);
    for (const std::vector<int>& held : nested.inner[static_cast<std::size_t>(o)].held) {
      const std::vector<std::size_t> held_out = count(held);
      for (std::size_t c = 0; c < all.size(); ++c) lose(c, trained[c] > 1 && held_out[c] == trained[c]);
    }
    outer += here ? 1 : 0;
  }
  if (outer == 0) return "";
  std::vector<std::string> names;
  for (std::size_t c = 0; c < lacks.size(); ++c) {
    if (lacks[c]) names.push_back(class_name[c]);
  }
  return text(outer, " of ", nested.outer.folds(), " outer folds train without ", named_classes(names),
              ", or choose their cell by folds that do: the nested error counts what these cannot predict");
}

}  // namespace krossfold::data
