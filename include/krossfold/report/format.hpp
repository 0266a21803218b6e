// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "krossfold/storage/container.hpp"

namespace krossfold::report {

/// An attribute of a result file; 0 and `otherwise` where there is none of that type (or it is not finite).
std::int64_t whole(const storage::Container& result, const std::string& name);
double real(const storage::Container& result, const std::string& name, double otherwise = 0);

/// Sets what reports of all kinds of studies say: all of it but the classes, the units and the warnings.
template <class Report>
void set_common(Report& report, const storage::Container& result, const std::string& name) {
  report.name = name;
  report.status = result.attribute("status");
  report.data = result.attribute("data");
  report.fold_kind = result.attribute("fold_kind");
  report.train_samples = static_cast<int>(whole(result, "n_train"));
  report.test_samples = static_cast<int>(whole(result, "n_test"));
  report.features = static_cast<int>(whole(result, "n_features"));
  report.ranks = static_cast<int>(std::max<std::int64_t>(1, whole(result, "ranks")));
  report.seconds = real(result, "seconds");
}

/// Once the report has the times of its units: the share of the time that ranks were computing, as the file says or, for older
/// files, over all runs.
template <class Report>
void set_utilisation(Report& report, const storage::Container& result) {
  if (report.seconds > 0) report.utilisation = report.unit_seconds / (report.seconds * report.ranks);
  report.utilisation = real(result, "utilisation", report.utilisation);
}

/// "1 worker", "4 workers".
std::string counted(int count, const std::string& what);

/// A field of a CSV line, quoted where RFC 4180 requires it.
std::string csv_field(const std::string& value);

/// "1.23 %"; "-" for NaN.
std::string percent(double fraction);
/// `value` with so many significant digits; "-" for NaN.
std::string rounded(double value, int digits = 4);

}  // namespace krossfold::report
