// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "krossfold/core/denormals.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/nn/sharded_lstm.hpp"
#include "krossfold/nn/sharded_network.hpp"

namespace krossfold::nn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int steps_between_looks = 64;

/// A recording costs as much as some steps.
constexpr int least_repeated_steps = 16;

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::vector<int> epoch_order(const StreamId& stream, int epoch, std::span<const int> rows) {
  std::vector<int> order =
      random_permutation(stream, static_cast<int>(rows.size()), static_cast<std::uint64_t>(epoch) << 32);
  for (int& index : order) index = rows[index];
  return order;
}

template <class Model>
Training<Model>::Training(Model& model, const Samples& samples, std::span<const int> rows, const TrainingParams& params)
    : model_(model),
      samples_(samples),
      rows_(rows.begin(), rows.end()),
      params_(params),
      finished_(params.epochs <= 0 || rows.empty()),
      loss_("krossfold::nn::loss", rows.size()),
      loss_on_host_(Kokkos::create_mirror_view(loss_)) {}

template <class Model>
void Training<Model>::make_order() {
  epoch_rows_ = epoch_order(params_.stream, epoch(), rows_);
  if (order_.extent(0) == 0) order_ = Vector<int, Exec>("krossfold::nn::order", rows_.size());
  const Kokkos::View<const int*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      epoch_rows_.data(), epoch_rows_.size());
  Kokkos::deep_copy(model_.exec(), order_, host);
  if (repeated_) repeated_->order_changed();
}

template <class Model>
StepParams Training<Model>::step_params(const Poll* poll) const {
  return {params_.rate, params_.momentum, params_.stream, epoch(), poll};
}

/// Steps on whole batches in this epoch and, at most, in later ones.
template <class Model>
std::int64_t Training<Model>::whole_steps_to_come() const {
  const auto n = static_cast<std::int64_t>(rows_.size());
  return (n - position_) / params_.batch + (params_.epochs - epoch() - 1) * (n / params_.batch);
}

/// Whether a step on `count` samples, with those after it, is worth being repeated.
template <class Model>
bool Training<Model>::may_repeat(int count) const {
  if (!warm_ || count != params_.batch || !model_.repeats(count)) return false;
  return repeated_ || whole_steps_to_come() >= least_repeated_steps;
}

/// The step on whole batches, after begin_step() of the model.
template <class Model>
RepeatedStep<typename Model::Space>& Training<Model>::repeated() {
  if (!repeated_) {
    StepParams params = step_params(nullptr);
    params.begun = true;
    repeated_ =
        std::make_unique<RepeatedStep<Exec>>(model_.exec(), params_.batch, order_, loss_,
                                             [&model = model_, samples = samples_, batch = params_.batch, params](
                                                 const Vector<const int, Exec>& row, const Vector<double, Exec>& loss) {
                                               model.step(samples, row, 0, batch, params, loss);
                                             });
  }
  return *repeated_;
}

/// Starts the step from position_ on.
template <class Model>
void Training<Model>::take_step(int count, const StepParams& params) {
  if (may_repeat(count)) {
    model_.begin_step(params);
    return repeated().launch(position_);
  }
  torn_ = true;
  model_.step(samples_, order_, position_, count, params,
              Kokkos::subview(loss_, Kokkos::make_pair(position_, position_ + count)));
  torn_ = false;
  warm_ = warm_ || count == params_.batch;
}

template <class Model>
void Training<Model>::start_steps(const Poll& poll) {
  const FlushDenormals flush;
  if (position_ == 0) {
    make_order();
    Kokkos::deep_copy(model_.exec(), loss_, 0.0);
  }
  const auto n = static_cast<std::int64_t>(rows_.size());
  const StepParams step = step_params(&poll);
  const auto began = Clock::now();
  const std::chrono::duration<double> burst(params_.burst);
  for (int steps = 0; steps < steps_between_looks && position_ < n && (steps == 0 || Clock::now() - began < burst);
       ++steps) {
    call(poll);
    const int count = static_cast<int>(std::min<std::int64_t>(params_.batch, n - position_));
    take_step(count, step);
    position_ += count;
  }
}

