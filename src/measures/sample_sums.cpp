// SPDX-License-Identifier: BSD-3-Clause
#include "sample_sums.hpp"

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::measures {

void check_length(const char* what, std::size_t found, std::size_t samples, std::size_t per_sample) {
  if (found == samples * per_sample) return;
  throw_run_error(text(found, " values of ", what, " for ", samples, " samples"),
                  per_sample == 1 ? "" : text("each sample needs ", per_sample));
}

void check_weights(std::span<const double> weight, std::size_t samples) {
  if (weight.empty()) return;
  check_length("the sample weight", weight.size(), samples);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (std::isfinite(weight[i]) && weight[i] >= 0) continue;
    throw_run_error(text("the weight of sample ", i, " is ", weight[i]), "weights must be finite and at least 0");
  }
}

void check_labels(const char* what, std::span<const int> label, int classes) {
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] >= 0 && label[i] < classes) continue;
    throw_run_error(text(what, " of sample ", i, " is ", label[i]), text("there are ", classes, " classes, from 0 on"));
  }
}

void check_not_nan(const char* what, std::span<const double> value) {
  std::size_t broken = 0;
  for (const double v : value) broken += std::isnan(v) ? 1 : 0;
  if (broken > 0) throw_run_error(text(broken, " of ", value.size(), " values of ", what, " are NaN"));
}

}  // namespace krossfold::measures
