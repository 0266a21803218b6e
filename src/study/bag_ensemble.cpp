// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "krossfold/data/shifted_images.hpp"
#include "krossfold/ensemble/auroc.hpp"
#include "krossfold/ensemble/calibration.hpp"
#include "krossfold/ensemble/confusion.hpp"
#include "krossfold/ensemble/error_rate.hpp"
#include "krossfold/ensemble/mean_probability.hpp"
#include "krossfold/ensemble/scores.hpp"
#include "krossfold/ensemble/votes.hpp"
#include "krossfold/ensemble/weights.hpp"
#include "krossfold/storage/schema.hpp"
#include "opinions.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Each model by itself.
void add_models(storage::Container& content, const BagAnswers& answers, const Cube<const float>& probability,
                const std::vector<int>& models, const Vector<const int>& label) {
  const auto count = static_cast<std::size_t>(answers.models);
  std::vector<double> error(count, nan), nll(count, nan), brier(count, nan), ece(count, nan);
  const Host host;
  for (const int m : models) {
    const auto at = static_cast<std::size_t>(m);
    const Matrix<const float> p = Kokkos::subview(probability, m, Kokkos::ALL, Kokkos::ALL);
    const std::vector<int> alone{m};
    const auto member = ensemble::members<Host>(probability, alone);
    const Matrix<int> choice("krossfold::study::choice", 1, member.samples());
    ensemble::predicted_classes(host, choice, member);
    error[at] = ensemble::error_rates<Host>(host, choice, label)[0];
    const ensemble::Scores scores = ensemble::scores<Host, float>(host, p, label);
    nll[at] = scores.nll;
    brier[at] = scores.brier;
    ece[at] = ensemble::calibration<Host, float>(host, p, label).ece;
  }
  const std::vector<std::string> scale{field::search_bootstrap.path};
  content.arrays.push_back(make_array(field::final_test_error, {count}, error, scale));
  content.arrays.push_back(make_array(field::final_nll, {count}, nll, scale));
  content.arrays.push_back(make_array(field::final_brier, {count}, brier, scale));
  content.arrays.push_back(make_array(field::final_ece, {count}, ece, scale));
}

/// The errors of the three ways to combine them; adds the vote of each sample too.
void add_rules(storage::Container& content, const BagAnswers& answers, const Opinions& all,
               const std::vector<int>& models, const Vector<const int>& label) {
  const Host host;
  const int n = all.members.samples(), classes = all.members.classes();
  const auto samples = static_cast<std::uint64_t>(n), width = static_cast<std::uint64_t>(classes);
  const Matrix<int> votes("krossfold::study::votes", n, classes);
  ensemble::count_votes(host, votes, all.members);
  const Vector<int> vote("krossfold::study::vote", n), most_probable("krossfold::study::choice", n);
  ensemble::majority_vote<Host>(host, vote, votes, all.mean);
  ensemble::most_probable_class<Host>(host, most_probable, all.mean);

  std::vector<double> validation;
  for (const int m : models) validation.push_back(answers.validation_error[m]);
  const std::vector<double> weights =
      ensemble::validation_weights(validation, {.classes = classes, .samples = std::max(1, answers.validated_on)});
  const Vector<double> weight("krossfold::study::weight", weights.size());
  std::copy(weights.begin(), weights.end(), weight.data());
  const Matrix<double> weighted("krossfold::study::weighted", n, classes);
  ensemble::mean_probability<Host>(host, weighted, all.members, weight);
  const Vector<int> weighted_choice("krossfold::study::weighted_choice", n);
  ensemble::most_probable_class<Host>(host, weighted_choice, weighted);

  std::vector<double> weight_of(static_cast<std::size_t>(answers.models), nan);
  for (std::size_t k = 0; k < models.size(); ++k) weight_of[static_cast<std::size_t>(models[k])] = weights[k];
  const Matrix<int> confusion("krossfold::study::confusion", classes, classes);
  ensemble::confusion<Host>(host, confusion, vote, label);
  const std::string cls = field::class_name.path;
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::ensemble_rule, {3},
                              std::vector<std::string>{"majority vote", "mean probability", "weighted mean"}));
  arrays.push_back(make_array(field::ensemble_error, {3},
                              std::vector<double>{ensemble::error_rate<Host>(host, vote, label),
                                                  ensemble::error_rate<Host>(host, most_probable, label),
                                                  ensemble::error_rate<Host>(host, weighted_choice, label)},
                              {field::ensemble_rule.path}));
  arrays.push_back(make_array(field::ensemble_weight, {weight_of.size()}, weight_of, {field::search_bootstrap.path}));
  arrays.push_back(make_array(field::ensemble_vote, {samples}, list_of<std::int32_t>(vote)));
  arrays.push_back(make_array(field::ensemble_votes, {samples, width}, list_of<std::int32_t>(votes), {"", cls}));
  arrays.push_back(make_array(field::ensemble_confusion, {width, width}, list_of<std::int32_t>(confusion), {cls, cls}));
}

void add_uncertainty(storage::Container& content, const ensemble::Uncertainty<Host>& uncertainty) {
  const std::uint64_t n = uncertainty.confidence.extent(0);
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::ensemble_confidence, {n}, list_of<double>(uncertainty.confidence)));
  arrays.push_back(make_array(field::ensemble_entropy, {n}, list_of<double>(uncertainty.predictive_entropy)));
  arrays.push_back(make_array(field::ensemble_expected_entropy, {n}, list_of<double>(uncertainty.expected_entropy)));
  arrays.push_back(
      make_array(field::ensemble_mutual_information, {n}, list_of<double>(uncertainty.mutual_information)));
}

