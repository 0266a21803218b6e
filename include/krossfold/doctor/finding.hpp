// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold::doctor {

/// ok; slow: a study runs, but slower or less safely than it could; wrong: a study would fail, or its results could be lost.
enum class Verdict { ok, slow, wrong };

/// "ok", "slow" or "wrong".
std::string name_of(Verdict verdict);

/// The outcome of one check.
struct Finding {
  std::string check;  ///< a stable name, such as "shared memory"; docs/doctor.md lists all
  Verdict verdict = Verdict::ok;
  std::string found;
  std::string remedy;  ///< what to change; "" if the verdict is ok
};

/// The worst verdict; ok for none.
Verdict worst(const std::vector<Finding>& findings);

}  // namespace krossfold::doctor
