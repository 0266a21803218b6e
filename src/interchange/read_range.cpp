// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/libsvm_model.hpp"
#include "text_reader.hpp"

namespace krossfold::interchange {

data::Scale scale_from_range(std::span<const std::byte> bytes, const std::string& name, int features, int first_index) {
  constexpr double no_feature = 1e30;
  TextReader file(bytes, name, "a range file of svm-scale");
  require(file.next_line(), text(name, " is empty"), "a range file of svm-scale has a line for each feature");
  const std::string_view kind = file.next();
  file.require(kind != "y", "it scales labels, which have no scale in a classification");
  file.require(kind == "x" && file.at_end(), "the first line is: x");
  const auto line = [&](const char* what) { file.require(file.next_line(), text(what, " is missing")); };
  line("the line with the limits");
  const double lower = file.number(file.next(), "the lower limit"), upper = file.number(file.next(), "the upper limit");
  file.require(lower < upper && file.at_end(), "the line is: LOWER UPPER, in this order");
  const auto count = static_cast<std::size_t>(features);
  data::Scale scale{std::vector<double>(count, 0.0), std::vector<double>(count, no_feature)};
  int last = first_index - 1;
  while (file.next_line()) {
    const int index = file.whole(file.next(), "the number of the feature", last + 1, features + first_index - 1);
    const double least = file.number(file.next(), "the least value"),
                 most = file.number(file.next(), "the greatest value");
    file.require(least <= most && file.at_end(), "the line is: FEATURE LEAST GREATEST, in this order");
    last = index;
    if (least == most) continue;
    const auto j = static_cast<std::size_t>(index - first_index);
    scale.divisor[j] = (most - least) / (upper - lower);
    scale.offset[j] = least - lower * scale.divisor[j];
    file.require(scale.divisor[j] > 0 && std::isfinite(scale.divisor[j]) && std::isfinite(scale.offset[j]),
                 "the range of the feature is too large or too small");
  }
  return scale;
}

}  // namespace krossfold::interchange
