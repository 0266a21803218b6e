// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "interchange/pairwise.hpp"
#include "interchange/whole_labels.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/interchange/libsvm_model.hpp"
#include "krossfold/svm/decomposition.hpp"

namespace krossfold::interchange {

namespace {

using svm::KernelKind;

/// How features are written.
enum class Form { raw, by_square, scaled };

Form form_of(const svm::Machine& machine) {
  const data::Scale& scale = machine.scale;
  const bool centred = std::any_of(scale.offset.begin(), scale.offset.end(), [](double v) { return v != 0; });
  const bool one = std::all_of(scale.divisor.begin(), scale.divisor.end(), [](double v) { return v == 1; });
  switch (machine.kernel.kind) {
    case KernelKind::rbf:
      return scale.uniform() ? Form::raw : Form::scaled;
    case KernelKind::linear:
      return one && !centred ? Form::raw : Form::by_square;
    case KernelKind::polynomial:
      return centred ? Form::scaled : one ? Form::raw : Form::by_square;
    case KernelKind::precomputed:
      break;
  }
  return Form::raw;
}

/// True if svm-scale leaves an omitted value of a feature 0, as it does with a feature of number 0: it puts in only those from 1 on.
bool stays_omitted(const svm::Machine& machine, int feature) {
  return machine.support.first_index == 0 && feature == 0;
}

/// True if values of a feature without its offset have at least three of the six digits that svm-scale writes after the point.
bool has_digits_without_offset(const svm::Machine& machine, int feature) {
  return std::abs(machine.scale.offset_of(feature)) <= 100 * std::abs(machine.scale.divisor_of(feature));
}

/// The offset of a feature. It is left out where zeros have to stay zeros, that is in sparse samples and where svm-scale omits them: in
/// distances it cancels. All others keep theirs, because the six digits that svm-scale writes are those of centred values then.
double offset_of(const svm::Machine& machine, int feature) {
  const bool cancels = machine.kernel.kind == KernelKind::rbf && has_digits_without_offset(machine, feature);
  if (machine.support.is_sparse() || (cancels && stays_omitted(machine, feature))) return 0;
  return machine.scale.offset_of(feature);
}

double written(const svm::Machine& machine, Form form, int feature, float raw) {
  if (form == Form::raw) return raw;
  const double divisor = machine.scale.divisor_of(feature), scaled = (raw - offset_of(machine, feature)) / divisor;
  return form == Form::scaled ? scaled : scaled / divisor;
}

/// Number words to append to the lines of a file.
class Line {
public:
  explicit Line(std::string& to) : to_(to) {}
  void word(std::string_view word) {
    if (!empty_) to_ += ' ';
    to_ += word;
    empty_ = false;
  }
  void number(double value) { word(shortest(value)); }
  void entry(int index, double value) {
    if (value == 0) return;
    word(text(index));
    to_ += ':';
    to_ += shortest(value);
  }
  void end() {
    to_ += '\n';
    empty_ = true;
  }

private:
  std::string& to_;
  bool empty_ = true;
};

std::string range_of(const svm::Machine& machine, int first_index) {
  std::string all = "x\n0 1\n";  // 0 at the first number of a feature, its offset, and 1 at the second
  Line line(all);
  for (int j = 0; j < machine.features(); ++j) {
    const double offset = offset_of(machine, j);
    line.word(text(j + first_index));
    line.number(offset);
    line.number(offset + machine.scale.divisor_of(j));
    line.end();
  }
  return all;
}

/// -rho of each pair: the constant of its decision value, where the offsets of a linear kernel are part of it.
std::vector<double> folded_constants(const svm::Machine& machine, const Pairwise& pairwise, Form form) {
  std::vector<double> constant = pairwise.constant;
  if (machine.kernel.kind != KernelKind::linear || form != Form::by_square) return constant;
  for (std::size_t p = 0; p < constant.size(); ++p) {
    for (int i = 0; i < machine.support.size(); ++i) {
      const double coefficient = pairwise.coefficient(p, i);
      if (coefficient == 0) continue;
      double product = 0;
      for (int j = 0; j < machine.features(); ++j) {
        product += written(machine, form, j, machine.support.raw(i, j)) * machine.scale.offset_of(j);
      }
      constant[p] -= coefficient * product;
    }
  }
  return constant;
}

void write_header(std::string& all, const svm::Machine& machine, Form form) {
  const svm::KernelFunction& kernel = machine.kernel;
  const auto field = [&all](const char* name, const std::string& value) { all += text(name, ' ', value, '\n'); };
  field("svm_type", "c_svc");
  field("kernel_type", kernel.kind == KernelKind::precomputed ? "precomputed" : svm::kernel_word(kernel.kind));
  if (kernel.kind == KernelKind::polynomial) field("degree", text(kernel.degree));
  if (svm::has_gamma(kernel.kind)) {
    const bool folds = kernel.kind == KernelKind::rbf && form == Form::raw;
    const double divisor = folds ? machine.scale.divisor_of(0) : 1;
    field("gamma", shortest(kernel.gamma / (divisor * divisor)));
  }
  if (kernel.kind == KernelKind::polynomial) field("coef0", shortest(kernel.coef0));
}

void write_support(std::string& all, const svm::Machine& machine, const Pairwise& pairwise, Form form,
                   int first_index) {
  const int classes = machine.classes();
  Line line(all);
  for (const int i : pairwise.order) {
    const int own = machine.support.label(i);
    for (int other = 0; other < classes; ++other) {
      if (other != own) line.number(pairwise.coefficient(pair_number(own, other, classes), i));
    }
    if (machine.kernel.kind == KernelKind::precomputed) {
      line.word(text("0:", machine.column[static_cast<std::size_t>(i)] + 1));
    } else if (machine.support.is_sparse()) {
      const SparseMatrix<float>& sparse = machine.support.sparse;
      for (std::int64_t e = sparse.begin(i); e < sparse.begin(i + 1); ++e) {
        line.entry(sparse.column(e) + first_index, written(machine, form, sparse.column(e), sparse.value(e)));
      }
    } else {
      for (int j = 0; j < machine.features(); ++j) {
        line.entry(j + first_index, written(machine, form, j, machine.support.raw(i, j)));
      }
    }
    line.end();
  }
}

std::string labels_of(const svm::Machine& machine, const std::string& name) {
  std::string all;
  for (int c = 0; c < machine.classes(); ++c) {
    const std::string& one = machine.class_name[static_cast<std::size_t>(c)];
    require(one.find_first_of("\r\n") == std::string::npos, text(name, ": a class name with a line break"),
            "names are lines of the file of labels", "Export FILE.npz or FILE.onnx.");
    all += text(c, ' ', one, '\n');
  }
  return all;
}

}  // namespace

LibsvmFiles libsvm_files(const svm::Machine& machine, const std::string& name) {
  const Pairwise pairwise = pairwise_of(machine, name);
  const Form form = form_of(machine);
  const int first_index = machine.support.first_index == 0 ? 0 : 1;
  const bool shifts_omitted = form == Form::scaled && stays_omitted(machine, 0) && offset_of(machine, 0) != 0;
  require(
      !shifts_omitted, text(name, ": feature 0 has the offset ", offset_of(machine, 0)),
      "svm-scale leaves it 0 where a file omits it, and without the offset a polynomial kernel is another one, and the "
      "six digits that svm-scale writes are too few",
      "Export FILE.npz or FILE.onnx, or number the features from 1 and train again.");
  const auto whole = whole_labels(machine.class_name);
  LibsvmFiles files;
  write_header(files.model, machine, form);
  files.model += text("nr_class ", machine.classes(), "\ntotal_sv ", machine.support.size(), '\n');
  Line line(files.model);
  line.word("rho");
  for (const double constant : folded_constants(machine, pairwise, form)) line.number(constant == 0 ? 0 : -constant);
  line.end();
  line.word("label");
  for (int c = 0; c < machine.classes(); ++c)
    line.word(whole ? machine.class_name[static_cast<std::size_t>(c)] : text(c));
  line.end();
  for (const bool slope : {true, false}) {
    if (pairwise.sigmoid.empty()) break;
    line.word(slope ? "probA" : "probB");
    for (const svm::Sigmoid& one : pairwise.sigmoid) line.number(slope ? one.a : one.b);
    line.end();
  }
  line.word("nr_sv");
  for (const int count : pairwise.count) line.word(text(count));
  line.end();
  files.model += "SV\n";
  write_support(files.model, machine, pairwise, form, first_index);
  if (form == Form::scaled) files.range = range_of(machine, first_index);
  if (!whole) files.labels = labels_of(machine, name);
  return files;
}

}  // namespace krossfold::interchange
