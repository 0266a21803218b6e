// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/predictor.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <limits>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "test/model/sample_models.hpp"
#include "test/nn/reference_network.hpp"

namespace krossfold::model {
namespace {

namespace fs = std::filesystem;
using test::sample_dataset;
using test::sample_machine;
using test::sample_network;
using test::TemporaryFolder;
using testing::AllOf, testing::Each, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

constexpr std::size_t classes = 3;
constexpr int n = 20;

data::Dataset inputs() { return sample_dataset(n, 6, 3, 11); }

/// Sample i scaled as all models here are.
std::vector<double> features(const data::Dataset& set, int i) {
  std::vector<double> x;
  for (int j = 0; j < set.features(); ++j) x.push_back((set.raw(i, j) - 8.0) / 4.619);
  return x;
}

std::vector<double> softmax(const std::vector<double>& logits) {
  std::vector<double> p;
  double sum = 0;
  for (const double z : logits) sum += p.emplace_back(std::exp(z - *std::max_element(logits.begin(), logits.end())));
  for (double& value : p) value /= sum;
  return p;
}

int largest(const double* row) { return static_cast<int>(std::max_element(row, row + classes) - row); }

TEST(SvmPredictor, decides_by_the_sum_over_the_support_vectors) {
  const svm::Machine machine = sample_machine();
  const auto predictor = make_predictor(machine);
  EXPECT_EQ(predictor->features(), 6);
  EXPECT_EQ(predictor->class_name(), machine.class_name);
  const data::Dataset samples = inputs();
  const Prediction found = predictor->predict(samples);
  EXPECT_EQ(found.class_name, machine.class_name);
  EXPECT_EQ(found.decision_name, machine.class_name) << "one against the rest";
  ASSERT_EQ(found.decision.size(), n * classes);
  for (int i = 0; i < n; ++i) {
    const auto x = features(samples, i);
    for (std::size_t p = 0; p < classes; ++p) {
      double sum = machine.bias[p], size = std::abs(sum);
      for (int s = 0; s < machine.support.size(); ++s) {
        const auto v = features(machine.support, s);
        double distance = 0;
        for (std::size_t j = 0; j < x.size(); ++j) distance += (x[j] - v[j]) * (x[j] - v[j]);
        const double term = machine.coefficient(static_cast<int>(p), s) * std::exp(-machine.kernel.gamma * distance);
        sum += term;
        size += std::abs(term);
      }
      EXPECT_NEAR(found.decision[i * classes + p], sum, 1e-6 * size) << "sample " << i;  // the kernel is in float
    }
    EXPECT_EQ(found.predicted[i], largest(&found.decision[i * classes]));
  }
  EXPECT_THAT(found.probability, IsEmpty()) << "it is not calibrated";
  EXPECT_THAT(found.member, IsEmpty());
  EXPECT_FALSE(found.out_of_distribution(0));
}

TEST(SvmPredictor, has_probabilities_if_it_is_calibrated) {
  svm::Machine machine = sample_machine();
  machine.sigmoid = {{-1.5, 0.1}, {-1.0 / 3, -0.2}, {-2, 0}};
  const Prediction found = make_predictor(machine)->predict(inputs());
  ASSERT_EQ(found.probability.size(), n * classes);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> p;  // each class by itself, then normalised
    for (std::size_t c = 0; c < classes; ++c) {
      p.push_back(1 / (1 + std::exp(machine.sigmoid[c].a * found.decision[i * classes + c] + machine.sigmoid[c].b)));
    }
    const double sum = p[0] + p[1] + p[2];
    for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(found.probability[i * classes + c], p[c] / sum, 1e-12);
  }
}

TEST(NetworkPredictor, of_one_network_is_an_ensemble_of_one) {
  const NetworkModel model = sample_network();
  const auto predictor = make_predictor({model}, {"folder/network.h5"});
  EXPECT_EQ(predictor->features(), 6);
  EXPECT_EQ(predictor->image_kind().white, 16);
  const data::Dataset samples = inputs();
  const Prediction found = predictor->predict(samples);
  const test::ReferenceNetwork reference(model.architecture, model.parameters);
  EXPECT_THAT(found.member, ElementsAre("network"));
  ASSERT_EQ(found.probability.size(), n * classes);
  for (int i = 0; i < n; ++i) {
    const auto p = softmax(reference.logits(features(samples, i)));
    double entropy = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      EXPECT_NEAR(found.probability[i * classes + c], p[c], 1e-5);
      entropy -= p[c] > 0 ? p[c] * std::log(p[c]) : 0;
      EXPECT_EQ(found.votes[i * classes + c], found.predicted[i] == static_cast<int>(c) ? 1 : 0);
      for (std::size_t q = 0; q < 5; ++q) {
        EXPECT_EQ(found.quartile[(q * n + i) * classes + c], found.probability[i * classes + c]);
      }
    }
    EXPECT_EQ(found.predicted[i], largest(p.data()));
    EXPECT_NEAR(found.entropy[i], entropy, 1e-4);
  }
  EXPECT_THAT(found.mutual_information, Each(0));
  EXPECT_FALSE(found.threshold);
  EXPECT_FALSE(found.out_of_distribution(0));
}

