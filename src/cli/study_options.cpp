// SPDX-License-Identifier: BSD-3-Clause
#include "study_options.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "option_parsing.hpp"

namespace krossfold::cli {

namespace {

using study::Range;
using study::WholeRange;

std::string range_text(const Range& range) { return shortest(range.low) + ":" + shortest(range.high); }

std::string range_text(const WholeRange& range) { return text(range.low, ":", range.high); }

std::pair<std::string, std::string> split_range(const std::string& value, const std::string& option,
                                                const std::string& example) {
  const auto colon = value.find(':');
  if (colon == std::string::npos) {
    throw_input_error(text("bad value '", value, "' for ", option), "it takes a range LO:HI",
                      text("For example ", option, " ", example, "."));
  }
  return {value.substr(0, colon), value.substr(colon + 1)};
}

void set_range(Range& range, const std::string& value, const std::string& option, const std::string& example) {
  const auto [low, high] = split_range(value, option, example);
  range = {parse_number(low, option), parse_number(high, option)};
}

void set_range(WholeRange& range, const std::string& value, const std::string& option, const std::string& example) {
  const auto [low, high] = split_range(value, option, example);
  range = {parse_whole(low, option, 1), parse_whole(high, option, 1)};
}

template <class R>
void set_range(std::optional<R>& range, const std::string& value, const std::string& option,
               const std::string& example) {
  set_range(range.emplace(), value, option, example);
}

/// An option LO:HI.
template <class R>
void add_range(CLI::App& app, const std::string& name, R& range, const std::string& help, const std::string& example,
               const std::string& standard) {
  add_parsed(
      app, name, [&range, name, example](const std::string& v) { set_range(range, v, name, example); }, help, "LO:HI",
      standard);
}

void parse_grid(const std::string& value, study::SvmParams& svm) {
  const auto x = value.find('x');
  if (x == std::string::npos) {
    throw_input_error(text("bad value '", value, "' for --grid"), "it takes NCxNG", "For example --grid 24x24.");
  }
  const auto part = [&](const std::string& digits) {
    if (const auto number = whole_number<int>(digits)) return *number;
    throw_input_error(text("bad value '", value, "' for --grid"), "it takes two whole numbers NCxNG",
                      "For example --grid 24x24.");
  };
  svm.grid_c = part(value.substr(0, x));
  svm.grid_gamma = part(value.substr(x + 1));
}

std::vector<std::string> split_list(const std::string& value) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= value.size();) {
    const std::size_t comma = std::min(value.find(',', first), value.size());
    parts.push_back(value.substr(first, comma - first));
    first = comma + 1;
  }
  return parts;
}

/// "0,2,3", or "all": an empty list.
std::vector<int> parse_devices(const std::string& value) {
  std::vector<int> devices;
  if (value == "all") return devices;
  for (const std::string& one : split_list(value)) {
    const auto device = whole_number<int>(one);
    if (!device || *device < 0 || contains(devices, *device)) {
      throw_input_error(text("bad value '", value, "' for --gpu"), "it takes different device numbers, or all",
                        "For example --gpu 0,2,3.");
    }
    devices.push_back(*device);
  }
  return devices;
}

/// "512,256": whole numbers above 0.
std::vector<int> parse_list(const std::string& value, const std::string& option) {
  std::vector<int> list;
  for (const std::string& one : split_list(value)) list.push_back(parse_whole(one, option, 1));
  return list;
}

void add_stop_ratio(CLI::App& app, double& ratio) {
  add_parsed(
      app, "--stop-ratio",
      [&ratio](const std::string& v) {
        ratio = v == "inf" ? std::numeric_limits<double>::infinity() : parse_number(v, "--stop-ratio");
      },
      "a training ends after an epoch with more than this share of the loss of the one before; inf never", "R",
      std::isinf(ratio) ? "inf" : shortest(ratio));
}

