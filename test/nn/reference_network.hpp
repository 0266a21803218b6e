// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The network implemented from its definition in double on the host, with PyTorch's layouts.

#include <algorithm>
#include <cmath>
#include <vector>

#include "krossfold/nn/network.hpp"

namespace krossfold::test {

struct ReferenceNetwork {
  nn::Architecture architecture;
  std::vector<std::vector<double>> parameter;  ///< in the order of Network::parameters()

  ReferenceNetwork(const nn::Architecture& form, const std::vector<nn::Parameter>& values) : architecture(form) {
    for (const auto& p : values) parameter.emplace_back(p.value.begin(), p.value.end());
  }

  static double activated(kernels::Activation activation, double y) {
    switch (activation) {
      case kernels::Activation::relu:
        return std::max(0.0, y);
      case kernels::Activation::tanh:
        return std::tanh(y);
      case kernels::Activation::sigmoid:
        return 1 / (1 + std::exp(-y));
      default:
        return y;
    }
  }

  std::vector<double> logits(const std::vector<double>& features) const {
    std::vector<double> x = features;
    std::size_t t = 0;
    const auto conv = architecture.conv(1);
    if (architecture.channels > 0) {
      const auto &weight = parameter[t++], &bias = parameter[t++];
      std::vector<double> y;
      for (int c = 0; c < conv.channels; ++c) {
        for (int row = 0; row < conv.out_height(); ++row) {
          for (int column = 0; column < conv.out_width(); ++column) {
            double sum = bias[c];
            for (int i = 0; i < conv.input_channels; ++i) {
              for (int a = 0; a < conv.kernel; ++a) {
                for (int b = 0; b < conv.kernel; ++b) {
                  sum += weight[((c * conv.input_channels + i) * conv.kernel + a) * conv.kernel + b] *
                         x[(i * conv.height + row + a) * conv.width + column + b];
                }
              }
            }
            y.push_back(std::max(0.0, sum));
          }
        }
      }
      x = y;
    }
    const auto units = architecture.dense_units();
    for (std::size_t l = 0; l < units.size(); ++l) {
      const auto &weight = parameter[t++], &bias = parameter[t++];
      std::vector<double> y(units[l]);
      for (int h = 0; h < units[l]; ++h) {
        y[h] = bias[h];
        for (std::size_t i = 0; i < x.size(); ++i) y[h] += weight[h * x.size() + i] * x[i];
        if (l + 1 < units.size()) y[h] = activated(architecture.activation, y[h]);
      }
      x = y;
    }
    return x;
  }

  double loss(const std::vector<double>& features, int label) const {
    const auto z = logits(features);
    const double largest = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (const double value : z) sum += std::exp(value - largest);
    return std::log(sum) + largest - z[label];
  }

  /// Mean loss of a batch, which is the loss of a step.
  double loss(const std::vector<std::vector<double>>& batch, const std::vector<int>& label) const {
    double sum = 0;
    for (std::size_t s = 0; s < batch.size(); ++s) sum += loss(batch[s], label[s]);
    return sum / static_cast<double>(batch.size());
  }

  /// d loss / d parameter[t][i] by differences, below and above its value. The two differ where a unit's ReLU has its kink within
  /// the step, and else by the step times the second derivative.
  struct Slopes {
    double below, above;
    /// That which is nearest to `slope` of all between the two.
    double nearest(double slope) const { return std::clamp(slope, std::min(below, above), std::max(below, above)); }
  };
  Slopes slopes(std::size_t t, std::size_t i, const std::vector<std::vector<double>>& batch,
                const std::vector<int>& label) {
    const double before = parameter[t][i], step = 1e-6,
                 here = loss(batch, label);  // rounding: some 1e-14 / step at most
    parameter[t][i] = before + step;
    const double up = loss(batch, label);
    parameter[t][i] = before - step;
    const double down = loss(batch, label);
    parameter[t][i] = before;
    return {(here - down) / step, (up - here) / step};
  }
};

}  // namespace krossfold::test
