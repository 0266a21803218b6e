// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_file.hpp"

#include <limits>

#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using test::at;
using test::Damages;
using test::drop;
using test::expect_refused;
using test::sample_dataset;
using test::sample_machine;
using test::values;

constexpr int samples = 40, features = 6, classes = 3;

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
    EXPECT_EQ(back.kernel.gamma, machine.kernel.gamma);
    EXPECT_EQ(back.c, machine.c);
    EXPECT_EQ(back.scale.offset, machine.scale.offset);
    EXPECT_EQ(back.scale.divisor, machine.scale.divisor);
    EXPECT_EQ(back.support.size(), samples * 2 / 3);
    EXPECT_EQ(back.support.integer, machine.support.integer);
    expect_same_decisions(machine, back);
  }
}

TEST(SvmModel, of_every_kernel_decides_the_same_bits_after_the_way_through_a_file) {
  svm::Machine linear = sample_machine(5), cube = sample_machine(6), given = sample_machine(7);
  linear.kernel = {svm::KernelKind::linear};
  cube.kernel = {svm::KernelKind::polynomial, 0.3, 3, 0.5};
  given.kernel = {svm::KernelKind::precomputed};
  given.kernel_columns = features;
  given.scale = {};
  for (int v = 0; v < given.support.size(); ++v) given.column.push_back(v % features);
  given.support.raw = Matrix<float>("krossfold::test::raw", given.support.size(), 0);
  for (const svm::Machine& machine : {linear, cube, given}) {
    const auto bytes = storage::to_bytes(to_container(machine));
    const svm::Machine back = machine_from_container(storage::container_from_bytes(bytes, "model.h5"), "model.h5");
    EXPECT_EQ(back.kernel, machine.kernel);
    EXPECT_EQ(back.features(), features);
    EXPECT_EQ(back.column, machine.column);
    expect_same_decisions(machine, back);
  }
  const storage::Container cubic = to_container(cube), columns = to_container(given);
  const Damages of_cube = {
      {"an unknown kernel", [](storage::Container& c) { c.attributes["kernel"] = std::string("cubic"); }},
      {"no degree", [](storage::Container& c) { c.attributes.erase("degree"); }},
      {"degree 0", [](storage::Container& c) { c.attributes["degree"] = std::int64_t{0}; }},
      {"degree 1000", [](storage::Container& c) { c.attributes["degree"] = std::int64_t{1000}; }},
      {"a negative coef0", [](storage::Container& c) { c.attributes["coef0"] = -1.0; }}};
  const Damages of_given = {
      {"no columns", [](storage::Container& c) { drop(c, "/support/column"); }},
      {"no number of columns", [](storage::Container& c) { c.attributes.erase("kernel_columns"); }},
      {"a column out of range",
       [](storage::Container& c) { values<std::int32_t>(c, "/support/column")[0] = features; }},
      {"a column too few", [](storage::Container& c) { values<std::int32_t>(c, "/support/column").pop_back(); }}};
  expect_refused(cubic, of_cube, machine_from_container);
  expect_refused(columns, of_given, machine_from_container);
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

TEST(SvmModel, refuses_what_is_no_consistent_machine_and_names_the_file) {
  using Container = storage::Container;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Damages damages = {
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
    damages.emplace_back(std::string("no ") + path, [path](Container& c) { drop(c, path); });
  }
  for (const char* path : {"/probability/A", "/probability/B"}) {
    damages.emplace_back(std::string("no ") + path, [path](Container& c) { drop(c, path); });
    damages.emplace_back(std::string("one too few in ") + path,
                         [path](Container& c) { values<double>(c, path).pop_back(); });
    damages.emplace_back(std::string("NaN in ") + path,
                         [path, nan](Container& c) { values<double>(c, path)[1] = nan; });
  }
  svm::Machine machine = sample_machine();
  machine.sigmoid.assign(classes, {-1, 0});
  expect_refused(to_container(machine), damages, machine_from_container);
}

}  // namespace
}  // namespace krossfold::model
