// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/network_model.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::study {

namespace {

constexpr const char* activation_name[] = {"none", "relu", "tanh", "sigmoid"};

std::string path_of(const std::string& name) {
  std::string path = "/parameter/" + name;
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

}  // namespace

storage::Container to_container(NetworkModel model) {
  const nn::Architecture& form = model.architecture;
  storage::Container content;
  content.attributes["kind"] = std::string("network-model");
  content.attributes["channels"] = std::int64_t{form.channels};
  content.attributes["kernel"] = std::int64_t{form.kernel};
  content.attributes["activation"] = std::string(activation_name[static_cast<int>(form.activation)]);
  content.attributes["image_width"] = std::int64_t{form.image.width};
  content.attributes["image_height"] = std::int64_t{form.image.height};
  content.attributes["image_channels"] = std::int64_t{form.image.channels};
  content.attributes["image_black"] = static_cast<double>(model.image.black);
  content.attributes["image_white"] = static_cast<double>(model.image.white);
  content.attributes["image_border"] = static_cast<double>(model.image.border);
  content.attributes["part"] = std::int64_t{model.part};
  content.attributes["parts"] = std::int64_t{model.parts};
  content.attributes["integer"] = std::int64_t{model.image.integer ? 1 : 0};
  const std::vector<std::int32_t> hidden(form.hidden.begin(), form.hidden.end());
  content.arrays = {
      {"/hidden", {hidden.size()}, hidden, {}, "1", "units of the dense layers before the last"},
      {"/scale/offset", {model.scale.offset.size()}, model.scale.offset, {}, "1", "feature = (raw - offset) / divisor"},
      {"/scale/divisor",
       {model.scale.divisor.size()},
       model.scale.divisor,
       {},
       "1",
       "feature = (raw - offset) / divisor"},
      {"/class_name", {model.class_name.size()}, model.class_name, {}, "1", "names of the classes"},
  };
  for (nn::Parameter& parameter : model.parameters) {
    content.arrays.push_back({path_of(parameter.name),
                              {parameter.shape.begin(), parameter.shape.end()},
                              std::move(parameter.value),
                              {},
                              "1",
                              parameter.name + " as PyTorch orders it"});
  }
  return content;
}

NetworkModel network_from_container(const storage::Container& content, const std::string& name) {
  const auto require = [&](bool right, const std::string& what) {
    if (!right) throw_input_error(text(name, " is not a usable network"), what, "Train it again.");
  };
  const std::string kind = content.attribute("kind");
  require(kind == "network-model", kind.empty() ? "it does not say what it holds" : text("it holds: ", kind));
  const auto number = [&](const char* attribute) {
    const auto found = content.attributes.find(attribute);
    require(found != content.attributes.end(), text("attribute ", attribute, " is missing"));
    if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&found->second);
    require(real != nullptr && std::isfinite(*real), text("attribute ", attribute, " is not a finite number"));
    return *real;
  };
  const auto whole = [&](const char* attribute) {
    const double value = number(attribute);
    require(value >= 0 && value <= 1e6, text("attribute ", attribute, " is out of range"));
    return static_cast<int>(value);
  };
  const auto values = [&]<class T>(const std::string& path, const T&) -> const std::vector<T>& {
    require(content.has(path), text("the dataset ", path, " is missing"));
    require(std::holds_alternative<std::vector<T>>(content.at(path).values), text(path, " is of another type"));
    return content.values<T>(path);
  };
  const auto finite = [](const auto& all) {
    return std::all_of(all.begin(), all.end(), [](auto v) { return std::isfinite(v); });
  };
  NetworkModel model;
  model.class_name = values("/class_name", std::string());
  require(!model.class_name.empty() && model.class_name.size() <= 30000, "it has no classes");
  const auto& hidden = values("/hidden", std::int32_t());
  const std::string activation = content.attribute("activation");
  const auto known = std::find(std::begin(activation_name), std::end(activation_name), activation);
  require(known != std::end(activation_name), text("it has an unknown activation: ", activation));
  nn::Architecture& form = model.architecture;
  form.image = {whole("image_width"), whole("image_height"), whole("image_channels")};
  form.channels = whole("channels");
  form.kernel = whole("kernel");
  form.hidden.assign(hidden.begin(), hidden.end());
  form.classes = static_cast<int>(model.class_name.size());
  form.activation = static_cast<kernels::Activation>(known - std::begin(activation_name));
  nn::check_architecture(form, name);
  model.image = {form.image, static_cast<float>(number("image_black")), static_cast<float>(number("image_white")),
                 number("integer") != 0, static_cast<float>(number("image_border"))};
  model.scale = {values("/scale/offset", double()), values("/scale/divisor", double())};
  const auto features = static_cast<std::size_t>(form.features());
  const auto one_or_all = [&](const std::vector<double>& v) { return v.size() == 1 || v.size() == features; };
  require(one_or_all(model.scale.offset) && one_or_all(model.scale.divisor), "the scale does not fit the features");
  require(finite(model.scale.offset) && finite(model.scale.divisor), "the scale is not finite");
  require(std::all_of(model.scale.divisor.begin(), model.scale.divisor.end(), [](double v) { return v != 0; }),
          "a divisor is 0");
  if (content.attributes.contains("parts")) {  // not in files of version 0.1
    model.part = whole("part");
    model.parts = whole("parts");
  }
  require(model.part < model.parts && model.parts <= form.dense_inputs(), "it is a part that there cannot be");
  for (nn::Parameter& parameter : model.parameters = nn::tensors_of(form, model.part, model.parts)) {
    const std::string path = path_of(parameter.name);
    const auto& found = values(path, float());
    const auto& shape = content.at(path).shape;
    require(std::equal(shape.begin(), shape.end(), parameter.shape.begin(), parameter.shape.end(),
                       [](std::uint64_t a, std::int64_t b) { return a == static_cast<std::uint64_t>(b); }),
            text(path, " is of another shape"));
    require(finite(found), text(path, " is not finite"));
    parameter.value = found;
  }
  return model;
}

NetworkModel join_parts(std::vector<NetworkModel> parts, const std::vector<std::string>& file) {
  const auto refuse = [&](const std::string& why) {
    throw_input_error(text(file.front(), " is a part of a network that cannot be put together"), why,
                      "Name its result file, or the folder of models.");
  };
  const auto count = static_cast<std::size_t>(parts.front().parts);
  if (parts.size() != count) refuse(text("there are ", parts.size(), " of ", count, " parts"));
  std::vector<std::vector<nn::Parameter>> values(count);
  for (NetworkModel& one : parts) {
    const NetworkModel& first = parts.front();
    const bool fits = one.parts == first.parts && one.architecture == first.architecture &&
                      one.class_name == first.class_name && one.scale.offset == first.scale.offset &&
                      one.scale.divisor == first.scale.divisor;
    if (!fits || !values[static_cast<std::size_t>(one.part)].empty()) refuse("its parts are of different networks");
    values[static_cast<std::size_t>(one.part)] = std::move(one.parameters);
  }
  NetworkModel whole = std::move(parts.front());
  whole.parameters = nn::join_parts(whole.architecture, values);
  whole.part = 0;
  whole.parts = 1;
  return whole;
}

}  // namespace krossfold::study
