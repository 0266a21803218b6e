// SPDX-License-Identifier: BSD-3-Clause
#include "npz_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "interchange/single_precision.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "npz_fields.hpp"
#include "npz_lstm.hpp"
#include "npz_svm.hpp"

namespace krossfold::interchange {

namespace {

void add_parameters(NpzWriter& to, const std::vector<nn::Parameter>& parameters, const std::string& prefix) {
  for (const nn::Parameter& one : parameters) to.add(prefix + one.name, one.shape, one.value);
}

}  // namespace

std::vector<std::byte> npz_of(const model::Networks& networks, const std::string& name) {
  const std::vector<model::NetworkModel>& network = networks.network;
  const model::NetworkModel& first = network.front();
  model::check_together(network, networks.file);
  for (std::size_t m = 1; m < network.size(); ++m) {
    const bool same = network[m].scale.offset == first.scale.offset && network[m].scale.divisor == first.scale.divisor;
    require(same, text(name, ": ", networks.file[m], " and ", networks.file[0], " have different scales"),
            "a .npz file has one scale", "Export each of them.");
  }
  model::NetworkModel described = first;
  described.parameters.clear();
  const storage::Container content = to_container(std::move(described));
  NpzWriter to;
  add_fields(to, content, network_format);
  std::vector<std::string> activation;
  for (const model::NetworkModel& one : network) {
    model::NetworkModel part = one;
    part.parameters.clear();
    activation.push_back(to_container(std::move(part)).attribute("activation"));
  }
  to.add("activation",
         network.size() == 1 ? NpzWriter::Shape{} : NpzWriter::Shape{static_cast<std::int64_t>(network.size())},
         activation);
  for (std::size_t m = 0; m < network.size(); ++m) {
    add_parameters(to, network[m].parameters, network.size() == 1 ? "" : text(m, '.'));
  }
  return to.finish();
}

std::vector<std::uint64_t> take_parameter(storage::Container& content, const std::string& path, const NpzReader& file,
                                          const std::string& array, std::size_t dimensions) {
  const NpzReader::Numbers found = file.numbers(array);
  file.require(found.shape.size() == dimensions,
               text(array, " has ", found.shape.size(), " dimensions instead of ", dimensions));
  file.require(std::all_of(found.value.begin(), found.value.end(),
                           [](double v) { return std::abs(v) <= std::numeric_limits<float>::max(); }),
               text(array, " is beyond single precision"));
  content.arrays.push_back(
      {path, found.shape, std::vector<float>(found.value.begin(), found.value.end()), {}, "1", ""});
  return found.shape;
}

namespace {

/// Reads one network of a file, whose arrays begin with `prefix`, into the content of a model file.
class NetworkReader {
public:
  NetworkReader(const NpzReader& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  model::NetworkModel network(const std::string& activation) {
    content_.attributes["kind"] = std::string("network-model");
    content_.attributes["activation"] = activation;
    for (const auto& [name, value] :
         {std::pair<const char*, double>{"image_black", 0}, {"image_white", 255}, {"image_border", 0}}) {
      content_.attributes[name] = value;
    }
    read_convolution();
    read_dense();
    read_fields(content_, file_, features_);
    if (!file_.has("integer")) content_.attributes["integer"] = std::int64_t{has_whole_greys() ? 1 : 0};
    if (!file_.has("format")) check_scale();  // the models of this program were trained on numbers in single precision
    return model::network_from_container(content_, file_.name(), npz_advice);
  }

private:
  /// Copies an array of parameters and returns its shape.
  std::vector<std::uint64_t> take(const std::string& name, std::size_t dimensions) {
    std::string path = "/parameter/" + name;
    std::replace(path.begin(), path.end(), '.', '/');
    return take_parameter(content_, path, file_, prefix_ + name, dimensions);
  }

  /// Whether pictures are rounded where the file does not say it: from 0 to 255, but not from 0 to 1.
  bool has_whole_greys() const {
    const double black = std::get<double>(content_.attributes.at("image_black")),
                 white = std::get<double>(content_.attributes.at("image_white"));
    return black >= 0 && white > 1 && black == std::floor(black) && white == std::floor(white);
  }

  /// Throws an input error if samples near the mean of a feature are too far apart in single precision for its divisor.
  void check_scale() const {
    constexpr double tolerance = 0.05, largest_whole = 1 << 24;
    const data::Scale scale{content_.values<double>("/scale/offset"), content_.values<double>("/scale/divisor")};
    for (std::uint64_t j = 0; j < std::max(scale.offset.size(), scale.divisor.size()); ++j) {
      const double mean = std::abs(scale.offset_of(static_cast<int>(j)));
      const double divisor = std::abs(scale.divisor_of(static_cast<int>(j)));
      const bool is_constant = divisor == 1;  // to which StandardScaler gives it, or it has no scale
      if (float_step(mean) <= tolerance * divisor || (is_constant && mean <= largest_whole)) continue;
      throw_input_error(text(file_.name(), ": feature ", j + 1, " loses digits in single precision"),
                        text("its mean_ is ", scale.offset_of(static_cast<int>(j)), ", where the steps are ",
                             float_step(mean), ", and its scale_ ", divisor),
                        subtract_advice("mean_"));
    }
  }

  void read_convolution() {
    content_.attributes["channels"] = std::int64_t{0};
    content_.attributes["kernel"] = std::int64_t{0};
    if (!file_.has(prefix_ + "conv.weight")) return;
    const std::vector<std::uint64_t> weight = take("conv.weight", 4);
    take("conv.bias", 1);
    file_.require(file_.has("image_shape"), "the array image_shape is missing: a convolution takes images");
    file_.require(weight[2] == weight[3], text(prefix_, "conv.weight has no square window"));
    content_.attributes["channels"] = static_cast<std::int64_t>(weight[0]);
    content_.attributes["kernel"] = static_cast<std::int64_t>(weight[2]);
    double product = 1;
    for (const double extent : file_.numbers("image_shape").value) product *= extent;
    file_.require(product >= 1 && product <= 1e9, "image_shape is out of range");
    features_ = static_cast<std::uint64_t>(product);
  }

  void read_dense() {
    std::vector<std::int32_t> hidden;
    std::uint64_t units = 0;
    for (int layer = 0; layer == 0 || file_.has(text(prefix_, "dense.", layer, ".weight")); ++layer) {
      if (layer > 0) hidden.push_back(static_cast<std::int32_t>(std::min<std::uint64_t>(units, 1u << 30)));
      const std::vector<std::uint64_t> weight = take(text("dense.", layer, ".weight"), 2);
      take(text("dense.", layer, ".bias"), 1);
      if (layer == 0 && features_ == 0) features_ = weight[1];
      units = weight[0];
    }
    const std::size_t classes = file_.words("classes_").size();
    file_.require(units == classes, text("the last dense layer has ", units, " units for ", classes, " classes"));
    content_.arrays.push_back({"/hidden", {hidden.size()}, hidden, {}, "1", ""});
  }

  const NpzReader& file_;
  std::string prefix_;
  storage::Container content_;
  std::uint64_t features_ = 0;
};

}  // namespace

std::vector<model::NetworkModel> read_npz_networks(const NpzReader& file) {
  std::vector<std::string> activation{"relu"};
  if (file.has("activation")) activation = file.words("activation");
  if (file.has("dense.0.weight")) {
    file.require(activation.size() == 1, text("activation has ", activation.size(), " words for one network"));
    std::vector<model::NetworkModel> one{NetworkReader(file, "").network(activation[0])};
    file.require_all_parameters_read();
    return one;
  }
  std::vector<model::NetworkModel> all;
  while (file.has(text(all.size(), ".dense.0.weight"))) {
    const std::size_t m = all.size();
    file.require(activation.size() == 1 || m < activation.size(), "activation has too few words");
    all.push_back(NetworkReader(file, text(m, '.')).network(activation[activation.size() == 1 ? 0 : m]));
  }
  file.require(!all.empty(), text("there is neither dense.0.weight nor 0.dense.0.weight",
                                  file.has("format") ? "" : ", nor dual_coef_"));
  file.require_all_parameters_read();
  return all;
}

NpzModel model_from_npz(std::span<const std::byte> bytes, const std::string& name, double* difference) {
  if (difference != nullptr) *difference = 0;
  const NpzReader file(bytes, name);
  const std::string format = file.has("format") ? file.word("format") : "";
  const bool known = format.empty() || format == svm_format || format == network_format || format == lstm_format;
  file.require(known, text("its format is unknown: ", quoted(format)));
  if (format == lstm_format || (format.empty() && file.has("lstm.weight_hh_l0"))) return read_npz_lstm(file);
  if (format == svm_format || (format.empty() && file.has("dual_coef_"))) return read_npz_svm(file, difference);
  return read_npz_networks(file);
}

}  // namespace krossfold::interchange
