// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "text_reader.hpp"

namespace krossfold::interchange {

namespace {

constexpr double no_feature = 1e30;

}  // namespace

Range read_range(std::span<const std::byte> bytes, const std::string& name) {
  TextReader file(bytes, name, "a range file of svm-scale");
  require(file.next_line(), text(name, " is empty"), "a range file of svm-scale has a line for each feature");
  const std::string_view kind = file.next();
  file.require(kind != "y", "it scales labels, which have no scale in a classification");
  file.require(kind == "x" && file.at_end(), "the first line is: x");
  const auto line = [&](const char* what) { file.require(file.next_line(), text(what, " is missing")); };
  line("the line with the limits");
  const double lower = file.number(file.next(), "the lower limit"), upper = file.number(file.next(), "the upper limit");
  file.require(lower < upper && file.at_end(), "the line is: LOWER UPPER, in this order");
  Range range;
  int last = -1;
  while (file.next_line()) {
    last = file.whole(file.next(), "the number of the feature", last + 1, data::most_sparse_features - 1);
    const double least = file.number(file.next(), "the least value"),
                 most = file.number(file.next(), "the greatest value");
    file.require(least <= most && file.at_end(), "the line is: FEATURE LEAST GREATEST, in this order");
    const double divisor = least == most ? no_feature : (most - least) / (upper - lower);
    const double offset = least == most ? 0 : least - lower * divisor;
    file.require(divisor > 0 && std::isfinite(divisor) && std::isfinite(offset),
                 "the range of the feature is too large or too small");
    range.number.push_back(last);
    range.offset.push_back(offset);
    range.divisor.push_back(divisor);
  }
  require_line_end(bytes, name);
  return range;
}

data::Scale scale_of(const Range& range, int features, int first_index) {
  const auto count = static_cast<std::size_t>(features);
  data::Scale scale{std::vector<double>(count, 0.0), std::vector<double>(count, no_feature)};
  for (std::size_t k = 0; k < range.number.size(); ++k) {
    const auto j = static_cast<std::size_t>(range.number[k] - first_index);
    scale.offset[j] = range.offset[k];
    scale.divisor[j] = range.divisor[k];
  }
  return scale;
}

}  // namespace krossfold::interchange
