// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/kernel_function.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::svm {

namespace {

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{"rbf", "linear", "polynomial",
                                            "precomputed"};  // in the order of KernelKind
  return all;
}

}  // namespace

KernelKind parse_kernel_kind(const std::string& word) {
  const auto found = std::find(words().begin(), words().end(), word);
  if (found == words().end()) {
    throw_unknown_word("--kernel-function", word, words(), "rbf, linear, polynomial or precomputed");
  }
  return static_cast<KernelKind>(found - words().begin());
}

std::string kernel_word(KernelKind kind) { return words()[static_cast<std::size_t>(kind)]; }

bool has_gamma(KernelKind kind) { return kind == KernelKind::rbf || kind == KernelKind::polynomial; }

void check_kernel(const KernelFunction& kernel) {
  if (has_gamma(kernel.kind)) {
    require(std::isfinite(kernel.gamma) && kernel.gamma > 0, text("bad gamma ", shortest(kernel.gamma)),
            "it is positive");
  }
  if (kernel.kind != KernelKind::polynomial) return;
  require(kernel.degree >= 1 && kernel.degree <= largest_degree, text("bad --degree ", kernel.degree),
          text("the degree of the polynomial kernel is a whole number from 1 to ", largest_degree),
          "The default is 3.");
  require(std::isfinite(kernel.coef0) && kernel.coef0 >= 0, text("bad --coef0 ", shortest(kernel.coef0)),
          "it is at least 0: with a negative one, the polynomial is no kernel", "The default is 0.");
}

}  // namespace krossfold::svm
