// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_model.hpp"

#include "krossfold/study/model_files.hpp"

#include <filesystem>
#include <functional>
#include <limits>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "test/storage/temporary_folder.hpp"
#include "test/study/sample_study.hpp"

namespace krossfold::study {
namespace {

namespace fs = std::filesystem;
using test::sample_dataset;
using test::TemporaryFolder;

constexpr int samples = 40, features = 6, classes = 3;

/// A machine with random coefficients; a third of the samples have none.
svm::Machine sample_machine(std::uint32_t seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const data::Dataset train = sample_dataset(samples, features, classes, seed);
  const Matrix<double> beta("krossfold::test::beta", classes, samples);
  for (int c = 0; c < classes; ++c) {
    for (int i = 0; i < samples; ++i) beta(c, i) = i % 3 == 0 ? 0 : normal(random);
  }
  svm::Machine machine = svm::make_machine(train, beta, {0.1, -0.2, 1.0 / 3});
  machine.gamma = 0.0123456789;
  machine.c = 1.0 / 7;
  machine.scale.offset = {8};
  machine.scale.divisor = {4.619};
  return machine;
}

void expect_same_decisions(const svm::Machine& left, const svm::Machine& right) {
  const data::Dataset input = sample_dataset(25, features, classes, 11);
  const Matrix<double> a = svm::decision_values(Device(), left, input),
                       b = svm::decision_values(Device(), right, input);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a.data()[k], b.data()[k]) << "at " << k;
}

TEST(SvmModel, decides_the_same_bits_after_the_way_through_a_file) {
  svm::Machine each = sample_machine(4);
  each.scale.offset = {8, 7, 6, 5, 4, 3};
  each.scale.divisor = {1, 2, 3, 4, 5, 6};
  for (const svm::Machine& machine : {sample_machine(), each}) {
    const auto bytes = storage::to_bytes(to_container(machine));
    const svm::Machine back = machine_from_container(storage::container_from_bytes(bytes, "model.h5"), "model.h5");
    EXPECT_EQ(back.class_name, machine.class_name);
    EXPECT_EQ(back.gamma, machine.gamma);
    EXPECT_EQ(back.c, machine.c);
    EXPECT_EQ(back.scale.offset, machine.scale.offset);
    EXPECT_EQ(back.scale.divisor, machine.scale.divisor);
    EXPECT_EQ(back.support.size(), samples * 2 / 3);
    EXPECT_EQ(back.support.integer, machine.support.integer);
    expect_same_decisions(machine, back);
  }
}

TEST(SvmModel, gives_the_same_probabilities_after_the_way_through_a_file) {
  svm::Machine machine = sample_machine();
  machine.sigmoid = {{-1.5, 0.1}, {-1.0 / 3, -0.2}, {-2, 0}};
  const auto bytes = storage::to_bytes(to_container(machine));
  const svm::Machine back = machine_from_container(storage::container_from_bytes(bytes, "model.h5"), "model.h5");
  const Matrix<double> decision = svm::decision_values(Device(), machine, sample_dataset(25, features, classes, 11));
  const Matrix<double> a = svm::class_probabilities(machine, decision), b = svm::class_probabilities(back, decision);
  ASSERT_EQ(a.extent(0), 25U);
  ASSERT_EQ(a.extent(1), static_cast<std::size_t>(classes));
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a.data()[k], b.data()[k]) << "at " << k;
  for (int i = 0; i < 25; ++i) EXPECT_NEAR(a(i, 0) + a(i, 1) + a(i, 2), 1, 1e-12);
  EXPECT_TRUE(machine_from_container(to_container(sample_machine()), "model.h5").sigmoid.empty());
}

TEST(SvmModel, the_same_machine_gives_the_same_bytes) {
  EXPECT_EQ(storage::to_bytes(to_container(sample_machine())), storage::to_bytes(to_container(sample_machine())));
}

storage::Array& at(storage::Container& content, const std::string& path) {
  return const_cast<storage::Array&>(content.at(path));
}

template <class T>
std::vector<T>& values(storage::Container& content, const std::string& path) {
  return std::get<std::vector<T>>(at(content, path).values);
}

