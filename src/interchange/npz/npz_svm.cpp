// SPDX-License-Identifier: BSD-3-Clause
#include "npz_svm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "interchange/exact_decision.hpp"
#include "interchange/pairwise.hpp"
#include "interchange/single_precision.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "krossfold/model/svm_file.hpp"
#include "npz_fields.hpp"

namespace krossfold::interchange {

namespace {

using svm::KernelKind;

std::int64_t signed_of(std::size_t count) { return static_cast<std::int64_t>(count); }

void add_support(NpzWriter& to, const svm::Machine& machine, const std::vector<int>& order) {
  const std::int64_t n = machine.support.size(), d = machine.support.features();
  if (machine.kernel.kind == KernelKind::precomputed) {
    std::vector<std::int64_t> column;
    for (const int i : order) column.push_back(machine.column[static_cast<std::size_t>(i)]);
    to.add("support_", {n}, column);
    return to.add("kernel_columns", std::int64_t{machine.kernel_columns});
  }
  std::vector<double> value;
  if (!machine.support.is_sparse()) {
    value.reserve(static_cast<std::size_t>(n * d));
    for (const int i : order) {
      for (int j = 0; j < d; ++j) {
        value.push_back((machine.support.raw(i, j) - machine.scale.offset_of(j)) / machine.scale.divisor_of(j));
      }
    }
    return to.add("support_vectors_", {n, d}, value);
  }
  const SparseMatrix<float>& sparse = machine.support.sparse;
  std::vector<std::int64_t> column, begin{0};
  for (const int i : order) {
    for (std::int64_t e = sparse.begin(i); e < sparse.begin(i + 1); ++e) {
      column.push_back(sparse.column(e));
      value.push_back(sparse.value(e) / machine.scale.divisor_of(sparse.column(e)));
    }
    begin.push_back(signed_of(column.size()));
  }
  const std::vector<std::int64_t> shape{n, d};
  to.add("support_vectors_data", {signed_of(value.size())}, value);
  to.add("support_vectors_indices", {signed_of(column.size())}, column);
  to.add("support_vectors_indptr", {signed_of(begin.size())}, begin);
  to.add("support_vectors_shape", {2}, shape);
}

/// dual_coef_, intercept_, probA_ and probB_ of one-vs-rest of more than two classes.
void add_rest(NpzWriter& to, const svm::Machine& machine, const std::vector<int>& order) {
  std::vector<double> dual;
  for (int p = 0; p < machine.problems(); ++p) {
    for (const int i : order) dual.push_back(machine.coefficient(p, i));
  }
  to.add("dual_coef_", {machine.problems(), machine.support.size()}, dual);
  to.add("intercept_", {machine.problems()}, constants_of(machine));
}

/// The same of pairs.
void add_pairs(NpzWriter& to, const svm::Machine& machine, const Pairwise& pairwise) {
  const int classes = machine.classes();
  const double sign = classes == 2 ? -1 : 1;  // the value of two classes is that of the second
  std::vector<double> dual, intercept;
  for (int row = 0; row + 1 < classes; ++row) {
    for (const int i : pairwise.order) {
      const int own = machine.support.label(i), other = row < own ? row : row + 1;
      dual.push_back(sign * pairwise.coefficient(pair_number(own, other, classes), i));
    }
  }
  for (const double constant : pairwise.constant) intercept.push_back(sign * constant);
  to.add("dual_coef_", {classes - 1, machine.support.size()}, dual);
  to.add("intercept_", {signed_of(intercept.size())}, intercept);
}

void add_sigmoids(NpzWriter& to, const std::vector<svm::Sigmoid>& sigmoid) {
  std::vector<double> slope, offset;
  for (const svm::Sigmoid& one : sigmoid) {
    slope.push_back(one.a);
    offset.push_back(one.b);
  }
  to.add("probA_", {signed_of(slope.size())}, slope);
  to.add("probB_", {signed_of(offset.size())}, offset);
}

}  // namespace

std::vector<std::byte> npz_of(const svm::Machine& machine, const std::string& name) {
  storage::Container content = model::to_container(machine);
  if (machine.support.is_sparse()) {
    for (storage::Array& array : content.arrays) {
      if (array.path == "/scale/offset") array.values = std::vector<double>(array.shape[0], 0.0);
    }
  }
  NpzWriter to;
  add_fields(to, content, svm_format);
  const bool rest = machine.multiclass == svm::Multiclass::one_vs_rest && machine.classes() > 2;
  to.add("multiclass", std::string(rest ? "ovr" : "ovo"));
  const svm::KernelFunction& kernel = machine.kernel;
  to.add("kernel", kernel.kind == KernelKind::polynomial ? "poly" : svm::kernel_word(kernel.kind));
  to.add("gamma", kernel.gamma);
  to.add("degree", std::int64_t{kernel.degree});
  to.add("coef0", kernel.coef0);
  to.add("C", machine.c);
  const std::vector<int> order = by_class(machine), count = count_by_class(machine);
  const std::vector<std::int64_t> counts(count.begin(), count.end());
  to.add("n_support_", {signed_of(counts.size())}, counts);
  if (machine.support.size() > 0) add_support(to, machine, order);
  if (rest) {
    add_rest(to, machine, order);
    if (!machine.sigmoid.empty()) add_sigmoids(to, machine.sigmoid);
  } else {
    const Pairwise pairwise = pairwise_of(machine, name);
    add_pairs(to, machine, pairwise);
    if (!pairwise.sigmoid.empty()) add_sigmoids(to, pairwise.sigmoid);
  }
  return to.finish();
}

namespace {

/// Reads an SVM into the content of a model file.
class SvmReader {
public:
  explicit SvmReader(const NpzReader& file) : file_(file) {}

