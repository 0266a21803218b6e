// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// Writes the arrays that training changes, in order.
template <class Exec>
void write_arrays(ByteWriter& writer, const Exec& exec, const std::vector<Vector<float, Exec>>& arrays) {
  fence(exec, "krossfold::nn::write_state");
  std::size_t bytes = 4096;  // room for what callers append
  for (const auto& values : arrays) bytes += sizeof(std::uint64_t) + sizeof(float) * values.extent(0);
  writer.reserve(bytes);
  for (const auto& values : arrays) {
    const auto from = on_host(values);
    writer.put_all(std::span<const float>(from.data(), from.extent(0)));
  }
}

/// Reads what write_arrays() wrote. Throws a run error if the lengths differ.
template <class Exec>
void read_arrays(ByteReader& reader, const std::vector<Vector<float, Exec>>& arrays) {
  for (const auto& values : arrays) {
    const auto found = reader.get<std::uint64_t>();
    if (found != values.extent(0)) {
      throw_run_error("the state of another network", text(found, " numbers, expected ", values.extent(0)));
    }
    const auto to = host_mirror(values);
    reader.read(std::span(to.data(), values.extent(0)));
    Kokkos::deep_copy(values, to);
  }
}

}  // namespace krossfold::nn
