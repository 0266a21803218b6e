// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The networks of the recorded curves in plain loops and double precision, a reference that shares no code with nn.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "krossfold/tables/readers.hpp"
#include "test/nn/recorded_curves.hpp"

namespace krossfold::test {

/// The images and labels of a curve.
struct PlainImages {
  std::vector<std::vector<float>> pixels;
  std::vector<int> label;

  explicit PlainImages(int samples) {
    const data::Dataset digits = tables::embedded_digits();
    for (int i = 0; i < samples; ++i) {
      std::vector<float>& image = pixels.emplace_back();
      for (int j = 0; j < digits.features(); ++j)
        image.push_back(static_cast<float>((digits.raw(i, j) - 8.0) / (16 / std::sqrt(12.0))));
      label.push_back(digits.label(i));
    }
  }
};

/// A network being trained: the tensors of RecordedCurve::tensors in double, their gradients and momentum.
class PlainNetwork {
public:
  explicit PlainNetwork(const RecordedCurve& curve) : curve_(curve) {
    for (const std::vector<float>& values : initial_weights(curve)) weight_.emplace_back(values.begin(), values.end());
    for (const auto& tensor : weight_) gradient_.emplace_back(tensor.size());
    velocity_ = gradient_;
  }

  /// Cross-entropy of one image.
  double loss(const std::vector<float>& image, int label) {
    forward(image);
    const std::vector<double>& z = value_.back();
    const double highest = *std::max_element(z.begin(), z.end());
    double sum = 0;
    for (const double logit : z) sum += std::exp(logit - highest);
    return std::log(sum) + highest - z[label];
  }

  /// Takes a step on the rows order[first], ..., order[last - 1]; returns their mean loss before the update.
  double step(const PlainImages& images, const std::vector<int>& order, int first, int last) {
    double total = 0;
    for (auto& tensor : gradient_) std::fill(tensor.begin(), tensor.end(), 0.0);
    for (int i = first; i < last; ++i) {
      const int row = order[i];
      total += loss(images.pixels[row], images.label[row]);
      backward(images.pixels[row], images.label[row], 1.0 / (last - first));
    }
    for (std::size_t t = 0; t < weight_.size(); ++t) {
      for (std::size_t i = 0; i < weight_[t].size(); ++i) {
        velocity_[t][i] = curve_.momentum * velocity_[t][i] + gradient_[t][i];
        weight_[t][i] -= curve_.rate * velocity_[t][i];
      }
    }
    return total / (last - first);
  }

private:
  double activate(double z) const {
    if (curve_.activation == "relu") return z < 0 ? 0 : z;  // propagates NaN
    if (curve_.activation == "tanh") return std::tanh(z);
    if (curve_.activation == "sigmoid") return 1 / (1 + std::exp(-z));
    throw std::runtime_error("activation '" + curve_.activation + "'");
  }

  /// Derivative of the activation as a function of its value.
  double slope(double y) const {
    if (curve_.activation == "relu") return y > 0 ? 1 : 0;
    return curve_.activation == "tanh" ? 1 - y * y : y * (1 - y);
  }

  /// Index into the image of entry (a, b) of the kernel at output place p.
  int pixel(int p, int a, int b) const { return (p / curve_.side() + a) * digit_side + p % curve_.side() + b; }

  /// Fills value_ with the input features of the dense layers, then the output of each layer.
  void forward(const std::vector<float>& image) {
    const int k = curve_.kernel, places = curve_.side() * curve_.side();
    value_.assign(1, {image.begin(), image.end()});
    if (curve_.channels != 0) value_[0].clear();
    for (int c = 0; c < curve_.channels; ++c) {
      for (int p = 0; p < places; ++p) {
        double z = weight_[1][c];
        for (int a = 0; a < k; ++a)
          for (int b = 0; b < k; ++b) z += weight_[0][(c * k + a) * k + b] * image[pixel(p, a, b)];
        value_[0].push_back(activate(z));
      }
    }
    for (std::size_t t = first_dense(); t < weight_.size(); t += 2) {
      const std::vector<double> in = value_.back();
      std::vector<double>& out = value_.emplace_back(weight_[t + 1]);
      for (std::size_t o = 0; o < out.size(); ++o) {
        for (std::size_t i = 0; i < in.size(); ++i) out[o] += weight_[t][o * in.size() + i] * in[i];
        if (t + 2 < weight_.size()) out[o] = activate(out[o]);
      }
    }
  }

  /// Adds `share` times the loss gradient of the image last passed to forward().
  void backward(const std::vector<float>& image, int label, double share) {
    std::vector<double> delta = value_.back();  // gradient of the logits: softmax - one hot
    const double highest = *std::max_element(delta.begin(), delta.end());
    double sum = 0;
    for (double& d : delta) sum += d = std::exp(d - highest);
    for (double& d : delta) d *= share / sum;
    delta[label] -= share;
    std::size_t layer = value_.size() - 1;
    for (std::size_t t = weight_.size(); t > first_dense(); --layer) {
      t -= 2;
      const std::vector<double>& in = value_[layer - 1];
      std::vector<double> before(in.size());
      for (std::size_t o = 0; o < delta.size(); ++o) {
        gradient_[t + 1][o] += delta[o];
        for (std::size_t i = 0; i < in.size(); ++i) {
          gradient_[t][o * in.size() + i] += delta[o] * in[i];
          before[i] += delta[o] * weight_[t][o * in.size() + i];
        }
      }
      if (t > 0)  // the images themselves have no activation
        for (std::size_t i = 0; i < in.size(); ++i) before[i] *= slope(in[i]);
      delta = std::move(before);
    }
    const int k = curve_.kernel, places = curve_.side() * curve_.side();
    for (int c = 0; c < curve_.channels; ++c) {
      for (int p = 0; p < places; ++p) {
        const double d = delta[c * places + p];
        gradient_[1][c] += d;
        for (int a = 0; a < k; ++a)
          for (int b = 0; b < k; ++b) gradient_[0][(c * k + a) * k + b] += d * image[pixel(p, a, b)];
      }
    }
  }

  std::size_t first_dense() const { return curve_.channels == 0 ? 0 : 2; }

  RecordedCurve curve_;
  std::vector<std::vector<double>> weight_, gradient_, velocity_, value_;
};

}  // namespace krossfold::test
