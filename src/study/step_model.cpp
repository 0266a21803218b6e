// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/step_model.hpp"

#include <algorithm>

namespace krossfold::study {

double bytes_sent(const MeasuredSteps& measured, int ranks) {
  const double bytes = measured.numbers * sizeof(float), others = ranks - 1;
  if (measured.splits_weights) return bytes * others / ranks;
  const double own = std::max(1.0, static_cast<double>(measured.workers) / ranks);
  if (measured.gathers_on_root) return bytes * others * (own + 1);
  return bytes * others / ranks * (own + 1);
}

std::optional<Link> measured_link(const MeasuredSteps& measured, double latency) {
  if (measured.ranks < 2 || !(measured.steps > 0) || !(measured.comm_seconds > 0)) return std::nullopt;
  const double step = measured.comm_seconds / measured.steps, waits = 2 * (measured.ranks - 1) * latency;
  // What is left for the bytes: no less than a tenth, so that a short exchange does not make an endless bandwidth.
  return Link{latency, bytes_sent(measured, measured.ranks) / std::max(step - waits, 0.1 * step)};
}

double epoch_seconds(const MeasuredSteps& measured, int ranks, const Link& link) {
  const double computing = (measured.seconds - measured.comm_seconds) * measured.ranks / ranks;
  const double exchange = 2 * (ranks - 1) * link.latency + bytes_sent(measured, ranks) / link.bandwidth;
  return computing + measured.steps * exchange;
}

}  // namespace krossfold::study