  svm::Machine machine(double* difference) {
    read_kernel();
    classes_ = file_.words("classes_").size();
    file_.require(classes_ >= 2 && classes_ <= 30000, text("there are ", classes_, " classes"));
    read_support();
    read_fields(content_, file_, features_);
    if (!file_.has("image_shape")) {
      content_.attributes["image_width"] = std::int64_t{0};
      content_.attributes["image_height"] = std::int64_t{0};
    }
    read_labels();
    read_coefficients();
    read_sigmoids();
    if (!precomputed_) add_raw();
    svm::Machine machine = model::machine_from_container(content_, file_.name(), npz_advice);
    const std::vector<double> constant = machine.bias;
    set_constants(machine, std::vector<double>(constant));
    if (difference != nullptr) {
      *difference = difference_from_exact(machine, constant, support_.value.size(),
                                          [&](std::size_t a, std::size_t b) { return products(a, b); });
    }
    return machine;
  }

private:
  template <class T>
  void put(const std::string& path, std::vector<std::uint64_t> shape, std::vector<T> values) {
    content_.arrays.push_back({path, std::move(shape), std::move(values), {}, "1", ""});
  }

  void read_kernel() {
    content_.attributes["kind"] = std::string("svm-model");
    std::string kernel = file_.word("kernel");
    if (kernel == "poly") kernel = "polynomial";
    precomputed_ = kernel == "precomputed";
    content_.attributes["kernel"] = kernel;
    content_.attributes["gamma"] = 1.0;
    if (kernel == "rbf" || kernel == "polynomial") content_.attributes["gamma"] = file_.number("gamma");
    if (kernel == "polynomial") {
      content_.attributes["degree"] = file_.whole("degree", 1, svm::largest_degree);
      content_.attributes["coef0"] = file_.number("coef0");
    }
    content_.attributes["C"] = file_.has("C") ? file_.number("C") : 0.0;
  }

