// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <type_traits>

#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/kernels/dense.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/studies/train/network_kinds.hpp"
#include "krossfold/training/trainee.hpp"

namespace krossfold::studies {

namespace {

/// The number of workers of the training in an output file; 0 if there is none.
int workers_of(const std::string& output) {
  std::error_code ignored;
  if (!std::filesystem::exists(output, ignored)) return 0;
  try {
    const storage::Container content = storage::read_container(output);
    if (content.attribute("kind") != "train") return 0;
    return std::stoi(run::value_from_json(content.attribute("config"), output, "workers"));
  } catch (const std::exception&) {
    // The file is reported as unusable where it is opened to be continued.
  }
  return 0;
}

storage::Fingerprint fingerprint_of(const std::string& network, const std::vector<run::OptionValue>& options,
                                    const training::TrainTask& task) {
  std::vector<run::OptionValue> all{{"network", network, false}};
  all.insert(all.end(), options.begin(), options.end());
  storage::Fingerprint print = run::make_fingerprint(all, task.samples);
  if (task.validates()) print.data ^= std::rotl(task.validation.digest, 29);
  if (task.has_names()) print.data = task.names.train.digest ^ std::rotl(task.names.held_out.digest, 17);
  return print;
}

int steps_of_epoch(const TrainLayout& layout, const training::TrainTask& task) {
  return (task.train_size() + layout.params.batch - 1) / layout.params.batch;
}

std::string run_text(const TrainLayout& layout, const training::TrainTask& task) {
  const TrainParams& params = layout.params;
  const bool split = layout.setup.splits_weights();
  return text(params.epochs, " epochs, ", steps_of_epoch(layout, task), " steps each, ", params.workers, " on ",
              report::counted(layout.setup.ranks, "rank"), ", ", params.strategy, ", ",
              split ? "all" : text("up to ", layout.setup.share()), " of the ", params.batch,
              " samples of a step each");
}

/// "epoch 3 of 15: loss 1.52, held out 1.48, 2.1 s; 25 s to go".
std::string epoch_text(const TrainLayout& layout, const run::LoggedEpoch& epoch) {
  const int left = layout.params.epochs - epoch.epoch;
  std::string line = text("epoch ", epoch.epoch, " of ", layout.params.epochs, ": loss ", report::rounded(epoch.loss));
  if (!std::isnan(epoch.held_out_loss)) line += text(", held out ", report::rounded(epoch.held_out_loss));
  if (!std::isnan(epoch.held_out_error)) line += text(" (", report::percent(epoch.held_out_error), " wrong)");
  if (!std::isnan(epoch.validation_error))
    line += text(", validation ", report::percent(epoch.validation_error), " wrong");
  line += ", " + duration_text(epoch.seconds);
  if (left > 0) {
    line += text("; ", duration_text(left * epoch.seconds), " to go",
                 std::isfinite(layout.params.stop_ratio) ? " at most" : "");
  }
  return line;
}

}  // namespace

/// What one of the trainings allocates on a rank, with its data.
std::uint64_t TrainingsCase::bytes_of(const TrainLayout& layout) const {
  return layout.setup.bytes() + training::train_data_bytes(layout.setup, loaded_.task);
}

void TrainingsCase::set_up(const std::vector<run::OptionValue>& options) {
  const training::TrainTask& task = loaded_.task;
  const TrainLayout& first = runs_.front();
  progress = runs_.size() == 1 ? "" : "trainings";  // a single training reports its epochs
  fingerprint = fingerprint_of(first.params.network, options, task);
  facts = facts_of(options, runs_, task);
  bound_ = run::rank_memory(context);
  if (!context.run.dry_run && !loaded_.note.empty()) context.log.info(loaded_.note);
}

void TrainingsCase::require_memory() const {
  for (const TrainLayout& layout : runs_) {
    const std::uint64_t bytes = bytes_of(layout);
    const std::uint64_t samples = training::train_data_bytes(layout.setup, loaded_.task);
    require(
        bytes <= bound_.bytes,
        text("training ", layout.setup.describe(), " needs ", size_text(bytes), " a rank, of which the samples take ",
             size_text(samples)),
        bound_.why,
        2 * samples > bytes ? "Use fewer samples (--limit)." : network_kind(layout.params.network).advice_on_memory());
  }
}

void TrainingsCase::print_plan(std::ostream& out) const {
  const TrainLayout& first = runs_.front();
  std::uint64_t bytes = 0;
  for (const TrainLayout& layout : runs_) bytes = std::max(bytes, bytes_of(layout));
  out << "units    " << report::counted(static_cast<int>(runs_.size()), "training") << "\nsamples  "
      << loaded_.task.train_size() << " to train on, "
      << (loaded_.task.validates() ? text(loaded_.task.validation.size(), " to validate, ") : "")
      << loaded_.task.held_out_size() << " held out\nnetwork  " << first.setup.describe() << ", "
      << first.setup.parameters() << " parameters\n";
  for (const TrainLayout& layout : runs_) out << "workers  " << run_text(layout, loaded_.task) << "\n";
  out << "memory   " << size_text(bytes) << " a rank";
  if (bytes > bound_.bytes) out << ", more than there is (" << bound_.why << ")";
  out << run::with_program(bytes) << "\n";
}

void TrainingsCase::write_result(const std::vector<Record>& records, storage::Container& content) {
  write_train_result(runs_, loaded_.task, records, content);
}

std::string TrainingsCase::failure(const std::vector<Record>& records) const {
  std::string why;
  for (const Record& record : records) {
    if (record.status != Status::done) continue;
    why = divergence(record);
    if (why.empty()) return "";
  }
  if (why.empty()) return "";
  return text(records.size() == 1 ? "the training diverged (" : "all trainings diverged, the last one with (", why,
              "): there is no model; lower rate");
}

bool TrainingsCase::prepare() {
  executor_ = std::make_unique<TrainExecutor>(runs_, loaded_.task, run::checkpoint_params(*this),
                                              [this](const UnitKey& unit, const run::LoggedEpoch& epoch) {
                                                if (runs_.size() == 1)
                                                  context.log.info(epoch_text(runs_.front(), epoch));
                                                if (log == nullptr) return;
                                                log->epoch(unit, epoch);
                                                const std::lock_guard lock(mutex_);
                                                logged_.insert({unit.index[0], epoch.epoch});
                                              });
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const TrainLayout& layout = runs_[r];
    Unit unit;
    unit.key = {train_unit, {static_cast<int>(r), 0, 0}};
    // A step costs as much as 100 samples in addition to its own.
    unit.cost = static_cast<double>(layout.params.epochs) *
                (loaded_.task.train_size() / static_cast<double>(layout.setup.ranks) +
                 100.0 * steps_of_epoch(layout, loaded_.task));
    by_width_[layout.setup.ranks].units.push_back(unit);
  }
  return true;
}

