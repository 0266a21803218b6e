// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace krossfold::model {

struct LstmModel;

struct SampleParams {
  int count = 20;
  double temperature = 1;  ///< divides the logits: below 1 closer to the training names, above 1 bolder
  std::uint64_t seed = 0;
  bool novel = false;         ///< omit names of the training part
  std::string starts_with{};  ///< first letters, folded as the names of a file are
};

/// Draws names from a character model, letter by letter: the next symbol is drawn from softmax(logits / temperature) with
/// the stream {seed, random_purpose_sampled_names, trial = number of the attempt}, without dropout, until the stop symbol or
/// the end of the window. Names without letters are drawn again, and with params.novel also those of the training part.
/// Throws an input error for a temperature that is not above 0, for first letters that fill the window, or if 200 attempts
/// per name do not yield enough.
std::vector<std::string> sample_names(const LstmModel& model, const SampleParams& params);

/// Draws names from the model that the path `model` denotes (see find_models()), whose errors it throws as well.
std::vector<std::string> sample_names(const std::string& model, const SampleParams& params);

}  // namespace krossfold::model
