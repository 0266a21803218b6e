// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_executor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/network_ensemble.hpp"
#include "krossfold/study/network_model.hpp"

namespace krossfold::study {

namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

int count_wrong(const std::vector<float>& probability, const std::vector<int>& rows, const Vector<const int>& label,
                int classes) {
  int wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* p = probability.data() + i * static_cast<std::size_t>(classes);
    wrong += std::max_element(p, p + classes) - p != label(rows[i]) ? 1 : 0;
  }
  return wrong;
}

std::vector<int> all_rows(int n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

void mark_diverged(TrainingSummary& training) {
  training.diverged = true;
  training.reason = text("probabilities are not finite after epoch ", training.epoch_loss.size());
}

}  // namespace

std::string bag_model_name(int bootstrap) { return text("bootstrap_", bootstrap < 10 ? "0" : "", bootstrap, ".h5"); }

BagExecutor::BagExecutor(const BagSearch& search, const data::Task& task, const OodImages& ood, MemoryBound bound)
    : search_(search), task_(task), bound_(std::move(bound)), train_(samples_of(task.train, search.scale)) {
  if (task.test.size() > 0) test_ = samples_of(task.test, search.scale);
  if (ood.images.size() > 0) ood_ = samples_of(ood.images, search.scale);
}

std::vector<Record> BagExecutor::run(const Unit& unit, UnitContext& context) {
  if (context.stop.stop_requested()) return {};
  const Poll poll = poll_of(context.stop);
  Record record;
  record.key = unit.key;
  record.status = Status::done;
  try {
    record.payload =
        unit.key.kind == bag_unit_trial ? run_trial(unit, poll).to_bytes() : run_final(unit, context, poll).to_bytes();
  } catch (const Stopped&) {
    return {};
  }
  return {record};
}

nn::Network<Device> BagExecutor::network_of(const Unit& unit) const {
  const auto architecture = search_.architecture(draw_trial(search_, unit.key.index[0], unit.key.index[1]));
  const std::uint64_t bytes = nn::network_bytes(architecture, search_.room());
  if (bound_.bytes > 0 && bytes > bound_.bytes) {
    throw_run_error(text("the network (", nn::describe(architecture), ") does not fit"),
                    text("it needs ", size_text(bytes), ", ", bound_.why));
  }
  nn::Network<Device> network(Device(), architecture, search_.room());
  network.initialize(stream_of(search_, random_purpose_initial_weights, unit.key));
  return network;
}

TrainingSummary BagExecutor::train(nn::Network<Device>& network, const Unit& unit, const std::vector<int>& rows,
                                   const Poll& poll) const {
  const Trial trial = draw_trial(search_, unit.key.index[0], unit.key.index[1]);
  nn::TrainingParams params;
  params.epochs = search_.params.epochs;
  params.stop_ratio = search_.params.stop_ratio;
  params.batch = search_.params.batch;
  params.rate = trial.rate;
  params.momentum = trial.momentum;
  params.stream = stream_of(search_, random_purpose_sample_order, unit.key);
  const nn::TrainingResult result = nn::train<Device>(network, train_, rows, params, poll);
  return {result.epoch_loss, result.diverged, result.reason};
}

TrialResult BagExecutor::run_trial(const Unit& unit, const Poll& poll) const {
  const data::Bootstrap bootstrap = data::draw_bootstrap(search_.folds, search_.params.seed, unit.key.index[0]);
  const std::vector<int>& held = bootstrap.held_out(unit.key.index[2]);
  auto network = network_of(unit);
  TrialResult result;
  result.training = train(network, unit, bootstrap.training(unit.key.index[2]), poll);
  result.held = result.wrong = static_cast<int>(held.size());
  if (result.training.diverged) return result;
  const auto probability = probabilities(network, train_, held, poll);
  if (!all_finite(probability)) {
    mark_diverged(result.training);
  } else {
    result.wrong = count_wrong(probability, held, task_.train.label, search_.classes);
  }
  return result;
}

FinalResult BagExecutor::run_final(const Unit& unit, UnitContext& context, const Poll& poll) const {
  const data::Bootstrap bootstrap = data::draw_bootstrap(search_.folds, search_.params.seed, unit.key.index[0]);
  const std::vector<int> unseen = bootstrap.out_of_bag(search_.samples);
  auto network = network_of(unit);
  FinalResult result;
  result.training = train(network, unit, bootstrap.all(), poll);
  result.out_of_bag = static_cast<int>(unseen.size());
  if (result.training.diverged) return result;
  const auto probability = probabilities(network, train_, unseen, poll);
  result.probability = probabilities(network, test_, all_rows(test_.size()), poll);
  result.ood_probability = probabilities(network, ood_, all_rows(ood_.size()), poll);
  if (!all_finite(probability) || !all_finite(result.probability) || !all_finite(result.ood_probability)) {
    result.probability.clear();
    result.ood_probability.clear();
    mark_diverged(result.training);
    return result;
  }
  result.out_of_bag_wrong = count_wrong(probability, unseen, task_.train.label, search_.classes);
  NetworkModel model{network.architecture(), network.parameters(), search_.scale, task_.train.class_name,
                     data::kind_of_images(task_.train)};
  const auto bytes = storage::to_bytes(to_container(model));
  result.model_name = bag_model_name(unit.key.index[0]);
  result.model_size = bytes.size();
  result.model_checksum = crc64(bytes);
  context.checkpoint.store(result.model_name, bytes);
  return result;
}

}  // namespace krossfold::study
