// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/executor.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/core/serialize.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/model/ensemble.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/run/done_record.hpp"

namespace krossfold::studies {

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

TrainingSummary summary_of(const nn::TrainingResult& result) {
  return {result.epoch_loss, result.diverged, result.reason};
}

void mark_diverged(TrainingSummary& training) {
  training.diverged = true;
  training.reason = text("probabilities are not finite after epoch ", training.epoch_loss.size());
}

}  // namespace

struct BagExecutor::Fit {
  nn::Network<Device> network;
  nn::Training<nn::Network<Device>> training;

  Fit(const Device& exec, const nn::Architecture& architecture, int room, const nn::Samples<Device>& samples,
      const std::vector<int>& rows, const nn::TrainingParams& params, const Poll& poll)
      : network(exec, architecture, room, nullptr, poll), training(network, samples, rows, params) {}
};

BagExecutor::BagExecutor(const BagLayout& search, const data::Task& task, const OodImages& ood, run::MemoryBound bound,
                         const run::CheckpointParams& parts)
    : search_(search),
      task_(task),
      bound_(std::move(bound)),
      parts_(parts),
      train_(model::training_samples_of(task.train, search.scale, search.class_weights)) {
  if (task.test.size() > 0) test_ = model::samples_of(task.test, search.scale);
  if (ood.images.size() > 0) ood_ = model::samples_of(ood.images, search.scale);
}

std::vector<Record> BagExecutor::run(const Unit& unit, UnitContext& context) {
  return run::unless_stopped(context, [&](const Poll& poll) -> std::vector<Record> {
    if (unit.key.kind == bag_unit_trial) return run_trial(unit, context, poll);
    return {run::done_record(unit.key, run_final(unit, context, poll).to_bytes())};
  });
}

/// How many of the `wanted` networks of a trial fit into memory at the same time. Throws if not even one does.
int BagExecutor::fits_at_once(const UnitKey& key, int wanted) const {
  const auto architecture = search_.architecture(draw_trial(search_, key.index[0], key.index[1]));
  const std::uint64_t bytes = training_bytes(search_, architecture);
  if (bound_.bytes == 0) return wanted;
  if (bytes > bound_.bytes) {
    throw_run_error(text("the network (", nn::describe(architecture), ") does not fit"),
                    text("it needs ", size_text(bytes), ", ", bound_.why));
  }
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(wanted), bound_.bytes / bytes));
}

std::unique_ptr<BagExecutor::Fit> BagExecutor::make_fit(const UnitKey& key, const std::vector<int>& rows,
                                                        const Device& exec, const Poll& poll) const {
  const Trial trial = draw_trial(search_, key.index[0], key.index[1]);
  nn::TrainingParams params;
  params.epochs = search_.params.epochs;
  params.stop_ratio = search_.params.stop_ratio;
  params.batch = search_.params.batch;
  params.rate = trial.rate;
  params.momentum = trial.momentum;
  params.stream = stream_of(search_, random_purpose_sample_order, key);
  auto fit = std::make_unique<Fit>(exec, search_.architecture(trial), search_.room(), train_, rows, params, poll);
  fit->network.initialize(stream_of(search_, random_purpose_initial_weights, key), poll);
  return fit;
}

/// The progress of a unit: the results of its completed folds, and the states of the trainings under way.
struct BagExecutor::Reached {
  std::map<int, std::vector<std::byte>> done;  ///< results of the completed folds
  std::vector<int> going;                      ///< the folds whose trainings are under way
  std::vector<std::byte> states;               ///< of these trainings; empty if there is no checkpoint

  std::vector<std::byte> to_bytes(const Fits& fits) const {
    ByteWriter writer;
    std::size_t state = 0;
    for (const auto& fit : fits) state += nn::state_bytes(fit->network.architecture()) + 8192;
    writer.reserve(state);
    writer.put<std::uint64_t>(done.size());
    for (const auto& [fold, result] : done) writer.put_fields(fold, result);
    writer.put_fields(going);
    for (const auto& fit : fits) fit->training.write_state(writer);
    return writer.take();
  }
};

/// The progress in the checkpoint of an earlier attempt at the unit.
BagExecutor::Reached BagExecutor::reached(const Unit& unit, UnitContext& context) {
  Reached reached;
  auto part = parts_.begin(unit, context.checkpoint);
  if (!part) return reached;
  ByteReader reader(*part, run::checkpoint_name(unit.key));
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    const int fold = reader.get<int>();
    reached.done[fold] = reader.get_all<std::byte>();
  }
  reached.going = reader.get_all<int>();
  part->erase(part->begin(), part->end() - static_cast<std::ptrdiff_t>(reader.left()));
  reached.states = std::move(*part);
  return reached;
}

