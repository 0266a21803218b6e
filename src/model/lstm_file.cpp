// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/lstm_file.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "content_reader.hpp"
#include "krossfold/core/checksum.hpp"
#include "krossfold/input/names.hpp"

namespace krossfold::model {

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
  content.attributes["alphabet"] = std::string(input::name_alphabet);
  add_parameters(content, std::move(model.parameters), '.');
  content.arrays.push_back(
      {"/known", {model.known.size()}, model.known, {}, "1", "CRC-64 of each name of the training part"});
  return content;
}

LstmModel lstm_from_container(const storage::Container& content, const std::string& name, const std::string& advice) {
  const ContentReader file(content, "lstm-model", name, "character model", advice);
  file.require(file.word("alphabet") == input::name_alphabet, "it has another alphabet");
  const double dropout = file.number("dropout");
  file.require(dropout >= 0 && dropout < 1, "attribute dropout is out of range");
  LstmModel model;
  model.architecture = {input::name_symbols, file.whole("window"), file.whole("layers"), file.whole("hidden"), dropout};
  nn::check_architecture(model.architecture, name);
  model.parameters = file.parameters(nn::tensors_of(model.architecture), '.');
  model.known = file.values<std::int64_t>("/known");
  file.require(std::is_sorted(model.known.begin(), model.known.end()), "/known is not ascending");
  return model;
}

std::vector<std::byte> to_file(LstmModel model) { return storage::to_bytes(to_container(std::move(model))); }

}  // namespace krossfold::model