TEST(NetworkPredictor, of_several_has_their_votes_mean_and_spread) {
  const std::vector<NetworkModel> networks{sample_network(1), sample_network(2, 3), sample_network(3, 0)};
  const data::Dataset samples = inputs();
  const Prediction found =
      make_predictor(networks, {"a/one.h5", "a/two.h5", "three.h5"}, OodThreshold{0.6, "a source"})->predict(samples);
  EXPECT_THAT(found.member, ElementsAre("one", "two", "three"));
  ASSERT_TRUE(found.threshold);
  EXPECT_EQ(found.threshold->source, "a source");
  int flagged = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int> votes(classes);
    for (std::size_t m = 0; m < 3; ++m) {
      const float* p = &found.member_probability[(m * n + i) * classes];
      ++votes[static_cast<std::size_t>(std::max_element(p, p + classes) - p)];
    }
    double confidence = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<double> own;
      for (std::size_t m = 0; m < 3; ++m) own.push_back(found.member_probability[(m * n + i) * classes + c]);
      const double mean = (own[0] + own[1] + own[2]) / 3;
      confidence = std::max(confidence, mean);
      EXPECT_NEAR(found.probability[i * classes + c], mean, 1e-12);
      EXPECT_EQ(found.votes[i * classes + c], votes[c]);
      std::sort(own.begin(), own.end());
      EXPECT_EQ(found.quartile[i * classes + c], own[0]);
      EXPECT_EQ(found.quartile[(2 * n + i) * classes + c], own[1]);
      EXPECT_EQ(found.quartile[(4 * n + i) * classes + c], own[2]);
      EXPECT_LE(votes[c], votes[static_cast<std::size_t>(found.predicted[i])]);
    }
    EXPECT_NEAR(found.confidence[i], confidence, 1e-12);
    EXPECT_GE(found.mutual_information[i], 0);
    EXPECT_LE(found.mutual_information[i], found.entropy[i]);
    EXPECT_EQ(found.out_of_distribution(i), found.entropy[i] > 0.6);
    flagged += found.out_of_distribution(i) ? 1 : 0;
  }
  EXPECT_GT(flagged, 0);
  EXPECT_LT(flagged, n) << "both cases were seen";
}

TEST(NetworkPredictor, refuses_networks_of_different_classes_or_images_by_name) {
  const auto refusal = [](const NetworkModel& other) {
    return test::message_of(ExitCode::usage, [&] { make_predictor({sample_network(), other}, {"a.h5", "b.h5"}); });
  };
  NetworkModel other = sample_network(2);
  other.class_name[1] = "another";
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("a.h5"), HasSubstr("b.h5")));
  other = sample_network(2);
  other.architecture.image = {2, 3, 1};
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("a.h5"), HasSubstr("b.h5")));
  other = sample_network(2);
  other.image.white = 255;
  EXPECT_THAT(refusal(other), HasSubstr("different ranges of pixels"));
}

