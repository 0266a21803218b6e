// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include "krossfold/core/denormals.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "krossfold/nn/training.hpp"

namespace krossfold::nn {

/// The trainings of train_together() that are under way.
template <class Model>
class FusedTrainings {
public:
  using Exec = typename Model::Space;

  explicit FusedTrainings(std::span<Training<Model>* const> trainings) : at_work_(trainings.begin(), trainings.end()) {
    drop_finished();
  }

  bool finished() const { return at_work_.empty(); }
  std::int64_t fused_steps() const { return fused_steps_; }

  /// Starts a burst of each.
  void start_steps(const Poll& poll) {
    std::vector<Training<Model>*> together;
    for (Training<Model>* training : at_work_) {
      if (can_fuse(*training)) together.push_back(training);
    }
    if (together.size() < 2) together.clear();
    if (!together.empty() && !start_fused(together, poll)) together.clear();
    for (Training<Model>* training : at_work_) {
      const bool fused = std::find(together.begin(), together.end(), training) != together.end();
      if (fused && can_fuse(*training)) continue;
      // A single step prepares those that are fused from the next burst on.
      const bool first = fuses_ && at_work_.size() > 1 && !training->warm_ && repeats(*training);
      training->start_steps(poll, first ? 1 : Training<Model>::steps_between_looks);
    }
  }

  void read_losses() {
    for (Training<Model>* training : at_work_) training->read_losses();
    drop_finished();
  }

private:
  using Steps = std::vector<RepeatedStep<Exec>*>;

  void drop_finished() {
    std::erase_if(at_work_, [](const Training<Model>* training) { return training->finished(); });
  }
  static bool repeats(const Training<Model>& training) { return training.model_.repeats(training.params_.batch); }
  /// With a single whole step left, a training ends its epoch alone: so epochs of about as many samples stay together.
  bool can_fuse(const Training<Model>& training) const {
    return fuses_ && training.whole_steps_left() > 1 && training.may_repeat(training.params_.batch);
  }

  /// Starts as many steps on whole batches as each of these has before it, up to a burst. False if they cannot be one, or are too few.
  bool start_fused(const std::vector<Training<Model>*>& trainings, const Poll& poll) {
    const FlushDenormals flush;
    std::int64_t most = Training<Model>::steps_between_looks, to_come = std::numeric_limits<std::int64_t>::max();
    Steps steps;
    for (Training<Model>* training : trainings) {
      training->begin_epoch();
      training->model_.begin_step(training->step_params(nullptr));
      steps.push_back(&training->repeated());
      most = std::min(most, training->whole_steps_left());
      to_come = std::min(to_come, training->whole_steps_to_come());
    }
    if (!steps_ || steps_->steps() != steps) {
      if (to_come < Training<Model>::least_repeated_steps) return false;
      steps_.emplace(steps);
    }
    fuses_ = steps_->fits();
    if (!fuses_) return false;
    std::vector<std::int64_t> first(trainings.size());
    for (std::int64_t step = 0; step < most; ++step) {
      call(poll);
      for (std::size_t k = 0; k < trainings.size(); ++k) {
        trainings[k]->model_.begin_step(trainings[k]->step_params(nullptr));
        first[k] = trainings[k]->position_;
      }
      steps_->launch(first);
      fused_steps_ += static_cast<std::int64_t>(trainings.size());
      for (Training<Model>* training : trainings) training->position_ += training->params_.batch;
    }
    return true;
  }

  std::vector<Training<Model>*> at_work_;
  bool fuses_ = std::is_same_v<Model, Network<Exec>> && repeats_launches<Exec>;
  std::optional<FusedSteps<Exec>> steps_;
  std::int64_t fused_steps_ = 0;
};

template <class Model>
std::int64_t train_together(std::span<Training<Model>* const> trainings, const Poll& poll,
                            const std::function<void()>& advanced) {
  FusedTrainings<Model> under_way(trainings);
  while (!under_way.finished()) {
    try {
      under_way.start_steps(poll);
    } catch (const Stopped&) {
      under_way.read_losses();  // of the started steps, so that the state can be saved
      throw;
    }
    under_way.read_losses();
    if (advanced) advanced();
  }
  return under_way.fused_steps();
}

template <class Exec>
std::vector<Exec> instances_to_train_in(int count, int batch) {
  if (Network<Exec>::fuses(batch)) return std::vector<Exec>(static_cast<std::size_t>(count), Exec());
  return instances<Exec>(count);
}

#define KROSSFOLD_INSTANTIATE_FOR(...)                                                                    \
  template std::int64_t train_together<__VA_ARGS__>(std::span<Training<__VA_ARGS__>* const>, const Poll&, \
                                                    const std::function<void()>&);
#define KROSSFOLD_INSTANTIATE(Exec)               \
  KROSSFOLD_INSTANTIATE_FOR(Network<Exec>)        \
  KROSSFOLD_INSTANTIATE_FOR(ShardedLstm<Exec>)    \
  KROSSFOLD_INSTANTIATE_FOR(ShardedNetwork<Exec>) \
  template std::vector<Exec> instances_to_train_in<Exec>(int, int);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
