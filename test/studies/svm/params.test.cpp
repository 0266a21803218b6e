// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/params.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace krossfold::studies {
namespace {

/// One change of every option.
const std::map<std::string, std::function<void(SvmParams&)>>& changes() {
  static const std::map<std::string, std::function<void(SvmParams&)>> all = {
      {"data", [](SvmParams& p) { p.task.train = "csv:other.csv"; }},
      {"test", [](SvmParams& p) { p.task.test = "csv:test.csv"; }},
      {"test-part", [](SvmParams& p) { p.task.test_part = "last"; }},
      {"limit", [](SvmParams& p) { p.task.limit = 100; }},
      {"grid", [](SvmParams& p) { p.grid_gamma = 23; }},
      {"log10-c", [](SvmParams& p) { p.log10_c.high = std::nextafter(6.0, 7.0); }},
      {"log10-gamma",
       [](SvmParams& p) {
         p.log10_gamma = run::Range{-6, -2};
       }},
      {"c-values",
       [](SvmParams& p) {
         p.c_values = {1, 10};
       }},
      {"gamma-values", [](SvmParams& p) { p.gamma_values = {0.1}; }},
      {"folds", [](SvmParams& p) { p.folds = 10; }},
      {"fold-kind", [](SvmParams& p) { p.fold_kind = "shuffled"; }},
      {"repeats", [](SvmParams& p) { p.repeats = 2; }},
      {"outer", [](SvmParams& p) { p.outer = 5; }},
      {"seed", [](SvmParams& p) { p.seed = ~std::uint64_t{0}; }},
      {"scale", [](SvmParams& p) { p.scale = "none"; }},
      {"label", [](SvmParams& p) { p.task.table.label = "kind"; }},
      {"delimiter", [](SvmParams& p) { p.task.table.delimiter = "tab"; }},
      {"header", [](SvmParams& p) { p.task.table.header = "no"; }},
      {"drop", [](SvmParams& p) { p.task.table.drop = {"id"}; }},
      {"group", [](SvmParams& p) { p.task.table.group = "who"; }},
      {"weight", [](SvmParams& p) { p.task.table.weight = "w"; }},
      {"class-weight", [](SvmParams& p) { p.class_weight = "balanced"; }},
      {"weighted-measures", [](SvmParams& p) { p.weighted_measures = true; }},
      {"missing", [](SvmParams& p) { p.task.table.missing = "mean"; }},
      {"decimal", [](SvmParams& p) { p.task.table.decimal = "comma"; }},
      {"skip-lines", [](SvmParams& p) { p.task.table.skip_lines = 2; }},
      {"categorical", [](SvmParams& p) { p.task.table.categorical = "onehot"; }},
      {"image", [](SvmParams& p) { p.task.table.image = "2x2"; }},
      {"multiclass", [](SvmParams& p) { p.multiclass = "ovo"; }},
      {"tolerance", [](SvmParams& p) { p.tolerance = 1e-5; }},
      {"gap", [](SvmParams& p) { p.gap = 0.01; }},
      {"factor", [](SvmParams& p) { p.factor = 64; }},
      {"kernel-function", [](SvmParams& p) { p.kernel_function = "linear"; }},
      {"degree", [](SvmParams& p) { p.degree = 2; }},
      {"coef0", [](SvmParams& p) { p.coef0 = 1; }},
      {"max-iterations", [](SvmParams& p) { p.max_iterations = 5; }},
      {"select-by", [](SvmParams& p) { p.select_by = "mcc"; }},
      {"refit", [](SvmParams& p) { p.refit = false; }},
      {"probability", [](SvmParams& p) { p.probability = true; }},
      {"partition", [](SvmParams& p) { p.partition = "voronoi:2000"; }},
      {"part-cell", [](SvmParams& p) { p.part_cell = "own"; }},
      {"refine", [](SvmParams& p) { p.refine = 2; }},
  };
  return all;
}

TEST(SvmParams, every_option_is_in_the_table_once) {
  std::set<std::string> names;
  for (const run::OptionValue& option : options_of({})) EXPECT_TRUE(names.insert(option.name).second) << option.name;
  std::set<std::string> tested;
  for (const auto& [name, change] : changes()) tested.insert(name);
  EXPECT_EQ(names, tested);
}

TEST(SvmParams, each_option_changes_its_own_line_of_the_fingerprint_and_no_other) {
  const std::vector<run::OptionValue> before = options_of({});
  for (const auto& [name, change] : changes()) {
    SvmParams params;
    change(params);
    const std::vector<run::OptionValue> now = options_of(params);
    // The digest of the values stands for the data, however its path is written.
    const bool is_path = name == std::string("data") || name == std::string("test");
    EXPECT_EQ(run::fingerprint_text(before) == run::fingerprint_text(now), is_path) << name;
    for (std::size_t k = 0; k < now.size(); ++k) {
      EXPECT_EQ(now[k].value != before[k].value, now[k].name == name) << now[k].name << " by " << name;
      EXPECT_EQ(now[k].is_default, now[k].name != name) << now[k].name << " by " << name;
    }
  }
}

TEST(SvmParams, both_numbers_of_the_grid_and_both_ends_of_a_range_count) {
  const auto print = [](const std::function<void(SvmParams&)>& change) {
    SvmParams params;
    change(params);
    return run::fingerprint_text(options_of(params));
  };
  std::set<std::string> all{print([](SvmParams&) {})};
  for (const auto& change : std::vector<std::function<void(SvmParams&)>>{
           [](SvmParams& p) { p.grid_c = 12; }, [](SvmParams& p) { p.grid_gamma = 12; },
           [](SvmParams& p) { p.log10_c.low = -2; }, [](SvmParams& p) { p.log10_c.high = 5; },
           [](SvmParams& p) {
             p.log10_gamma = run::Range{-6, -2};
           },
           [](SvmParams& p) {
             p.log10_gamma = run::Range{-5, -2};
           },
           [](SvmParams& p) {
             p.log10_gamma = run::Range{-6, -1};
           }}) {
    EXPECT_TRUE(all.insert(print(change)).second);
  }
}

TEST(SvmParams, json_names_every_option_with_its_value_and_whether_it_is_the_default) {
  SvmParams params;
  params.folds = 7;
  params.task.train = "csv:a \"b\".csv";
  const std::string json = run::to_json(options_of(params));
  EXPECT_NE(json.find(R"("folds":{"value":"7","default":false})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("seed":{"value":"0","default":true})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("value":"csv:a \"b\".csv")"), std::string::npos) << json;
}

}  // namespace
}  // namespace krossfold::studies
