// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/lstm_file.hpp"

#include <gmock/gmock.h>

#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using test::at;
using test::constant_model;
using test::drop;
using test::values;
using Container = storage::Container;

LstmModel sample_model() {
  LstmModel model = constant_model({{'a', 1.5F}, {'z', -0.25F}});
  model.known = digests_of({"rex", "bella"});
  return model;
}

TEST(LstmFile, comes_back_as_it_was) {
  const LstmModel model = sample_model();
  const LstmModel back = lstm_from_container(storage::container_from_bytes(to_file(model), "m.h5"), "m.h5");
  EXPECT_EQ(back.architecture, model.architecture);
  EXPECT_EQ(back.known, model.known);
  test::expect_same(back.parameters, model.parameters);
}

TEST(LstmFile, knows_names_by_ascending_digests_without_doubles) {
  const std::int64_t published = static_cast<std::int64_t>(0x995dc9bbdf1939fau);  // check value of CRC-64/XZ
  EXPECT_THAT(digests_of({"123456789"}), testing::ElementsAre(published));
  EXPECT_THAT(digests_of({"a", "b", "a", "b", "a"}), testing::SizeIs(2));
  EXPECT_EQ(digests_of({"rex", "bella", "tom"}), digests_of({"tom", "rex", "bella"}));
}

TEST(LstmFile, refuses_what_is_no_consistent_model_and_names_the_file) {
  const auto set = [](const char* name, storage::Attribute value) {
    return [=](Container& c) { c.attributes[name] = value; };
  };
  test::Damages damages = {
      {"another kind", set("kind", std::string("svm-model"))},
      {"no kind", [](Container& c) { c.attributes.erase("kind"); }},
      {"another alphabet", set("alphabet", std::string("abc"))},
      {"too many layers", set("layers", std::int64_t{1} << 40)},
      {"no layers", set("layers", std::int64_t{0})},
      {"a dropout above 1", set("dropout", 1.5)},
      {"a dropout in words", set("dropout", std::string("some"))},
      {"other hidden units", set("hidden", std::int64_t{3})},
      {"hidden units that are no integer", set("hidden", 2.5)},
      {"a window below 0", set("window", std::int64_t{-8})},
      {"a NaN weight", [](Container& c) { values<float>(c, "/parameter/dense.bias")[3] = NAN; }},
      {"weights in double precision",
       [](Container& c) { at(c, "/parameter/dense.bias").values = std::vector<double>(31); }},
      {"known names out of order",
       [](Container& c) {
         auto& known = values<std::int64_t>(c, "/known");
         std::swap(known[0], known[1]);
       }},
  };
  for (const char* path : {"/parameter/weight_hh_l0", "/parameter/dense.weight", "/known"}) {
    damages.emplace_back(std::string("no ") + path, [path](Container& c) { drop(c, path); });
  }
  test::expect_refused(to_container(sample_model()), damages, lstm_from_container);
}

}  // namespace
}  // namespace krossfold::model