  void read_support() {
    if (precomputed_) {
      std::vector<std::int32_t> column;
      for (const double value : file_.numbers("support_").value) {
        file_.require(value >= 0 && value < data::most_sparse_features && value == std::floor(value),
                      "support_ are no numbers of samples");
        column.push_back(static_cast<std::int32_t>(value));
      }
      vectors_ = column.size();
      file_.require(vectors_ > 0, "support_ is empty");
      const int last = *std::max_element(column.begin(), column.end());
      const auto columns =
          file_.has("kernel_columns") ? file_.whole("kernel_columns", last + 1, data::most_sparse_features) : last + 1;
      features_ = static_cast<std::uint64_t>(columns);
      content_.attributes["kernel_columns"] = columns;
      content_.attributes["integer"] = std::int64_t{0};  // unless the file says it of the matrix
      content_.attributes["lowest"] = content_.attributes["highest"] = 0.0;
      return put("/support/column", {vectors_}, std::move(column));
    }
    if (file_.has("support_vectors_")) {
      support_ = file_.numbers("support_vectors_");
      file_.require(support_.shape.size() == 2, "support_vectors_ is no matrix");
      vectors_ = support_.shape[0];
      features_ = support_.shape[1];
      return;
    }
    file_.require(file_.has("support_vectors_indptr"), "the array support_vectors_ is missing");
    support_ = file_.numbers("support_vectors_data");
    column_ = wholes("support_vectors_indices");
    begin_ = wholes("support_vectors_indptr");
    const std::vector<std::int64_t> shape = wholes("support_vectors_shape");
    file_.require(shape.size() == 2 && shape[0] >= 1 && shape[1] >= 1 && shape[1] <= data::most_sparse_features &&
                      begin_.size() == static_cast<std::uint64_t>(shape[0]) + 1 &&
                      are_row_begins(begin_, column_.size()) && support_.value.size() == column_.size(),
                  "the arrays support_vectors_... do not fit one another");
    vectors_ = static_cast<std::uint64_t>(shape[0]);
    features_ = static_cast<std::uint64_t>(shape[1]);
    file_.require(std::all_of(column_.begin(), column_.end(), [&](std::int64_t j) { return j < shape[1]; }),
                  "support_vectors_indices are out of range");
  }

  std::vector<std::int64_t> wholes(const char* array) const {
    std::vector<std::int64_t> all;
    for (const double value : file_.numbers(array).value) {
      file_.require(value >= 0 && value < 0x1p53 && value == std::floor(value),
                    text(array, " are no whole numbers from 0"));
      all.push_back(static_cast<std::int64_t>(value));
    }
    return all;
  }

  Products products(std::size_t a, std::size_t b) const {
    if (!begin_.empty()) return sparse_products(begin_, column_, support_.value, a, b);
    Products sum;
    for (std::uint64_t j = 0; j < features_; ++j) {
      sum.add(support_.value[a * features_ + j], support_.value[b * features_ + j]);
    }
    return sum;
  }

  /// The raw value of a scaled one; whole numbers come back as such.
  double raw_of(double scaled, std::uint64_t feature) {
    const double o = offset_[offset_.size() == 1 ? 0 : feature], d = divisor_[divisor_.size() == 1 ? 0 : feature];
    const double raw = scaled * d + o, whole = std::nearbyint(raw);
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * (std::abs(o) + std::abs(scaled * d));
    const double kept = std::abs(raw - whole) <= rounding ? whole : raw;
    file_.require(std::abs(kept) <= std::numeric_limits<float>::max(), "a support vector is beyond single precision");
    lowest_ = std::min(lowest_, kept);
    highest_ = std::max(highest_, kept);
    integer_ = integer_ && kept == whole;
    return kept;
  }

  void add_raw() {
    offset_ = content_.values<double>("/scale/offset");
    divisor_ = content_.values<double>("/scale/divisor");
    const bool sparse = !begin_.empty();
    std::vector<float> raw(support_.value.size());
    const bool centred = std::any_of(offset_.begin(), offset_.end(), [](double v) { return v != 0; });
    file_.require(!sparse || !centred, "mean_ is not 0 for sparse support vectors");
    SinglePrecision single(vectors_);
    for (std::size_t k = 0; k < raw.size(); ++k) {
      const std::uint64_t j = sparse ? static_cast<std::uint64_t>(column_[k]) : k % features_;
      raw[k] = single.rounded(j, raw_of(support_.value[k], j));
    }
    single.check(file_.name(), data::Scale{offset_, divisor_}, 1);
    if (sparse) {
      lowest_ = std::min(lowest_, 0.0);
      highest_ = std::max(highest_, 0.0);
      const std::vector<std::int32_t> column(column_.begin(), column_.end());
      content_.attributes["n_features"] = static_cast<std::int64_t>(features_);
      put("/support/begin", {begin_.size()}, begin_);
      put("/support/feature", {column.size()}, column);
      put("/support/value", {column_.size()}, std::move(raw));
    } else {
      put("/support/raw", {vectors_, features_}, std::move(raw));
    }
    // The range of all training samples, if the file says it; but what is no whole number cannot count as one.
    const auto stated = [&](const char* array, double otherwise) {
      return file_.has(array) ? file_.number(array) : otherwise;
    };
    content_.attributes["lowest"] = std::min(lowest_, stated("lowest", lowest_));
    content_.attributes["highest"] = std::max(highest_, stated("highest", highest_));
    content_.attributes["integer"] = std::int64_t{integer_ && stated("integer", 1) != 0 ? 1 : 0};
  }

