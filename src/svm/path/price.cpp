// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/price.hpp"

#include <algorithm>

#include "krossfold/svm/augmented_lagrangian.hpp"
#include "krossfold/svm/interior_point.hpp"

namespace krossfold::svm {

double price_of(int members, int rank) {
  const double interior = interior_cost(members, rank);
  const bool low = rank > 0 && members >= members_a_row * rank;
  return low ? std::min(interior, lagrangian_cost(members, rank)) : interior;
}

int affordable_rank(int members, double cost) {
  int least = 0, most = members;  // the price grows with the rank
  while (least < most) {
    const int middle = least + (most - least + 1) / 2;
    if (price_of(members, middle) <= cost) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

}  // namespace krossfold::svm
