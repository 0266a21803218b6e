// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/network_file.hpp"

#include <algorithm>
#include <utility>

#include "content_reader.hpp"

namespace krossfold::model {

namespace {

constexpr const char* activation_name[] = {"none", "relu", "tanh", "sigmoid"};

}  // namespace

storage::Container to_container(NetworkModel model) {
  const nn::Architecture& form = model.architecture;
  storage::Container content;
  content.attributes["kind"] = std::string("network-model");
  content.attributes["channels"] = std::int64_t{form.channels};
  content.attributes["kernel"] = std::int64_t{form.kernel};
  content.attributes["activation"] = std::string(activation_name[static_cast<int>(form.activation)]);
  content.attributes["image_black"] = static_cast<double>(model.image.black);
  content.attributes["image_white"] = static_cast<double>(model.image.white);
  content.attributes["image_border"] = static_cast<double>(model.image.border);
  content.attributes["part"] = std::int64_t{model.part};
  content.attributes["parts"] = std::int64_t{model.parts};
  content.attributes["integer"] = std::int64_t{model.image.integer ? 1 : 0};
  const std::vector<std::int32_t> hidden(form.hidden.begin(), form.hidden.end());
  content.arrays.push_back({"/hidden", {hidden.size()}, hidden, {}, "1", "units of the dense layers before the last"});
  add_samples(content, form.image, model.scale, model.class_name);
  add_encoding(content, model.encoding);
  add_first_index(content, model.first_index);
  add_parameters(content, std::move(model.parameters), '/');
  return content;
}

NetworkModel network_from_container(const storage::Container& content, const std::string& name,
                                    const std::string& advice) {
  const ContentReader file(content, "network-model", name, "network", advice);
  NetworkModel model;
  model.class_name = file.class_name(1);
  const auto& hidden = file.values<std::int32_t>("/hidden");
  const std::string activation = file.word("activation");
  const auto known = std::find(std::begin(activation_name), std::end(activation_name), activation);
  file.require(known != std::end(activation_name), text("it has an unknown activation: ", activation));
  nn::Architecture& form = model.architecture;
  form.image = file.image();
  form.channels = file.whole("channels");
  form.kernel = file.whole("kernel");
  form.hidden.assign(hidden.begin(), hidden.end());
  form.classes = static_cast<int>(model.class_name.size());
  form.activation = static_cast<kernels::Activation>(known - std::begin(activation_name));
  nn::check_architecture(form, name);
  const auto grey = [&](const char* attribute) { return static_cast<float>(file.number(attribute)); };
  model.image = {form.image, grey("image_black"), grey("image_white"), file.number("integer") != 0,
                 grey("image_border")};
  model.scale = file.scale(static_cast<std::size_t>(form.features()));
  model.encoding = file.encoding(static_cast<std::size_t>(form.features()));
  model.first_index = file.first_index();
  if (content.attributes.contains("parts")) {  // not in files of version 0.1
    model.part = file.whole("part");
    model.parts = file.whole("parts");
  }
  file.require(model.part < model.parts && model.parts <= form.dense_inputs(),
               "the number of its part is out of range");
  model.parameters = file.parameters(nn::tensors_of(form, model.part, model.parts), '/');
  return model;
}

NetworkModel join_parts(std::vector<NetworkModel> parts, const std::vector<std::string>& file) {
  const auto refuse = [&](const std::string& why) {
    throw_input_error(text(file.front(), " is a part of a network that cannot be joined"), why,
                      "Name its result file, or the folder of models.");
  };
  const auto count = static_cast<std::size_t>(parts.front().parts);
  if (count == 1 && parts.size() == 1) return std::move(parts.front());
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

std::vector<std::byte> to_file(NetworkModel model) { return storage::to_bytes(to_container(std::move(model))); }

}  // namespace krossfold::model
