// SPDX-License-Identifier: BSD-3-Clause
#include "npz_lstm.hpp"

#include <algorithm>
#include <bit>

#include "krossfold/core/text.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/interchange/npz_model.hpp"
#include "npz_fields.hpp"
#include "npz_network.hpp"

namespace krossfold::interchange {

namespace {

constexpr double two_32 = 4294967296.0;
constexpr std::int64_t most_window = 1000, most_layers = 1000;  // as in training

/// The digests of the training names (model::digests_of) as two numbers of 32 bits each, which every program can hold.
void add_known(NpzWriter& to, const std::vector<std::int64_t>& known) {
  std::vector<std::int64_t> halves;
  for (const std::int64_t digest : known) {
    const auto bits = std::bit_cast<std::uint64_t>(digest);
    halves.push_back(static_cast<std::int64_t>(bits >> 32));
    halves.push_back(static_cast<std::int64_t>(bits & 0xffffffffu));
  }
  to.add("known", {static_cast<std::int64_t>(known.size()), 2}, halves);
}

std::vector<std::int64_t> read_known(const NpzReader& file) {
  std::vector<std::int64_t> known;
  if (!file.has("known")) return known;
  const NpzReader::Numbers halves = file.numbers("known");
  file.require(halves.shape.size() == 2 && halves.shape[1] == 2, "known does not have two numbers for each name");
  const auto half = [&](std::size_t k) {
    const double value = halves.value[k];
    file.require(value >= 0 && value < two_32 && value == static_cast<double>(static_cast<std::uint64_t>(value)),
                 "known has a number that is not one of 32 bits");
    return static_cast<std::uint64_t>(value);
  };
  for (std::size_t k = 0; k < halves.value.size(); k += 2) {
    known.push_back(std::bit_cast<std::int64_t>(half(k) << 32 | half(k + 1)));
  }
  std::sort(known.begin(), known.end());
  return known;
}

}  // namespace

std::vector<std::byte> npz_of(const model::LstmModel& model) {
  NpzWriter to;
  to.add("format", std::string(lstm_format));
  to.add("format_version", std::int64_t{1});
  to.add("alphabet", std::string(input::name_alphabet));
  to.add("window", std::int64_t{model.architecture.steps});
  to.add("dropout", model.architecture.dropout);
  for (const nn::Parameter& one : model.parameters) {
    const bool is_recurrent = one.name.find('.') == std::string::npos;
    to.add((is_recurrent ? "lstm." : "") + one.name, one.shape, one.value);
  }
  if (!model.known.empty()) add_known(to, model.known);
  return to.finish();
}

model::LstmModel read_npz_lstm(const NpzReader& file) {
  if (file.has("format_version")) file.whole("format_version", 1, 1);
  storage::Container content;
  content.attributes["kind"] = std::string("lstm-model");
  const std::string alphabet = file.word("alphabet");
  file.require(alphabet == input::name_alphabet,
               text("alphabet is ", quoted(alphabet), " instead of ", quoted(input::name_alphabet)));
  content.attributes["alphabet"] = alphabet;
  content.attributes["window"] = file.whole("window", 2, most_window);
  content.attributes["dropout"] = file.has("dropout") ? file.number("dropout") : 0.0;
  std::int64_t layers = 0, hidden = 0;
  for (; layers == 0 || file.has(text("lstm.weight_hh_l", layers)); ++layers) {
    file.require(layers < most_layers, text("it has more than ", most_layers, " layers"));
    for (const auto& [name, dimensions] : {std::pair<const char*, std::size_t>{"weight_ih_l", 2},
                                           {"weight_hh_l", 2},
                                           {"bias_ih_l", 1},
                                           {"bias_hh_l", 1}}) {
      const std::string parameter = text(name, layers);
      const std::vector<std::uint64_t> shape =
          take_parameter(content, "/parameter/" + parameter, file, "lstm." + parameter, dimensions);
      if (parameter == "weight_hh_l0") hidden = static_cast<std::int64_t>(shape[1]);
    }
  }
  take_parameter(content, "/parameter/dense.weight", file, "dense.weight", 2);
  take_parameter(content, "/parameter/dense.bias", file, "dense.bias", 1);
  file.require_all_parameters_read();
  content.attributes["layers"] = layers;
  content.attributes["hidden"] = hidden;
  const std::vector<std::int64_t> known = read_known(file);
  content.arrays.push_back({"/known", {known.size()}, known, {}, "1", ""});
  return model::lstm_from_container(content, file.name(), npz_advice);
}

}  // namespace krossfold::interchange
