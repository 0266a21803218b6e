// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/doctor/finding.hpp"

#include <algorithm>

namespace krossfold::doctor {

std::string name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::slow:
      return "slow";
    case Verdict::wrong:
      break;
  }
  return "wrong";
}

Verdict worst(const std::vector<Finding>& findings) {
  Verdict verdict = Verdict::ok;
  for (const Finding& finding : findings) verdict = std::max(verdict, finding.verdict);
  return verdict;
}

}  // namespace krossfold::doctor