TEST(NetworkPredictor, refuses_networks_of_different_tables_by_name) {
  NetworkModel first = sample_network(), other = sample_network(2);
  const auto encoding = [] {
    data::TableEncoding table = data::plain_encoding(6);  // whose fills are NaN
    table.named = true;
    for (data::FeatureColumn& one : table.column) one.name = text("column ", one.column);
    return table;
  };
  const auto with = [](const data::TableEncoding& table) { return std::make_shared<const data::TableEncoding>(table); };
  first.encoding = with(encoding());
  const auto both = [&] { make_predictor({first, other}, {"a.h5", "b.h5"}); };
  const auto refusal = [&] { return test::message_of(ExitCode::usage, both); };
  EXPECT_THAT(refusal(), AllOf(HasSubstr("b.h5 and a.h5"), HasSubstr("different columns of tables")));
  other.encoding = with(encoding());
  both();
  const std::vector<std::function<void(data::TableEncoding&)>> changes{
      [](data::TableEncoding& table) { std::swap(table.column[0].name, table.column[1].name); },
      [](data::TableEncoding& table) { std::swap(table.column[0].column, table.column[1].column); },
      [](data::TableEncoding& table) { table.column[2].fill = 3; }};
  for (const auto& change : changes) {
    data::TableEncoding changed = encoding();
    change(changed);
    other.encoding = with(changed);
    EXPECT_THAT(refusal(), HasSubstr("different columns of tables"));
  }
  other.encoding = with(encoding());
  other.first_index = 0;
  EXPECT_THAT(refusal(), HasSubstr("different numbers of the first feature"));
}

TEST(Predictor, refuses_samples_and_pictures_that_it_was_not_trained_on) {
  NetworkModel table = sample_network(3, 0);
  table.architecture.image = {6, 1, 1};
  for (const auto& predictor : {make_predictor(sample_machine()), make_predictor({table}, {"t.h5"})}) {
    const data::Dataset wide = sample_dataset(4, 7, 3, 1);
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { predictor->predict(wide); }), HasSubstr("7"));
    EXPECT_NE(test::message_of(ExitCode::usage, [&] { predictor->image_kind(); }), "");
  }
}

TEST(NetworkPredictor, fails_if_a_network_has_no_finite_probabilities) {
  NetworkModel diverged = sample_network(2);
  diverged.parameters[0].value[0] = std::numeric_limits<float>::quiet_NaN();
  const auto predictor = make_predictor({sample_network(), diverged}, {"a.h5", "b.h5"});
  EXPECT_THAT(test::message_of(ExitCode::failed, [&] { predictor->predict(inputs()); }), HasSubstr("not finite"));
}

TEST(Predictor, stops_when_its_poll_says_so) {
  const Poll stop = [] { throw Stopped(); };
  EXPECT_THROW(make_predictor(sample_machine())->predict(inputs(), stop), Stopped);
  EXPECT_THROW(make_predictor({sample_network()}, {"n.h5"})->predict(inputs(), stop), Stopped);
}

TEST(LoadPredictor, predicts_as_the_model_before_it_was_stored) {
  const TemporaryFolder folder;
  storage::write_container(folder / "svm.h5", to_container(sample_machine()));
  storage::write_container(folder / "network.h5", to_container(sample_network()));
  const auto machine = load_predictor(folder / "svm.h5"), network = load_predictor(folder / "network.h5");
  EXPECT_THAT(machine->files, ElementsAre(folder / "svm.h5"));
  EXPECT_EQ(machine->predict(inputs()).decision, make_predictor(sample_machine())->predict(inputs()).decision);
  EXPECT_EQ(network->predict(inputs()).probability,
            make_predictor({sample_network()}, {"network.h5"})->predict(inputs()).probability);
}

