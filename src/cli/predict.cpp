// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <functional>
#include <numeric>
#include <span>

#include "commands.hpp"
#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/other_units.hpp"
#include "krossfold/input/pictures.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/model/predictor.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::cli {

namespace {

namespace fs = std::filesystem;

/// Samples that are predicted together: an input, or consecutive pictures of the command line.
struct Batch {
  std::string input;
  std::vector<std::string> picture;  ///< files
};

/// What predictions are of, to tell them from others: a checksum of the full paths of the model and of all inputs, however they are
/// spelled, and of the names of arrays. "" if an input is a pipe or a device, or has no path, as nobody knows whether its content is the same.
std::string request_of(const std::string& model, const std::vector<Batch>& batches) {
  std::string all;
  bool known = true;
  const auto add = [&](const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      std::error_code fault;
      const fs::file_status status = fs::status(file, fault);
      const fs::path path = fs::canonical(file, fault);
      const bool has_path = (fs::is_regular_file(status) || fs::is_directory(status)) && !fault;
      known = known && (has_path || !fs::exists(status));
      all += (fault ? file : path.string()) + '\n';
    }
  };
  add({model});
  for (const Batch& batch : batches) {
    const input::InputNames names = input::names_in(batch.input);
    add(batch.picture.empty() ? names.file : batch.picture);
    all += batch.picture.empty() ? (names.file.empty() ? batch.input : names.arrays) + "\n\n" : "\n";
  }
  return known ? text(crc64(std::as_bytes(std::span(all)))) : "";
}

/// Throws an input error if writing `target`, which the output leads to, would destroy anything but earlier predictions of the same, or of
/// others with --overwrite.
void check_replaceable(const std::string& target, const PredictParams& params, const std::vector<std::string>& models,
                       const std::string& request) {
  const std::string& output = params.output;
  std::error_code ignored;
  if (!fs::exists(target, ignored)) return;
  const std::string another = "Choose another -o, or move the file away.";
  const auto refuse_same = [&](const std::vector<std::string>& files, const char* what) {
    for (const std::string& file : files) {
      if (!fs::equivalent(target, file, ignored)) continue;
      throw_input_error(text("-o ", output, " would overwrite ", what), text("it is the same file as ", file),
                        "Choose another -o.");
    }
  };
  refuse_same({params.model}, "the model");
  refuse_same(models, "the model");
  for (const std::string& input : params.inputs) refuse_same(input::names_in(input).file, "an input");
  storage::Container content;
  try {
    content = storage::read_container(target);
  } catch (const Error&) {  // an unknown file must not be replaced
    throw_input_error(text(output, " exists and holds no predictions"), "it is not a readable file of Krossfold",
                      another);
  }
  if (const std::string kind = content.attribute("kind"); kind != "prediction") {
    throw_input_error(text(output, " exists and holds no predictions"), text("it holds: ", kind), another);
  }
  const std::string earlier = content.attribute("request");
  if (params.overwrite || (!request.empty() && earlier == request)) return;
  int more = 0;
  while (content.attributes.contains(text("input_", more + 1))) ++more;
  throw_input_error(
      text(output, " exists and holds other predictions"),
      text("they are of ", content.attribute("input_0"), more == 0 ? "" : text(" and ", more, " more"), " by ",
           content.attribute("model"),
           request.empty() || earlier.empty() ? ", perhaps not of the same" : ", not of the same files or arrays"),
      "choose another -o, or say --overwrite");
}

std::vector<Batch> batches_of(const std::vector<std::string>& inputs, const Log& log) {
  std::vector<Batch> batches;
  for (const std::string& input : inputs) {
    std::vector<std::string> warning;
    const std::vector<std::string> picture = input::picture_files(input, &warning);
    for (const std::string& one : warning) log.warn(one);
    if (picture.empty() || batches.empty() || batches.back().picture.empty()) {
      batches.push_back({input, picture});
    } else {
      Batch& last = batches.back();
      last.picture.insert(last.picture.end(), picture.begin(), picture.end());
      last.input = text(last.picture.size(), " pictures");
    }
  }
  return batches;
}

