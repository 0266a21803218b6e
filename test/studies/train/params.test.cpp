// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/params.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "krossfold/studies/train/network_kinds.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::studies {
namespace {

/// One change of every option.
const std::map<std::string, std::function<void(TrainParams&)>>& changes() {
  static const std::map<std::string, std::function<void(TrainParams&)>> all = {
      {"data", [](TrainParams& p) { p.data = "csv:other.csv"; }},
      {"test", [](TrainParams& p) { p.test = "csv:test.csv"; }},
      {"test-part", [](TrainParams& p) { p.test_part = "last"; }},
      {"limit", [](TrainParams& p) { p.limit = 100; }},
      {"label", [](TrainParams& p) { p.table.label = "kind"; }},
      {"delimiter", [](TrainParams& p) { p.table.delimiter = "tab"; }},
      {"header", [](TrainParams& p) { p.table.header = "no"; }},
      {"drop", [](TrainParams& p) { p.table.drop = {"id"}; }},
      {"group", [](TrainParams& p) { p.table.group = "who"; }},
      {"weight", [](TrainParams& p) { p.table.weight = "w"; }},
      {"missing", [](TrainParams& p) { p.table.missing = "mean"; }},
      {"decimal", [](TrainParams& p) { p.table.decimal = "comma"; }},
      {"skip-lines", [](TrainParams& p) { p.table.skip_lines = 2; }},
      {"categorical", [](TrainParams& p) { p.table.categorical = "onehot"; }},
      {"image", [](TrainParams& p) { p.table.image = "2x2"; }},
      {"strategy", [](TrainParams& p) { p.strategy = "ddp"; }},
      {"workers", [](TrainParams& p) { p.workers = 2; }},
      {"batch", [](TrainParams& p) { p.batch = 7; }},
      {"rate", [](TrainParams& p) { p.rate = 0.5; }},
      {"momentum", [](TrainParams& p) { p.momentum = 0.5; }},
      {"class-weight", [](TrainParams& p) { p.class_weight = "balanced"; }},
      {"validation", [](TrainParams& p) { p.validation = "0.2"; }},
      {"epochs", [](TrainParams& p) { p.epochs = 7; }},
      {"stop-ratio", [](TrainParams& p) { p.stop_ratio = 0.9; }},
      {"layers", [](TrainParams& p) { p.layers = 1; }},
      {"window", [](TrainParams& p) { p.window = 9; }},
      {"channels", [](TrainParams& p) { p.channels = 5; }},
      {"kernel", [](TrainParams& p) { p.kernel = 5; }},
      {"hidden", [](TrainParams& p) { p.hidden = {7}; }},
      {"activation", [](TrainParams& p) { p.activation = "tanh"; }},
      {"dropout", [](TrainParams& p) { p.dropout = 0.5; }},
      {"precision", [](TrainParams& p) { p.precision = "tf32"; }},
      {"scale", [](TrainParams& p) { p.scale = "none"; }},
      {"seed", [](TrainParams& p) { p.seed = 1; }},
  };
  return all;
}

TrainParams params_of(const std::string& network) {
  TrainParams params;
  params.network = network;
  return params;
}

TEST(TrainParams, each_option_of_a_network_is_recorded_and_each_other_one_refused) {
  for (const NetworkKind& kind : network_kinds()) {
    const std::vector<run::OptionValue> before = options_of(params_of(kind.name));
    EXPECT_EQ(before.size(), kind.options.size());
    for (const auto& [name, change] : changes()) {
      SCOPED_TRACE(kind.name + " --" + name);
      TrainParams params = params_of(kind.name);
      change(params);
      if (!kind.takes(name)) {
        const std::string refusal = test::message_of(ExitCode::usage, [&] { check_taken(params); });
        EXPECT_NE(refusal.find(name + " has no meaning for " + kind.name), std::string::npos);
        continue;
      }
      check_taken(params);
      const std::vector<run::OptionValue> now = options_of(params);
      for (std::size_t k = 0; k < now.size(); ++k) {
        EXPECT_EQ(now[k].value != before[k].value, now[k].name == name) << now[k].name;
        EXPECT_EQ(now[k].is_default, now[k].name != name) << now[k].name;
      }
    }
  }
}

TEST(TrainParams, an_option_at_its_default_is_refused_if_it_was_given) {
  check_taken(params_of("mlp"), {"hidden", "seed"});
  const std::string refusal = test::message_of(ExitCode::usage, [] { check_taken(params_of("mlp"), {"kernel"}); });
  EXPECT_NE(refusal.find("kernel has no meaning for mlp"), std::string::npos) << refusal;
}

TEST(TrainParams, defaults_are_those_of_the_network_and_leave_what_was_set) {
  TrainParams params = params_of("mlp");
  params.rate = 0.5;
  const TrainParams full = with_defaults(params);
  EXPECT_EQ(full.data, "digits");
  EXPECT_EQ(full.rate, 0.5);
  EXPECT_EQ(full.dropout, 0.0);
  EXPECT_EQ(full.validation, "0.1");
  EXPECT_EQ(full.hidden, (std::vector<int>{512, 256}));
  EXPECT_EQ(with_defaults(params_of("lstm")).rate, 1e-3);
  EXPECT_EQ(with_defaults(params_of("lstm")).validation, "none");
}

TEST(TrainParams, help_says_which_networks_take_an_option_and_what_they_take_by_default) {
  TrainParams params;
  std::map<std::string, run::Option> options;
  const run::OptionTable table = train_options(params);
  for (const run::Option& option : table.options()) options[option.name] = option;
  EXPECT_EQ(options.size(), changes().size() + 1);  // and the network
  EXPECT_EQ(options["kernel"].only_of, std::vector<std::string>{"cnn"});
  EXPECT_EQ(options["stop-ratio"].only_of, (std::vector<std::string>{"cnn", "mlp"}));
  EXPECT_EQ(options["drop"].only_of, (std::vector<std::string>{"cnn", "mlp"}));
  EXPECT_EQ(options["batch"].only_of, std::vector<std::string>{});
  EXPECT_TRUE(options["rate"].default_text.starts_with("0.001 (lstm) or 0.01 (cnn, mlp"));
  options["hidden"].set("12,34", "--hidden");
  EXPECT_EQ(params.hidden, (std::vector<int>{12, 34}));
}

}  // namespace
}  // namespace krossfold::studies
