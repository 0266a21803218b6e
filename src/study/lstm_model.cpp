// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/lstm_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/names.hpp"

namespace krossfold::study {

std::vector<std::int64_t> digests_of(const std::vector<std::string>& names) {
  std::vector<std::int64_t> digests;
  for (const std::string& name : names) {
    digests.push_back(std::bit_cast<std::int64_t>(crc64(std::as_bytes(std::span(name)))));
  }
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  return digests;
}

storage::Container to_container(LstmModel model) {
  const nn::LstmArchitecture& form = model.architecture;
  storage::Container content;
  content.attributes["kind"] = std::string("lstm-model");
  content.attributes["layers"] = std::int64_t{form.layers};
  content.attributes["hidden"] = std::int64_t{form.hidden};
  content.attributes["window"] = std::int64_t{form.steps};
  content.attributes["dropout"] = form.dropout;
  content.attributes["alphabet"] = std::string(data::name_alphabet);
  for (nn::Parameter& parameter : model.parameters) {
    content.arrays.push_back({"/parameter/" + parameter.name,
                              {parameter.shape.begin(), parameter.shape.end()},
                              std::move(parameter.value),
                              {},
                              "1",
                              parameter.name + " as PyTorch orders it"});
  }
  content.arrays.push_back(
      {"/known", {model.known.size()}, model.known, {}, "1", "CRC-64 of each name of the training part"});
  return content;
}

LstmModel lstm_from_container(const storage::Container& content, const std::string& name) {
  const auto require = [&](bool right, const std::string& what) {
    if (!right) throw_input_error(text(name, " is not a usable character model"), what, "Train it again.");
  };
  const std::string kind = content.attribute("kind");
  require(kind == "lstm-model", kind.empty() ? "it does not say what it holds" : text("it holds: ", kind));
  require(content.attribute("alphabet") == data::name_alphabet, "its alphabet is another");
  const auto whole = [&](const char* attribute) {
    const auto found = content.attributes.find(attribute);
    const auto* value = found == content.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    require(value != nullptr && *value >= 0 && *value <= 1'000'000, text("attribute ", attribute, " is out of range"));
    return static_cast<int>(*value);
  };
  const auto dropout = content.attributes.find("dropout");
  const auto* share = dropout == content.attributes.end() ? nullptr : std::get_if<double>(&dropout->second);
  require(share != nullptr && *share >= 0 && *share < 1, "attribute dropout is out of range");
  LstmModel model;
  model.architecture = {data::name_symbols, whole("window"), whole("layers"), whole("hidden"), *share};
  nn::check_architecture(model.architecture, name);
  for (nn::Parameter& parameter : model.parameters = nn::tensors_of(model.architecture)) {
    const std::string path = "/parameter/" + parameter.name;
    require(content.has(path), text("the dataset ", path, " is missing"));
    require(std::holds_alternative<std::vector<float>>(content.at(path).values), text(path, " is of another type"));
    const auto& shape = content.at(path).shape;
    require(std::equal(shape.begin(), shape.end(), parameter.shape.begin(), parameter.shape.end(),
                       [](std::uint64_t a, std::int64_t b) { return a == static_cast<std::uint64_t>(b); }),
            text(path, " is of another shape"));
    parameter.value = content.values<float>(path);
    require(std::all_of(parameter.value.begin(), parameter.value.end(), [](float v) { return std::isfinite(v); }),
            text(path, " is not finite"));
  }
  require(content.has("/known") && std::holds_alternative<std::vector<std::int64_t>>(content.at("/known").values),
          "the dataset /known is missing");
  model.known = content.values<std::int64_t>("/known");
  require(std::is_sorted(model.known.begin(), model.known.end()), "/known is not ascending");
  return model;
}

}  // namespace krossfold::study