template <class Params>
void add_data_options(CLI::App& app, Params& params) {
  app.add_option("--data", params.data, "training data: digits, mnist[:DIR], idx:IMAGES,LABELS, csv:FILE, libsvm:FILE")
      ->type_name("SPEC")
      ->capture_default_str();
  app.add_option("--test", params.test, "test data; default: the data set's own, else its last fifth")
      ->type_name("SPEC");
  add_whole(app, "--limit", params.limit, 1, "keep only the first N training samples", "N", "");
}

template <class Params>
void add_fold_options(CLI::App& app, Params& params) {
  add_whole(app, "--folds", params.folds, 2, "number of folds", "K", text(params.folds));
  app.add_option("--fold-kind", params.fold_kind, "contiguous, stratified or shuffled")
      ->type_name("KIND")
      ->capture_default_str();
  add_whole(app, "--seed", params.seed, std::uint64_t{0}, "seed of all random streams", "S", text(params.seed));
  app.add_option("--scale", params.scale, "OFFSET:DIVISOR, standard or none; default: by the data")->type_name("SCALE");
}

}  // namespace

void add_run_options(CLI::App& app, study::RunParams& run) {
  app.add_option("-o,--output", run.output, "result file to write; an unfinished one is continued")
      ->type_name("FILE.h5");
  add_parsed(
      app, "--max-time", [&run](const std::string& v) { run.max_time = parse_duration(v, "--max-time"); },
      "stop cleanly after this time, but not before one unit has begun (exit code 75); the same command continues",
      "DURATION", "");
  add_parsed(
      app, "--grace", [&run](const std::string& v) { run.grace = parse_duration(v, "--grace"); },
      "time that units in flight then have to finish", "DURATION", "30s");
  add_parsed(
      app, "--checkpoint-every",
      [&run](const std::string& v) { run.checkpoint_every = parse_duration(v, "--checkpoint-every"); },
      "how often a unit in flight stores what it has found", "DURATION", "1m");
  add_parsed(
      app, "--stall-timeout",
      [&run](const std::string& v) { run.stall_timeout = parse_duration(v, "--stall-timeout"); },
      "a rank without a sign of life for this time (more than a disk may take) ends the run with its name; 0 for never",
      "DURATION", "30m");
  add_parsed(
      app, "--schedule", [&run](const std::string& v) { run.schedule = parallel::parse_schedule(v); },
      "who computes which unit: " + std::string(parallel::schedule_names), "KIND", name_of(run.schedule));
  add_parsed(
      app, "--memory-limit", [&run](const std::string& v) { run.memory_limit = parse_size(v, "--memory-limit"); },
      "memory a rank may use: less of a kernel matrix is kept, networks that need more are refused", "SIZE", "");
  add_parsed(
      app, "--gpu", [&run](const std::string& v) { run.devices = parse_devices(v); },
      "GPUs that the ranks of a node take in turn: numbers such as 0,2,3, or all", "LIST|all", "");
  app.add_flag("--retry-failed", run.retry_failed, "compute again the units that failed");
  app.add_flag("--break-lock", run.break_lock, "take over an output that a run on another host seems to work on");
  app.add_option("--json-log", run.json_log,
                 "add a line of JSON to FILE for every unit and every epoch of a training (docs/json-log.md)")
      ->type_name("FILE");
  app.add_option("--config", run.config,
                 "take the options not given here from FILE: a result file (those it was computed with) or TOML")
      ->type_name("FILE");
  app.add_flag("--dry-run", run.dry_run, "print units, memory and devices, compute nothing");
}

