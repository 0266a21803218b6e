// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/training/setup.hpp"

namespace krossfold::training {

/// The data of trainings in device memory: windows of names, or labelled samples.
struct TrainData {
  nn::Windows<Device> train_windows, held_out_windows;
  nn::Samples<Device> train, held_out, validation;
};
TrainData train_data(const TrainingSetup& setup, const TrainTask& task);
/// The bytes that these take.
std::uint64_t train_data_bytes(const TrainingSetup& setup, const TrainTask& task);

/// A network in training, of any kind: the interface of nn::Training without its template parameter.
class Trainee {
public:
  virtual ~Trainee() = default;
  virtual bool finished() const = 0;
  virtual void start_steps(const Poll& poll) = 0;
  /// True after a step that was left halfway: the weights are then of no use (nn::Training::torn()).
  virtual bool torn() const = 0;
  virtual void read_losses(const nn::EpochReport& report) = 0;
  virtual const nn::TrainingResult& result() const = 0;
  virtual std::int64_t progress() const = 0;
  /// Loss and error of the held-out samples; the error of a character model is NaN. Collective.
  virtual nn::Evaluation evaluate(const Poll& poll) = 0;
  /// The same of the samples that validate. Collective.
  virtual nn::Evaluation validate(const Poll& poll) = 0;
  /// The loss of the training samples by the network as it is now, without their weights. Collective.
  virtual double training_loss(const Poll& poll) = 0;
  virtual void write_state(ByteWriter& writer) const = 0;
  virtual std::uint64_t state_bytes() const = 0;
  virtual void read_state(ByteReader& reader) = 0;
  /// The bytes of a model file with the weights that this rank has.
  virtual std::vector<std::byte> model_file() const = 0;
};

/// A network with its initial weights. All arguments must outlive it.
std::unique_ptr<Trainee> make_trainee(const TrainingSetup& setup, const TrainTask& task, const TrainData& data,
                                      nn::Exchange<Device>& exchange);

}  // namespace krossfold::training
