// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_file.hpp"

#include <algorithm>

#include "content_reader.hpp"

namespace krossfold::model {

namespace {

constexpr const char* white_key = "image_white";  // of models of pictures

}  // namespace

storage::Container to_container(const svm::Machine& machine) {
  const std::uint64_t n = machine.support.raw.extent(0), d = machine.support.raw.extent(1);
  const std::uint64_t problems = machine.bias.size();
  storage::Container content;
  content.attributes["kind"] = std::string("svm-model");
  content.attributes["multiclass"] = std::string(machine.multiclass == svm::Multiclass::one_vs_rest ? "ovr" : "ovo");
  content.attributes["kernel"] = std::string("rbf");
  content.attributes["gamma"] = machine.gamma;
  content.attributes["C"] = machine.c;
  content.attributes["integer"] = std::int64_t{machine.support.integer ? 1 : 0};
  content.attributes["lowest"] = static_cast<double>(machine.support.lowest);
  content.attributes["highest"] = static_cast<double>(machine.support.highest);
  content.arrays = {
      {"/support/raw", {n, d}, list_of(machine.support.raw), {}, "1", "support vectors, unscaled"},
      {"/support/label", {n}, list_of(machine.support.label), {}, "1", "class of the support vectors"},
      {"/coefficient", {problems, n}, list_of(machine.coefficient), {}, "1", "y alpha by problem and support vector"},
      {"/bias", {problems}, machine.bias, {}, "1", "bias of the decision value of each problem"},
  };
  add_samples(content, machine.image, machine.scale, machine.class_name);
  add_encoding(content, machine.support.encoding);
  add_first_index(content, machine.support.first_index);
  if (machine.support.white != 0) content.attributes[white_key] = static_cast<double>(machine.support.white);
  if (!machine.sigmoid.empty()) {
    std::vector<double> a, b;
    for (const svm::Sigmoid& sigmoid : machine.sigmoid) {
      a.push_back(sigmoid.a);
      b.push_back(sigmoid.b);
    }
    const std::string sigmoid = " of the sigmoid 1 / (1 + exp(A f + B))";
    content.arrays.push_back({"/probability/A", {problems}, a, {}, "1", "slope A" + sigmoid});
    content.arrays.push_back({"/probability/B", {problems}, b, {}, "1", "offset B" + sigmoid});
  }
  return content;
}

svm::Machine machine_from_container(const storage::Container& content, const std::string& name) {
  const ContentReader file(content, "svm-model", name, "SVM model");
  svm::Machine machine;
  machine.class_name = file.class_name(2);
  machine.bias = file.values<double>("/bias");
  machine.gamma = file.number("gamma");
  machine.c = file.number("C");
  machine.image = file.image();
  const auto& raw = file.values<float>("/support/raw");
  const auto& label = file.values<std::int32_t>("/support/label");
  const auto& coefficient = file.values<double>("/coefficient");
  const auto& shape = file.shape("/support/raw");
  const auto classes = static_cast<int>(machine.class_name.size());
  const std::string multiclass = file.word("multiclass");
  file.require(multiclass == "ovr" || multiclass == "ovo", text("it is neither ovr nor ovo: ", multiclass));
  machine.multiclass = svm::parse_multiclass(multiclass);
  file.require(shape.size() == 2 && shape[1] >= 1, "the support vectors are not a matrix");
  const std::size_t n = shape[0], d = shape[1];
  const auto problems = static_cast<std::size_t>(svm::binary_problems(machine.multiclass, classes));
  file.require(machine.bias.size() == problems, "the biases do not fit the classes");
  file.require(coefficient.size() == problems * n && label.size() == n && raw.size() == n * d,
               "the coefficients do not fit the support vectors");
  file.require(std::all_of(label.begin(), label.end(), [&](std::int32_t c) { return c >= 0 && c < classes; }),
               "the class of a support vector is out of range");
  machine.scale = file.scale(d);
  file.require(machine.gamma > 0, "gamma is not positive");
  if (content.has("/probability/A") || content.has("/probability/B")) {
    const auto &a = file.values<double>("/probability/A"), &b = file.values<double>("/probability/B");
    file.require(a.size() == problems && b.size() == problems, "the sigmoids do not fit the biases");
    for (std::size_t p = 0; p < problems; ++p) machine.sigmoid.push_back({a[p], b[p]});
  }

  const Matrix<float> raw_view(uninitialized("krossfold::model::model_raw"), n, d);
  const Vector<int> label_view(uninitialized("krossfold::model::model_label"), n);
  machine.coefficient = Matrix<double>(uninitialized("krossfold::model::model_coefficient"), problems, n);
  std::copy(raw.begin(), raw.end(), raw_view.data());
  std::copy(label.begin(), label.end(), label_view.data());
  std::copy(coefficient.begin(), coefficient.end(), machine.coefficient.data());
  machine.support.name = name;
  machine.support.encoding = file.encoding(d);
  machine.support.first_index = file.first_index();
  if (content.attributes.contains(white_key)) machine.support.white = static_cast<float>(file.number(white_key));
  machine.support.raw = raw_view;
  machine.support.label = label_view;
  machine.support.class_name = machine.class_name;
  machine.support.image = machine.image;
  machine.support.integer = file.number("integer") != 0;
  machine.support.lowest = static_cast<float>(file.number("lowest"));
  machine.support.highest = static_cast<float>(file.number("highest"));
  return machine;
}

}  // namespace krossfold::model
