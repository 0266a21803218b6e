// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "interchange/exact_decision.hpp"
#include "interchange/pairwise.hpp"
#include "interchange/single_precision.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "text_reader.hpp"

namespace krossfold::interchange {

namespace {

using svm::KernelKind;

constexpr int most_classes = 30000;
constexpr const char* no_machine_of_classes = "only classifiers are imported: c_svc and nu_svc";

/// The content of a model file, as it is there.
struct Content {
  std::set<std::string, std::less<>> field;  ///< those that the header has
  svm::KernelFunction kernel;
  int classes = 0, total = -1;
  std::vector<double> rho, slope, offset;
  std::vector<int> label, count;
  std::vector<double> coefficient;  ///< (support vector, other class)
  std::vector<std::int64_t> begin{0};
  std::vector<int> index;  ///< of the entries
  std::vector<double> value;
};

std::vector<double> numbers(TextReader& file, const char* what) {
  std::vector<double> all;
  while (!file.at_end()) all.push_back(file.number(file.next(), what));
  return all;
}

std::vector<int> wholes(TextReader& file, const char* what, int least) {
  std::vector<int> all;
  while (!file.at_end()) all.push_back(file.whole(file.next(), what, least, std::numeric_limits<int>::max()));
  return all;
}

KernelKind kernel_kind(const TextReader& file, std::string_view word) {
  for (const KernelKind kind : {KernelKind::rbf, KernelKind::linear, KernelKind::polynomial, KernelKind::precomputed}) {
    if (svm::kernel_word(kind) == word) return kind;
  }
  file.refuse(text("the kernel is none of rbf, linear, polynomial and precomputed: ", quoted(word)));
}

/// Reads one line of the header.
void read_field(TextReader& file, std::string_view key, Content& content) {
  file.require(content.field.emplace(key).second, text(key, " is given twice"));
  const auto one = [&] {
    const std::string_view word = file.next();
    file.require(!word.empty() && file.at_end(), text(key, " has one value"));
    return word;
  };
  if (key == "svm_type") {
    const std::string_view type = one();
    file.require(type == "c_svc" || type == "nu_svc", no_machine_of_classes);
  } else if (key == "kernel_type") {
    content.kernel.kind = kernel_kind(file, one());
  } else if (key == "degree") {
    content.kernel.degree = file.whole(one(), "degree", 1, svm::largest_degree);
  } else if (key == "gamma") {
    content.kernel.gamma = file.number(one(), "gamma");
    file.require(content.kernel.gamma > 0, "gamma is positive");
  } else if (key == "coef0") {
    content.kernel.coef0 = file.number(one(), "coef0");
  } else if (key == "nr_class") {
    content.classes = file.whole(one(), "nr_class", 2, most_classes);
  } else if (key == "total_sv") {
    content.total = file.whole(one(), "total_sv", 1, std::numeric_limits<int>::max());
  } else if (key == "rho") {
    content.rho = numbers(file, "rho");
  } else if (key == "label") {
    content.label = wholes(file, "a label", std::numeric_limits<int>::min());
  } else if (key == "probA") {
    content.slope = numbers(file, "probA");
  } else if (key == "probB") {
    content.offset = numbers(file, "probB");
  } else if (key == "nr_sv") {
    content.count = wholes(file, "nr_sv", 0);
  } else {
    file.refuse(text("the header of a classifier has no field ", quoted(key)));
  }
}

/// The header is consistent once this returns.
void check_header(const TextReader& file, const Content& content) {
  const KernelKind kind = content.kernel.kind;
  const auto needs = [&](std::string_view field, bool needed = true) {
    file.require(!needed || content.field.contains(field), text(field, " is missing"));
  };
  needs("svm_type");
  needs("kernel_type");
  needs("gamma", svm::has_gamma(kind));
  needs("degree", kind == KernelKind::polynomial);
  needs("coef0", kind == KernelKind::polynomial);
  const auto classes = static_cast<std::size_t>(content.classes), pairs = classes * (classes - 1) / 2;
  file.require(classes > 0, "nr_class is missing");
  file.require(content.total > 0, "total_sv is missing");
  file.require(content.rho.size() == pairs,
               text("rho has ", content.rho.size(), " numbers, for ", pairs, " pairs of classes"));
  file.require(content.label.size() == classes,
               text("there are ", content.label.size(), " labels of ", classes, " classes"));
  std::vector<int> label = content.label;
  std::sort(label.begin(), label.end());
  file.require(std::adjacent_find(label.begin(), label.end()) == label.end(), "two classes have the same label");
  file.require(content.count.size() == classes,
               text("nr_sv has ", content.count.size(), " numbers, for ", classes, " classes"));
  std::int64_t sum = 0;
  for (const int count : content.count) sum += count;
  file.require(sum == content.total, text("nr_sv is ", sum, " in all, total_sv ", content.total));
  const bool calibrated = !content.slope.empty() || !content.offset.empty();
  file.require(!calibrated || (content.slope.size() == pairs && content.offset.size() == pairs),
               text("probA and probB have a number for each of ", pairs, " pairs"));
  if (content.kernel.kind == KernelKind::polynomial) svm::check_kernel(content.kernel);
}

/// Reads one support vector.
void read_support(TextReader& file, Content& content) {
  for (int k = 1; k < content.classes; ++k) {
    const std::string_view word = file.next();
    file.require(!word.empty() && word.find(':') == std::string_view::npos,
                 text("a support vector begins with ", content.classes - 1, " coefficients"));
    content.coefficient.push_back(file.number(word, "a coefficient"));
  }
  int previous = -1;
  for (std::string_view word = file.next(); !word.empty(); word = file.next()) {
    const auto colon = word.find(':');
    file.require(colon != std::string_view::npos, text(quoted(word), " is not of the form index:value"));
    const int index = file.whole(word.substr(0, colon), "the index", 0, data::most_sparse_features - 1);
    file.require(index > previous, "indices ascend within a line");
    const double value = file.number(word.substr(colon + 1), "the value");
    file.require(std::abs(value) <= std::numeric_limits<float>::max(), "the value is beyond single precision");
    previous = index;
    content.index.push_back(index);
    content.value.push_back(value);
  }
  content.begin.push_back(static_cast<std::int64_t>(content.index.size()));
}

Content read_content(std::span<const std::byte> bytes, const std::string& name) {
  TextReader file(bytes, name, "a model file of LIBSVM");
  Content content;
  std::string_view key;
  while (key != "SV") {
    require(file.next_line(), text(name, " is cut off, or no model file of LIBSVM"), "there is no line: SV");
    key = file.next();
    if (key != "SV") read_field(file, key, content);
  }
  check_header(file, content);
  require_line_end(bytes, name);
  while (file.next_line()) {
    file.require(static_cast<int>(content.begin.size()) <= content.total, text("total_sv is ", content.total));
    read_support(file, content);
  }
  const auto found = static_cast<int>(content.begin.size()) - 1;
  require(found == content.total, text(name, " is cut off"),
          text("it has ", found, " of ", content.total, " support vectors"));
  return content;
}

/// The names of the classes: labels, or what the lines "LABEL NAME" of a file say of them.
std::vector<std::string> class_names(const Content& content, const std::string& path) {
  std::vector<std::string> all;
  if (path.empty()) {
    for (const int label : content.label) all.push_back(text(label));
    return all;
  }
  const std::vector<std::byte> bytes = data::read_file(path);
  TextReader file(bytes, path, "a file of labels");
  std::map<int, std::string> name;
  std::map<std::string, int> named;
  while (file.next_line()) {
    const int label =
        file.whole(file.next(), "the label", std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    const std::string rest(file.rest());
    file.require(!rest.empty(), "a line is: LABEL NAME");
    file.require(name.emplace(label, rest).second, text("label ", label, " has a name already"));
    const auto [first, added] = named.emplace(rest, label);
    file.require(added, text(quoted(rest), " is the name of label ", first->second, " already"));
  }
  for (const int label : content.label) {
    const auto found = name.find(label);
    require(found != name.end(), text(path, " does not name label ", label), "the model has it", "add a line for it");
    all.push_back(found->second);
  }
  return all;
}

/// Support vectors of features, unscaled.
data::Dataset support_of(const Content& content, const std::string& name, const LibsvmData& data, data::Scale& scale) {
  Range range;
  if (!data.range.empty()) range = read_range(data::read_file(data.range), data.range);
  int smallest = 1, largest = 0;  // numbers of features; the range has even those that are 0 in all support vectors
  const std::vector<int>* const lists[] = {&content.index, &range.number};
  for (const std::vector<int>* list : lists) {
    for (const int number : *list) {
      smallest = std::min(smallest, number);
      largest = std::max(largest, number);
    }
  }
  const int first_index = smallest, features = std::max(data.features, largest - first_index + 1);
  const bool by_range = !range.number.empty() && range.number.back() == largest;
  require(data.features == 0 || features == data.features,
          text(by_range ? data.range : name, " has a feature ", largest),
          text("samples are said to have ", data.features), text("Give --features ", features, ", or leave it out."));
  require(features >= 1, text(name, " has no features"), "all support vectors are empty",
          "Give the number of features.");
  if (!data.range.empty()) scale = scale_of(range, features, first_index);
  std::vector<int> column(content.index);
  for (int& j : column) j -= first_index;
  const auto n = content.begin.size() - 1;
  SinglePrecision single(n);
  const Vector<const int> none;
  const bool rbf = content.kernel.kind == KernelKind::rbf;
  if (data.range.empty() && rbf && data::stays_sparse(n, static_cast<std::uint64_t>(features), column.size())) {
    std::vector<float> value(column.size());
    for (std::size_t e = 0; e < value.size(); ++e) {
      value[e] = single.rounded(static_cast<std::size_t>(column[e]), content.value[e]);
    }
    single.check(name, scale, first_index);
    data::Dataset sparse =
        data::make_sparse_dataset(name, sparse_matrix_of(content.begin, column, value, features), none, {});
    sparse.first_index = first_index;
    return sparse;
  }
  const Matrix<float> raw = data::allocate_samples(n, static_cast<std::uint64_t>(features), name);
  const auto count = static_cast<std::size_t>(features);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> unscaled(count);
    for (std::size_t j = 0; j < count; ++j) unscaled[j] = scale.offset_of(static_cast<int>(j));
    for (auto e = static_cast<std::size_t>(content.begin[i]); e < static_cast<std::size_t>(content.begin[i + 1]); ++e) {
      const double divisor = scale.divisor_of(column[e]);
      require(data.range.empty() || divisor < 1e30 || content.value[e] == 0,
              text(data.range, " has no range for feature ", content.index[e]), text(name, " uses it"),
              "Give the file that svm-scale -s wrote for the training data.");
      unscaled[static_cast<std::size_t>(column[e])] += content.value[e] * divisor;
    }
    for (std::size_t j = 0; j < count; ++j) raw(i, j) = single.rounded(j, unscaled[j]);
  }
  single.check(name, scale, first_index);
  data::Dataset dense = data::make_dataset(name, raw, none, {});
  dense.first_index = first_index;
  return dense;
}

/// The columns of a kernel matrix in entries 0:NUMBER.
void read_columns(svm::Machine& machine, const Content& content, const std::string& name, const LibsvmData& data) {
  for (std::size_t i = 0; i + 1 < content.begin.size(); ++i) {
    const auto e = static_cast<std::size_t>(content.begin[i]);
    const bool right = content.begin[i + 1] == content.begin[i] + 1 && content.index[e] == 0 && content.value[e] >= 1 &&
                       content.value[e] <= data::most_sparse_features &&
                       content.value[e] == std::floor(content.value[e]);
    require(right, text(name, ": support vector ", i + 1, " is not of the form 0:NUMBER"),
            "a precomputed kernel has the number of the training sample");
    machine.column.push_back(static_cast<int>(content.value[e]) - 1);
  }
  machine.kernel_columns = 1 + *std::max_element(machine.column.begin(), machine.column.end());
  require(data.features == 0 || data.features >= machine.kernel_columns,
          text(name, " uses sample ", machine.kernel_columns),
          text("the training data are said to have ", data.features));
  machine.kernel_columns = std::max(machine.kernel_columns, data.features);
  require(data.range.empty(), "a range file with a precomputed kernel", "its values have no scale", "Leave it out.");
  machine.support.raw = Matrix<float>(uninitialized("krossfold::interchange::none"), machine.column.size(), 0);
}

}  // namespace

svm::Machine machine_from_libsvm(std::span<const std::byte> bytes, const std::string& name, const LibsvmData& data,
                                 double* difference) {
  const Content content = read_content(bytes, name);
  const int n = content.total, classes = content.classes;
  svm::Machine machine;
  machine.multiclass = svm::Multiclass::one_vs_one;
  machine.kernel = content.kernel;
  machine.c = 0;
  machine.class_name = class_names(content, data.labels);
  if (content.kernel.kind == KernelKind::precomputed) {
    read_columns(machine, content, name, data);
  } else {
    machine.support = support_of(content, name, data, machine.scale);
  }
  const Vector<int> label(uninitialized("krossfold::interchange::label"), n);
  const auto pairs = static_cast<std::uint64_t>(content.rho.size());
  data::check_memory(pairs * static_cast<std::uint64_t>(n) * sizeof(double), text("the coefficients of ", name));
  machine.coefficient = Matrix<double>("krossfold::interchange::coefficient", pairs, n);
  for (int own = 0, i = 0; own < classes; ++own) {
    for (int k = 0; k < content.count[static_cast<std::size_t>(own)]; ++k, ++i) {
      label(i) = own;
      for (int j = 0; j + 1 < classes; ++j) {
        const int other = j < own ? j : j + 1;
        machine.coefficient(pair_number(own, other, classes), i) =
            content.coefficient[static_cast<std::size_t>(i) * static_cast<std::size_t>(classes - 1) +
                                static_cast<std::size_t>(j)];
      }
    }
  }
  machine.support.label = label;
  machine.support.class_name = machine.class_name;
  for (const double rho : content.rho) machine.bias.push_back(-rho);
  set_constants(machine, std::vector<double>(machine.bias));
  for (std::size_t p = 0; p < content.slope.size(); ++p)
    machine.sigmoid.push_back({content.slope[p], content.offset[p]});
  if (difference != nullptr) {
    std::vector<double> constant;
    for (const double rho : content.rho) constant.push_back(-rho);
    *difference = difference_from_exact(machine, constant, content.index.size(), [&](std::size_t a, std::size_t b) {
      return sparse_products(content.begin, content.index, content.value, a, b);
    });
  }
  return machine;
}

}  // namespace krossfold::interchange
