// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/class_weight.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/label_spelling.hpp"

namespace krossfold::data {

ClassWeights parse_class_weights(const std::string& word, const std::vector<std::string>& class_name) {
  if (word == "none") return {};
  if (word == "balanced") return {.balanced = true};
  const std::string problem = text("bad --class-weight ", quoted(word)),
                    example = "For example --class-weight yes:10,no:1.";
  std::vector<double> weight(class_name.size(), 1.0);
  std::vector<bool> named(class_name.size(), false);
  std::string_view rest = word;
  while (true) {
    // A name with a comma or a colon stands in double quotes.
    const std::size_t closing = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
    const bool in_quotes = closing != std::string_view::npos && rest.substr(closing + 1).starts_with(':');
    const std::string_view part = rest.substr(0, rest.find(',', in_quotes ? closing : 0));
    const std::size_t colon = part.rfind(':');
    require(colon != std::string_view::npos, problem, "expected none, balanced, or NAME:WEIGHT for some classes",
            example);
    const std::string name(in_quotes ? part.substr(1, closing - 1) : part.substr(0, colon));
    auto found = std::find(class_name.begin(), class_name.end(), name);
    if (found == class_name.end()) found = std::find(class_name.begin(), class_name.end(), one_spelling(name));
    if (found == class_name.end()) {
      const std::string near = nearest_word(name, class_name);
      throw_input_error(text("unknown class of --class-weight ", quoted(name)),
                        text("the data have the ", named_classes(class_name)),
                        near.empty() ? "" : text("Did you mean ", near, "?"));
    }
    const auto c = static_cast<std::size_t>(found - class_name.begin());
    const double value = parse_number(part.substr(colon + 1), text("--class-weight, class ", quoted(name)));
    require(value >= 0, problem, text("the weight of class ", quoted(name), " is negative"), example);
    require(!named[c], problem, text("class ", quoted(name), " has two weights"));
    named[c] = true;
    weight[c] = value;
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  return {.of_class = std::move(weight)};
}

std::vector<double> class_factors(const Dataset& samples, const ClassWeights& classes, const std::vector<int>& is_out) {
  if (!classes.balanced) return classes.of_class;
  std::vector<double> count(static_cast<std::size_t>(samples.classes()), 0);
  for (int i = 0; i < samples.size(); ++i) count[samples.label(i)] += is_out[i] == 0 ? 1 : 0;
  double all = 0, present = 0;
  for (const double of_class : count) {
    all += of_class;
    present += of_class > 0 ? 1 : 0;
  }
  std::vector<double> factor(count.size(), 0);
  for (std::size_t c = 0; c < count.size(); ++c) factor[c] = count[c] > 0 ? all / (present * count[c]) : 0;
  return factor;
}

Vector<double> training_weights(const Dataset& samples, const ClassWeights& classes, const std::vector<int>& is_out) {
  const bool own = samples.weight.extent(0) != 0;
  if (!own && !classes.balanced && classes.of_class.empty()) return {};
  const std::vector<double> factor = class_factors(samples, classes, is_out);
  const Vector<double> weight(uninitialized("krossfold::data::training_weight"), samples.size());
  for (int i = 0; i < samples.size(); ++i) {
    weight(i) = (own ? samples.weight(i) : 1.0) * (factor.empty() ? 1.0 : factor[samples.label(i)]);
  }
  return weight;
}

Vector<double> with_mean_one(const Vector<double>& weight) {
  const auto samples = static_cast<double>(weight.extent(0));
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < weight.extent(0); ++i) {
    sum += weight(i);
    largest = std::max(largest, weight(i));
  }
  require(std::isfinite(largest), "a sample has an infinite weight in training",
          "its own weight times that of its class is above 1.8e308", "Divide all weights by the largest.");
  require(sum > 0 || weight.extent(0) == 0, "all samples have the weight 0", "there is nothing to train on");
  // The sum of huge weights overflows, and so does the inverse of that of tiny ones. The unit 1 leaves all others as they are.
  double unit = 1;
  if (!std::isfinite(sum) || !std::isfinite(samples / sum)) {
    unit = largest;
    sum = 0;
    for (std::size_t i = 0; i < weight.extent(0); ++i) sum += weight(i) / unit;
  }
  const Vector<double> scaled(uninitialized("krossfold::data::scaled_weight"), weight.extent(0));
  for (std::size_t i = 0; i < weight.extent(0); ++i) scaled(i) = weight(i) / unit * (samples / sum);
  return scaled;
}

}  // namespace krossfold::data
