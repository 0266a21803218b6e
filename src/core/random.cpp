// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/random.hpp"

#include <Random123/philox.h>

#include <numeric>
#include <utility>

#include "krossfold/core/error.hpp"

namespace krossfold {

std::array<std::uint32_t, 4> random_block(const StreamId& stream, std::uint64_t draw) {
  // A larger number would run into the bits of `bootstrap` and repeat the numbers of another stream.
  if (draw >> 48 != 0) throw_run_error("random draw " + std::to_string(draw), "a stream has 2^48 draws");
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(draw), std::uint32_t{stream.purpose} << 16 | stream.fold, stream.trial,
       std::uint32_t{stream.bootstrap} << 16 | static_cast<std::uint32_t>(draw >> 32)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)}};
  const auto block = r123::Philox4x32_R<10>()(counter, key);
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

std::vector<int> random_permutation(const StreamId& stream, int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random_below(stream, i, std::uint64_t(i) + 1)]);
  return order;
}

}  // namespace krossfold