  /// Support vectors are ordered by class.
  void read_labels() {
    const std::vector<std::int64_t> count = wholes("n_support_");
    file_.require(count.size() == classes_,
                  text("n_support_ has ", count.size(), " numbers for ", classes_, " classes"));
    std::vector<std::int32_t>& label = label_;
    for (std::size_t c = 0; c < classes_; ++c) {
      file_.require(static_cast<std::uint64_t>(count[c]) <= vectors_ - label.size(),
                    "n_support_ does not fit the support vectors");
      label.insert(label.end(), static_cast<std::size_t>(count[c]), static_cast<std::int32_t>(c));
    }
    file_.require(label.size() == vectors_, "n_support_ does not fit the support vectors");
    put("/support/label", {vectors_}, label);
  }

  void read_coefficients() {
    const NpzReader::Numbers dual = file_.numbers("dual_coef_"), intercept = file_.numbers("intercept_");
    const bool fits = dual.shape.size() == 2 && dual.shape[1] == vectors_;
    file_.require(fits, "dual_coef_ does not fit the support vectors");
    const bool rest = classes_ > 2 && dual.shape[0] == classes_;
    file_.require(rest || dual.shape[0] == classes_ - 1,
                  text("dual_coef_ has ", dual.shape[0], " rows for ", classes_, " classes"));
    problems_ = rest ? classes_ : classes_ * (classes_ - 1) / 2;
    file_.require(intercept.value.size() == problems_,
                  text("intercept_ has ", intercept.value.size(), " numbers instead of ", problems_));
    const std::string multiclass = rest ? "ovr" : "ovo";
    content_.attributes["multiclass"] = multiclass;
    if (file_.has("multiclass") && classes_ > 2) {
      const std::string word = file_.word("multiclass");
      file_.require(word == multiclass, text("multiclass says ", quoted(word), ", but dual_coef_ is of ", multiclass));
    }
    const double sign = classes_ == 2 ? -1 : 1;
    std::vector<double> bias = intercept.value, coefficient;
    for (double& one : bias) one *= sign;
    put("/bias", {problems_}, std::move(bias));
    data::check_memory(problems_ * vectors_ * sizeof(double), text("the coefficients of ", file_.name()));
    if (rest) {
      coefficient = dual.value;
    } else {
      coefficient.assign(problems_ * vectors_, 0.0);
      for (std::size_t k = 0; k < dual.value.size(); ++k) {
        const std::size_t i = k % vectors_;
        const int row = static_cast<int>(k / vectors_), own = label_[i], other = row < own ? row : row + 1;
        const auto pair = static_cast<std::size_t>(pair_number(own, other, static_cast<int>(classes_)));
        coefficient[pair * vectors_ + i] = sign * dual.value[k];
      }
    }
    put("/coefficient", {problems_, vectors_}, std::move(coefficient));
  }

  void read_sigmoids() {
    if (!file_.has("probA_")) return;
    for (const auto& [array, path] :
         {std::pair<const char*, const char*>{"probA_", "/probability/A"}, {"probB_", "/probability/B"}}) {
      std::vector<double> values = file_.numbers(array).value;
      file_.require(values.size() == problems_, text(array, " has ", values.size(), " numbers instead of ", problems_));
      put(path, {problems_}, std::move(values));
    }
  }

  const NpzReader& file_;
  storage::Container content_;
  bool precomputed_ = false, integer_ = true;
  std::uint64_t vectors_ = 0, features_ = 0, classes_ = 0, problems_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_;
  NpzReader::Numbers support_;
  std::vector<std::int64_t> column_, begin_;
  std::vector<std::int32_t> label_;
  std::vector<double> offset_, divisor_;
};

}  // namespace

svm::Machine read_npz_svm(const NpzReader& file, double* difference) {
  svm::Machine machine = SvmReader(file).machine(difference);
  file.require_all_parameters_read();
  return machine;
}

}  // namespace krossfold::interchange
