// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/npz_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "krossfold/input/names.hpp"
#include "krossfold/tables/numpy_files.hpp"
#include "pair_machine.hpp"
#include "src/interchange/npz/npz_writer.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::interchange {
namespace {

tables::NumpyArray array_of(const std::vector<std::byte>& npy) { return tables::parse_npy(npy, "a"); }

TEST(NpzWriter, arrays_of_every_type_are_read_back) {
  NpzWriter writer;
  writer.add("d", {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 0.1});
  writer.add("f.weight", {3}, std::vector<float>{1.5F, -2, 3});
  writer.add("i", {1, 2}, std::vector<std::int64_t>{-7, std::int64_t{1} << 40});
  writer.add("words", {3}, std::vector<std::string>{"ä", "longer word", ""});
  writer.add("one", 2.5);
  writer.add("word", std::string("\xff latin \xf0\x9f\x98\x80"));
  const std::vector<std::byte> file = writer.finish();
  EXPECT_EQ(tables::npz_arrays(file, "a.npz"),
            (std::vector<std::string>{"d", "f.weight", "i", "words", "one", "word"}));
  const auto member = [&](const char* name) { return tables::read_npz_member(file, name, "a.npz"); };
  const auto d = member("d"), f = member("f.weight"), i = member("i"), words = member("words"), one = member("one");
  EXPECT_EQ(array_of(d).shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(tables::numbers_of(array_of(d)), (std::vector<double>{1, 2, 3, 4, 5, 0.1}));
  EXPECT_EQ(tables::numbers_of(array_of(f)), (std::vector<double>{1.5, -2, 3}));
  EXPECT_EQ(tables::numbers_of(array_of(i)), (std::vector<double>{-7, 0x1p40}));
  EXPECT_EQ(tables::words_of(array_of(words)), (std::vector<std::string>{"ä", "longer word", ""}));
  EXPECT_TRUE(array_of(one).shape.empty());
  EXPECT_EQ(tables::words_of(array_of(member("word"))), (std::vector<std::string>{"ÿ latin 😀"}));
}

TEST(NpzModel, machines_come_back_with_their_decision_values) {
  const svm::KernelFunction kernels[] = {
      {svm::KernelKind::rbf, 0.02}, {svm::KernelKind::linear}, {svm::KernelKind::polynomial, 0.1, 2, 1}};
  for (const svm::KernelFunction& kernel : kernels) {
    for (const int classes : {2, 4}) {
      SCOPED_TRACE(text(svm::kernel_word(kernel.kind), ", ", classes, " classes"));
      const svm::Machine machine = test::pair_machine(classes, kernel, {{1, 2, 3, 4, 5, 6}, {4, 5, 6, 7, 8, 9}}, 3);
      const auto again = std::get<svm::Machine>(model_from_npz(npz_of(machine, "m.h5"), "m.npz"));
      test::expect_same_decisions(again, machine, 1e-6);
      EXPECT_EQ(again.class_name, machine.class_name);
      EXPECT_TRUE(again.support.integer);  // whole numbers come back as such
      ASSERT_EQ(again.sigmoid.size(), machine.sigmoid.size());
      EXPECT_EQ(again.sigmoid[0].a, machine.sigmoid[0].a);
    }
  }
  const svm::Machine rest = test::sample_machine();
  const auto again = std::get<svm::Machine>(model_from_npz(npz_of(rest, "m.h5"), "m.npz"));
  EXPECT_EQ(again.multiclass, svm::Multiclass::one_vs_rest);
  test::expect_same_decisions(again, rest, 1e-6);
}

TEST(NpzModel, networks_come_back_bit_by_bit) {
  const model::NetworkModel one = test::sample_network(3), other = test::sample_network(4, 3);
  for (const std::size_t count : {1, 2}) {
    model::Networks networks{{one}, {"a.h5"}, {}};
    if (count == 2) networks = {{one, other}, {"a.h5", "b.h5"}, {}};
    const auto again = std::get<std::vector<model::NetworkModel>>(model_from_npz(npz_of(networks, "m.h5"), "m.npz"));
    ASSERT_EQ(again.size(), count);
    for (std::size_t m = 0; m < count; ++m) {
      test::expect_same(again[m].parameters, networks.network[m].parameters);
      EXPECT_EQ(again[m].architecture, networks.network[m].architecture);
      EXPECT_EQ(again[m].class_name, networks.network[m].class_name);
      EXPECT_EQ(again[m].image.white, networks.network[m].image.white);
      EXPECT_EQ(again[m].scale.divisor, networks.network[m].scale.divisor);
    }
  }
}

/// A file of an SVM of two classes whose arrays `change` may alter.
template <class Change>
std::vector<std::byte> file_of(const Change& change) {
  NpzWriter writer;
  std::map<std::string, std::function<void()>> add = {
      {"kernel", [&] { writer.add("kernel", std::string("rbf")); }},
      {"gamma", [&] { writer.add("gamma", 0.5); }},
      {"classes_",
       [&] {
         writer.add("classes_", {2}, std::vector<std::int64_t>{1, 2});
       }},
      {"n_support_",
       [&] {
         writer.add("n_support_", {2}, std::vector<std::int64_t>{1, 2});
       }},
      {"support_vectors_",
       [&] {
         writer.add("support_vectors_", {3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6});
       }},
      {"dual_coef_",
       [&] {
         writer.add("dual_coef_", {1, 3}, std::vector<double>{-1, 0.5, 0.5});
       }},
      {"intercept_", [&] { writer.add("intercept_", {1}, std::vector<double>{0.5}); }}};
  change(add, writer);
  for (const auto& one : add) one.second();
  return writer.finish();
}

template <class Change>
std::string refusal_of(const Change& change) {
  const std::vector<std::byte> file = file_of(change);
  return test::message_of(ExitCode::usage, [&] { model_from_npz(file, "m.npz"); });
}

TEST(NpzModel, arrays_that_are_missing_or_do_not_fit_are_named) {
  for (const char* name : {"kernel", "gamma", "classes_", "n_support_", "support_vectors_", "intercept_"}) {
    const std::string message = refusal_of([&](auto& add, auto&) { add.erase(name); });
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
  const auto with = [](const char* name, const NpzWriter::Shape& shape, std::vector<double> values) {
    return refusal_of(
        [&](auto& add, NpzWriter& writer) { add[name] = [&, name] { writer.add(name, shape, values); }; });
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<std::string, std::string> cases[] = {
      {with("dual_coef_", {1, 2}, {1, 2}), "dual_coef_ does not fit"},
      {with("dual_coef_", {3, 3}, std::vector<double>(9, 1.0)), "dual_coef_ has 3 rows for 2 classes"},
      {with("intercept_", {2}, {1, 2}), "intercept_ has 2 numbers instead of 1"},
      {with("n_support_", {2}, {1, 9}), "n_support_ does not fit"},
      {with("n_support_", {2}, {1e15, 1}), "n_support_ does not fit"},
      {with("n_support_", {3}, {1, 1, 1}), "n_support_ has 3 numbers for 2 classes"},
      {with("support_vectors_", {6}, {1, 2, 3, 4, 5, 6}), "support_vectors_ is no matrix"},
      {with("support_vectors_", {3, 1}, {1, infinity, 3}), "support_vectors_ is not finite"},
      {with("support_vectors_", {3, 1}, {1, 1e60, 3}), "single precision"},
      {with("gamma", {}, {-1}), "gamma"},
      {with("scale_", {2}, {1, 0}), "a divisor is 0"},
      {with("mean_", {3}, {1, 2, 3}), "mean_ has 3 numbers for 2 features"},
      {with("image_shape", {3}, {1, 2, 2}), "image_shape"},
      {with("image_shape", {3}, {1, 1.25, 1.6}), "image_shape is not"},
      {with("probA_", {2}, {1, 2}), "probA_ has 2 numbers instead of 1"},
      {with("format_version", {}, {2}), "format_version"},
  };
  for (const auto& [message, says] : cases) EXPECT_NE(message.find(says), std::string::npos) << says << "\n" << message;
}

TEST(NpzModel, features_that_single_precision_cannot_tell_apart_are_refused) {
  const auto with = [](const std::vector<double>& vectors, const std::vector<double>& mean,
                       const std::vector<double>& scale) {
    return [=](auto& add, NpzWriter& writer) {
      add["support_vectors_"] = [=, &writer] { writer.add("support_vectors_", {3, 2}, vectors); };
      add["mean_"] = [=, &writer] { writer.add("mean_", {2}, mean); };
      add["scale_"] = [=, &writer] { writer.add("scale_", {2}, scale); };
    };
  };
  // Steps are 128 at 1.6e9 and 2^-10 at 12345.
  const std::string message = refusal_of(with({0, 0, 1, 1, 0, 1}, {0, 1.6e9}, {1, 10}));
  for (const char* says : {"m.npz: feature 2", "near 1.6e+09, in steps of 128, for a unit of 10", "Subtract"})
    EXPECT_NE(message.find(says), std::string::npos) << says << "\n" << message;
  refusal_of(with({1.6e9, 0, 1.6e9 + 10, 1, 1.6e9, 1}, {0, 0}, {1, 1}));
  refusal_of(with({0, 0, 0, 1, 0, 2}, {1.6e9 + 10, 0}, {10, 1}));
  refusal_of(with({-1, 0, 0.5, 1, 1, 2}, {12345.6704, 0}, {1, 1}));
  const auto taken = [&](const std::vector<double>& vectors, const std::vector<double>& mean,
                         const std::vector<double>& scale) {
    model_from_npz(file_of(with(vectors, mean, scale)), "m.npz");
  };
  taken({-1, 0, 0.5, 1, 1, 2}, {1.6e9, 0}, {1e7, 1});               // steps of 1e-5 of the divisor
  taken({0, 0, 0, 1, 0, 2}, {12345.6704, 0}, {1, 1});               // a constant, as StandardScaler has it
  taken({12345.67, 0, 54321.89, 1, 99999.123, 2}, {0, 0}, {1, 1});  // not scaled
  taken({-1, 0, 0.5, 1, 1e8, 2}, {0.3, 0}, {0.1, 1});               // one is far away

  const auto without_scale = [](const std::vector<double>& vectors) {
    return [=](auto& add, NpzWriter& writer) {
      add["support_vectors_"] = [=, &writer] { writer.add("support_vectors_", {3, 2}, vectors); };
    };
  };
  double difference = 0;
  model_from_npz(file_of(without_scale({1013.2501, 0, 1013.2503, 1, 1013.2506, 2})), "m.npz", &difference);
  EXPECT_GT(difference, 0);  // without a scale, the kernel tells whether the digits lost count; here they do not
  EXPECT_LT(difference, 1e-6);
  model_from_npz(file_of(without_scale({1013.2501, 1e-5, 1013.2501, 2.1e-5, 1013.2501, 3.3e-5})), "m.npz");
}

TEST(NpzModel, sparse_vectors_have_no_mean_and_digits_enough) {
  const auto sparse = [](double mean, double value = 1, double other = 2, std::int64_t feature = 1) {
    return [=](auto& add, NpzWriter& writer) {
      add.erase("support_vectors_");
      add["mean_"] = [=, &writer] { writer.add("mean_", {2}, std::vector<double>{0, mean}); };
      add["data"] = [=, &writer] { writer.add("support_vectors_data", {3}, std::vector<double>{value, other, value}); };
      add["indices"] = [=, &writer] {
        writer.add("support_vectors_indices", {3}, std::vector<std::int64_t>{0, 0, feature});
      };
      add["indptr"] = [&writer] { writer.add("support_vectors_indptr", {4}, std::vector<std::int64_t>{0, 1, 2, 3}); };
      add["shape"] = [&writer] { writer.add("support_vectors_shape", {2}, std::vector<std::int64_t>{3, 2}); };
    };
  };
  EXPECT_TRUE(std::get<svm::Machine>(model_from_npz(file_of(sparse(0)), "m.npz")).support.is_sparse());
  const std::string message = refusal_of(sparse(5));
  EXPECT_NE(message.find("mean_ is not 0 for sparse support vectors"), std::string::npos) << message;
  EXPECT_THAT(refusal_of(sparse(0, 1600000000.5, 1600000010.5, 0)), testing::HasSubstr("feature 1 loses digits"));
  model_from_npz(file_of(sparse(0, 1600000000.5, 1600000010.5, 1)), "m.npz");  // 0 in the last vector
}

TEST(NpzModel, classes_of_the_same_name_are_refused_with_their_places) {
  const std::string message = refusal_of([](auto& add, NpzWriter& writer) {
    add["classes_"] = [&] { writer.add("classes_", {2}, std::vector<std::string>{"a", "a"}); };
  });
  EXPECT_NE(message.find("classes_[0] and classes_[1] are both 'a'"), std::string::npos) << message;
}

TEST(NpzModel, classes_have_names_without_blanks_around_them) {
  const auto named = [](const auto& names) {
    return
        [=](auto& add, NpzWriter& writer) { add["classes_"] = [=, &writer] { writer.add("classes_", {2}, names); }; };
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(std::get<svm::Machine>(model_from_npz(file_of(named(Words{" a", "b c "})), "m.npz")).class_name,
            (Words{"a", "b c"}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal_of(named(Words{"a", " "})), testing::HasSubstr("classes_[1] is no name: ''"));
  EXPECT_THAT(refusal_of(named(std::vector<double>{nan, 1})), testing::HasSubstr("classes_[0] is no name: ''"));
}

TEST(NpzModel, what_a_model_file_may_not_hold_is_said_to_be_wrong_with_the_arrays) {
  const std::string message = refusal_of([](auto& add, NpzWriter& writer) {
    add["scale_"] = [&writer] { writer.add("scale_", {2}, std::vector<double>{1, 0}); };
  });
  EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("a divisor is 0"), testing::HasSubstr("docs/export.md")));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("Train it again")));
}

TEST(NpzModel, columns_of_kernel_matrices_may_be_as_many_as_features) {
  const auto columns = [](double last) {
    return [=](auto& add, NpzWriter& writer) {
      add["kernel"] = [&writer] { writer.add("kernel", std::string("precomputed")); };
      add["support_vectors_"] = [=, &writer] { writer.add("support_", {3}, std::vector<double>{1, 0, last}); };
    };
  };
  EXPECT_EQ(std::get<svm::Machine>(model_from_npz(file_of(columns(1e7)), "m.npz")).kernel_columns, 10'000'001);
  EXPECT_THAT(refusal_of(columns(1e7 + 1)), testing::HasSubstr("support_ are no numbers of samples"));
}

/// A file of a network of another program with the means and divisors of its features.
std::vector<std::byte> network_with(const std::vector<double>& mean, const std::vector<double>& scale) {
  NpzWriter writer;
  writer.add("classes_", {3}, std::vector<std::int64_t>{1, 2, 3});
  writer.add("image_shape", {3}, std::vector<std::int64_t>{1, 2, 3});
  writer.add("mean_", {static_cast<std::int64_t>(mean.size())}, mean);
  writer.add("scale_", {static_cast<std::int64_t>(scale.size())}, scale);
  const model::NetworkModel network = test::sample_network();
  for (const nn::Parameter& one : network.parameters) writer.add(one.name, one.shape, one.value);
  return writer.finish();
}

TEST(NpzModel, networks_of_features_that_single_precision_cannot_tell_apart_are_refused) {
  const auto refusal = [](const std::vector<double>& mean, const std::vector<double>& scale) {
    const std::vector<std::byte> file = network_with(mean, scale);
    return test::message_of(ExitCode::usage, [&] { model_from_npz(file, "m.npz"); });
  };
  EXPECT_THAT(refusal({0, 0, 1.6e9, 0, 0, 0}, {10}),
              testing::AllOf(testing::HasSubstr("m.npz: feature 3 loses digits"),
                             testing::HasSubstr("its mean_ is 1.6e+09, where the steps are 128, and its scale_ 10"),
                             testing::HasSubstr("Subtract a constant from it, in the samples and in mean_.")));
  refusal({-1013.25}, {1e-3});
  refusal({1.6e9}, {1});
  for (const auto& [mean, scale] : {std::pair{1.6e9, 1e7}, {12345.67, 1.0}, {8.0, 4.619}, {0.0, 1e-30}}) {
    model_from_npz(network_with({mean}, {scale}), "m.npz");
  }
  for (const auto& [mean, scale] : {std::pair{2010.04, 0.82}, {299.99, 0.252}}) {  // years, degrees Kelvin
    model_from_npz(network_with({mean}, {scale}), "m.npz");
  }
}

TEST(NpzModel, networks_whose_layers_do_not_fit_are_refused) {
  const model::NetworkModel whole = test::sample_network();
  const auto refusal = [&](const std::string& name, const NpzWriter::Shape& shape) {
    NpzWriter writer;
    writer.add("classes_", {3}, std::vector<std::int64_t>{1, 2, 3});
    writer.add("image_shape", {3}, std::vector<std::int64_t>{1, 2, 3});
    for (const nn::Parameter& one : whole.parameters) {
      std::int64_t size = 1;
      for (const std::int64_t extent : shape) size *= extent;
      if (one.name == name) {
        writer.add(name, shape, std::vector<float>(static_cast<std::size_t>(size), 1.0F));
      } else {
        writer.add(one.name, one.shape, one.value);
      }
    }
    const std::vector<std::byte> file = writer.finish();
    return test::message_of(ExitCode::usage, [&] { model_from_npz(file, "m.npz"); });
  };
  EXPECT_NE(refusal("conv.weight", {2, 1, 2}).find("conv.weight has 3 dimensions"), std::string::npos);
  EXPECT_NE(refusal("conv.weight", {2, 1, 2, 1}).find("square"), std::string::npos);
  EXPECT_NE(refusal("conv.weight", {2, 1, 5, 5}).find("does not fit"), std::string::npos);
  EXPECT_NE(refusal("dense.0.weight", {5, 9}).find("another shape"), std::string::npos);
  EXPECT_NE(refusal("dense.1.weight", {4, 5}).find("4 units for 3 classes"), std::string::npos);
}

TEST(NpzModel, a_layer_that_no_network_here_has_is_refused_and_not_left_out) {
  const model::NetworkModel whole = test::sample_network();
  for (const std::string name : {"norm.weight", "conv.running_mean", "dense.3.weight", "1.dense.0.weight"}) {
    NpzWriter writer;
    writer.add("classes_", {3}, std::vector<std::int64_t>{1, 2, 3});
    writer.add("image_shape", {3}, std::vector<std::int64_t>{1, 2, 3});
    for (const nn::Parameter& one : whole.parameters) writer.add(one.name, one.shape, one.value);
    writer.add(name, {1}, std::vector<double>{1});
    const std::vector<std::byte> file = writer.finish();
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { model_from_npz(file, "m.npz"); }),
                testing::HasSubstr("the array " + name + " is of no layer"));
  }
}

