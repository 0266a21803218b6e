// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/svm_file.hpp"

#include <cmath>
#include <limits>

#include "krossfold/data/sparse_samples.hpp"
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

/// A machine whose 26 support vectors are sparse.
svm::Machine sparse_machine() {
  svm::Machine machine = sample_machine();
  machine.support.sparse = data::sparse_values(machine.support);
  machine.support.raw = {};
  return machine;
}

TEST(SvmModel, of_sparse_samples_decides_the_same_bits_after_the_way_through_a_file) {
  const svm::Machine machine = sparse_machine();
  const auto bytes = storage::to_bytes(to_container(machine));
  const svm::Machine back = machine_from_container(storage::container_from_bytes(bytes, "model.h5"), "model.h5");
  EXPECT_TRUE(back.support.is_sparse());
  EXPECT_EQ(back.support.features(), features);
  EXPECT_EQ(back.support.size(), machine.support.size());
  expect_same_decisions(machine, back);
  expect_same_decisions(sample_machine(), back);  // whole numbers: the dense form gives the same bits
  // Support vectors that are a part of larger rows.
  svm::Machine part = machine, first = machine;
  part.support = data::rows(machine.support, 5, 20);
  first.support =
      data::select(machine.support, {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24});
  part.coefficient = first.coefficient = Matrix<double>("krossfold::test::coefficient", classes, 20);
  EXPECT_EQ(storage::to_bytes(to_container(part)), storage::to_bytes(to_container(first)));
}

TEST(SvmModel, of_sparse_samples_is_refused_unless_its_rows_are_valid) {
  using Container = storage::Container;
  const Damages damages = {
      {"no features", [](Container& c) { c.attributes.erase("n_features"); }},
      {"no feature at all", [](Container& c) { c.attributes["n_features"] = std::int64_t{0}; }},
      {"fewer features than used", [](Container& c) { c.attributes["n_features"] = std::int64_t{5}; }},
      {"2^40 features", [](Container& c) { c.attributes["n_features"] = std::int64_t{1} << 40; }},
      {"half a feature", [](Container& c) { c.attributes["n_features"] = 6.5; }},
      {"dense support vectors, too",
       [](Container& c) {
         c.arrays.push_back({"/support/raw", {26, features}, std::vector<float>(26 * features), {}, "1", ""});
       }},
      {"a kernel that takes dense ones", [](Container& c) { c.attributes["kernel"] = std::string("linear"); }},
      {"no rows", [](Container& c) { values<std::int64_t>(c, "/support/begin").clear(); }},
      {"a row too few", [](Container& c) { values<std::int64_t>(c, "/support/begin").pop_back(); }},
      {"a first row that begins late", [](Container& c) { values<std::int64_t>(c, "/support/begin")[0] = 1; }},
      {"a negative begin", [](Container& c) { values<std::int64_t>(c, "/support/begin")[1] = -1; }},
      {"rows beyond the entries", [](Container& c) { values<std::int64_t>(c, "/support/begin").back() += 1; }},
      {"a huge begin", [](Container& c) { values<std::int64_t>(c, "/support/begin")[3] = std::int64_t{1} << 62; }},
      {"a negative column", [](Container& c) { values<std::int32_t>(c, "/support/feature")[0] = -1; }},
      {"a column out of range", [](Container& c) { values<std::int32_t>(c, "/support/feature").back() = features; }},
      {"a column twice",
       [](Container& c) {
         auto& column = values<std::int32_t>(c, "/support/feature");
         column[1] = column[0];
       }},
      {"a value too few", [](Container& c) { values<float>(c, "/support/value").pop_back(); }},
      {"a value that is not finite", [](Container& c) { values<float>(c, "/support/value")[2] = HUGE_VALF; }},
      {"columns in double precision",
       [](Container& c) {
         at(c, "/support/feature").values = std::vector<double>(values<std::int32_t>(c, "/support/feature").size());
       }},
      {"no begin", [](Container& c) { drop(c, "/support/begin"); }},
      {"no column", [](Container& c) { drop(c, "/support/feature"); }},
      {"no value", [](Container& c) { drop(c, "/support/value"); }},
  };
  expect_refused(to_container(sparse_machine()), damages, machine_from_container);
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
