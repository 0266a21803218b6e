// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/sample_matrix.hpp"

#include <unistd.h>

#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {

void check_memory(std::uint64_t bytes, const std::string& what) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return;  // unknown: leave it to the allocation
  const auto memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  if (bytes > memory) {
    throw_input_error(text(what, " needs ", size_text(bytes), " of memory"),
                      text("this machine has ", size_text(memory)), "");
  }
}

Matrix<float> allocate_samples(std::uint64_t samples, std::uint64_t features, const std::string& name) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  if (samples == 0) throw_input_error(text(name, " holds no samples"));
  if (features == 0) throw_input_error(text(name, " holds no features"), "every sample is empty");
  if (samples > most || features > most) {
    throw_input_error(text(name, " is too large: ", samples, " samples of ", features, " features"),
                      text("either may be at most ", most));
  }
  check_memory(samples * features * sizeof(float), text(name, ": ", samples, " samples of ", features, " features"));
  return Matrix<float>(uninitialized("krossfold::data::raw"), samples, features);
}

Matrix<const float> first_rows(const Matrix<float>& values, int count) {
  return Kokkos::subview(values, std::make_pair(0, count), Kokkos::ALL);
}

void check_features(int features, int expected, const std::string& name) {
  if (expected == 0 || features == expected) return;
  throw_input_error(text(name, " has ", features, " features"), text(expected, " are needed"),
                    "give data of the kind used for training");
}

void check_image(const ImageShape& image, const ImageShape& expected, const std::string& name) {
  if (!image.is_image() || !expected.is_image() || image == expected) return;
  const auto size = [](const ImageShape& shape) {
    return text(shape.width, "x", shape.height, " pixels",
                shape.channels == 1 ? "" : text(" in ", shape.channels, " channels"));
  };
  throw_input_error(text(name, " has images of ", size(image)),
                    text("those of the training data have ", size(expected)), "give images of the same size");
}

}  // namespace krossfold::data