/// Trains all the networks to the end, from the states of the checkpoint if it is of these trainings.
void BagExecutor::train(const Fits& fits, const std::vector<int>& folds, Reached& reached, const Poll& poll) {
  if (reached.going == folds && !reached.states.empty()) {
    ByteReader reader(reached.states, "trainings under way");
    for (const auto& fit : fits) fit->training.read_state(reader);
    reader.expect_end();
  }
  reached.states = {};
  reached.going = folds;
  const auto keep = [&] { parts_.keep(reached.to_bytes(fits)); };
  std::vector<nn::Training<nn::Network<Device>>*> trainings;
  for (const auto& fit : fits) trainings.push_back(&fit->training);
  try {
    nn::train_together<nn::Network<Device>>(trainings, poll, [&] {
      if (parts_.due()) keep();
    });
  } catch (const Stopped&) {
    std::uint64_t bytes = 0;
    for (const auto& fit : fits) bytes += nn::state_bytes(fit->network.architecture());
    const bool torn =
        std::any_of(trainings.begin(), trainings.end(), [](const auto* training) { return training->torn(); });
    if (!torn && parts_.worth_keeping(bytes)) keep();
    throw;
  }
}

std::vector<Record> BagExecutor::run_trial(const Unit& unit, UnitContext& context, const Poll& poll) {
  const data::Bootstrap bootstrap =
      data::draw_bootstrap(search_.folds, search_.params.seed, unit.key.index[0], task_.train.group);
  std::vector<int> folds = folds_of(unit);
  const auto at_once = static_cast<std::size_t>(fits_at_once(unit.key, static_cast<int>(folds.size())));
  const auto instance = instances<Device>(static_cast<int>(at_once));
  const auto key_of = [&](int fold) {
    UnitKey key = unit.key;
    key.index[2] = fold;
    return key;
  };
  Reached so_far = reached(unit, context);
  std::erase_if(folds, [&](int fold) { return so_far.done.contains(fold); });
  for (std::size_t first = 0; first < folds.size(); first += at_once) {
    const auto begin = folds.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<int> part(begin, begin + static_cast<std::ptrdiff_t>(std::min(at_once, folds.size() - first)));
    Fits fits;
    try {
      for (std::size_t k = 0; k < part.size(); ++k) {
        fits.push_back(make_fit(key_of(part[k]), bootstrap.training(part[k]), instance[k], poll));
      }
    } catch (const Stopped&) {
      if (first > 0) parts_.keep(so_far.to_bytes({}));  // the folds that are done
      throw;
    }
    train(fits, part, so_far, poll);
    for (std::size_t k = 0; k < part.size(); ++k) {
      so_far.done[part[k]] = validate(*fits[k], bootstrap.held_out(part[k]), poll).to_bytes();
    }
    so_far.going.clear();
  }
  parts_.complete();
  std::vector<Record> records;
  for (const int fold : folds_of(unit)) {
    records.push_back(run::done_record(key_of(fold), std::move(so_far.done.at(fold))));
  }
  return records;
}

TrialResult BagExecutor::validate(Fit& fit, const std::vector<int>& held, const Poll& poll) const {
  TrialResult result;
  result.training = summary_of(fit.training.result());
  result.held = result.wrong = static_cast<int>(held.size());
  if (result.training.diverged) return result;
  const auto probability = model::probabilities(fit.network, train_, held, poll);
  if (!all_finite(probability)) {
    mark_diverged(result.training);
  } else {
    result.wrong = count_wrong(probability, held, task_.train.label, search_.classes);
  }
  return result;
}

FinalResult BagExecutor::run_final(const Unit& unit, UnitContext& context, const Poll& poll) {
  const int b = unit.key.index[0];
  const data::Bootstrap bootstrap = data::draw_bootstrap(search_.folds, search_.params.seed, b, task_.train.group);
  const std::vector<int> unseen = bootstrap.out_of_bag(search_.samples);
  fits_at_once(unit.key, 1);
  Fits fits;
  fits.push_back(make_fit(unit.key, bootstrap.all(), Device(), poll));
  Reached so_far = reached(unit, context);
  train(fits, {}, so_far, poll);
  parts_.complete();
  nn::Network<Device>& network = fits.front()->network;
  FinalResult result;
  result.training = summary_of(fits.front()->training.result());
  result.out_of_bag = static_cast<int>(unseen.size());
  if (result.training.diverged) return result;
  const auto probability = model::probabilities(network, train_, unseen, poll);
  result.probability = model::probabilities(network, test_, poll);
  result.ood_probability = model::probabilities(network, ood_, poll);
  if (!all_finite(probability) || !all_finite(result.probability) || !all_finite(result.ood_probability)) {
    result.probability.clear();
    result.ood_probability.clear();
    mark_diverged(result.training);
    return result;
  }
  result.out_of_bag_wrong = count_wrong(probability, unseen, task_.train.label, search_.classes);
  model::NetworkModel model{network.architecture(), network.parameters(), search_.scale, task_.train.class_name,
                            input::kind_of_images(task_.train)};
  model.encoding = task_.train.encoding;
  model.first_index = task_.train.first_index;
  fits.clear();  // frees the memory that the copies need
  const auto bytes = model::to_file(std::move(model));
  result.model_name = text("bootstrap_", b < 10 ? "0" : "", b, ".h5");
  result.model_size = bytes.size();
  result.model_checksum = crc64(bytes);
  context.checkpoint.store(result.model_name, bytes);
  return result;
}

}  // namespace krossfold::studies
