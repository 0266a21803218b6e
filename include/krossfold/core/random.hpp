// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace krossfold {

/// Identifies a stream of random numbers. Streams are stateless: draw i is a pure function of (stream, i), so the
/// numbers of a unit of work do not depend on which rank computes it or when.
struct StreamId {
  std::uint64_t seed = 0;
  std::uint16_t purpose = 0;  ///< one of RandomPurpose
  std::uint16_t bootstrap = 0;
  std::uint16_t fold = 0;
  std::uint32_t trial = 0;
};

/// What random numbers are used for. The values are part of the file format: never renumber them.
enum RandomPurpose : std::uint16_t {
  random_purpose_shuffled_folds = 1,
  random_purpose_shuffled_units = 2,    ///< Schedule::shuffled
  random_purpose_bootstrap = 3,         ///< draws of a bootstrap sample, one stream per fold
  random_purpose_noise_images = 4,      ///< trial: the image
  random_purpose_shuffled_pixels = 5,   ///< trial: the image
  random_purpose_photograph = 6,        ///< trial: the image
  random_purpose_stratified_folds = 7,  ///< the order in which stratified-shuffled folds are dealt
  random_purpose_test_part = 8,         ///< which samples are held out to test
  random_purpose_limit = 9,             ///< which samples a limit keeps
  random_purpose_initial_weights = 10,
  random_purpose_sample_order = 11,   ///< shuffling of the samples in each training epoch
  random_purpose_trial = 12,          ///< hyperparameters of a random search
  random_purpose_dropout = 13,        ///< fold: the layer, trial: the epoch
  random_purpose_sampled_names = 14,  ///< trial: the name
  random_purpose_group_folds = 20,    ///< the order in which groups are dealt to folds
  random_purpose_validation = 21,     ///< which training samples validate the epochs of a network
  random_purpose_partition = 30,      ///< centres of the parts of an SVM search; trial: counts the draws
};

/// Block `draw` of a stream: Philox4x32-10 (Salmon et al., SC 2011) with key = seed and
/// counter = {draw, purpose << 16 | fold, trial, bootstrap << 16 | draw >> 32}. Throws a run error if draw >= 2^48.
std::array<std::uint32_t, 4> random_block(const StreamId& stream, std::uint64_t draw);

/// 64 random bits: the first two words of random_block(stream, draw).
std::uint64_t random_bits(const StreamId& stream, std::uint64_t draw);

/// Uniform in [0, 1), a multiple of 2^-53.
double random_uniform(const StreamId& stream, std::uint64_t draw);

/// Uniform in {0, ..., n - 1} for n >= 1 (the upper 64 bits of bits * n; bias below n / 2^64).
std::uint64_t random_below(const StreamId& stream, std::uint64_t draw, std::uint64_t n);

/// A random permutation of 0 ... n-1 (Fisher-Yates from the end, using draw first_draw + i for position i).
std::vector<int> random_permutation(const StreamId& stream, int n, std::uint64_t first_draw = 0);

}  // namespace krossfold
