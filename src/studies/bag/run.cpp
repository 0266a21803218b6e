// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/run.hpp"

#include <algorithm>
#include <bit>

#include "krossfold/core/text.hpp"
#include "krossfold/input/pictures.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/model/ensemble.hpp"
#include "krossfold/parallel/broadcast_task.hpp"
#include "krossfold/studies/bag/result.hpp"

namespace krossfold::studies {

namespace {

storage::Fingerprint fingerprint_of(const BagLayout& search, const data::Task& task, const data::Dataset& given) {
  BagParams params = search.params;
  params.channels = search.channels;  // the defaults depend on the data
  params.kernel = search.kernel;
  params.hidden = search.hidden;
  params.ood = "";  // its samples are in the digest of the data
  storage::Fingerprint print = run::make_fingerprint(options_of(params), task);
  print.data ^= std::rotl(given.digest, 17);
  return print;
}

/// The samples of no class that `spec` names. Their labels, if the file has any, are ignored: they are those of other
/// classes.
data::Dataset load_ood(const std::string& spec, const data::Dataset& train, std::vector<std::string>& warning) {
  const std::vector<std::string> pictures = input::picture_files(spec, &warning);
  if (!pictures.empty()) return input::load_pictures(pictures, input::kind_of_images(train), {}).samples;
  return input::load_input(spec,
                           {.features = train.features(),
                            .encoding = train.encoding,
                            .first_index = train.first_index,
                            .image = train.image},
                           warning);
}

TrainingSummary training_of(const Record& record) {
  return record.key.kind == bag_unit_final ? FinalResult::from_bytes(record.payload).training
                                           : TrialResult::from_bytes(record.payload).training;
}

}  // namespace

BagCase::BagCase(const run::RunContext& context, const BagParams& params) : StudyCase(context) {
  progress = "bagging";
  task_ = parallel::load_and_broadcast(context.comm, [&] { return input::load_task(params.task, params.seed); });
  std::vector<std::string> ood_warning;
  const data::Task given = parallel::load_and_broadcast(context.comm, [&] {
    data::Task only;
    if (!params.ood.empty()) only.test = load_ood(params.ood, task_.train, ood_warning);
    return only;
  });
  parallel::on_all(context.comm, [&] {
    search_ = lay_out_bag(params, task_);
    ood_ = gather_ood(task_, params.seed, given.test);
  });
  samples_bytes_ =
      model::samples_bytes(task_.train) + model::samples_bytes(task_.test) + model::samples_bytes(ood_.images);
  bound_ = run::least_memory(context);
  bound_.bytes -= std::min(samples_bytes_, bound_.bytes - 1);
  bound_.why += text(", of which the samples take ", size_text(samples_bytes_));
  fingerprint = fingerprint_of(search_, task_, given.test);
  facts = {options_of(params), params.seed, params.fold_kind, task_};
  facts.describe_features(task_.train, search_.scale);
  if (!params.channels || !params.hidden) {
    facts.understood.push_back(text("networks of ", run::value_of(search_.channels), " channels and ",
                                    run::value_of(search_.hidden), " hidden units: channels and hidden choose others"));
  }
  facts.warn(data::missing_classes(search_.folds, task_.train.label, task_.train.class_name));
  facts.warn(ood_warning);
  study_ = std::make_unique<BagStudy>(search_);
  written_ = std::make_unique<BagStudy>(search_);
}

std::vector<std::uint64_t> BagCase::trial_bytes() const {
  std::vector<std::uint64_t> bytes;
  for (int b = 0; b < search_.params.bootstraps; ++b) {
    for (int t = 0; t < search_.params.trials; ++t) {
      bytes.push_back(training_bytes(search_, search_.architecture(draw_trial(search_, b, t))));
    }
  }
  return bytes;
}

void BagCase::require_memory() const {
  const std::vector<std::uint64_t> bytes = trial_bytes();
  const std::uint64_t least = *std::min_element(bytes.begin(), bytes.end());
  require(least <= bound_.bytes, text("the smallest network of all trials needs ", size_text(least)), bound_.why,
          2 * samples_bytes_ > least ? "Use fewer samples (--limit)."
                                     : "Choose smaller networks (--channels, --hidden), or a larger --memory-limit.");
}

void BagCase::print_plan(std::ostream& out) const {
  const BagParams& params = search_.params;
  const std::vector<std::uint64_t> bytes = trial_bytes();
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  const auto too_large = std::count_if(bytes.begin(), bytes.end(), [&](auto one) { return one > bound_.bytes; });
  out << "units    " << params.bootstraps * params.trials * search_.folds.folds() << " (bootstrap, trial, fold)"
      << (params.prune ? " at most" : "") << "; then " << params.bootstraps << " final fits\nsamples  "
      << search_.samples << " training, " << search_.test_samples << " test, images of " << search_.image.width << " x "
      << search_.image.height << "\nmemory   networks of " << size_text(*least) << " to " << size_text(*most)
      << ", samples " << size_text(samples_bytes_);
  if (too_large > 0) out << "; " << too_large << " trials do not fit: " << bound_.why;
  out << run::with_program(*most + samples_bytes_) << "\n";
}

void BagCase::write_result(const std::vector<Record>& records, storage::Container& content) {
  write_bag_result(search_, task_, ood_, records, *written_, content);
}

bool BagCase::prepare() {
  executor_ = std::make_unique<BagExecutor>(search_, task_, ood_, bound_, run::checkpoint_params(*this));
  return true;
}

std::string BagCase::failure(const std::vector<Record>& records) const {
  std::string why;
  int failed = 0;
  for (const Record& record : records) {
    if (record.status == Status::failed) ++failed;
    if (record.status != Status::done) continue;
    const std::string reason = divergence(record);
    if (record.key.kind == bag_unit_final && reason.empty()) return "";
    if (!reason.empty()) why = reason;
  }
  if (why.empty()) return "";
  return text("there is no network, as trainings diverged, the last one with (", why, "); lower --log10-rate",
              failed == 0 ? ""
                          : text(", or compute the ", failed, failed == 1 ? " unit" : " units",
                                 " that failed with --retry-failed"));
}

std::string BagCase::divergence(const Record& record) const {
  const TrainingSummary training = training_of(record);
  return training.diverged ? training.reason : "";
}

std::vector<run::LoggedEpoch> BagCase::epochs_of(const Record& record) const {
  std::vector<run::LoggedEpoch> epochs;
  for (const double loss : training_of(record).epoch_loss) {
    run::LoggedEpoch& epoch = epochs.emplace_back();
    epoch.epoch = static_cast<int>(epochs.size());
    epoch.loss = loss;
  }
  return epochs;
}

}  // namespace krossfold::studies
