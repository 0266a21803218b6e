// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/network_kinds.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "krossfold/studies/train/layout.hpp"
#include "krossfold/training/batch_limit.hpp"

namespace krossfold::studies {

namespace {

kernels::Activation activation_of(const std::string& name) {
  const std::vector<std::string> names = {"relu", "tanh", "sigmoid"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw_unknown_word("--activation", name, names, "relu, tanh or sigmoid");
  return static_cast<kernels::Activation>(1 + found - names.begin());
}

void lay_out_lstm(TrainLayout& layout, const training::TrainTask&) {
  const TrainParams& params = layout.params;
  require(params.window >= 2 && params.window <= 1000, text("bad --window ", params.window),
          "expected a number of letters from 2 to 1000", "The default is 8.");
  require(params.hidden->size() == 1, text("bad --hidden ", run::value_of(*params.hidden)),
          "all layers of an lstm have the same number of cells", "For example 128.");
  const nn::LstmArchitecture form{input::name_symbols, params.window, params.layers, params.hidden->front(),
                                  *params.dropout};
  nn::check_architecture(form, "layers, hidden");
  layout.setup.architecture = form;
}

/// Lays out dense layers, after a convolution if there are `channels`. Errors name `options`.
void lay_out_layers(TrainLayout& layout, const data::Task& task, int channels, int kernel, const std::string& options) {
  const TrainParams& params = layout.params;
  const data::Dataset& train = task.train;
  require(train.labelled() && task.test.labelled(), text(train.name, " has no labels"), "the network learns classes");
  const bool image = train.image.width > 0;
  require(
      channels == 0 || image, text(train.name, " holds no images"),
      "a convolutional network needs to know width and height",
      "Say it with --image WIDTHxHEIGHT[xCHANNELS], give an array (sample, channel, row, column), or train an mlp.");
  nn::Architecture form;
  form.image = image ? train.image : data::ImageShape{train.features(), 1, 1};
  form.channels = channels;
  form.kernel = kernel;
  form.hidden = *params.hidden;
  form.classes = train.classes();
  form.activation = activation_of(params.activation);
  form.dropout = *params.dropout;
  nn::check_architecture(form, options);
  if (layout.setup.splits_weights()) nn::check_split(form, layout.setup.ranks);
  std::int64_t widest = form.features();
  for (const int units : form.dense_units()) widest = std::max<std::int64_t>(widest, padded<float>(units));
  training::check_batch(params.batch, widest);
  layout.setup.architecture = form;
  layout.setup.scale = data::fit_scale(train, params.scale);
  layout.setup.class_weights = data::parse_class_weights(params.class_weight, train.class_name);
}

int twenty_epochs(int, int) { return 20; }

/// 15 epochs, or more on short lists of names, so that there are at least 1,000 steps.
int epochs_of_names(int samples, int batch) {
  const int steps = std::max(1, (samples + batch - 1) / std::max(1, batch));
  return std::max(15, (1000 + steps - 1) / steps);
}

}  // namespace

const std::vector<NetworkKind>& network_kinds() {
  static const std::vector<NetworkKind> kinds = {
      {.name = "lstm",
       .description = "a character model of names",
       .learns_names = true,
       .splits_weights = false,
       .model = "lstm",
       .options = {"data", "limit", "strategy", "workers", "batch", "rate", "epochs", "layers", "window", "hidden",
                   "dropout", "precision", "seed"},
       .data = "names",
       .rate = 1e-3,
       .dropout = 0.1,
       .hidden = {128},
       .epochs = epochs_of_names,
       .lay_out = lay_out_lstm},
      {.name = "cnn",
       .description = "a convolution and dense layers",
       .learns_names = false,
       .splits_weights = true,
       .model = "network",
       .options = {"data",       "test",      "test-part",  "limit",    "label",  "delimiter", "decimal",
                   "skip-lines", "header",    "drop",       "group",    "weight", "missing",   "categorical",
                   "image",      "strategy",  "workers",    "batch",    "rate",   "momentum",  "class-weight",
                   "validation", "epochs",    "stop-ratio", "channels", "kernel", "hidden",    "activation",
                   "dropout",    "precision", "scale",      "seed"},
       .data = "digits",
       .rate = 0.01,
       .dropout = 0,
       .validation = "0.1",
       .hidden = {128},
       .epochs = twenty_epochs,
       .lay_out =
           [](TrainLayout& layout, const training::TrainTask& task) {
             lay_out_layers(layout, task.samples, layout.params.channels, layout.params.kernel,
                            "channels, kernel, hidden");
           }},
      {.name = "mlp",
       .description = "dense layers",
       .learns_names = false,
       .splits_weights = true,
       .model = "network",
       .options = {"data",    "test",        "test-part",    "limit",      "label",   "delimiter",
                   "decimal", "skip-lines",  "header",       "drop",       "group",   "weight",
                   "missing", "categorical", "image",        "strategy",   "workers", "batch",
                   "rate",    "momentum",    "class-weight", "validation", "epochs",  "stop-ratio",
                   "hidden",  "activation",  "dropout",      "precision",  "scale",   "seed"},
       .data = "digits",
       .rate = 0.01,
       .dropout = 0,
       .validation = "0.1",
       .hidden = {512, 256},
       .epochs = twenty_epochs,
       .lay_out = [](TrainLayout& layout,
                     const training::TrainTask& task) { lay_out_layers(layout, task.samples, 0, 0, "hidden"); }},
  };
  return kinds;
}

bool NetworkKind::takes(const std::string& option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

const char* NetworkKind::advice_on_memory() const {
  return splits_weights ? "Split the weights over more ranks with --strategy model-parallel."
                        : "Use a smaller network.";
}

const NetworkKind& network_kind(const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const NetworkKind& kind : network_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    all += (k == 0 ? "it trains " : k + 1 < names.size() ? ", " : " and ") + names[k];
  }
  if (name.empty()) {
    throw_input_error("krossfold train needs a network", all, "For example cnn.");
  }
  const std::string near = nearest_word(name, names);
  throw_input_error(text("unknown network '", name, "'"), all, near.empty() ? "" : text("Did you mean ", near, "?"));
}

}  // namespace krossfold::studies