/// How far the mean probability can be trusted.
void add_calibration(storage::Container& content, const Matrix<double>& mean, const Vector<const int>& label) {
  const ensemble::Scores scores = ensemble::scores<Host, double>(Host(), mean, label);
  const ensemble::Calibration calibration = ensemble::calibration<Host, double>(Host(), mean, label);
  const std::uint64_t bins = calibration.count.size();
  auto& arrays = content.arrays;
  arrays.push_back(make_array(field::ensemble_nll, {}, std::vector<double>{scores.nll}));
  arrays.push_back(make_array(field::ensemble_brier, {}, std::vector<double>{scores.brier}));
  arrays.push_back(make_array(field::ensemble_ece, {}, std::vector<double>{calibration.ece}));
  arrays.push_back(make_array(field::ensemble_bin_count, {bins}, std::vector<std::int32_t>(calibration.count)));
  arrays.push_back(make_array(field::ensemble_bin_confidence, {bins}, calibration.confidence));
  arrays.push_back(make_array(field::ensemble_bin_accuracy, {bins}, calibration.accuracy));
}

/// Scores that are larger where a sample is stranger: (score)(sample).
std::vector<std::vector<double>> strangeness(const ensemble::Uncertainty<Host>& uncertainty) {
  std::vector<double> doubt = list_of<double>(uncertainty.confidence);
  for (double& value : doubt) value = 1 - value;
  return {list_of<double>(uncertainty.predictive_entropy), list_of<double>(uncertainty.mutual_information), doubt};
}

void add_ood(storage::Container& content, const BagAnswers& answers, const Opinions& test,
             const std::vector<int>& models, const OodImages& ood) {
  const std::vector<std::string> score_name{"entropy", "mutual information", "1 - confidence"};
  const int total = ood.images.size();
  const auto probability = cube_of(answers.ood, answers.models, total, answers.classes);
  const auto in = strangeness(test.uncertainty), out = strangeness(opinions_of(probability, models).uncertainty);
  std::vector<double> threshold, auroc, kept;
  for (const auto& scores : in) threshold.push_back(ensemble::threshold_keeping(scores, 0.95));
  std::size_t first = 0;
  for (const int n : ood.count) {
    for (std::size_t s = 0; s < in.size(); ++s) {
      const std::span<const double> strange(out[s].data() + first, static_cast<std::size_t>(n));
      auroc.push_back(ensemble::auroc(in[s], strange));
      kept.push_back(ensemble::share_kept(strange, threshold[s]));
    }
    first += static_cast<std::size_t>(n);
  }
  const std::uint64_t sets = ood.name.size(), scores = score_name.size();
  auto& arrays = content.arrays;
  const std::string set = field::ood_name.path, score = field::ood_score.path;
  arrays.push_back(make_array(field::ood_name, {sets}, ood.name));
  arrays.push_back(make_array(field::ood_count, {sets}, std::vector<std::int32_t>(ood.count), {set}));
  arrays.push_back(make_array(field::ood_score, {scores}, score_name));
  arrays.push_back(make_array(field::ood_threshold, {scores}, threshold, {score}));
  arrays.push_back(make_array(field::ood_auroc, {sets, scores}, auroc, {set, score}));
  arrays.push_back(make_array(field::ood_kept, {sets, scores}, kept, {set, score}));
  arrays.push_back(make_array(field::ood_probability,
                              {static_cast<std::uint64_t>(answers.models), static_cast<std::uint64_t>(total),
                               static_cast<std::uint64_t>(answers.classes)},
                              answers.ood, {field::search_bootstrap.path, "", field::class_name.path}));
}

/// Some images with what they are an example of: the first 100 test images, those that the ensemble is most certain of and doubts
/// most, and one that is no test image; enough for plots that need no data.
void add_shown(storage::Container& content, const data::Dataset& test, const OodImages& ood,
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
  const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
  const std::uint64_t shown = role.size();
  auto& arrays = content.arrays;
  arrays.push_back(make_array(
      field::shown_image, {shown, size(test.image.channels), size(test.image.height), size(test.image.width)}, image));
  arrays.push_back(make_array(field::shown_role, {shown}, role));
  arrays.push_back(make_array(field::shown_test, {shown}, of_test));
  arrays.push_back(make_array(field::shown_ood, {shown}, of_ood));
}

}  // namespace

void add_ensemble(storage::Container& content, const BagAnswers& answers, const data::Dataset& test,
                  const OodImages& ood) {
  const auto probability = cube_of(answers.test, answers.models, test.size(), answers.classes);
  const std::vector<int> models = ensemble::finite_models<Host>(Host(), probability);
  add_models(content, answers, probability, models, test.label);
  if (models.empty()) return;
  const std::uint64_t n = static_cast<std::uint64_t>(test.size()),
                      classes = static_cast<std::uint64_t>(answers.classes);
  content.arrays.push_back(make_array(field::ensemble_probability,
                                      {static_cast<std::uint64_t>(answers.models), n, classes}, answers.test,
                                      {field::search_bootstrap.path, "", field::class_name.path}));
  content.arrays.push_back(make_array(field::ensemble_label, {n}, list_of<std::int32_t>(test.label)));
  const Opinions all = opinions_of(probability, models);
  add_rules(content, answers, all, models, test.label);
  add_uncertainty(content, all.uncertainty);
  add_calibration(content, all.mean, test.label);
  if (ood.images.size() > 0) add_ood(content, answers, all, models, ood);
  add_shown(content, test, ood, all.uncertainty.predictive_entropy);
}

}  // namespace krossfold::study
