// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/nn/network.hpp"

namespace krossfold::nn {

struct TrainingParams {
  int epochs = 20;  ///< at most
  double stop_ratio =
      0.8;         ///< ends after an epoch whose loss is above this share of the one before; infinity never ends it so
  int batch = 10;  ///< samples of a step; the last of an epoch takes what is left
  double rate = 0.01, momentum = 0.9;
  StreamId stream;  ///< of the order of the samples: epoch e takes the draws from e << 32 on
};

struct TrainingResult {
  std::vector<double> epoch_loss;  ///< mean of the losses of the steps, each taken before its step
  bool diverged = false;
  std::string reason;  ///< of the divergence: "loss nan in step 17 of epoch 2"
};

/// Called after each epoch, with its number from 0 on and the losses of its steps. May be empty.
using EpochReport = std::function<void(int epoch, const std::vector<double>& step_loss)>;

/// The order in which epoch `epoch` goes through `rows`.
std::vector<int> epoch_order(const StreamId& stream, int epoch, std::span<const int> rows);

/// A training that goes in short stretches, so that several networks can share a device and one can be laid aside and continued:
///   while (!training.finished()) { training.start_steps(); training.read_losses(); }
/// Steps on the samples `rows` (an index may occur several times), in a new random order each epoch. The bits do not depend on the
/// stretches, nor on what else the device does.
///
/// Model is a Network, a ShardedNetwork or a ShardedLstm: something with step(), share_losses(), write_state() and read_state().
template <class Model>
class Training {
public:
  using Exec = typename Model::Space;
  using Samples = typename Model::Samples;

  /// The model must outlive it.
  Training(Model& model, const Samples& samples, std::span<const int> rows, const TrainingParams& params);

  /// After its epochs, by params.stop_ratio, or at the first loss that is not finite (the weights may be from some steps later).
  bool finished() const { return finished_; }
  /// Starts up to 64 steps, within an epoch. Polls before each of them; does not wait for a device.
  void start_steps(const Poll& poll = {});
  /// Waits for the steps that were started and reads their losses.
  void read_losses(const EpochReport& report = {});
  const TrainingResult& result() const { return result_; }
  /// Samples that its steps have gone through so far.
  std::int64_t progress() const { return epoch() * static_cast<std::int64_t>(rows_.size()) + position_; }

  /// Everything that a training of the same network, samples, rows and parameters needs to go on from here with the same bits.
  /// Between read_losses() and start_steps(). read_state() throws a run error for bytes of another network.
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

private:
  bool look();
  void make_order();
  int epoch() const { return static_cast<int>(result_.epoch_loss.size()); }

  Model& model_;
  Samples samples_;
  std::vector<int> rows_;
  TrainingParams params_;
  TrainingResult result_;
  bool finished_;
  std::int64_t position_ = 0;      ///< samples of the epoch whose steps were started
  std::vector<double> step_loss_;  ///< of the steps of the epoch that were looked at
  Vector<const int, Exec> order_;  ///< of the epoch
  Vector<double, Exec> loss_;      ///< (sample of the epoch)
  typename Vector<double, Exec>::HostMirror loss_on_host_;
};

/// Trains to the end.
template <class Model>
TrainingResult train(Model& model, const typename Model::Samples& samples, std::span<const int> rows,
                     const TrainingParams& params, const Poll& poll = {}, const EpochReport& report = {});

/// Trains several networks to their ends, a stretch of each in turn. Small networks leave most of a device idle: give each its own
/// execution-space instance (kokkos_compat.hpp: instances()), then their kernels run at the same time. `advanced` is called
/// after each round; may be empty.
template <class Model>
void train_together(std::span<Training<Model>* const> trainings, const Poll& poll = {},
                    const std::function<void()>& advanced = {});

}  // namespace krossfold::nn