data::Dataset load_batch(const Batch& batch, const model::Predictor& predictor, const input::PictureParams& params,
                         const tables::TableParams& table, const Log& log) {
  if (batch.picture.empty()) {
    std::vector<std::string> warning;
    const data::Dataset samples =
        input::load_input(batch.input,
                          {predictor.features(), predictor.class_name(), predictor.encoding(), predictor.first_index(),
                           predictor.image(), table, predictor.takes_sparse(), predictor.imported()},
                          warning);
    for (const std::string& one : warning) log.warn(one);
    const std::vector<std::string> names = data::feature_names(predictor.encoding().get(), predictor.features());
    for (const std::string& one : data::other_units(samples, predictor.scale(), names, predictor.image())) {
      log.warn(one);
    }
    return samples;
  }
  const input::Pictures pictures = input::load_pictures(batch.picture, predictor.image_kind(), params);
  for (std::size_t i = 0; i < batch.picture.size(); ++i) log.info(text(batch.picture[i], ": ", pictures.made[i]));
  for (const std::string& file : pictures.flat) {
    log.warn(text(file, " has a single grey value: there is nothing on it to predict"));
  }
  return pictures.samples;
}

}  // namespace

int InputPrediction::compared() const {
  return static_cast<int>(label.size() - static_cast<std::size_t>(std::count(label.begin(), label.end(), -1)));
}

int InputPrediction::wrong() const {
  return std::inner_product(label.begin(), label.end(), predicted.begin(), 0, std::plus<>(),
                            [](int truth, int found) { return truth >= 0 && truth != found; });
}

void run_predict(const PredictParams& params, const Log& log) {
  const input::PictureParams picture{input::parse_invert(params.invert), input::parse_background(params.background)};
  const std::vector<Batch> batches = batches_of(params.inputs, log);
  const PredictParams standard;
  if (std::all_of(batches.begin(), batches.end(), [](const Batch& batch) { return batch.picture.empty(); }) &&
      (params.invert != standard.invert || params.background != standard.background)) {
    log.warn("--invert and --background have no effect: they are for pictures, and no input is one");
  }
  if (params.overwrite && params.output.empty()) log.warn("--overwrite has no effect without -o");
  const std::string end = fs::path(params.output).extension().string();
  const bool is_text = end == ".csv" || end == ".tsv" || end == ".json" || end == ".txt";
  if (std::error_code ignored; is_text && !fs::exists(params.output, ignored)) {
    throw_input_error(text("-o ", params.output, " does not name an HDF5 file"), "-o writes predictions as HDF5",
                      text("Choose a name that ends in .h5, or write --format ", end == ".json" ? "json" : "csv", " > ",
                           params.output, "."));
  }
  require(params.output.empty() || params.format == "text",
          text("--format ", params.format, " and -o exclude each other"),
          "-o writes HDF5, --format is for what is printed", "Leave one of them out.");
  if (!params.output.empty()) {
    storage::check_output_name(params.output);
    storage::check_writable(params.output);
    warn_of_exposure(params.output, log);
  }
  const std::string target = storage::behind_links(params.output);
  const auto predictor = model::load_predictor(params.model);
  const std::vector<std::string>& files = predictor->files;
  const std::string request = params.output.empty() ? "" : request_of(params.model, batches);
  if (!params.output.empty()) check_replaceable(target, params, files, request);
  std::vector<InputPrediction> predictions;
  for (const Batch& batch : batches) {
    const data::Dataset samples = load_batch(batch, *predictor, picture, params.table, log);
    predictions.push_back({predictor->predict(samples), batch.input, batch.picture, list_of(samples.label)});
  }
  print_predictions(params, target, files.size() == 1 ? files.front() : params.model, request, predictions);
  for (const InputPrediction& p : predictions) {
    if (!p.file.empty()) continue;  // load_batch() reported each picture
    std::string message = text(p.input, ": ", p.predicted.size(), " samples");
    if (!p.label.empty()) {
      const bool all = p.compared() == static_cast<int>(p.label.size());
      message += text(", ", p.wrong(), " of ", all ? std::string("them") : text(p.compared(), " with a label"),
                      " labelled otherwise in the file");
    }
    log.info(message);
  }
  if (const auto& threshold = predictions.front().threshold) {
    log.info(text("samples with an entropy above ", fixed(threshold->entropy, 3),
                  " are unlike the training images: ", threshold->source));
  }
}

}  // namespace krossfold::cli
