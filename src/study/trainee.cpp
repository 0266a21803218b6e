// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/trainee.hpp"

#include <limits>

#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/study/lstm_model.hpp"
#include "krossfold/study/network_ensemble.hpp"
#include "krossfold/study/network_model.hpp"

namespace krossfold::study {

namespace {

nn::Windows<Device> windows_of(const data::NameSet& names, int steps) {
  const data::NameWindows windows = data::name_windows(names.name, steps);
  return {list_on<Device>("krossfold::study::symbol", windows.symbol),
          list_on<Device>("krossfold::study::next", windows.next), steps};
}

nn::TrainingParams training_params(const TrainParams& params) {
  nn::TrainingParams training;
  training.epochs = params.epochs;
  training.stop_ratio = params.stop_ratio;
  training.batch = params.batch;
  training.rate = *params.rate;
  training.momentum = params.momentum;
  training.stream = {.seed = params.seed, .purpose = random_purpose_sample_order};
  return training;
}

StreamId initial_weights(const TrainParams& params) {
  return {.seed = params.seed, .purpose = random_purpose_initial_weights};
}

/// What all kinds have in common.
template <class Model>
class TraineeOf : public Trainee {
public:
  template <class... Args>
  TraineeOf(const TrainPlan& plan, const TrainTask& task, const typename Model::Samples& samples, Args&&... args)
      : plan_(plan),
        task_(task),
        model_(Device(), std::forward<Args>(args)...),
        training_(model_, samples, nn::all_rows(samples.size()), training_params(plan.params)) {
    model_.network().initialize(initial_weights(plan.params));
  }
  bool finished() const override { return training_.finished(); }
  void start_steps(const Poll& poll) override { training_.start_steps(poll); }
  void read_losses(const nn::EpochReport& report) override { training_.read_losses(report); }
  const nn::TrainingResult& result() const override { return training_.result(); }
  std::int64_t progress() const override { return training_.progress(); }
  void write_state(ByteWriter& writer) const override { training_.write_state(writer); }
  void read_state(ByteReader& reader) override { training_.read_state(reader); }

protected:
  const TrainPlan& plan_;
  const TrainTask& task_;
  mutable Model model_;
  nn::Training<Model> training_;
};

class LstmTrainee : public TraineeOf<nn::ShardedLstm<Device>> {
public:
  LstmTrainee(const TrainPlan& plan, const TrainTask& task, const TrainData& data, nn::Exchange<Device>& exchange)
      : TraineeOf(plan, task, data.train_windows, plan.lstm, plan.part(), exchange), held_out_(data.held_out_windows) {}

  nn::Judgement judge(const Poll& poll) override {
    return {model_.mean_loss(held_out_, poll), std::numeric_limits<double>::quiet_NaN()};
  }
  storage::Container model() const override {
    return to_container(LstmModel{plan_.lstm, model_.network().parameters(), digests_of(task_.names.train.name)});
  }

private:
  const nn::Windows<Device>& held_out_;
};

nn::Sharing sharing_of(Strategy strategy) {
  return strategy == Strategy::model_parallel ? nn::Sharing::weights : nn::Sharing::batch;
}

class NetworkTrainee : public TraineeOf<nn::ShardedNetwork<Device>> {
public:
  NetworkTrainee(const TrainPlan& plan, const TrainTask& task, const TrainData& data, nn::Exchange<Device>& exchange)
      : TraineeOf(plan, task, data.train, plan.network, plan.params.batch, exchange, sharing_of(plan.strategy),
                  plan.strategy == Strategy::ddp),
        held_out_(data.held_out),
        part_(sharing_of(plan.strategy) == nn::Sharing::weights ? exchange.first_shard : 0),
        parts_(sharing_of(plan.strategy) == nn::Sharing::weights ? exchange.shards : 1) {}

  nn::Judgement judge(const Poll& poll) override { return model_.judge(held_out_, poll); }
  storage::Container model() const override {
    const data::Dataset& train = task_.samples.train;
    const data::ImageKind image =
        train.image.width > 0 && train.image.channels == 1 ? data::kind_of_images(train) : data::ImageKind{};
    return to_container(NetworkModel{plan_.network, model_.network().parameters(), plan_.scale, train.class_name, image,
                                     part_, parts_});
  }

private:
  const nn::Samples<Device>& held_out_;
  int part_, parts_;
};

}  // namespace

TrainData train_data(const TrainPlan& plan, const TrainTask& task) {
  TrainData data;
  if (plan.is_lstm()) {
    data.train_windows = windows_of(task.names.train, plan.params.window);
    data.held_out_windows = windows_of(task.names.held_out, plan.params.window);
  } else {
    data.train = samples_of(task.samples.train, plan.scale);
    data.held_out = samples_of(task.samples.test, plan.scale);
  }
  return data;
}

std::unique_ptr<Trainee> make_trainee(const TrainPlan& plan, const TrainTask& task, const TrainData& data,
                                      nn::Exchange<Device>& exchange) {
  if (plan.is_lstm()) return std::make_unique<LstmTrainee>(plan, task, data, exchange);
  return std::make_unique<NetworkTrainee>(plan, task, data, exchange);
}

}  // namespace krossfold::study
