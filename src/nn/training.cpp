// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/training.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/denormals.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::nn {
namespace {

constexpr int steps_between_looks = 64;

/// The losses of an epoch: on the device one a sample, here one a step.
template <class Exec>
class EpochLosses {
public:
  EpochLosses(int samples, int batch)
      : batch_(batch), of_sample_("krossfold::nn::loss", samples), on_host_(Kokkos::create_mirror_view(of_sample_)) {}

  Vector<double, Exec> part(std::int64_t first, int count) const {
    return Kokkos::subview(of_sample_, Kokkos::make_pair(first, first + count));
  }

  void clear() { step_.clear(); }

  /// Reads the losses of the steps up to sample `last`. False if one of them is not finite.
  bool look(const Exec& exec, std::int64_t last) {
    const auto first = static_cast<std::int64_t>(step_.size()) * batch_;
    fence(exec, "krossfold::nn::losses");
    const auto range = Kokkos::make_pair(first, last);
    Kokkos::deep_copy(Kokkos::subview(on_host_, range), Kokkos::subview(of_sample_, range));
    for (std::int64_t at = first; at < last; at += batch_) {
      double sum = 0;
      for (std::int64_t s = at; s < std::min(at + batch_, last); ++s) sum += on_host_(s);
      step_.push_back(sum);
      if (!std::isfinite(sum)) return false;
    }
    return true;
  }

  const std::vector<double>& step() const { return step_; }

private:
  int batch_;
  Vector<double, Exec> of_sample_;
  typename Vector<double, Exec>::HostMirror on_host_;
  std::vector<double> step_;
};

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

template <class Exec>
TrainingResult train(Network<Exec>& network, const Samples<Exec>& samples, std::span<const int> rows,
                     const TrainingParams& params, const Poll& poll, const EpochReport& report) {
  const FlushDenormals flush;
  const int n = static_cast<int>(rows.size());
  const auto rate = static_cast<float>(params.rate), momentum = static_cast<float>(params.momentum);
  EpochLosses<Exec> losses(n, params.batch);
  TrainingResult result;
  for (int epoch = 0; epoch < params.epochs && n > 0; ++epoch) {
    const auto order = list_on<Exec>("krossfold::nn::order", epoch_order(params.stream, epoch, rows));
    losses.clear();
    int steps = 0;
    for (std::int64_t first = 0; first < n; first += params.batch) {
      call(poll);
      const int count = static_cast<int>(std::min<std::int64_t>(params.batch, n - first));
      network.step(samples, order, first, count, rate, momentum, losses.part(first, count));
      const bool at_end = first + count == n;
      if ((++steps % steps_between_looks == 0 || at_end) && !losses.look(network.exec(), first + count)) {
        result.diverged = true;
        result.reason = text("loss ", losses.step().back(), " in step ", losses.step().size(), " of epoch ", epoch + 1);
        return result;
      }
    }
    result.epoch_loss.push_back(mean(losses.step()));
    if (report) report(epoch, losses.step());
    const auto& loss = result.epoch_loss;
    if (epoch > 0 && loss[epoch] > params.stop_ratio * loss[epoch - 1]) break;
  }
  return result;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                               \
  template TrainingResult train<Exec>(Network<Exec>&, const Samples<Exec>&, std::span<const int>, \
                                      const TrainingParams&, const Poll&, const EpochReport&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::nn
