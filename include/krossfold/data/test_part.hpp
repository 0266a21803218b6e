// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Which samples of a data set without a test part of its own are held out to test.
struct TestPart {
  enum Kind {
    random,  ///< a stratified random share: right for files in any order
    last,    ///< the last fifth in the order of the file
    none     ///< no sample: all of them train
  };
  Kind kind = random;
  double share = 0.2;  ///< of random, above 0 and at most 0.5

  TestPart(Kind of = random, double share_of_all = 0.2) : kind(of), share(share_of_all) {}
  bool operator==(Kind other) const { return kind == other; }
};

/// Parses "random", "last", "none" or the share of a random part, such as "0.3"; throws an input error that suggests the nearest of
/// the words, or for a share that is not above 0 and at most 0.5.
TestPart parse_test_part(const std::string& word);

/// Samples by number, both lists ascending.
struct TestSplit {
  std::vector<int> train, test;
};

/// Chooses the test part of labelled samples of a file. Samples of a group (numbers from 0; empty for none) stay together:
/// of round(1 / share) parts made by make_group_folds(), or of as many as there are groups, one of about that share is the test part, if
/// possible one that leaves samples of every class; the last fifth must not tear a group apart.
/// Errors and the rest as in split_off_test_part().
TestSplit choose_test_part(const Labels& labels, const Vector<const int>& group, const std::string& name, TestPart part,
                           std::uint64_t seed);

/// Splits a data set into a training part and a test part of about a fifth, both in the order of the file:
///   random  the samples of each class, in the order of a random permutation (seed, random_purpose_test_part), are dealt to
///           five parts in turn, each class continuing where the previous one stopped, the classes in a random order too; one
///           part is the test part, so that each class has a fifth of its samples there, rounded up or down, and every sample
///           is as likely to be there. A class with one sample trains. Another share than a fifth is taken as split_off_validation()
///           takes it.
///   last    the first round(0.8 n) samples train, the rest tests. Throws an input error for a class that only the test part
///           has, because it could not be predicted.
///   none    all samples train
/// The test part is empty if it would have no sample.
Task split_off_test_part(const Dataset& whole, TestPart part, std::uint64_t seed);

/// The parts of `whole` that choose_test_part() chose.
Task split(const Dataset& whole, const TestSplit& samples, TestPart part);

/// Splits a training part into samples to train on (`train` of the result) and samples to validate on (`test`), about `share`
/// of each class, both in the order of the file. The samples of each class in the order of a random permutation (seed,
/// random_purpose_validation), classes in random order, form a line of which every 1/share-th is taken; a class with one sample
/// trains. Groups stay together: of round(1 / share) parts made by make_group_folds(), one validates. `test` is empty if no
/// sample can be taken. 0 < share <= 0.5.
Task split_off_validation(const Dataset& train, double share, std::uint64_t seed);

/// Keeps `limit` training samples in the order of the file: the first ones (last), or random ones (random and none; seed,
/// random_purpose_limit). Of these there is one of each class, as far as the limit allows, and then about the same share of
/// each class; a larger limit keeps the samples of a smaller one.
/// A limit of 0 keeps all. Throws an input error if `limit` is negative or above the number of samples.
Dataset limit_samples(const Dataset& train, int limit, TestPart part, std::uint64_t seed);

/// Throws an input error unless 0 <= limit <= most; `what` says "FILE has N samples".
void check_limit(int limit, std::ptrdiff_t most, const std::string& what);

}  // namespace krossfold::data
