// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "krossfold/nn/exchange.hpp"

namespace krossfold::test {

/// One worker with all shards that sums every layer's numbers as soon as they are declared final: if numbers change
/// afterwards or a layer was not announced, the sum differs from the gradient's.
class WatchingExchange : public nn::Exchange<Device> {
public:
  using Exchange::Exchange;

  void expect_gradient(std::span<const std::int64_t> begin) override { begin_.assign(begin.begin(), begin.end()); }

  void sum_from(const Device& exec, const Vector<float, Device>& sum, const Matrix<const float, Device>& own,
                std::int64_t first) override {
    if (left_ == 0) {
      left_ = begin_.size() - 1;
      ++steps;
    }
    const Vector<float, Device> now("krossfold::test::sum", sum.extent(0));
    nn::sum_rows<Device>(exec, now, own);
    fence(exec, "krossfold::test::sum_from");
    const auto found = on_host(now);
    sum_.resize(static_cast<std::size_t>(sum.extent(0)));
    for (; left_ > 0 && begin_[left_ - 1] >= first; --left_) {
      for (std::int64_t k = begin_[left_ - 1]; k < begin_[left_]; ++k) sum_[k] = found(k);
      ++sent;
    }
  }

  void end_sum(const Device&, const Vector<float, Device>& sum) override {
    ASSERT_EQ(left_, 0u);
    const auto host = host_mirror(sum);
    for (std::size_t k = 0; k < sum_.size(); ++k) host(k) = sum_[k];
    Kokkos::deep_copy(sum, host);
  }

  std::size_t layers() const { return begin_.size() - 1; }

  int steps = 0, sent = 0;  ///< number of sums; number of layers sent

private:
  std::vector<std::int64_t> begin_;
  std::size_t left_ = 0;  ///< number of layers not yet sent
  std::vector<float> sum_;
};

}  // namespace krossfold::test
