// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/doctor/checks.hpp"
#include "krossfold/doctor/finding.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/report/document.hpp"

namespace krossfold::doctor {

/// What the ranks found and what was concluded, the same on every rank.
struct Examination {
  Ranks ranks;
  std::vector<Finding> findings;
};

/// Examines the set-up of these ranks: starts Kokkos, unless a device is missing, and writes, locks and deletes a small hidden file
/// in the folder of the output. output: a result file, which need not exist, or a folder. Collective.
Examination examine(const parallel::Communicator& world, const std::string& output);

/// The report: a line for each finding and, unless its verdict is ok, a line with its remedy. In JSON (docs/doctor.md) the
/// findings and a row for each rank. only_problems: the text form leaves out what is ok.
report::Document document_of(const Examination& examination, bool only_problems);

}  // namespace krossfold::doctor
