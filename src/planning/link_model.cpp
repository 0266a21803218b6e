// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/link_model.hpp"

#include <algorithm>

namespace krossfold::planning {

double bytes_sent(const MeasuredSteps& measured, int ranks) {
  const double others = ranks - 1, own = std::max(1.0, static_cast<double>(measured.workers) / ranks);
  const double share = measured.gathers_on_root ? others : others / ranks;
  return sizeof(float) * (measured.summed * share * (own + 1) + measured.gathered * others / ranks);
}

double messages(const MeasuredSteps& measured, int ranks) {
  return static_cast<double>(ranks - 1) * (2.0 * measured.sums + measured.gathers);
}

std::optional<Link> measured_link(const MeasuredSteps& measured, double latency) {
  if (measured.ranks < 2 || !(measured.steps > 0) || !(measured.comm_seconds > 0)) return std::nullopt;
  const double step = measured.comm_seconds / measured.steps, waits = messages(measured, measured.ranks) * latency;
  // At least a tenth of the time counts as transfer: an exchange shorter than its latencies must not yield an infinite
  // bandwidth.
  return Link{latency, bytes_sent(measured, measured.ranks) / std::max(step - waits, 0.1 * step)};
}

double computing_seconds(const MeasuredSteps& measured, int ranks) {
  const auto share = [&](int of) { return measured.replicated + (1 - measured.replicated) / of; };
  return (measured.seconds - measured.comm_seconds) * share(ranks) / share(measured.ranks);
}

double epoch_seconds(const MeasuredSteps& measured, int ranks, const Link& link) {
  return computing_seconds(measured, ranks) +
         measured.steps * (messages(measured, ranks) * link.latency + bytes_sent(measured, ranks) / link.bandwidth);
}

}  // namespace krossfold::planning
