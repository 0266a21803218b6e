// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Training curves of PyTorch on the embedded digits (test/nn/recorded), with their initial weights and sample orders.
// The first lines of each file and tools/peers/record_training_curves.py document how they were made and the formulas.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace krossfold::test {

inline constexpr int digit_side = 8, digit_classes = 10;

/// Loss in a float64 and in a float32 run of PyTorch.
struct RecordedLoss {
  double float64 = 0, float32 = 0;
};

/// The number of entries of a parameter tensor and the number of inputs (fan-in) of its layer.
struct TensorSize {
  std::size_t entries = 0;
  int fan_in = 0;
};

/// One file: a network, its training parameters, and PyTorch's losses. The images are the first `samples` embedded
/// digits, with each pixel p scaled to (p - 8) / (16 / sqrt(12)) and rounded to float.
struct RecordedCurve {
  std::string network, activation;  ///< "cnn" or "mlp"; "relu", "tanh" or "sigmoid"
  int channels = 0, kernel = 0;     ///< of a cnn
  std::vector<int> hidden;          ///< widths of the hidden dense layers
  int samples = 0, batch = 0;
  double rate = 0, momentum = 0;
  std::uint64_t weights = 0;          ///< checksum
  std::vector<std::uint64_t> orders;  ///< checksum for each epoch

  std::vector<RecordedLoss> step;   ///< batch loss before its update; ends non-finite if the training diverges
  std::vector<RecordedLoss> epoch;  ///< mean training loss of an epoch; empty if the training diverges
  std::vector<RecordedLoss> after;  ///< mean over all samples with the weights at the epoch's end; empty likewise

  /// Side length of the convolution's output (1 to 8), and the number of inputs of the first dense layer.
  int side() const { return digit_side - kernel + 1; }
  int features() const { return channels == 0 ? digit_side * digit_side : channels * side() * side(); }

  /// Tensors in PyTorch's order, weight and bias layer by layer: conv (c, 1, k, k), (c); dense (out, in), (out). The
  /// first dense layer reads features in the order (channel, row, column).
  std::vector<TensorSize> tensors() const {
    std::vector<TensorSize> found;
    const auto layer = [&](int out, int in) {
      found.push_back({static_cast<std::size_t>(out) * static_cast<std::size_t>(in), in});
      found.push_back({static_cast<std::size_t>(out), in});
    };
    if (channels != 0) layer(channels, kernel * kernel);
    int in = features();
    for (const int width : hidden) {
      layer(width, in);
      in = width;
    }
    layer(digit_classes, in);
    return found;
  }
};

/// The finaliser of 32-bit MurmurHash3 (A. Appleby, public domain).
inline std::uint32_t murmur_mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

/// The entries of tensor t (0, 1, ... in the order of RecordedCurve::tensors) before training.
inline std::vector<float> initial_values(int t, const TensorSize& size) {
  std::vector<float> values(size.entries);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t u =
        murmur_mix(static_cast<std::uint32_t>(i) * 2654435761U + static_cast<std::uint32_t>(t + 1) * 40503U);
    values[i] = static_cast<float>((u / 2147483648.0 - 1) / std::sqrt(static_cast<double>(size.fan_in)));
  }
  return values;
}

/// All tensors of a curve's network before training.
inline std::vector<std::vector<float>> initial_weights(const RecordedCurve& curve) {
  std::vector<std::vector<float>> tensors;
  for (const TensorSize& size : curve.tensors())
    tensors.push_back(initial_values(static_cast<int>(tensors.size()), size));
  return tensors;
}

/// The sample order of epoch e (0, 1, ...); batches are consecutive runs of it.
inline std::vector<int> epoch_order(int e, int samples) {
  std::vector<int> order(samples);
  std::iota(order.begin(), order.end(), 0);
  for (int i = samples - 1; i > 0; --i) {
    const std::uint32_t u =
        murmur_mix(static_cast<std::uint32_t>(i) * 2654435761U + static_cast<std::uint32_t>(e + 1) * 2246822519U);
    std::swap(order[i], order[u % static_cast<std::uint32_t>(i + 1)]);
  }
  return order;
}

/// Reads one of the files. Throws std::runtime_error naming the file and line for anything unexpected.
inline RecordedCurve read_recorded_curve(const std::string& path) {
  RecordedCurve curve;
  std::ifstream file(path);
  std::string line;
  int number = 0;
  const auto fail = [&] { throw std::runtime_error(path + ", line " + std::to_string(number) + ": '" + line + "'"); };
  const auto read_case = [&](const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) fail();
      const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
      if (name == "network")
        curve.network = value;
      else if (name == "activation")
        curve.activation = value;
      else if (name == "channels")
        curve.channels = std::stoi(value);
      else if (name == "kernel")
        curve.kernel = std::stoi(value);
      else if (name == "hidden")
        curve.hidden.push_back(std::stoi(value));
      else if (name == "samples")
        curve.samples = std::stoi(value);
      else if (name == "batch")
        curve.batch = std::stoi(value);
      else if (name == "rate")
        curve.rate = std::stod(value);
      else if (name == "momentum")
        curve.momentum = std::stod(value);
      else if (name == "weights")
        curve.weights = std::stoull(value);
      else if (name == "order")
        curve.orders.push_back(std::stoull(value));
      else
        fail();
    }
  };
  while (std::getline(file, line)) {
    ++number;
    if (line.rfind("# case: ", 0) == 0) read_case(line.substr(8));
    if (line.empty() || line[0] == '#' || line == "what,index,float64,float32") continue;
    std::istringstream fields(line);
    std::string what, index, float64, float32;
    std::getline(std::getline(std::getline(std::getline(fields, what, ','), index, ','), float64, ','), float32, ',');
    auto& losses = what == "step" ? curve.step : what == "epoch" ? curve.epoch : curve.after;
    if (float32.empty() || index != std::to_string(losses.size()) || (&losses == &curve.after && what != "after"))
      fail();
    losses.push_back({std::stod(float64), std::stod(float32)});
  }
  if (curve.samples == 0 || curve.step.empty()) fail();
  return curve;
}

}  // namespace krossfold::test
