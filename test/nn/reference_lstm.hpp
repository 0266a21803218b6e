// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A character model implemented from its definition in double on the host, with PyTorch's layouts.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "krossfold/nn/lstm_network.hpp"

namespace krossfold::test {

struct ReferenceLstm {
  nn::LstmArchitecture architecture;
  std::vector<std::vector<double>> parameter;  ///< in the order of LstmNetwork::parameters()
  /// The dropout factor of unit h of a layer at step t of a window.
  std::function<double(int window, int layer, int t, int h)> factor = [](int, int, int, int) { return 1.0; };

  ReferenceLstm(const nn::LstmArchitecture& form, const std::vector<nn::Parameter>& values) : architecture(form) {
    for (const auto& p : values) parameter.emplace_back(p.value.begin(), p.value.end());
  }

  /// Logits of each step.
  std::vector<std::vector<double>> logits(int window, const int* symbol) const {
    const int hidden = architecture.hidden;
    std::vector<std::vector<double>> x(architecture.steps);
    for (int t = 0; t < architecture.steps; ++t) {
      x[t].assign(architecture.symbols, 0);
      x[t][symbol[t]] = 1;
    }
    for (int l = 0; l < architecture.layers; ++l) {
      const auto* tensor = &parameter[4 * l];
      std::vector<double> y(hidden), cell(hidden);
      for (int t = 0; t < architecture.steps; ++t) {
        std::vector<double> a(4 * hidden);
        for (int j = 0; j < 4 * hidden; ++j) {
          a[j] = tensor[2][j] + tensor[3][j];
          for (std::size_t i = 0; i < x[t].size(); ++i) a[j] += tensor[0][j * x[t].size() + i] * x[t][i];
          for (int i = 0; i < hidden; ++i) a[j] += tensor[1][j * hidden + i] * y[i];
        }
        const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
        x[t].assign(hidden, 0);
        for (int h = 0; h < hidden; ++h) {
          cell[h] = sigmoid(a[hidden + h]) * cell[h] + sigmoid(a[h]) * std::tanh(a[2 * hidden + h]);
          y[h] = sigmoid(a[3 * hidden + h]) * std::tanh(cell[h]);
          x[t][h] = y[h] * (l + 1 < architecture.layers ? factor(window, l, t, h) : 1.0);
        }
      }
    }
    const auto &weight = parameter[4 * architecture.layers], &bias = parameter[4 * architecture.layers + 1];
    std::vector<std::vector<double>> z(architecture.steps, bias);
    for (int t = 0; t < architecture.steps; ++t) {
      for (int c = 0; c < architecture.symbols; ++c) {
        for (int h = 0; h < hidden; ++h) z[t][c] += weight[c * hidden + h] * x[t][h];
      }
    }
    return z;
  }

  /// Mean cross-entropy over the steps of a window.
  double loss(int window, const int* symbol, const int* next) const {
    double sum = 0;
    const auto all = logits(window, symbol);
    for (int t = 0; t < architecture.steps; ++t) {
      const double largest = *std::max_element(all[t].begin(), all[t].end());
      double exps = 0;
      for (const double z : all[t]) exps += std::exp(z - largest);
      sum += std::log(exps) + largest - all[t][next[t]];
    }
    return sum / architecture.steps;
  }
};

}  // namespace krossfold::test