TEST(SvmModel, refuses_what_is_no_consistent_machine_and_names_the_file) {
  using Container = storage::Container;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<std::string, std::function<void(Container&)>>> damages = {
      {"another kind", [](Container& c) { c.attributes["kind"] = std::string("svm"); }},
      {"no kind", [](Container& c) { c.attributes.erase("kind"); }},
      {"no gamma", [](Container& c) { c.attributes.erase("gamma"); }},
      {"gamma is text", [](Container& c) { c.attributes["gamma"] = std::string("1"); }},
      {"gamma is 0", [](Container& c) { c.attributes["gamma"] = 0.0; }},
      {"gamma is NaN", [&](Container& c) { c.attributes["gamma"] = nan; }},
      {"an image of 1e300 pixels", [](Container& c) { c.attributes["image_width"] = 1e300; }},
      {"a bias too many", [](Container& c) { values<double>(c, "/bias").push_back(0); }},
      {"a NaN bias", [&](Container& c) { values<double>(c, "/bias")[0] = nan; }},
      {"a coefficient too few", [](Container& c) { values<double>(c, "/coefficient").pop_back(); }},
      {"an infinite coefficient", [](Container& c) { values<double>(c, "/coefficient")[5] = 1 / 0.0; }},
      {"a label too few", [](Container& c) { values<std::int32_t>(c, "/support/label").pop_back(); }},
      {"a label that is no class", [](Container& c) { values<std::int32_t>(c, "/support/label")[0] = classes; }},
      {"a NaN feature", [&](Container& c) { values<float>(c, "/support/raw")[7] = static_cast<float>(nan); }},
      {"features that are no matrix", [](Container& c) { at(c, "/support/raw").shape = {26 * features}; }},
      {"a divisor of 0", [](Container& c) { values<double>(c, "/scale/divisor")[0] = 0; }},
      {"a scale of two features",
       [](Container& c) {
         values<double>(c, "/scale/offset") = {1, 2};
       }},
      {"one class",
       [](Container& c) {
         values<std::string>(c, "/class_name").resize(1);
         values<double>(c, "/bias").resize(1);
         values<double>(c, "/coefficient").resize(26);
       }},
      {"coefficients in single precision",
       [](Container& c) { at(c, "/coefficient").values = std::vector<float>(classes * 26); }},
  };
  for (const char* path :
       {"/support/raw", "/support/label", "/coefficient", "/bias", "/scale/offset", "/scale/divisor", "/class_name"}) {
    damages.emplace_back(std::string("no ") + path, [path](Container& c) {
      std::erase_if(c.arrays, [path](const storage::Array& array) { return array.path == path; });
    });
  }
  for (const char* path : {"/probability/A", "/probability/B"}) {
    damages.emplace_back(std::string("no ") + path, [path](Container& c) {
      std::erase_if(c.arrays, [path](const storage::Array& array) { return array.path == path; });
    });
    damages.emplace_back(std::string("one too few in ") + path,
                         [path](Container& c) { values<double>(c, path).pop_back(); });
    damages.emplace_back(std::string("NaN in ") + path,
                         [path, nan](Container& c) { values<double>(c, path)[1] = nan; });
  }
  svm::Machine machine = sample_machine();
  machine.sigmoid.assign(classes, {-1, 0});
  const Container whole = to_container(machine);
  machine_from_container(whole, "there.h5");
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    Container content = whole;
    damage(content);
    const std::string message = test::message_of(ExitCode::usage, [&] { machine_from_container(content, "there.h5"); });
    EXPECT_NE(message.find("there.h5"), std::string::npos) << message;
  }
}

TEST(FindModel, knows_a_model_file_its_folder_and_its_result_file) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "study.models");
  const std::string model = folder / "study.models/svm.h5";
  storage::write_container(model, to_container(sample_machine()));
  storage::Container result;
  result.attributes["kind"] = std::string("svm");
  result.attributes["model"] = std::string("svm.h5");
  result.attributes["model_checksum"] = text(std::hex, crc64(storage::to_bytes(to_container(sample_machine()))));
  storage::write_container(folder / "study.h5", result);
  const std::vector<std::string> found{model};
  EXPECT_EQ(find_models(model), found);
  EXPECT_EQ(find_models(folder / "study.models"), found);
  EXPECT_EQ(find_models(folder / "study.h5"), found);
}

TEST(FindModel, refuses_a_model_that_its_result_file_was_not_written_with) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "study.models");
  storage::write_container(folder / "study.models/svm.h5", to_container(sample_machine()));
  storage::Container result;
  result.attributes["kind"] = std::string("svm");
  result.attributes["model"] = std::string("svm.h5");
  result.attributes["model_checksum"] = std::string("1234");
  storage::write_container(folder / "study.h5", result);
  const std::string message = test::message_of(ExitCode::usage, [&] { find_models(folder / "study.h5"); });
  EXPECT_NE(message.find("checksum"), std::string::npos) << message;
}

TEST(FindModel, says_why_there_is_none) {
  const TemporaryFolder folder;
  storage::Container result;
  result.attributes["kind"] = std::string("svm");
  storage::write_container(folder / "unfinished.h5", result);
  const auto message = [&](const std::string& name) {
    return test::message_of(ExitCode::usage, [&] { find_models(folder / name); });
  };
  EXPECT_NE(message("unfinished.h5").find("--no-refit"), std::string::npos);
  EXPECT_NE(message("nothing.h5").find("nothing.h5"), std::string::npos);
  fs::create_directory(folder / "empty.models");
  EXPECT_NE(message("empty.models").find("svm.h5"), std::string::npos);
  // A result file may come from a stranger: its model lies beside it or nowhere.
  result.attributes["model"] = std::string("../../elsewhere/svm.h5");
  storage::write_container(folder / "hostile.h5", result);
  EXPECT_NE(message("hostile.h5").find("hostile.h5"), std::string::npos);
}

}  // namespace
}  // namespace krossfold::study
