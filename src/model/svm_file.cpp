// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_file.hpp"

#include <algorithm>

#include "content_reader.hpp"

namespace krossfold::model {

namespace {

constexpr const char* white_key = "image_white";  // of models of pictures

/// The kernel of a file.
svm::KernelFunction kernel_of(const storage::Container& content, const ContentReader& file) {
  const std::string word = content.attribute("kernel");
  svm::KernelFunction kernel;
  kernel.gamma = file.number("gamma");
  file.require(kernel.gamma > 0, "gamma is not positive");
  bool known = word.empty();  // rbf
  for (const svm::KernelKind kind :
       {svm::KernelKind::rbf, svm::KernelKind::linear, svm::KernelKind::polynomial, svm::KernelKind::precomputed}) {
    if (svm::kernel_word(kind) != word) continue;
    kernel.kind = kind;
    known = true;
  }
  file.require(known, text("its kernel is unknown: ", word));
  if (kernel.kind != svm::KernelKind::polynomial) return kernel;
  kernel.degree = file.whole("degree");
  kernel.coef0 = file.number("coef0");
  file.require(kernel.degree >= 1 && kernel.degree <= svm::largest_degree, "its degree is out of range");
  file.require(kernel.coef0 >= 0, "coef0 is negative");
  return kernel;
}

}  // namespace

storage::Container to_container(const svm::Machine& machine) {
  const std::uint64_t n = machine.support.raw.extent(0), d = machine.support.raw.extent(1);
  const std::uint64_t problems = machine.bias.size();
  storage::Container content;
  content.attributes["kind"] = std::string("svm-model");
  content.attributes["multiclass"] = std::string(machine.multiclass == svm::Multiclass::one_vs_rest ? "ovr" : "ovo");
  const bool precomputed = machine.kernel.kind == svm::KernelKind::precomputed;
  content.attributes["kernel"] = svm::kernel_word(machine.kernel.kind);
  content.attributes["gamma"] = machine.kernel.gamma;
  if (machine.kernel.kind == svm::KernelKind::polynomial) {
    content.attributes["degree"] = std::int64_t{machine.kernel.degree};
    content.attributes["coef0"] = machine.kernel.coef0;
  }
  if (precomputed) content.attributes["kernel_columns"] = std::int64_t{machine.kernel_columns};
  content.attributes["C"] = machine.c;
  content.attributes["integer"] = std::int64_t{machine.support.integer ? 1 : 0};
  content.attributes["lowest"] = static_cast<double>(machine.support.lowest);
  content.attributes["highest"] = static_cast<double>(machine.support.highest);
  if (precomputed) {
    const std::vector<std::int32_t> column(machine.column.begin(), machine.column.end());
    content.arrays = {
        {"/support/column", {n}, column, {}, "1", "number of the support vectors in the training file, from 0"}};
  } else {
    content.arrays = {{"/support/raw", {n, d}, list_of(machine.support.raw), {}, "1", "support vectors, unscaled"}};
  }
  for (storage::Array array : std::vector<storage::Array>{
           {"/support/label", {n}, list_of(machine.support.label), {}, "1", "class of the support vectors"},
           {"/coefficient",
            {problems, n},
            list_of(machine.coefficient),
            {},
            "1",
            "y alpha by problem and support vector"},
           {"/bias", {problems}, machine.bias, {}, "1", "bias of the decision value of each problem"},
       })
    content.arrays.push_back(std::move(array));
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
  machine.kernel = kernel_of(content, file);
  const bool precomputed = machine.kernel.kind == svm::KernelKind::precomputed;
  machine.c = file.number("C");
  machine.image = file.image();
  const std::vector<float> raw = precomputed ? std::vector<float>() : file.values<float>("/support/raw");
  const auto& label = file.values<std::int32_t>("/support/label");
  const auto& coefficient = file.values<double>("/coefficient");
  if (precomputed) file.values<std::int32_t>("/support/column");  // it is there
  const auto& shape = file.shape(precomputed ? "/support/column" : "/support/raw");
  const auto classes = static_cast<int>(machine.class_name.size());
  const std::string multiclass = file.word("multiclass");
  file.require(multiclass == "ovr" || multiclass == "ovo", text("it is neither ovr nor ovo: ", multiclass));
  machine.multiclass = svm::parse_multiclass(multiclass);
  file.require(
      shape.size() == (precomputed ? 1 : 2) && (precomputed || shape[1] >= 1),
      precomputed ? "the columns of the support vectors are not a list" : "the support vectors are not a matrix");
  const std::size_t n = shape[0], d = precomputed ? 0 : shape[1];
  if (precomputed) {
    machine.kernel_columns = file.whole("kernel_columns");
    const auto& column = file.values<std::int32_t>("/support/column");
    file.require(machine.kernel_columns >= 1 &&
                     std::all_of(column.begin(), column.end(),
                                 [&](std::int32_t j) { return j >= 0 && j < machine.kernel_columns; }),
                 "the column of a support vector is out of range");
    file.require(column.size() == n, "the columns do not fit the support vectors");
    machine.column.assign(column.begin(), column.end());
  }
  const std::size_t features = precomputed ? static_cast<std::size_t>(machine.kernel_columns) : d;
  const auto problems = static_cast<std::size_t>(svm::binary_problems(machine.multiclass, classes));
  file.require(machine.bias.size() == problems, "the biases do not fit the classes");
  file.require(coefficient.size() == problems * n && label.size() == n && raw.size() == n * d,
               "the coefficients do not fit the support vectors");
  file.require(std::all_of(label.begin(), label.end(), [&](std::int32_t c) { return c >= 0 && c < classes; }),
               "the class of a support vector is out of range");
  machine.scale = file.scale(features);
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
  machine.support.encoding = file.encoding(features);
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