/// Reads the losses of the started steps. Returns false if one of them is not finite.
template <class Model>
bool Training<Model>::look() {
  const std::int64_t batch = params_.batch, first = static_cast<std::int64_t>(step_loss_.size()) * batch;
  const auto range = Kokkos::make_pair(first, position_);
  Kokkos::deep_copy(model_.exec(), Kokkos::subview(loss_on_host_, range), Kokkos::subview(loss_, range));
  fence(model_.exec(), "krossfold::nn::losses");
  model_.share_losses({loss_on_host_.data() + first, static_cast<std::size_t>(position_ - first)});
  for (std::int64_t at = first; at < position_; at += batch) {
    double sum = 0;
    for (std::int64_t s = at; s < std::min(at + batch, position_); ++s) sum += loss_on_host_(s);
    step_loss_.push_back(sum);
    if (!std::isfinite(sum)) return false;
  }
  return true;
}

template <class Model>
void Training<Model>::read_losses(const EpochReport& report) {
  if (!look()) {
    result_.diverged = finished_ = true;
    result_.reason =
        text("loss ", std::abs(step_loss_.back()), " in step ", step_loss_.size(), " of epoch ", epoch() + 1);
    return;
  }
  if (position_ < static_cast<std::int64_t>(rows_.size())) return;
  auto& loss = result_.epoch_loss;
  loss.push_back(mean(step_loss_));
  if (report) report(epoch() - 1, step_loss_);
  position_ = 0;
  step_loss_.clear();
  const bool gains =
      epoch() < 2 || std::isinf(params_.stop_ratio) || loss.back() <= params_.stop_ratio * loss[loss.size() - 2];
  finished_ = epoch() >= params_.epochs || !gains;
}

template <class Model>
void Training<Model>::write_state(ByteWriter& writer) const {
  writer.put_fields(result_.epoch_loss, result_.diverged, result_.reason, finished_, position_, step_loss_);
  model_.write_state(writer);
}

template <class Model>
void Training<Model>::read_state(ByteReader& reader) {
  reader.get_fields(result_.epoch_loss, result_.diverged, result_.reason, finished_, position_, step_loss_);
  const auto n = static_cast<std::int64_t>(rows_.size()), steps = static_cast<std::int64_t>(step_loss_.size());
  const bool goes_on =
      epoch() < params_.epochs && position_ < n && position_ % params_.batch == 0 && position_ / params_.batch == steps;
  if (position_ < 0 || position_ > n || !(finished_ || goes_on)) {
    throw_run_error("the state of another training",
                    text("after ", epoch(), " epochs and ", steps, " steps at sample ", position_, " of ", n));
  }
  model_.read_state(reader);
  if (position_ > 0 && !finished_) make_order();
}

template <class Model>
TrainingResult train(Model& model, const typename Model::Samples& samples, std::span<const int> rows,
                     const TrainingParams& params, const Poll& poll, const EpochReport& report) {
  Training<Model> training(model, samples, rows, params);
  while (!training.finished()) {
    training.start_steps(poll);
    training.read_losses(report);
  }
  return training.result();
}

#define KROSSFOLD_INSTANTIATE_FOR(...)                                                                        \
  template class Training<__VA_ARGS__>;                                                                       \
  template TrainingResult train<__VA_ARGS__>(__VA_ARGS__&, const __VA_ARGS__::Samples&, std::span<const int>, \
                                             const TrainingParams&, const Poll&, const EpochReport&);
#define KROSSFOLD_INSTANTIATE(Exec)            \
  KROSSFOLD_INSTANTIATE_FOR(Network<Exec>)     \
  KROSSFOLD_INSTANTIATE_FOR(ShardedLstm<Exec>) \
  KROSSFOLD_INSTANTIATE_FOR(ShardedNetwork<Exec>)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