std::vector<run::Phase> TrainingsCase::phases() {
  std::vector<run::Phase> all;
  for (auto& [width, study] : by_width_) all.push_back({study, width});
  return all;
}

std::string TrainingsCase::divergence(const Record& record) const {
  const TrainRecord one = TrainRecord::from_bytes(record.payload);
  return one.diverged ? one.reason : "";
}

std::vector<run::LoggedEpoch> TrainingsCase::epochs_of(const Record& record) const {
  std::vector<run::LoggedEpoch> epochs = TrainRecord::from_bytes(record.payload).epochs();
  const std::lock_guard lock(mutex_);
  std::erase_if(epochs, [&](const run::LoggedEpoch& one) {
    return logged_.contains({record.key.index[0], one.epoch});
  });
  return epochs;
}

namespace {

/// Warns of classes all samples of which validate, so that nothing learns them.
void warn_of_validated_classes(data::Task& task, const data::Dataset& validation) {
  std::vector<int> trained(task.train.class_name.size(), 0), validated(trained);
  for (int i = 0; i < task.train.size(); ++i) ++trained[static_cast<std::size_t>(task.train.label(i))];
  for (int i = 0; i < validation.size(); ++i) ++validated[static_cast<std::size_t>(validation.label(i))];
  std::vector<std::string> lost;
  for (std::size_t c = 0; c < trained.size(); ++c) {
    if (trained[c] == 0 && validated[c] > 0) lost.push_back(task.train.class_name[c]);
  }
  if (lost.empty()) return;
  task.warning.push_back(
      text("all samples of ", data::named_classes(lost),
           " to train on validate, as groups stay together: nothing learns them; give --validation none"));
}

/// Warns if one class has most of the training samples: the error, by which the epoch is chosen, hardly shows whether the network
/// knows the others.
void warn_of_dominant_class(data::Task& task) {
  constexpr double most = 0.8;
  const data::Dataset& train = task.train;
  std::vector<int> count(train.class_name.size(), 0);
  for (int i = 0; i < train.size(); ++i) ++count[static_cast<std::size_t>(train.label(i))];
  const auto largest = std::max_element(count.begin(), count.end());
  if (largest == count.end() || *largest < most * train.size()) return;
  const std::string& name = train.class_name[static_cast<std::size_t>(largest - count.begin())];
  const double share = static_cast<double>(*largest) / train.size();
  task.warning.push_back(text("class ", name, " has ", report::percent(share),
                              " of the training samples: a network that knows no other is wrong on ",
                              report::percent(1 - share),
                              ", and the error does not tell it from a good one (class-weight "
                              "balanced gives all classes the same weight)"));
}

}  // namespace

