// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/network_kinds.hpp"

#include <gtest/gtest.h>

#include <set>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

TEST(NetworkKinds, have_names_of_their_own_and_take_only_options_that_exist) {
  TrainParams params;
  const run::OptionTable table = train_options(params);
  std::set<std::string> options, names;
  for (const run::Option& option : table.options()) options.insert(option.name);
  for (const NetworkKind& kind : network_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(&network_kind(kind.name), &kind);
    for (const std::string& option : kind.options) EXPECT_TRUE(options.contains(option)) << kind.name << " " << option;
  }
}

TEST(NetworkKinds, unknown_names_are_refused_with_a_list_of_the_known_ones) {
  const std::string misspelt = test::message_of(ExitCode::usage, [] { network_kind("lsmt"); });
  EXPECT_TRUE(misspelt.starts_with("unknown network 'lsmt' (it trains lstm, cnn")) << misspelt;
  EXPECT_TRUE(misspelt.ends_with(") Did you mean lstm?")) << misspelt;
  const std::string none = test::message_of(ExitCode::usage, [] { network_kind(""); });
  EXPECT_NE(none.find("krossfold train needs a network (it trains lstm, cnn"), std::string::npos) << none;
}

TEST(NetworkKinds, lay_out_what_their_parameters_say) {
  const training::TrainTask names = test::names_task(), digits = test::digits_task();
  TrainParams lstm = test::train_params("lstm"), cnn = test::train_params("cnn"), mlp = test::train_params("mlp");
  lstm.layers = 2;
  lstm.hidden = {9};
  lstm.window = 5;
  EXPECT_EQ(lay_out_train(lstm, names, 1).setup.lstm(), (nn::LstmArchitecture{input::name_symbols, 5, 2, 9, 0.1}));
  cnn.channels = 4;
  cnn.hidden = {7};
  const nn::Architecture conv = lay_out_train(cnn, digits, 1).setup.network();
  EXPECT_EQ(conv.image, (data::ImageShape{8, 8, 1}));
  EXPECT_EQ(conv.channels, 4);
  EXPECT_EQ(conv.kernel, 3);
  EXPECT_EQ(conv.dense_units(), (std::vector<int>{7, 10}));
  mlp.activation = "tanh";
  mlp.dropout = 0.5;
  const nn::Architecture dense = lay_out_train(mlp, digits, 1).setup.network();
  EXPECT_EQ(dense.channels, 0);
  EXPECT_EQ(dense.dense_units(), (std::vector<int>{512, 256, 10}));
  EXPECT_EQ(dense.activation, kernels::Activation::tanh);
  EXPECT_EQ(dense.dropout, 0.5);
}

TEST(NetworkKinds, epochs_by_default_make_a_thousand_steps_of_few_names) {
  const NetworkKind& lstm = network_kind("lstm");
  EXPECT_EQ(lstm.epochs(608, 64), 100);  // of 10 steps each
  EXPECT_EQ(lstm.epochs(100000, 64), 15);
  EXPECT_EQ(network_kind("cnn").epochs(608, 64), 20);
}

}  // namespace
}  // namespace krossfold::studies