void add_svm_options(CLI::App& app, study::SvmParams& svm) {
  add_data_options(app, svm);
  add_parsed(
      app, "--grid", [&svm](const std::string& v) { parse_grid(v, svm); }, "number of values of C and gamma", "NCxNG",
      text(svm.grid_c, "x", svm.grid_gamma));
  add_range(app, "--log10-c", svm.log10_c, "range of log10 C", "-3:6", range_text(svm.log10_c));
  add_range(app, "--log10-gamma", svm.log10_gamma, "range of log10 gamma", "-6:-2", "-6:-2 plus log10(784 / features)");
  add_fold_options(app, svm);
  app.add_option("--multiclass", svm.multiclass, "ovr (one against the rest) or ovo (one against one, with votes)")
      ->type_name("KIND")
      ->capture_default_str();
  add_parsed(
      app, "--tolerance", [&svm](const std::string& v) { svm.tolerance = parse_number(v, "--tolerance"); },
      "largest violation of the KKT conditions", "T", shortest(svm.tolerance));
  add_whole(app, "--max-iterations", svm.max_iterations, std::int64_t{1}, "iteration budget of a fit", "N",
            text(svm.max_iterations));
  app.add_flag("--refit,!--no-refit", svm.refit,
               "fit the best cell on the whole training part (default); or end before");
  add_whole(app, "--refine", svm.refine, 0, "rounds of a finer grid round the best cell so far", "N", text(svm.refine));
  app.add_flag("--probability,!--no-probability", svm.probability,
               "calibrate class probabilities for the model (Platt's sigmoids)");
}

void add_bag_options(CLI::App& app, study::BagParams& bag) {
  add_data_options(app, bag);
  add_whole(app, "--bootstraps", bag.bootstraps, 1, "number of networks, each trained on a bootstrap sample of its own",
            "B", text(bag.bootstraps));
  add_whole(app, "--trials", bag.trials, 1, "random trials in every bootstrap", "T", text(bag.trials));
  add_fold_options(app, bag);
  add_whole(app, "--batch", bag.batch, 1, "samples of a training step", "N", text(bag.batch));
  add_whole(app, "--epochs", bag.epochs, 1, "a training has at most as many epochs", "N", text(bag.epochs));
  add_stop_ratio(app, bag.stop_ratio);
  add_range(app, "--channels", bag.channels, "range of the channels of the convolution", "1:32",
            range_text(bag.channels));
  add_range(app, "--kernel", bag.kernel, "range of the side of its kernels", "2:10", "2:10, at most the image's side");
  add_range(app, "--hidden", bag.hidden, "range of the hidden units", "1:256", range_text(bag.hidden));
  add_range(app, "--log10-rate", bag.log10_rate, "range of log10 of the learning rate", "-5:-1",
            range_text(bag.log10_rate));
  add_range(app, "--log10-momentum", bag.log10_momentum, "range of log10 of the momentum", "-2:0",
            range_text(bag.log10_momentum));
  app.add_option(
         "--ood", bag.ood,
         "samples of none of the classes, to see whether the ensemble doubts them: data, PNG files or folders of them")
      ->type_name("SPEC");
  app.add_flag("--prune,!--no-prune", bag.prune, "leave out folds of trials that cannot win any more");
}

