// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/architecture.hpp"

#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::nn {

kernels::ConvShape Architecture::conv(int batch) const {
  return {image.width, image.height, image.channels, channels, kernel, batch};
}

std::int64_t Architecture::features() const { return std::int64_t{image.channels} * image.width * image.height; }

std::int64_t Architecture::dense_inputs() const { return channels > 0 ? conv(1).outputs() : features(); }

std::vector<int> Architecture::dense_units() const {
  std::vector<int> units = hidden;
  units.push_back(classes);
  return units;
}

std::int64_t Architecture::parameters() const {
  std::int64_t count = channels > 0 ? std::int64_t{channels} * (conv(1).taps() + 1) : 0;
  std::int64_t inputs = dense_inputs();
  for (const int units : dense_units()) {
    count += (inputs + 1) * units;
    inputs = units;
  }
  return count;
}

double Architecture::inference_flops() const {
  double flops = channels > 0 ? 2.0 * static_cast<double>(conv(1).outputs()) * conv(1).taps() : 0;
  std::int64_t inputs = dense_inputs();
  for (const int units : dense_units()) {
    flops += 2.0 * static_cast<double>(inputs) * units;
    inputs = units;
  }
  return flops;
}

double Architecture::training_flops() const {
  // Weight and input gradients each cost as much as the forward pass; the first layer needs no input gradient.
  double flops = 3 * inference_flops();
  if (channels > 0) {
    flops -= 2.0 * static_cast<double>(conv(1).outputs()) * conv(1).taps();
  } else {
    flops -= 2.0 * static_cast<double>(features()) * dense_units()[0];
  }
  return flops;
}

/// Limit on units: their number, padded to full vectors, must fit into int.
constexpr int max_units = 1 << 28;

void check_architecture(const Architecture& architecture, const std::string& what) {
  const auto refuse = [&](const std::string& why) { throw_input_error(text(what, " is not a valid network"), why); };
  if (architecture.features() < 1) refuse("its input has no features");
  if (architecture.features() > std::numeric_limits<int>::max()) {
    refuse(text("its input has ", architecture.features(), " features"));
  }
  if (architecture.classes < 1) refuse("it has no classes");
  if (architecture.channels < 0) refuse(text(architecture.channels, " channels"));
  if (architecture.channels > 0) {
    const int side = std::min(architecture.image.width, architecture.image.height);
    if (architecture.kernel < 1 || architecture.kernel > side) {
      refuse(text("a window of ", architecture.kernel, "x", architecture.kernel, " does not fit into images of ",
                  architecture.image.width, "x", architecture.image.height));
    }
  }
  for (const int units : architecture.hidden) {
    if (units < 1) refuse(text("a layer of ", units, " units"));
    if (units > max_units) refuse(text("a layer of ", units, " units is larger than ", max_units));
  }
  if (!(architecture.dropout >= 0 && architecture.dropout < 1)) refuse(text("dropout of ", architecture.dropout));
}

std::string describe(const Architecture& architecture) {
  std::string out;
  if (architecture.channels > 0) {
    out = text("conv ", architecture.channels, " ", architecture.kernel, "x", architecture.kernel, ", ");
  }
  for (const int units : architecture.hidden) out += text("dense ", units, ", ");
  return out + text(architecture.classes, " classes");
}

}  // namespace krossfold::nn
