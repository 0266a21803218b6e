// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/name_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/model/locate.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/nn/rows.hpp"

namespace krossfold::model {

namespace {

constexpr int attempts_per_name = 200, at_once = 256;

/// Draws the symbol at position `step` of a name.
int pick(const std::vector<double>& logit, double temperature, const StreamId& stream, int step) {
  const double largest = *std::max_element(logit.begin(), logit.end());
  std::vector<double> weight;
  for (const double z : logit) weight.push_back(std::exp((z - largest) / temperature));
  double left =
      random_uniform(stream, static_cast<std::uint64_t>(step)) * std::accumulate(weight.begin(), weight.end(), 0.0);
  for (std::size_t c = 0; c < weight.size(); ++c) {
    left -= weight[c];
    if (left < 0) return static_cast<int>(c);
  }
  return static_cast<int>(std::max_element(weight.begin(), weight.end()) - weight.begin());
}

/// The name that the symbols after the initial blank spell, up to the stop symbol. Runs of blanks count as one, as in the
/// names that are read.
std::string spelled(const std::vector<int>& symbols) {
  std::string name;
  for (std::size_t k = 1; k < symbols.size() && symbols[k] != input::stop_symbol; ++k) {
    const char letter = input::name_alphabet[static_cast<std::size_t>(symbols[k])];
    if (letter != ' ' || (!name.empty() && name.back() != ' ')) name += letter;
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

/// The names of the attempts `first` ... `first` + `count` - 1.
std::vector<std::string> attempt(nn::LstmNetwork<Device>& network, const std::vector<int>& beginning,
                                 const SampleParams& params, std::uint32_t first, int count) {
  const int steps = network.architecture().steps, symbols = network.architecture().symbols;
  std::vector<std::vector<int>> name(static_cast<std::size_t>(count), beginning);
  const Vector<int, Device> symbol("krossfold::model::symbol", std::int64_t{count} * steps);
  const auto mirror = host_mirror(symbol);
  const auto row = list_on<Device>("krossfold::model::row", nn::all_rows(count));
  for (int t = static_cast<int>(beginning.size()) - 1; t < steps; ++t) {
    for (int k = 0; k < count; ++k) {
      for (int s = 0; s <= t; ++s) mirror(k * steps + s) = name[k][s];
    }
    Kokkos::deep_copy(symbol, mirror);
    const auto logits = network.logits({symbol, symbol, steps}, row, 0, count);
    fence(network.exec(), "krossfold::model::logits");
    const auto z = on_host(logits);
    for (int k = 0; k < count; ++k) {
      std::vector<double> logit;
      for (int c = 0; c < symbols; ++c) logit.push_back(static_cast<double>(z((c * steps + t) * count + k)));
      const StreamId stream{
          .seed = params.seed, .purpose = random_purpose_sampled_names, .trial = first + static_cast<std::uint32_t>(k)};
      const bool ended = name[k].back() == input::stop_symbol;
      name[k].push_back(ended ? input::stop_symbol : pick(logit, params.temperature, stream, t));
    }
  }
  std::vector<std::string> found;
  for (const auto& one : name) found.push_back(spelled(one));
  return found;
}

}  // namespace

std::vector<std::string> sample_names(const LstmModel& model, const SampleParams& params) {
  if (!(params.temperature > 0) || !std::isfinite(params.temperature)) {
    throw_input_error(text("bad temperature ", shortest(params.temperature)), "it must be above 0",
                      "The default is 1.");
  }
  if (params.novel && model.known.empty()) {
    throw_input_error("the model does not say which names it was trained on", "it was imported without the array known",
                      "Leave --novel out.");
  }
  const int steps = model.architecture.steps;
  input::FoldCount count;
  std::string beginning = input::fold_name(params.starts_with, count);
  if (!beginning.empty() && params.starts_with.ends_with(' ')) beginning += ' ';
  if (!params.starts_with.empty() && params.starts_with.find_first_not_of(' ') == std::string::npos) {
    throw_input_error(text("no name of this model starts with '", params.starts_with, "'"), "it has only blanks",
                      "Begin with a letter.");
  }
  if (count.dropped > 0 || (beginning.empty() && !params.starts_with.empty())) {
    throw_input_error(text("no name of this model starts with '", params.starts_with, "'"),
                      "it has letters that the alphabet does not", "Use letters, blanks, - . and '.");
  }
  if (static_cast<int>(beginning.size()) >= steps) {
    throw_input_error(text("'", beginning, "' leaves no room for another letter"),
                      text("the model's windows have ", steps, " letters"), "Give fewer letters.");
  }
  std::vector<int> start{input::blank_symbol};
  for (const char letter : beginning) start.push_back(static_cast<int>(input::name_alphabet.find(letter)));
  nn::LstmNetwork<Device> network(Device(), model.architecture, at_once);
  network.set_parameters(model.parameters);
  std::vector<std::string> names;
  const auto wanted = static_cast<std::size_t>(params.count);
  for (std::int64_t attempts = 0; names.size() < wanted; attempts += at_once) {
    if (attempts >= std::int64_t{params.count} * attempts_per_name + at_once) {
      throw_input_error(text("only ", names.size(), params.novel ? " new" : "", " names of ", params.count),
                        text(attempts, " attempts gave no more"), "Ask for fewer, or raise the temperature.");
    }
    for (std::string& name : attempt(network, start, params, static_cast<std::uint32_t>(attempts), at_once)) {
      if (name.empty() || names.size() == wanted) continue;
      const bool known = std::binary_search(model.known.begin(), model.known.end(), digests_of({name}).front());
      if (!params.novel || !known) names.push_back(std::move(name));
    }
  }
  return names;
}

std::vector<std::string> sample_names(const std::string& model, const SampleParams& params) {
  const std::string file = find_models(model).front();
  return sample_names(lstm_from_container(storage::read_container(file), file), params);
}

}  // namespace krossfold::model
