// SPDX-License-Identifier: BSD-3-Clause
#include "stall_watch.hpp"

namespace krossfold::parallel {

void StallWatch::turn(int rank, bool busy, double now) {
  Sign& sign = rank_[static_cast<std::size_t>(rank)];
  sign.busy = busy;
  sign.last = now;
}

void StallWatch::report(int rank, std::uint64_t looks, double now) {
  Sign& sign = rank_[static_cast<std::size_t>(rank)];
  if (!sign.busy || looks != sign.looks) sign.last = now;
  sign.looks = looks;
}

std::optional<int> StallWatch::stalled(double now) {
  if (!on()) return std::nullopt;
  const double unasked = now - asked_;
  asked_ = now;
  for (Sign& sign : rank_) {
    if (unasked > report_every()) sign.last += unasked;
  }
  for (std::size_t rank = 0; rank < rank_.size(); ++rank) {
    if (now - rank_[rank].last > timeout_) return static_cast<int>(rank);
  }
  return std::nullopt;
}

}  // namespace krossfold::parallel
