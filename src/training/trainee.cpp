// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/training/trainee.hpp"

#include <limits>

#include "krossfold/model/ensemble.hpp"
#include "krossfold/model/lstm_file.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_lstm.hpp"

namespace krossfold::training {

namespace {

nn::Windows<Device> windows_of(const input::NameSet& names, int steps) {
  const input::NameWindows windows = input::name_windows(names.name, steps);
  return {list_on<Device>("krossfold::training::symbol", windows.symbol),
          list_on<Device>("krossfold::training::next", windows.next), steps};
}

/// A rank alone looks after its steps every second; ranks that share them, after a number of steps.
nn::TrainingParams in_bursts(const TrainingSetup& setup) {
  nn::TrainingParams params = setup.training;
  if (setup.ranks == 1) params.burst = 1;
  return params;
}

/// What trainees of all kinds share.
template <class Model>
class TraineeOf : public Trainee {
public:
  template <class... Args>
  TraineeOf(const TrainingSetup& setup, const TrainTask& task, const typename Model::Samples& samples, Args&&... args)
      : setup_(setup),
        task_(task),
        model_(Device(), std::forward<Args>(args)...),
        training_(model_, samples, nn::all_rows(samples.size()), in_bursts(setup)) {
    model_.network().set_precision(setup.precision);
    model_.network().initialize({.seed = setup.seed, .purpose = random_purpose_initial_weights});
  }
  bool finished() const override { return training_.finished(); }
  void start_steps(const Poll& poll) override { training_.start_steps(poll); }
  bool torn() const override { return training_.torn(); }
  void read_losses(const nn::EpochReport& report) override { training_.read_losses(report); }
  const nn::TrainingResult& result() const override { return training_.result(); }
  std::int64_t progress() const override { return training_.progress(); }
  void write_state(ByteWriter& writer) const override { training_.write_state(writer); }
  std::uint64_t state_bytes() const override { return setup_.state_bytes(); }
  void read_state(ByteReader& reader) override { training_.read_state(reader); }

protected:
  /// What `evaluate` returns with products in single precision, in which the model will predict.
  template <class Evaluate>
  auto in_single(const Evaluate& evaluate) {
    model_.network().set_precision(kernels::Precision::single);
    const auto found = evaluate();
    model_.network().set_precision(setup_.precision);
    return found;
  }

  const TrainingSetup& setup_;
  const TrainTask& task_;
  mutable Model model_;
  nn::Training<Model> training_;
};

class LstmTrainee : public TraineeOf<nn::ShardedLstm<Device>> {
public:
  LstmTrainee(const TrainingSetup& setup, const TrainTask& task, const TrainData& data, nn::Exchange<Device>& exchange)
      : TraineeOf(setup, task, data.train_windows, setup.lstm(), setup.windows_at_once(), exchange),
        train_(data.train_windows),
        held_out_(data.held_out_windows) {}

  nn::Evaluation evaluate(const Poll& poll) override {
    return in_single([&] {
      return nn::Evaluation{model_.mean_loss(held_out_, poll), std::numeric_limits<double>::quiet_NaN(), {}};
    });
  }
  nn::Evaluation validate(const Poll&) override {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, {}};
  }
  double training_loss(const Poll& poll) override {
    return in_single([&] { return model_.mean_loss(train_, poll); });
  }
  std::vector<std::byte> model_file() const override {
    return model::to_file(
        model::LstmModel{setup_.lstm(), model_.network().parameters(), model::digests_of(task_.names.train.name)});
  }

private:
  const nn::Windows<Device>&train_, &held_out_;
};

class NetworkTrainee : public TraineeOf<nn::ShardedNetwork<Device>> {
public:
  NetworkTrainee(const TrainingSetup& setup, const TrainTask& task, const TrainData& data,
                 nn::Exchange<Device>& exchange)
      : TraineeOf(setup, task, data.train, setup.network(), setup.training.batch, exchange,
                  setup.splits_weights() ? nn::Sharing::weights : nn::Sharing::batch, setup.strategy == Strategy::ddp),
        train_(data.train),
        held_out_(data.held_out),
        validation_(data.validation),
        part_(setup.splits_weights() ? exchange.first_shard : 0),
        parts_(setup.splits_weights() ? exchange.shards : 1) {}

  nn::Evaluation evaluate(const Poll& poll) override {
    return in_single([&] { return model_.evaluate(held_out_, poll); });
  }
  nn::Evaluation validate(const Poll& poll) override {
    return in_single([&] { return model_.evaluate(validation_, poll); });
  }
  double training_loss(const Poll& poll) override {
    return in_single([&] { return model_.evaluate(train_, poll).loss; });
  }
  std::vector<std::byte> model_file() const override {
    const data::Dataset& train = task_.samples.train;
    const input::ImageKind image =
        input::takes_pictures(train.image) ? input::kind_of_images(train) : input::ImageKind{};
    return model::to_file(model::NetworkModel{setup_.network(), model_.network().parameters(), setup_.scale,
                                              train.class_name, image, part_, parts_, train.encoding,
                                              train.first_index});
  }

private:
  const nn::Samples<Device>&train_, &held_out_, &validation_;
  int part_, parts_;
};

}  // namespace

TrainData train_data(const TrainingSetup& setup, const TrainTask& task) {
  TrainData data;
  if (setup.is_lstm()) {
    data.train_windows = windows_of(task.names.train, setup.lstm().steps);
    data.held_out_windows = windows_of(task.names.held_out, setup.lstm().steps);
  } else {
    data.train = model::training_samples_of(task.samples.train, setup.scale, setup.class_weights);
    data.held_out = model::samples_of(task.samples.test, setup.scale);
    if (task.validates()) data.validation = model::samples_of(task.validation, setup.scale);
  }
  return data;
}

std::uint64_t train_data_bytes(const TrainingSetup& setup, const TrainTask& task) {
  if (!setup.is_lstm()) {
    return model::samples_bytes(task.samples.train) + model::samples_bytes(task.samples.test) +
           model::samples_bytes(task.validation);
  }
  const int windows = task.names.train.size() + task.names.held_out.size();
  return static_cast<std::uint64_t>(windows) * static_cast<std::uint64_t>(setup.lstm().steps) * 2 * sizeof(int);
}

std::unique_ptr<Trainee> make_trainee(const TrainingSetup& setup, const TrainTask& task, const TrainData& data,
                                      nn::Exchange<Device>& exchange) {
  if (setup.is_lstm()) return std::make_unique<LstmTrainee>(setup, task, data, exchange);
  return std::make_unique<NetworkTrainee>(setup, task, data, exchange);
}

}  // namespace krossfold::training
