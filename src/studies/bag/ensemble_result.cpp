// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/ensemble_result.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "field.hpp"
#include "krossfold/data/shifted_images.hpp"
#include "krossfold/ensemble/auroc.hpp"
#include "krossfold/ensemble/calibration.hpp"
#include "krossfold/ensemble/confusion.hpp"
#include "krossfold/ensemble/error_rate.hpp"
#include "krossfold/ensemble/mean_probability.hpp"
#include "krossfold/ensemble/scores.hpp"
#include "krossfold/ensemble/votes.hpp"
#include "krossfold/ensemble/weights.hpp"
#include "krossfold/model/ensemble.hpp"

namespace krossfold::studies {

namespace {

/// Writes the scores of each network.
void add_models(const storage::FieldWriter& file, const BagAnswers& answers, const Cube<const float>& probability,
                const std::vector<int>& models, const Vector<const int>& label) {
  std::vector<double> error(static_cast<std::size_t>(answers.models), run::not_computed);
  std::vector<double> nll = error, brier = error, ece = error;
  const Host host;
  for (const int m : models) {
    const auto at = static_cast<std::size_t>(m);
    const Matrix<const float> p = Kokkos::subview(probability, m, Kokkos::ALL, Kokkos::ALL);
    const std::vector<int> alone{m};
    const auto member = ensemble::members<Host>(probability, alone);
    const Matrix<int> choice("krossfold::studies::choice", 1, member.samples());
    ensemble::predicted_classes(host, choice, member);
    error[at] = ensemble::error_rates<Host>(host, choice, label)[0];
    const ensemble::Scores scores = ensemble::scores<Host, float>(host, p, label);
    nll[at] = scores.nll;
    brier[at] = scores.brier;
    ece[at] = ensemble::calibration<Host, float>(host, p, label).ece;
  }
  file.put(field.final_test_error, error);
  file.put(field.final_nll, nll);
  file.put(field.final_brier, brier);
  file.put(field.final_ece, ece);
}

/// Writes the votes of the networks, and the error rates of the three rules that combine their predictions.
void add_rules(const storage::FieldWriter& file, const BagAnswers& answers, const model::EnsemblePrediction& all,
               const std::vector<int>& models, const Vector<const int>& label) {
  const Host host;
  const int n = all.members.samples(), classes = all.members.classes();
  const Vector<int> most_probable("krossfold::studies::choice", n);
  ensemble::most_probable_class<Host>(host, most_probable, all.mean);

  std::vector<double> validation;
  for (const int m : models) validation.push_back(answers.validation_error[m]);
  const std::vector<double> weights =
      ensemble::validation_weights(validation, {.classes = classes, .samples = std::max(1, answers.validated_on)});
  const Vector<double> weight("krossfold::studies::weight", weights.size());
  std::copy(weights.begin(), weights.end(), weight.data());
  const Matrix<double> weighted("krossfold::studies::weighted", n, classes);
  ensemble::mean_probability<Host>(host, weighted, all.members, weight);
  const Vector<int> weighted_choice("krossfold::studies::weighted_choice", n);
  ensemble::most_probable_class<Host>(host, weighted_choice, weighted);

  std::vector<double> weight_of(static_cast<std::size_t>(answers.models), run::not_computed);
  for (std::size_t k = 0; k < models.size(); ++k) weight_of[static_cast<std::size_t>(models[k])] = weights[k];
  const Matrix<int> confusion("krossfold::studies::confusion", classes, classes);
  ensemble::confusion<Host>(host, confusion, all.vote, label);
  file.put(field.rule, {"majority vote", "mean probability", "weighted mean"});
  file.put(field.error,
           {ensemble::error_rate<Host>(host, all.vote, label), ensemble::error_rate<Host>(host, most_probable, label),
            ensemble::error_rate<Host>(host, weighted_choice, label)});
  file.put(field.weight, weight_of);
  file.put(field.vote, list_of(all.vote));
  file.put(field.votes, list_of(all.votes));
  file.put(field.confusion, list_of(confusion));
}

void add_uncertainty(const storage::FieldWriter& file, const ensemble::Uncertainty<Host>& uncertainty) {
  file.put(field.confidence, list_of(uncertainty.confidence));
  file.put(field.entropy, list_of(uncertainty.predictive_entropy));
  file.put(field.expected_entropy, list_of(uncertainty.expected_entropy));
  file.put(field.mutual_information, list_of(uncertainty.mutual_information));
}

/// Writes the scores and the calibration of the mean probability.
void add_calibration(const storage::FieldWriter& file, const Matrix<double>& mean, const Vector<const int>& label) {
  const ensemble::Scores scores = ensemble::scores<Host, double>(Host(), mean, label);
  const ensemble::Calibration calibration = ensemble::calibration<Host, double>(Host(), mean, label);
  file.put_one(field.nll, scores.nll);
  file.put_one(field.brier, scores.brier);
  file.put_one(field.ece, calibration.ece);
  file.put_index(field.bin, calibration.count.size());
  file.put(field.bin_count, calibration.count);
  file.put(field.bin_confidence, calibration.confidence);
  file.put(field.bin_accuracy, calibration.accuracy);
}

/// Scores that are larger for samples out of distribution: (score)(sample).
std::vector<std::vector<double>> ood_scores(const ensemble::Uncertainty<Host>& uncertainty) {
  std::vector<double> unsure = list_of(uncertainty.confidence);
  for (double& value : unsure) value = 1 - value;
  return {list_of(uncertainty.predictive_entropy), list_of(uncertainty.mutual_information), unsure};
}

/// Writes how well the scores tell each set of images out of distribution from the test images.
void add_ood(const storage::FieldWriter& file, const BagAnswers& answers, const model::EnsemblePrediction& test,
             const std::vector<int>& models, const OodImages& ood) {
  const int total = ood.images.size();
  const auto probability = model::cube_of(answers.ood, answers.models, total, answers.classes);
  const auto in = ood_scores(test.uncertainty),
             out = ood_scores(model::predict_ensemble(probability, models).uncertainty);
  std::vector<double> threshold, auroc, kept;
  for (const auto& scores : in) threshold.push_back(ensemble::threshold_keeping(scores, 0.95));
  std::size_t first = 0;
  for (const int n : ood.count) {
    for (std::size_t s = 0; s < in.size(); ++s) {
      const std::span<const double> scores_of_set(out[s].data() + first, static_cast<std::size_t>(n));
      auroc.push_back(ensemble::auroc(in[s], scores_of_set));
      kept.push_back(ensemble::share_kept(scores_of_set, threshold[s]));
    }
    first += static_cast<std::size_t>(n);
  }
  file.put(field.ood_name, ood.name);
  file.put(field.ood_score, {"entropy", "mutual information", "1 - confidence"});
  file.put_index(field.ood_image, static_cast<std::size_t>(total));
  file.put(field.ood_count, ood.count);
  file.put(field.ood_threshold, threshold);
  file.put(field.ood_auroc, auroc);
  file.put(field.ood_kept, kept);
  file.put(field.ood_probability, answers.ood);
}

/// Writes some images with their roles, so that plots need no data: the first 100 test images, those that the ensemble
/// is most and least certain of, and one that is no test image.
void add_shown(const storage::FieldWriter& file, const data::Dataset& test, const OodImages& ood,
               const Vector<double>& entropy) {
  std::vector<std::string> role;
  std::vector<std::int32_t> of_test, of_ood;
  std::vector<float> image;
  const auto show = [&](const std::string& why, const data::Dataset& set, int index, bool is_test) {
    role.push_back(why);
    of_test.push_back(is_test ? index : -1);
    of_ood.push_back(is_test ? -1 : index);
    for (int j = 0; j < set.features(); ++j) image.push_back(set.raw(index, j));
  };
  for (int i = 0; i < std::min(100, test.size()); ++i) show("first", test, i, true);
  const double* const begin = entropy.data();
  const auto [least, most] = std::minmax_element(begin, begin + entropy.size());
  show("most certain", test, static_cast<int>(least - begin), true);
  show("most doubtful", test, static_cast<int>(most - begin), true);
  int first = 0;
  for (std::size_t k = 0; k < ood.name.size(); ++k) {
    if (ood.name[k] == data::name_of(data::ImageShift::photograph)) show(ood.name[k], ood.images, first, false);
    first += ood.count[k];
  }
  file.put_index(field.shown, role.size());
  file.put_index(field.shown_channel, static_cast<std::size_t>(test.image.channels));
  file.put_index(field.shown_row, static_cast<std::size_t>(test.image.height));
  file.put_index(field.shown_column, static_cast<std::size_t>(test.image.width));
  file.put(field.shown_image, image);
  file.put(field.shown_role, role);
  file.put(field.shown_test, of_test);
  file.put(field.shown_ood, of_ood);
}

}  // namespace

void add_ensemble(const storage::FieldWriter& file, const BagAnswers& answers, const data::Dataset& test,
                  const OodImages& ood) {
  const auto probability = model::cube_of(answers.test, answers.models, test.size(), answers.classes);
  const std::vector<int> models = ensemble::finite_models<Host>(Host(), probability);
  add_models(file, answers, probability, models, test.label);
  if (models.empty()) return;
  file.put(field.sample, test.file_rows());
  file.put_index(field.predicted, static_cast<std::size_t>(answers.classes));
  file.put(field.probability, answers.test);
  file.put(field.label, list_of(test.label));
  const model::EnsemblePrediction all = model::predict_ensemble(probability, models);
  add_rules(file, answers, all, models, test.label);
  add_uncertainty(file, all.uncertainty);
  add_calibration(file, all.mean, test.label);
  if (ood.images.size() > 0) add_ood(file, answers, all, models, ood);
  add_shown(file, test, ood, all.uncertainty.predictive_entropy);
}

}  // namespace krossfold::studies
