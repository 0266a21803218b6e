// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_model.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

template <class View>
auto values_of(const View& view) {
  using T = typename View::non_const_value_type;
  return std::vector<T>(view.data(), view.data() + view.size());
}

std::uint64_t extent(std::size_t n) { return static_cast<std::uint64_t>(n); }

}  // namespace

storage::Container to_container(const svm::Machine& machine) {
  const auto n = extent(machine.support.raw.extent(0)), d = extent(machine.support.raw.extent(1));
  const auto classes = extent(machine.class_name.size()), problems = extent(machine.bias.size());
  storage::Container content;
  content.attributes["kind"] = std::string("svm-model");
  content.attributes["multiclass"] = std::string(machine.multiclass == svm::Multiclass::one_vs_rest ? "ovr" : "ovo");
  content.attributes["kernel"] = std::string("rbf");
  content.attributes["gamma"] = machine.gamma;
  content.attributes["C"] = machine.c;
  content.attributes["image_width"] = std::int64_t{machine.image.width};
  content.attributes["image_height"] = std::int64_t{machine.image.height};
  content.attributes["image_channels"] = std::int64_t{machine.image.channels};
  content.attributes["integer"] = std::int64_t{machine.support.integer ? 1 : 0};
  content.attributes["lowest"] = static_cast<double>(machine.support.lowest);
  content.attributes["highest"] = static_cast<double>(machine.support.highest);
  content.arrays = {
      {"/support/raw", {n, d}, values_of(machine.support.raw), {}, "1", "support vectors, unscaled"},
      {"/support/label", {n}, values_of(machine.support.label), {}, "1", "class of the support vectors"},
      {"/coefficient", {problems, n}, values_of(machine.coefficient), {}, "1", "y alpha by problem and support vector"},
      {"/bias", {problems}, machine.bias, {}, "1", "bias of the decision value of each problem"},
      {"/scale/offset",
       {machine.scale.offset.size()},
       machine.scale.offset,
       {},
       "1",
       "feature = (raw - offset) / divisor"},
      {"/scale/divisor",
       {machine.scale.divisor.size()},
       machine.scale.divisor,
       {},
       "1",
       "feature = (raw - offset) / divisor"},
      {"/class_name", {classes}, machine.class_name, {}, "1", "names of the classes"},
  };
  if (!machine.sigmoid.empty()) {
    std::vector<double> a, b;
    for (const svm::Sigmoid& sigmoid : machine.sigmoid) {
      a.push_back(sigmoid.a);
      b.push_back(sigmoid.b);
    }
    content.arrays.push_back(make_array(field::probability_a, {problems}, a));
    content.arrays.push_back(make_array(field::probability_b, {problems}, b));
  }
  return content;
}

svm::Machine machine_from_container(const storage::Container& content, const std::string& name) {
  const auto require = [&](bool right, const std::string& what) {
    if (!right) throw_input_error(text(name, " is not a usable SVM model"), what, "Train it again.");
  };
  const std::string kind = content.attribute("kind");
  require(kind == "svm-model", kind.empty() ? "it does not say what it holds" : text("it holds: ", kind));
  const auto number = [&](const char* attribute) {
    const auto found = content.attributes.find(attribute);
    require(found != content.attributes.end(), text("attribute ", attribute, " is missing"));
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&found->second);
    require(real != nullptr, text("attribute ", attribute, " is not a number"));
    return *real;
  };
  const auto whole = [&](const char* attribute) {
    const double value = number(attribute);
    require(value >= 0 && value <= 1e9, text("attribute ", attribute, " is out of range"));
    return static_cast<int>(value);
  };
  const auto values = [&]<class T>(const char* path, const T&) -> const std::vector<T>& {
    require(content.has(path), text("the dataset ", path, " is missing"));
    require(std::holds_alternative<std::vector<T>>(content.at(path).values), text(path, " is of another type"));
    return content.values<T>(path);
  };
  svm::Machine machine;
  machine.class_name = values("/class_name", std::string());
  machine.bias = values("/bias", double());
  machine.scale.offset = values("/scale/offset", double());
  machine.scale.divisor = values("/scale/divisor", double());
  machine.gamma = number("gamma");
  machine.c = number("C");
  machine.image = {whole("image_width"), whole("image_height"), whole("image_channels")};
  const auto& raw = values("/support/raw", float());
  const auto& label = values("/support/label", std::int32_t());
  const auto& coefficient = values("/coefficient", double());
  const auto& shape = content.at("/support/raw").shape;
  const std::size_t classes = machine.class_name.size();
  const std::string multiclass = content.attribute("multiclass");
  require(multiclass == "ovr" || multiclass == "ovo", text("it is neither ovr nor ovo: ", multiclass));
  machine.multiclass = svm::parse_multiclass(multiclass);
  require(shape.size() == 2 && shape[1] >= 1, "the support vectors are not a matrix");
  const std::size_t n = shape[0], d = shape[1];
  require(classes >= 2 && classes <= 30000, "it has no classes");
  const auto problems = static_cast<std::size_t>(svm::binary_problems(machine.multiclass, static_cast<int>(classes)));
  require(machine.bias.size() == problems, "the biases do not fit the classes");
  require(coefficient.size() == problems * n && label.size() == n && raw.size() == n * d,
          "the coefficients do not fit the support vectors");
  require(std::all_of(label.begin(), label.end(),
                      [&](std::int32_t c) { return c >= 0 && static_cast<std::size_t>(c) < classes; }),
          "a support vector is of no class");
  const auto one_or_all = [&](const std::vector<double>& v) { return v.size() == 1 || v.size() == d; };
  require(one_or_all(machine.scale.offset) && one_or_all(machine.scale.divisor), "the scale does not fit the features");
  require(std::isfinite(machine.gamma) && machine.gamma > 0, "gamma is not positive");
  const auto finite = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](auto v) { return std::isfinite(v); });
  };
  require(finite(raw) && finite(coefficient) && finite(machine.bias) && finite(machine.scale.offset) &&
              finite(machine.scale.divisor),
          "a value is not finite");
  if (content.has(field::probability_a.path) || content.has(field::probability_b.path)) {
    const auto &a = values(field::probability_a.path, double()), &b = values(field::probability_b.path, double());
    require(a.size() == problems && b.size() == problems, "the sigmoids do not fit the biases");
    require(finite(a) && finite(b), "a sigmoid is not finite");
    for (std::size_t p = 0; p < problems; ++p) machine.sigmoid.push_back({a[p], b[p]});
  }
  require(std::all_of(machine.scale.divisor.begin(), machine.scale.divisor.end(), [](double v) { return v != 0; }),
          "a divisor is 0");

  const Matrix<float> raw_view(uninitialized("krossfold::study::model_raw"), n, d);
  const Vector<int> label_view(uninitialized("krossfold::study::model_label"), n);
  machine.coefficient = Matrix<double>(uninitialized("krossfold::study::model_coefficient"), problems, n);
  std::copy(raw.begin(), raw.end(), raw_view.data());
  std::copy(label.begin(), label.end(), label_view.data());
  std::copy(coefficient.begin(), coefficient.end(), machine.coefficient.data());
  machine.support.name = name;
  machine.support.raw = raw_view;
  machine.support.label = label_view;
  machine.support.class_name = machine.class_name;
  machine.support.image = machine.image;
  machine.support.integer = number("integer") != 0;
  machine.support.lowest = static_cast<float>(number("lowest"));
  machine.support.highest = static_cast<float>(number("highest"));
  return machine;
}

}  // namespace krossfold::study