void add_train_options(CLI::App& app, study::TrainParams& train) {
  app.add_option(
      "NETWORK", train.network,
      "what to train: lstm (a character model of names), cnn (a convolution and dense layers) or mlp (dense layers)");
  add_parsed(
      app, "--data", [&train](const std::string& v) { train.data = v; },
      "lstm: names (built in), names:FILE (one a line), names:FILE#COLUMN (of a CSV file); else data as krossfold svm "
      "takes them",
      "SPEC", "names or digits");
  app.add_option("--test", train.test,
                 "cnn, mlp: held-out data; default: the data set's own test part, else its last fifth")
      ->type_name("SPEC");
  add_whole(app, "--limit", train.limit, 1, "keep only the first N training samples", "N", "");
  app.add_option(
         "--strategy", train.strategy,
         "how ranks share the training: single, ddp, data-parallel or model-parallel (cnn, mlp); default: ddp on "
         "several ranks")
      ->type_name("KIND");
  add_whole(app, "--workers", train.workers, 1,
            "workers that share a batch: a multiple of the ranks, whose number then does not change a bit", "W",
            "the ranks");
  add_whole(app, "--batch", train.batch, 1, "samples of a training step, of all workers together", "N",
            text(train.batch));
  add_parsed(
      app, "--rate", [&train](const std::string& v) { train.rate = parse_number(v, "--rate"); },
      "learning rate, of Adam for lstm, else of gradient descent", "R", "0.001 or 0.01");
  add_parsed(
      app, "--momentum", [&train](const std::string& v) { train.momentum = parse_number(v, "--momentum"); },
      "cnn, mlp: momentum of the descent", "M", shortest(train.momentum));
  add_whole(app, "--epochs", train.epochs, 1, "times that all samples are gone through", "N",
            "lstm 15, or as many as make 1000 steps; else 20");
  add_stop_ratio(app, train.stop_ratio);
  add_whole(app, "--layers", train.layers, 1, "lstm: layers of cells", "N", text(train.layers));
  add_whole(app, "--window", train.window, 2, "lstm: letters of a window: longer names lose their first", "N",
            text(train.window));
  add_whole(app, "--channels", train.channels, 1, "cnn: channels of the convolution", "N", text(train.channels));
  add_whole(app, "--kernel", train.kernel, 1, "cnn: side of its kernels", "N", text(train.kernel));
  add_parsed(
      app, "--hidden", [&train](const std::string& v) { train.hidden = parse_list(v, "--hidden"); },
      "lstm: cells of a layer; else units of the dense layers between, with commas", "LIST", "128; mlp 512,256");
  app.add_option("--activation", train.activation, "cnn, mlp: relu, tanh or sigmoid, of the dense layers between")
      ->type_name("KIND")
      ->capture_default_str();
  add_parsed(
      app, "--dropout", [&train](const std::string& v) { train.dropout = parse_number(v, "--dropout"); },
      "share of the outputs that is dropped between layers", "P", "lstm 0.1, else 0");
  app.add_option("--scale", train.scale, "cnn, mlp: OFFSET:DIVISOR, standard or none; default: by the data")
      ->type_name("SCALE");
  add_whole(app, "--seed", train.seed, std::uint64_t{0}, "seed of all random streams", "S", text(train.seed));
}

void add_names_options(CLI::App& app, study::NamesParams& names) {
  app.add_option("--data", names.data, "names (built in), names:FILE (one a line), names:FILE#COLUMN (of a CSV file)")
      ->type_name("SPEC")
      ->capture_default_str();
  add_whole(app, "--limit", names.limit, 1, "keep only the first N training names", "N", "");
  add_parsed(
      app, "--workers", [&names](const std::string& v) { names.workers = parse_list(v, "--workers"); },
      "numbers of workers", "LIST", study::list_text(names.workers));
  add_parsed(
      app, "--batch-per-worker",
      [&names](const std::string& v) { names.batch_per_worker = parse_list(v, "--batch-per-worker"); },
      "names of a step that each worker takes; a batch has no more than there are", "LIST",
      "1024,4096,16384, less on short lists");
  add_parsed(
      app, "--rate",
      [&names](const std::string& v) {
        names.rate.clear();
        for (const std::string& one : split_list(v)) names.rate.push_back(parse_number(one, "--rate"));
      },
      "learning rates of Adam", "LIST", ".001,.004,.016");
  add_whole(app, "--epochs", names.epochs, 1, "times that all names are gone through", "N", text(names.epochs));
  add_whole(app, "--layers", names.layers, 1, "layers of LSTM cells", "N", text(names.layers));
  add_whole(app, "--hidden", names.hidden, 1, "cells of a layer", "N", text(names.hidden));
  add_whole(app, "--window", names.window, 2, "letters of a window: longer names lose their first", "N",
            text(names.window));
  add_parsed(
      app, "--dropout", [&names](const std::string& v) { names.dropout = parse_number(v, "--dropout"); },
      "share of the cells' outputs that is dropped between layers", "P", shortest(names.dropout));
  add_whole(app, "--seed", names.seed, std::uint64_t{0}, "seed of all random streams", "S", text(names.seed));
}

}  // namespace krossfold::cli