TrainCase::TrainCase(const run::RunContext& context, const TrainParams& given) : TrainingsCase(context) {
  const parallel::Communicator& comm = context.comm;
  TrainParams params = given;
  if (params.workers == 0) {
    // A training may continue on another number of ranks, but not with another number of workers.
    if (comm.is_root()) params.workers = workers_of(context.run.output);
    parallel::broadcast(comm, std::as_writable_bytes(std::span(&params.workers, 1)));
    if (params.workers > 0 && params.workers != comm.size()) {
      context.log.info(text("workers ", params.workers, ", as in ", context.run.output));
    }
  }
  const TrainParams full = with_defaults(params);
  loaded_ = load_train_task(comm, network_kind(params.network).learns_names,
                            {*full.data, full.test, full.limit, full.test_part, full.table}, full.seed);
  parallel::on_all(comm, [&] {
    check_taken(params);
    if (const double share = validation_share(*full.validation); share > 0) {
      data::Task& samples = loaded_.task.samples;
      data::Task parts = data::split_off_validation(samples.train, share, full.seed);
      samples.train = parts.train;
      loaded_.task.validation = parts.test;
      warn_of_validated_classes(samples, parts.test);
      if (!loaded_.task.validates()) {
        samples.warning.push_back(text("there are too few ", samples.train.group.extent(0) != 0 ? "groups" : "samples",
                                       " to validate any: the last epoch is kept"));
      }
    }
    if (!loaded_.task.has_names() && params.class_weight == "none") warn_of_dominant_class(loaded_.task.samples);
    runs_ = {lay_out_train(params, loaded_.task, comm.size())};
  });
  const training::TrainingSetup& setup = runs_.front().setup;
  if (params.precision != "single" && !setup.is_lstm() && setup.share() <= kernels::dense_rows_batch) {
    context.log.warn(text("precision ", params.precision,
                          " changes nothing here: dense layers form matrix products of more than ",
                          kernels::dense_rows_batch, " samples, and a worker has ", setup.share(), " of a batch"));
  } else if (std::is_same_v<Device, Host> && params.precision != "single") {
    context.log.warn(text("precision ", params.precision,
                          " saves time on a GPU alone: a CPU rounds as a GPU does, which costs time"));
  }
  set_up(options_of(runs_.front().params));
}

NamesCase::NamesCase(const run::RunContext& context, const NamesParams& params) : TrainingsCase(context) {
  loaded_ = load_train_task(context.comm, true, {.train = params.data, .limit = params.limit}, params.seed);
  parallel::on_all(context.comm, [&] { runs_ = lay_out_names(params, loaded_.task, context.comm.size()); });
  const std::size_t batches = params.batch_per_worker.empty() ? 3 : params.batch_per_worker.size();
  const std::size_t all = params.workers.size() * batches * params.rate.size();
  if (runs_.size() < all) {
    context.log.info(text(all - runs_.size(), " of ", all,
                          " combinations are omitted: with batches of no more than the ", loaded_.task.train_size(),
                          " names there are, they equal others"));
  }
  set_up(options_of(params));
}

}  // namespace krossfold::studies
