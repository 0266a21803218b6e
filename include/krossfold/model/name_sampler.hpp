// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace krossfold::model {

struct LstmModel;

struct SampleParams {
  int count = 20;
  double temperature = 1;  ///< logits are divided by it: below 1 more like the training names, above 1 bolder
  std::uint64_t seed = 0;
  bool novel = false;         ///< leave out names of the training part
  std::string starts_with{};  ///< in any letters; folded as names are
};

/// New names from a character model, letter by letter: the next symbol is drawn from softmax(logits / temperature) with
/// the stream {seed, random_purpose_sampled_names, trial = number of the try}, without dropout, until the stop symbol or
/// the end of the window. Names without letters are drawn again, and with params.novel also those of the training part.
/// Throws an input error for a temperature that is not above 0, for a beginning that leaves no place for a letter, or if
/// 200 tries per name do not give enough.
std::vector<std::string> sample_names(const LstmModel& model, const SampleParams& params);

/// The same from what MODEL on the command line means (see find_models); also throws the errors of reading it.
std::vector<std::string> sample_names(const std::string& model, const SampleParams& params);

}  // namespace krossfold::model
