// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Random123/philox.h>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/random.hpp"

namespace krossfold {

/// random_block() for kernels, without its check: draw < 2^48.
KOKKOS_INLINE_FUNCTION r123::Philox4x32::ctr_type philox(const StreamId& stream, std::uint64_t draw) {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(draw), std::uint32_t{stream.purpose} << 16 | stream.fold, stream.trial,
       std::uint32_t{stream.bootstrap} << 16 | static_cast<std::uint32_t>(draw >> 32)}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)}};
  return r123::Philox4x32_R<10>()(counter, key);
}

}  // namespace krossfold
