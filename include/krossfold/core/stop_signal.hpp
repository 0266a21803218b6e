// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

namespace krossfold {

/// Tells a unit whether to stop. Each query counts as a heartbeat: a rank that makes none for stall-timeout is
/// considered hung.
class StopSignal {
public:
  StopSignal() = default;
  StopSignal(std::stop_token token, std::shared_ptr<std::atomic<std::uint64_t>> looks = nullptr)
      : token_(std::move(token)), looks_(std::move(looks)) {}

  bool stop_requested() const {
    if (looks_) looks_->fetch_add(1, std::memory_order_relaxed);
    return token_.stop_requested();
  }

private:
  std::stop_token token_;
  std::shared_ptr<std::atomic<std::uint64_t>> looks_;
};

}  // namespace krossfold
