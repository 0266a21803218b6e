// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// Layout of a parameter in device memory: output o of input i is at i * input_stride + o. It may be a block of a
/// larger parameter, starting at input first_input and output first_output.
struct ParameterLayout {
  std::int64_t inputs, outputs, input_stride;
  std::int64_t first_input = 0, first_output = 0, all_outputs = outputs;

  std::int64_t size() const { return inputs * outputs; }
  /// Offset of entry k in PyTorch's order, (output, input).
  std::int64_t at(std::int64_t k) const { return k % inputs * input_stride + k / inputs; }
};

/// Sets output o of input i, both counted in the whole parameter, to bound * u with u uniform in [-1, 1), drawn as
/// number n = i * all_outputs + o: word n % 4 of block tensor << 40 | n / 4 of the stream. Polls every four million numbers.
template <class Exec>
void fill_uniform(const Exec& exec, const Vector<float, Exec>& out, const ParameterLayout& layout,
                  const StreamId& stream, int tensor, double bound, const Poll& poll = {});

}  // namespace krossfold::nn
