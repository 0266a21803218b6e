// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_file.hpp"

#include <algorithm>
#include <cmath>

#include "content_reader.hpp"
#include "krossfold/data/sparse_samples.hpp"

namespace krossfold::model {

namespace {

constexpr const char* white_key = "image_white";      // of models of pictures
constexpr const char* features_key = "n_features";    // of models of sparse samples, whose support vectors are ...
constexpr const char *begin_path = "/support/begin",  // ... in compressed rows
    *feature_path = "/support/feature", *value_path = "/support/value";

void add_sparse(storage::Container& content, const SparseMatrix<float>& support) {
  const std::uint64_t n = static_cast<std::uint64_t>(support.rows()),
                      entries = static_cast<std::uint64_t>(entries_of(support));
  const std::int64_t first = support.begin(0);
  std::vector<std::int64_t> begin = list_of(support.begin);
  for (std::int64_t& one : begin) one -= first;
  const int* column = support.column.data() + first;
  const float* value = support.value.data() + first;
  content.attributes[features_key] = std::int64_t{support.columns};
  content.arrays.push_back(
      {begin_path,
       {n + 1},
       begin,
       {},
       "1",
       "where the entries of each support vector begin in column and value, and where the last ones end"});
  content.arrays.push_back({feature_path,
                            {entries},
                            std::vector<std::int32_t>(column, column + entries),
                            {},
                            "1",
                            "feature of each entry, from 0"});
  content.arrays.push_back({value_path,
                            {entries},
                            std::vector<float>(value, value + entries),
                            {},
                            "1",
                            "entries of the support vectors, unscaled; other features are 0"});
}

/// The support vectors of a file of anyone. Sizes follow from arrays that are there, so that a small file cannot ask for much memory.
SparseMatrix<float> sparse_support(const ContentReader& file) {
  const auto& begin = file.values<std::int64_t>(begin_path);
  const auto& column = file.values<std::int32_t>(feature_path);
  const auto& value = file.values<float>(value_path);
  const double features = file.number(features_key);
  file.require(features >= 1 && features <= data::most_sparse_features && features == std::floor(features),
               "the number of features is out of range");
  file.require(column.size() == value.size(), "the entries of the support vectors are of different lengths");
  file.require(are_row_begins(begin, column.size()), "the support vectors do not lie one after the other");
  SparseMatrix<float> support = sparse_matrix_of(begin, column, value, static_cast<int>(features));
  file.require(first_bad_row(support) < 0, "a feature of a support vector is out of range");
  return support;
}

Matrix<const float> dense_support(const ContentReader& file) {
  const auto& raw = file.values<float>("/support/raw");
  const auto& shape = file.shape("/support/raw");
  file.require(shape.size() == 2 && shape[1] >= 1, "the support vectors are not a matrix");
  file.require(raw.size() == shape[0] * shape[1], "the coefficients do not fit the support vectors");
  const Matrix<float> view(uninitialized("krossfold::model::model_raw"), shape[0], shape[1]);
  std::copy(raw.begin(), raw.end(), view.data());
  return view;
}

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
  const auto n = static_cast<std::uint64_t>(machine.support.size()),
             d = static_cast<std::uint64_t>(machine.support.features());
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
  content.arrays = {
      {"/support/label", {n}, list_of(machine.support.label), {}, "1", "class of the support vectors"},
      {"/coefficient", {problems, n}, list_of(machine.coefficient), {}, "1", "y alpha by problem and support vector"},
      {"/bias", {problems}, machine.bias, {}, "1", "bias of the decision value of each problem"},
  };
  if (precomputed) {
    const std::vector<std::int32_t> column(machine.column.begin(), machine.column.end());
    content.arrays.push_back(
        {"/support/column", {n}, column, {}, "1", "number of the support vectors in the training file, from 0"});
  } else if (machine.support.is_sparse()) {
    add_sparse(content, machine.support.sparse);
  } else {
    content.arrays.push_back(
        {"/support/raw", {n, d}, list_of(machine.support.raw), {}, "1", "support vectors, unscaled"});
  }
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

svm::Machine machine_from_container(const storage::Container& content, const std::string& name,
                                    const std::string& advice) {
  const ContentReader file(content, "svm-model", name, "SVM model", advice);
  svm::Machine machine;
  machine.class_name = file.class_name(2);
  machine.bias = file.values<double>("/bias");
  machine.kernel = kernel_of(content, file);
  const bool precomputed = machine.kernel.kind == svm::KernelKind::precomputed;
  machine.c = file.number("C");
  machine.image = file.image();
  const bool sparse = content.has(begin_path);
  file.require(!sparse || (!content.has("/support/raw") && machine.kernel.kind == svm::KernelKind::rbf),
               "its sparse support vectors are of another kernel than rbf, or dense ones are there, too");
  if (precomputed) {
    const auto& column = file.values<std::int32_t>("/support/column");
    machine.kernel_columns = file.whole("kernel_columns", data::most_sparse_features);
    file.require(machine.kernel_columns >= 1 &&
                     std::all_of(column.begin(), column.end(),
                                 [&](std::int32_t j) { return j >= 0 && j < machine.kernel_columns; }),
                 "the column of a support vector is out of range");
    file.require(file.shape("/support/column").size() == 1, "the columns of the support vectors are not a list");
    machine.column.assign(column.begin(), column.end());
    machine.support.raw = Matrix<float>(uninitialized("krossfold::model::model_raw"), column.size(), 0);
  } else if (sparse) {
    machine.support.sparse = sparse_support(file);
  } else {
    machine.support.raw = dense_support(file);
  }
  const auto& label = file.values<std::int32_t>("/support/label");
  const auto& coefficient = file.values<double>("/coefficient");
  const auto classes = static_cast<int>(machine.class_name.size());
  const std::string multiclass = file.word("multiclass");
  file.require(multiclass == "ovr" || multiclass == "ovo", text("it is neither ovr nor ovo: ", multiclass));
  machine.multiclass = svm::parse_multiclass(multiclass);
  const auto n = static_cast<std::size_t>(machine.support.size());
  const auto features = static_cast<std::size_t>(precomputed ? machine.kernel_columns : machine.support.features());
  const auto problems = static_cast<std::size_t>(svm::binary_problems(machine.multiclass, classes));
  file.require(machine.bias.size() == problems, "the biases do not fit the classes");
  file.require(coefficient.size() == problems * n && label.size() == n,
               "the coefficients do not fit the support vectors");
  file.require(std::all_of(label.begin(), label.end(), [&](std::int32_t c) { return c >= 0 && c < classes; }),
               "the class of a support vector is out of range");
  machine.scale = file.scale(features);
  if (content.has("/probability/A") || content.has("/probability/B")) {
    const auto &a = file.values<double>("/probability/A"), &b = file.values<double>("/probability/B");
    file.require(a.size() == problems && b.size() == problems, "the sigmoids do not fit the biases");
    for (std::size_t p = 0; p < problems; ++p) machine.sigmoid.push_back({a[p], b[p]});
  }

  const Vector<int> label_view(uninitialized("krossfold::model::model_label"), n);
  machine.coefficient = Matrix<double>(uninitialized("krossfold::model::model_coefficient"), problems, n);
  std::copy(label.begin(), label.end(), label_view.data());
  std::copy(coefficient.begin(), coefficient.end(), machine.coefficient.data());
  machine.support.name = name;
  machine.support.encoding = file.encoding(features);
  machine.support.first_index = file.first_index();
  if (content.attributes.contains(white_key)) machine.support.white = static_cast<float>(file.number(white_key));
  machine.support.label = label_view;
  machine.support.class_name = machine.class_name;
  machine.support.image = machine.image;
  machine.support.integer = file.number("integer") != 0;
  machine.support.lowest = static_cast<float>(file.number("lowest"));
  machine.support.highest = static_cast<float>(file.number("highest"));
  return machine;
}

}  // namespace krossfold::model
