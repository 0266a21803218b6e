// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/model/network_file.hpp"

#include <gmock/gmock.h>

#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using test::at;
using test::drop;
using test::sample_network;
using test::split;
using test::values;
using Container = storage::Container;

void expect_same(const NetworkModel& a, const NetworkModel& b) {
  EXPECT_EQ(a.architecture, b.architecture);
  EXPECT_EQ(a.class_name, b.class_name);
  EXPECT_EQ(a.scale.offset, b.scale.offset);
  EXPECT_EQ(a.scale.divisor, b.scale.divisor);
  EXPECT_EQ(a.image.shape, b.image.shape);
  EXPECT_EQ(a.image.black, b.image.black);
  EXPECT_EQ(a.image.white, b.image.white);
  EXPECT_EQ(a.image.integer, b.image.integer);
  EXPECT_EQ(a.image.border, b.image.border);
  EXPECT_EQ(a.part, b.part);
  EXPECT_EQ(a.parts, b.parts);
  test::expect_same(a.parameters, b.parameters);
}

NetworkModel through_a_file(const NetworkModel& model) {
  return network_from_container(storage::container_from_bytes(to_file(model), "n.h5"), "n.h5");
}

TEST(NetworkFile, comes_back_as_it_was) {
  for (const auto activation : {kernels::Activation::relu, kernels::Activation::tanh, kernels::Activation::sigmoid}) {
    for (const int channels : {0, 2}) {
      NetworkModel model = sample_network(4, channels);
      model.architecture.activation = activation;
      model.scale = {{1, 2, 3, 4, 5, 6}, {2, 2, 2, 3, 3, 3}};
      expect_same(through_a_file(model), model);
    }
  }
  for (const NetworkModel& part : split(sample_network(5, 0), 2)) expect_same(through_a_file(part), part);
}

TEST(NetworkFile, of_more_than_a_million_features_comes_back) {
  NetworkModel model = sample_network(4, 0);
  model.architecture = {{1'100'000, 1, 1}, 0, 0, {}, 3};
  model.image.shape = model.architecture.image;
  model.parameters = nn::tensors_of(model.architecture);
  for (nn::Parameter& one : model.parameters) {
    one.value.assign(one.shape.size() == 2 ? 3'300'000 : 3, 0.5F);
  }
  expect_same(network_from_container(to_container(model), "n.h5"), model);
}

TEST(NetworkFile, of_version_0_1_is_a_whole_network) {
  Container content = to_container(sample_network());
  content.attributes.erase("part");
  content.attributes.erase("parts");
  expect_same(network_from_container(content, "n.h5"), sample_network());
}

TEST(NetworkFile, refuses_what_is_no_consistent_network_and_names_the_file) {
  const auto set = [](const char* name, const storage::Attribute& value) {
    return [=](Container& c) { c.attributes[name] = value; };
  };
  test::Damages damages = {
      {"another kind", set("kind", std::string("lstm-model"))},
      {"an unknown activation", set("activation", std::string("step"))},
      {"a window larger than the image", set("kernel", std::int64_t{4})},
      {"another number of channels", set("channels", std::int64_t{3})},
      {"an image of 1e300 pixels", set("image_width", 1e300)},
      {"black is NaN", set("image_black", static_cast<double>(NAN))},
      {"white in words", set("image_white", std::string("white"))},
      {"a part behind the last", set("part", std::int64_t{1})},
      {"more parts than inputs", set("parts", std::int64_t{1000})},
      {"no classes", [](Container& c) { values<std::string>(c, "/class_name").clear(); }},
      {"a class too many", [](Container& c) { values<std::string>(c, "/class_name").emplace_back("d"); }},
      {"a layer without units", [](Container& c) { values<std::int32_t>(c, "/hidden")[0] = 0; }},
      {"a divisor of 0", [](Container& c) { values<double>(c, "/scale/divisor")[0] = 0; }},
      {"an infinite offset", [](Container& c) { values<double>(c, "/scale/offset")[0] = 1 / 0.0; }},
      {"a scale of two features", [](Container& c) { values<double>(c, "/scale/offset").push_back(1); }},
      {"a NaN weight", [](Container& c) { values<float>(c, "/parameter/conv/weight")[1] = NAN; }},
      {"weights of another shape",
       [](Container& c) {
         at(c, "/parameter/dense/1/weight").shape = {5, 3};
       }},
  };
  for (const char* attribute : {"kind", "channels", "image_height", "image_border", "integer"}) {
    damages.emplace_back(std::string("no ") + attribute, [=](Container& c) { c.attributes.erase(attribute); });
  }
  for (const char* path : {"/hidden", "/class_name", "/scale/offset", "/parameter/conv/bias"}) {
    damages.emplace_back(std::string("no ") + path, [=](Container& c) { drop(c, path); });
  }
  test::expect_refused(to_container(sample_network()), damages, network_from_container);
}

TEST(NetworkFile, parts_make_the_whole_in_any_order) {
  const NetworkModel whole = sample_network(6, 0);
  for (const int count : {1, 2, 3}) {
    std::vector<NetworkModel> parts = split(whole, count);
    std::reverse(parts.begin(), parts.end());
    expect_same(join_parts(parts, std::vector<std::string>(static_cast<std::size_t>(count), "n.h5")), whole);
  }
}

TEST(NetworkFile, parts_that_do_not_belong_together_are_refused_by_name) {
  const auto refusal = [](std::vector<NetworkModel> parts) {
    return test::message_of(ExitCode::usage, [&] { join_parts(std::move(parts), {"n-00.h5", "n-01.h5"}); });
  };
  const std::vector<NetworkModel> parts = split(sample_network(6, 0), 2);
  using testing::AllOf, testing::HasSubstr;
  EXPECT_THAT(refusal({parts[0]}), AllOf(HasSubstr("n-00.h5"), HasSubstr("there are 1 of 2 parts")));
  EXPECT_THAT(refusal({parts[0], parts[0]}), AllOf(HasSubstr("n-00.h5"), HasSubstr("different networks")));
  NetworkModel other = parts[1];
  other.scale.offset = {7};
  EXPECT_THAT(refusal({parts[0], other}), HasSubstr("different networks"));
  EXPECT_THAT(refusal({parts[0], split(sample_network(6, 0), 3)[1]}), HasSubstr("different networks"));
}

}  // namespace
}  // namespace krossfold::model