model::LstmModel names_model() {
  model::LstmModel model = test::constant_model({{'a', 2.0F}, {'b', 1.0F}});
  float next = 0.25F;
  for (nn::Parameter& one : model.parameters) {
    for (float& value : one.value) value = next += 0.125F;
  }
  model.known = model::digests_of({"anna", "bert", "a", "b", "ab"});  // some with the highest bit
  return model;
}

TEST(NpzModel, character_models_come_back_with_their_names) {
  const model::LstmModel whole = names_model();
  EXPECT_TRUE(std::any_of(whole.known.begin(), whole.known.end(), [](std::int64_t digest) { return digest < 0; }));
  const auto again = std::get<model::LstmModel>(model_from_npz(npz_of(whole), "m.npz"));
  EXPECT_EQ(again.architecture, whole.architecture);
  EXPECT_EQ(again.known, whole.known);
  test::expect_same(again.parameters, whole.parameters);
  model::LstmModel other = whole;
  other.known.clear();  // as that of another program
  EXPECT_TRUE(std::get<model::LstmModel>(model_from_npz(npz_of(other), "m.npz")).known.empty());
}

TEST(NpzModel, character_models_of_pytorch_need_alphabet_and_window_alone) {
  const model::LstmModel whole = names_model();
  const auto file_with = [&](const std::map<std::string, std::function<void(NpzWriter&)>>& other) {
    NpzWriter writer;
    std::map<std::string, std::function<void(NpzWriter&)>> add{
        {"alphabet", [](NpzWriter& to) { to.add("alphabet", std::string(input::name_alphabet)); }},
        {"window", [](NpzWriter& to) { to.add("window", std::int64_t{8}); }}};
    for (const nn::Parameter& one : whole.parameters) {
      const std::string name = one.name.starts_with("dense") ? one.name : "lstm." + one.name;
      add[name] = [&one, name](NpzWriter& to) { to.add(name, one.shape, one.value); };
    }
    for (const auto& [name, changed] : other) add[name] = changed;
    for (const auto& one : add) {
      if (one.second) one.second(writer);
    }
    return writer.finish();
  };
  const auto found = std::get<model::LstmModel>(model_from_npz(file_with({}), "m.npz"));
  EXPECT_EQ(found.architecture, (nn::LstmArchitecture{.layers = 1, .hidden = 2, .dropout = 0}));
  EXPECT_TRUE(found.known.empty());
  test::expect_same(found.parameters, whole.parameters);

  const auto unsorted = [](NpzWriter& to) { to.add("known", {2, 2}, std::vector<double>{0, 7, 4294967295.0, 5}); };
  EXPECT_EQ(std::get<model::LstmModel>(model_from_npz(file_with({{"known", unsorted}}), "m.npz")).known,
            (std::vector<std::int64_t>{-4294967291, 7}))
      << "upper 32 bits first; -1 << 32 | 5";

  const auto numbers = [](const std::string& name, const NpzWriter::Shape& shape, const std::vector<double>& values) {
    return std::function<void(NpzWriter&)>([=](NpzWriter& to) { to.add(name, shape, values); });
  };
  const std::pair<std::string, std::pair<std::string, std::function<void(NpzWriter&)>>> cases[] = {
      {"the array alphabet is missing", {"alphabet", nullptr}},
      {"alphabet is 'abc' instead of", {"alphabet", [](NpzWriter& to) { to.add("alphabet", std::string("abc")); }}},
      {"window", {"window", nullptr}},
      {"window is no whole number", {"window", numbers("window", {}, {8.5})}},
      {"bias_hh_l0 is missing", {"lstm.bias_hh_l0", nullptr}},
      {"is of another shape", {"dense.bias", numbers("dense.bias", {30}, std::vector<double>(30, 1))}},
      {"weight_ih_l0 has 1 dimensions",
       {"lstm.weight_ih_l0", numbers("lstm.weight_ih_l0", {8}, std::vector<double>(8))}},
      {"beyond single precision", {"dense.bias", numbers("dense.bias", {31}, std::vector<double>(31, 1e39))}},
      {"weight_ih_l0_reverse is of no layer", {"r", numbers("lstm.weight_ih_l0_reverse", {1}, {1})}},
      {"lstm.weight_ih_l1 is of no layer", {"r", numbers("lstm.weight_ih_l1", {1}, {1})}},
      {"known does not have two numbers", {"known", numbers("known", {3}, {1, 2, 3})}},
      {"32 bits", {"known", numbers("known", {1, 2}, {1, 4294967296.0})}},
      {"32 bits", {"known", numbers("known", {1, 2}, {-1, 1})}},
      {"dropout", {"dropout", numbers("dropout", {}, {1})}}};
  for (const auto& [says, change] : cases) {
    const std::vector<std::byte> file = file_with({change});
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { model_from_npz(file, "m.npz"); }), testing::HasSubstr(says));
  }
}

}  // namespace
}  // namespace krossfold::interchange
