// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/random.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/nn/network.hpp"
#include "krossfold/nn/repeated_step.hpp"

namespace krossfold::nn {

/// A stream has 2^48 draws, and an epoch 2^32 of them for its order.
inline constexpr int most_epochs = 1 << 16;

/// True if a training of at most so many epochs has draws for all that it can reach: its loss would fall below every number before, were
/// it to fall by a hundredth in each. At most a million.
inline bool has_draws(int epochs, double stop_ratio) {
  return epochs <= most_epochs || (epochs <= 1'000'000 && stop_ratio <= 0.99);
}

struct TrainingParams {
  int epochs = 20;          ///< maximum (has_draws())
  double stop_ratio = 0.8;  ///< stop when the loss exceeds this ratio times the previous epoch's; infinity disables
  int batch = 10;           ///< samples per step; the last step of an epoch takes the remainder
  double rate = 0.01, momentum = 0.9;
  StreamId stream;  ///< of the sample order: epoch e uses the draws from e << 32 on
  /// Seconds after which a burst of steps ends early, so that their state can be stored. Only for a training that shares its steps with no
  /// other rank, since all ranks have to end a burst after the same step.
  double burst = std::numeric_limits<double>::infinity();
};

struct TrainingResult {
  std::vector<double> epoch_loss;  ///< mean loss over the epoch's steps, each evaluated before its update
  bool diverged = false;
  std::string reason;  ///< why it diverged: "loss nan in step 17 of epoch 2"
};

/// Called after each epoch with its number, counted from 0, and the losses of its steps. May be empty.
using EpochReport = std::function<void(int epoch, const std::vector<double>& step_loss)>;

/// The order in which epoch `epoch` visits `rows`.
std::vector<int> epoch_order(const StreamId& stream, int epoch, std::span<const int> rows);

/// A training in short bursts, so that several networks can share a device and a training can be suspended and resumed:
///   while (!training.finished()) { training.start_steps(); training.read_losses(); }
/// It steps on the samples `rows` (an index may occur several times) in a new random order each epoch. Results are
/// bitwise independent of the bursts and of other work on the device.
/// Model is a Network, ShardedNetwork or ShardedLstm: it has step(), share_losses(), write_state(), read_state(), and repeats(), whether a
/// step on as many samples as the one before can be launched again with the same arguments (repeated_step.hpp) after begin_step().
template <class Model>
class Training {
public:
  using Exec = typename Model::Space;
  using Samples = typename Model::Samples;

  /// The model must outlive the training.
  Training(Model& model, const Samples& samples, std::span<const int> rows, const TrainingParams& params);

  /// True after the last epoch, by stop_ratio, or once a loss is not finite (the weights may be some steps ahead).
  bool finished() const { return finished_; }
  /// Starts up to 64 steps within an epoch. Polls before each of them, and within those that take more than a second; does not wait
  /// for the device.
  void start_steps(const Poll& poll = {});
  /// Waits for the steps that were started and reads their losses.
  void read_losses(const EpochReport& report = {});
  const TrainingResult& result() const { return result_; }
  /// True if steps on whole batches are launched as a graph (core/launch_graph.hpp).
  bool recorded() const { return repeated_ && repeated_->recorded(); }
  /// True once a poll has ended a step halfway: the state is then of no use.
  bool torn() const { return torn_; }
  /// Number of samples processed so far.
  std::int64_t progress() const { return epoch() * static_cast<std::int64_t>(rows_.size()) + position_; }

  /// All state needed to resume with the same network, samples, rows and parameters and get bitwise identical results.
  /// Call between read_losses() and start_steps(). read_state() throws a run error for the state of another network.
  void write_state(ByteWriter& writer) const;
  void read_state(ByteReader& reader);

private:
  bool look();
  void make_order();
  StepParams step_params(const Poll* poll) const;
  bool may_repeat(int count) const;
  RepeatedStep<Exec>& repeated();
  std::int64_t whole_steps_to_come() const;
  void take_step(int count, const StepParams& params);
  int epoch() const { return static_cast<int>(result_.epoch_loss.size()); }

  Model& model_;
  Samples samples_;
  std::vector<int> rows_;
  TrainingParams params_;
  TrainingResult result_;
  bool finished_, torn_ = false;
  std::int64_t position_ = 0;      ///< samples of the epoch whose steps were started
  std::vector<double> step_loss_;  ///< losses read so far in the epoch
  std::vector<int> epoch_rows_;    ///< sample order of the epoch
  Vector<int, Exec> order_;        ///< the same on the device
  Vector<double, Exec> loss_;      ///< (sample of the epoch)
  typename Vector<double, Exec>::HostMirror loss_on_host_;
  bool warm_ = false;                             ///< a step on a whole batch has run
  std::unique_ptr<RepeatedStep<Exec>> repeated_;  ///< such a step
};

/// Trains to the end.
template <class Model>
TrainingResult train(Model& model, const typename Model::Samples& samples, std::span<const int> rows,
                     const TrainingParams& params, const Poll& poll = {}, const EpochReport& report = {});

/// Trains several networks to completion, one burst of each in turn. Small networks leave most of a device idle: if
/// each has its own execution-space instance (kokkos_compat.hpp: instances()), their kernels run concurrently.
/// `advanced` is called after each round; may be empty.
template <class Model>
void train_together(std::span<Training<Model>* const> trainings, const Poll& poll = {},
                    const std::function<void()>& advanced = {});

}  // namespace krossfold::nn
