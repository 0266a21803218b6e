// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/random.hpp"

#include <numeric>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/philox.hpp"

namespace krossfold {

std::array<std::uint32_t, 4> random_block(const StreamId& stream, std::uint64_t draw) {
  // A larger draw would overflow into the bits of `bootstrap` and repeat the numbers of another stream.
  if (draw >> 48 != 0) throw_run_error("random draw " + std::to_string(draw), "a stream has 2^48 draws");
  const auto block = philox(stream, draw);
  return {block[0], block[1], block[2], block[3]};
}

std::uint64_t random_bits(const StreamId& stream, std::uint64_t draw) {
  const auto block = random_block(stream, draw);
  return std::uint64_t{block[1]} << 32 | block[0];
}

double random_uniform(const StreamId& stream, std::uint64_t draw) {
  return static_cast<double>(random_bits(stream, draw) >> 11) * 0x1p-53;
}

std::uint64_t random_below(const StreamId& stream, std::uint64_t draw, std::uint64_t n) {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Product>(random_bits(stream, draw)) * n >> 64);
}

std::vector<int> random_permutation(const StreamId& stream, int n, std::uint64_t first_draw) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) {
    const auto draw = first_draw + static_cast<std::uint64_t>(i);
    std::swap(order[i], order[random_below(stream, draw, static_cast<std::uint64_t>(i) + 1)]);
  }
  return order;
}

}  // namespace krossfold
