// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/input/names.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/nn/exchange.hpp"
#include "test/data/sample_dataset.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::test {

/// A machine for 6 features and 3 classes with random coefficients that sum to 0, as those of a trained one do; a
/// third of its 40 samples are no support vectors.
inline svm::Machine sample_machine(std::uint32_t seed = 3) {
  constexpr int samples = 40, features = 6, classes = 3;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const Matrix<double> beta("krossfold::test::beta", classes, samples);
  for (int c = 0; c < classes; ++c) {
    for (int i = 0; i < samples; ++i) {
      beta(c, i) = i % 3 == 0 || i == 1 ? 0 : normal(random);
      if (i > 1) beta(c, 1) -= beta(c, i);
    }
  }
  svm::Machine machine =
      svm::make_machine(sample_dataset(samples, features, classes, seed), beta, {0.1, -0.2, 1.0 / 3});
  machine.kernel.gamma = 0.0123456789;
  machine.c = 1.0 / 7;
  machine.scale.offset = {8};
  machine.scale.divisor = {4.619};
  return machine;
}

/// A network for 3 classes of images of 3 x 2 pixels, with random weights.
inline model::NetworkModel sample_network(std::uint32_t seed = 3, int channels = 2) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  model::NetworkModel model;
  model.architecture = {{3, 2, 1}, channels, channels > 0 ? 2 : 0, {5}, 3};
  model.parameters = nn::tensors_of(model.architecture);
  for (nn::Parameter& one : model.parameters) {
    std::int64_t size = 1;
    for (const std::int64_t extent : one.shape) size *= extent;
    for (std::int64_t k = 0; k < size; ++k) one.value.push_back(normal(random));
  }
  model.scale = {{8}, {4.619}};
  model.class_name = {"class 0", "class 1", "class 2"};
  model.image = {model.architecture.image, 0, 16, true, 0.25F};
  return model;
}

/// The parts of a network without convolution: each has some of the inputs of each dense layer, and all biases.
inline std::vector<model::NetworkModel> split(const model::NetworkModel& whole, int parts) {
  std::vector<model::NetworkModel> all(static_cast<std::size_t>(parts), whole);
  std::vector<std::int64_t> first(whole.parameters.size(), 0);
  for (int p = 0; p < parts; ++p) {
    model::NetworkModel& part = all[static_cast<std::size_t>(p)];
    part.part = p;
    part.parts = parts;
    part.parameters = nn::tensors_of(whole.architecture, p, parts);
    for (std::size_t t = 0; t < first.size(); ++t) {
      const nn::Parameter& from = whole.parameters[t];
      std::vector<float>& value = part.parameters[t].value;
      if (from.shape.size() == 1) value = from.value;
      if (from.shape.size() == 1) continue;
      const std::int64_t columns = part.parameters[t].shape[1];
      for (std::int64_t row = 0; row < from.shape[0]; ++row) {
        const auto begin = from.value.begin() + row * from.shape[1] + first[t];
        value.insert(value.end(), begin, begin + columns);
      }
      first[t] += columns;
    }
  }
  return all;
}

/// A character model whose cells are constant, so that each symbol follows with the probability that its bias gives.
inline model::LstmModel constant_model(const std::map<char, float>& bias) {
  model::LstmModel model;
  model.architecture = {.layers = 1, .hidden = 2};
  model.parameters = nn::tensors_of(model.architecture);
  for (auto& parameter : model.parameters) {
    std::int64_t size = 1;
    for (const auto extent : parameter.shape) size *= extent;
    parameter.value.assign(static_cast<std::size_t>(size), 0.0f);
  }
  auto& dense = model.parameters.back().value;
  std::fill(dense.begin(), dense.end(), -100.0f);
  for (const auto& [letter, value] : bias) dense[input::name_alphabet.find(letter)] = value;
  return model;
}

inline void expect_same(const std::vector<nn::Parameter>& found, const std::vector<nn::Parameter>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < expected.size(); ++t) {
    EXPECT_EQ(found[t].name, expected[t].name);
    EXPECT_EQ(found[t].shape, expected[t].shape);
    EXPECT_EQ(found[t].value, expected[t].value) << expected[t].name;
  }
}

inline storage::Array& at(storage::Container& content, const std::string& path) {
  return const_cast<storage::Array&>(content.at(path));
}
template <class T>
std::vector<T>& values(storage::Container& content, const std::string& path) {
  return std::get<std::vector<T>>(at(content, path).values);
}
inline void drop(storage::Container& content, const std::string& path) {
  std::erase_if(content.arrays, [&](const storage::Array& array) { return array.path == path; });
}

/// What was done to a file, and how.
using Damages = std::vector<std::pair<std::string, std::function<void(storage::Container&)>>>;

/// Expects each damage to be refused as bad input in a message that names the file.
template <class Read>
void expect_refused(const storage::Container& whole, const Damages& damages, const Read& read) {
  read(whole, "there.h5", "Train it again.");
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    storage::Container content = whole;
    damage(content);
    const std::string message = message_of(ExitCode::usage, [&] { read(content, "there.h5", "Train it again."); });
    EXPECT_NE(message.find("there.h5"), std::string::npos) << message;
  }
}

}  // namespace krossfold::test