TEST(LoadPredictor, of_a_bagging_study_takes_its_networks_and_the_threshold) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "b.models");
  std::vector<std::string> name{"bootstrap_00.h5", "bootstrap_01.h5"}, checksum;
  const std::vector<NetworkModel> networks{sample_network(1), sample_network(2)};
  for (std::size_t m = 0; m < 2; ++m) {
    const auto content = to_container(networks[m]);
    storage::write_container(folder / ("b.models/" + name[m]), content);
    checksum.push_back(text(std::hex, crc64(storage::to_bytes(content))));
  }
  storage::Container result;
  result.attributes["kind"] = std::string("bag");
  result.attributes["status"] = std::string("finished");
  result.attributes["n_test"] = std::int64_t{150};
  result.arrays = {storage::Array{"/final/model", {2}, name, {}, "1", "model"},
                   storage::Array{"/final/model_checksum", {2}, checksum, {}, "1", "CRC-64"},
                   storage::Array{"/ood/threshold", {3}, std::vector<double>{0.625, 0.1, 0.2}, {}, "1", "threshold"}};
  storage::write_container(folder / "b.h5", result);
  const auto predictor = load_predictor(folder / "b.h5");
  EXPECT_THAT(predictor->files, testing::SizeIs(2));
  const Prediction found = predictor->predict(inputs()), expected = make_predictor(networks, name)->predict(inputs());
  EXPECT_EQ(found.probability, expected.probability);
  EXPECT_EQ(found.predicted, expected.predicted);
  EXPECT_THAT(found.member, ElementsAre("bootstrap_00", "bootstrap_01"));
  ASSERT_TRUE(found.threshold);
  EXPECT_EQ(found.threshold->entropy, 0.625);
  EXPECT_THAT(found.threshold->source, AllOf(HasSubstr("150 test samples"), HasSubstr("b.h5")));
  EXPECT_FALSE(load_predictor(folder / "b.models")->predict(inputs()).threshold) << "a folder has none";
}

TEST(LoadPredictor, joins_the_parts_of_a_network_and_misses_none) {
  const TemporaryFolder folder;
  const NetworkModel whole = sample_network(4, 0);
  const auto parts = test::split(whole, 2);
  storage::write_container(folder / "network-00.h5", to_container(parts[0]));
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { load_predictor(folder.path()); }),
              AllOf(HasSubstr("network-00.h5"), HasSubstr("there are 1 of 2 parts")));
  storage::write_container(folder / "network-01.h5", to_container(parts[1]));
  const auto predictor = load_predictor(folder.path());
  EXPECT_THAT(predictor->files, testing::SizeIs(2));
  EXPECT_EQ(predictor->predict(inputs()).probability,
            make_predictor({whole}, {"whole.h5"})->predict(inputs()).probability);
}

TEST(LoadPredictor, refuses_what_is_no_classifier_and_names_the_file) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    return test::message_of(ExitCode::usage, [&] { load_predictor(folder / name); });
  };
  storage::write_container(folder / "names.h5", to_container(test::constant_model({{'a', 0.0F}})));
  EXPECT_THAT(refusal("names.h5"), AllOf(HasSubstr("names.h5"), HasSubstr("Sample names from it instead.")));
  storage::Container prediction;
  prediction.attributes["kind"] = std::string("prediction");
  storage::write_container(folder / "p.h5", prediction);
  EXPECT_THAT(refusal("p.h5"), AllOf(HasSubstr("p.h5"), HasSubstr("prediction")));
  EXPECT_THAT(refusal("nothing.h5"), HasSubstr("nothing.h5"));
  std::string bytes = test::content_of(folder / "names.h5");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  test::put(folder / "damaged.h5", bytes);
  EXPECT_THAT(refusal("damaged.h5"), HasSubstr("damaged.h5"));
}

}  // namespace
}  // namespace krossfold::model
