// SPDX-License-Identifier: BSD-3-Clause
// Options of option_table.hpp that several studies share.
#include <limits>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/input/spec_form.hpp"
#include "krossfold/run/option_groups.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::run {

namespace {

/// Adds an option under a heading of its own, whatever group the table is in.
template <class... Arguments>
Option& add_under(const char* heading, OptionTable& table, Arguments&&... arguments) {
  Option& option = table.add(std::forward<Arguments>(arguments)...);
  option.group = heading;
  return option;
}

}  // namespace

void add_data_options(OptionTable& table, input::TaskParams& task) {
  add_under(group::data, table, "data", task.train, "SPEC",
            text("training data: ", input::listed_spec_forms(), "; krossfold data list says what each is"));
  add_test_options(table, task);
  add_column_options(table, task.table);
}

void add_test_options(OptionTable& table, input::TaskParams& task) {
  add_under(group::data, table, "test", task.test, "SPEC", "test data").default_text =
      "the test part of the data set if it has one, else what --test-part holds out";
  add_test_part(table, task.test_part);
  add_under(group::data, table, "limit", task.limit, "N",
            "keep only N training samples, chosen as --test-part says; the whole file is read nevertheless", 1);
}

void add_column_options(OptionTable& table, tables::TableParams& params) {
  add_table_options(table, params);
  add_under(group::tables, table, "drop", params.drop, "COLUMNS",
            "columns to leave out, separated by commas; put a name that has a comma in double quotes");
  add_under(group::tables, table, "group", params.group, "COLUMN",
            "keep samples with the same value in the same fold and part");
  add_under(group::tables, table, "weight", params.weight, "COLUMN",
            "weight of each sample in training, 0 or more: it multiplies the bound C of an SVM, the loss of a "
            "network");
  add_under(group::tables, table, "missing", params.missing, "RULE",
            "what becomes of missing values; all but refuse leave out samples without a label")
      .choices = {{"refuse", "an error"},
                  {"mean", "replaced by the mean of the training part"},
                  {"median", "replaced by its median"},
                  {"drop", "the sample is left out"}};
  add_under(group::tables, table, "categorical", params.categorical, "RULE", "what becomes of columns of text")
      .choices = {{"refuse", "an error"}, {"onehot", "one feature for each word"}};
  Option& image = add_under(group::data, table, "image", params.image, "WxH[xC]",
                            "the samples are images of this width, height and number of channels");
  image.choices = {{"auto", "they are if they look like it"}};
}

void add_table_options(OptionTable& table, tables::TableParams& params) {
  add_under(group::tables, table, "label", params.label, "COLUMN",
            "column of the labels: its name, or its number, from 1 on, or from -1 backwards")
      .default_text = "the last";
  Option& delimiter =
      add_under(group::tables, table, "delimiter", params.delimiter, "WORD", "what separates the columns");
  delimiter.default_text = "found in the file";
  delimiter.choices = {{"comma"}, {"semicolon"}, {"tab"}, {"pipe"}, {"blank"}};
  Option& decimal = add_under(group::tables, table, "decimal", params.decimal, "MARK", "what stands before decimals");
  decimal.default_text = "found in the file";
  decimal.choices = {{"point"}, {"comma"}};
  add_under(group::tables, table, "skip-lines", params.skip_lines, "N",
            "lines at the start of the file that are no part of the table", 0);
  add_under(group::tables, table, "header", params.header, "WORD", "where the names of the columns are").choices = {
      {"find", "if the first line looks like names"},
      {"yes", "in the first line"},
      {"no", "there are none"},
      {"2", "in the first 2 lines, which are joined; up to 5"}};
}

Option& add_class_weight(OptionTable& table, std::string& word) {
  Option& option = add_under(group::objective, table, "class-weight", word, "WEIGHTS",
                             "weights of the classes in training, as NAME:WEIGHT with commas between classes");
  option.choices = {{"none", "every sample counts the same"}, {"balanced", "every class counts the same"}};
  return option;
}

Option& add_test_part(OptionTable& table, std::string& part) {
  Option& option = add_under(group::data, table, "test-part", part, "PART",
                             "what is held out to test if the data have no test part, and which samples --limit keeps. "
                             "A share such as 0.3 is random with this size");
  option.choices = {{"random", "a fifth of each class; random samples, by the seed"},
                    {"last", "the last fifth; the first samples"},
                    {"none", "nothing; random samples"}};
  return option;
}

void add_fold_options(OptionTable& table, int& folds, std::string& fold_kind, std::uint64_t& seed, std::string& scale,
                      const std::vector<Choice>& more_kinds) {
  add_under(group::folds, table, "folds", folds, "K", "number of folds", 2);
  std::vector<Choice>& kinds =
      add_under(group::folds, table, "fold-kind", fold_kind, "KIND", "how samples are dealt to the folds").choices;
  kinds = {{"contiguous", "blocks in the order of the data"},
           {"stratified", "each class in equal shares, in the order of the data"},
           {"shuffled", "at random"},
           {"stratified-shuffled", "each class in equal shares, at random"},
           {"group", "whole groups, which is the default with --group"}};
  kinds.insert(kinds.end(), more_kinds.begin(), more_kinds.end());
  add_under(group::folds, table, "seed", seed, "S", "seed of all random streams").default_text = text(seed);
  add_scale(table, scale);
}

Choice leave_one_out() { return {"leave-one-out", "each sample is a fold"}; }

Option& add_scale(OptionTable& table, std::string& scale) {
  Option& option = add_under(group::data, table, "scale", scale, "SCALE",
                             "how features are scaled; OFFSET:DIVISOR subtracts one number from all and divides by "
                             "another");
  option.default_text = "pixels by their range, else standard";
  option.choices = {{"standard", "mean 0 and variance 1 for each feature"}, {"none", "not at all"}};
  return option;
}

Option& add_stop_ratio(OptionTable& table, double& ratio) {
  return table.add(
      "stop-ratio", "R", "stop when the loss exceeds R times the loss of the previous epoch; inf disables this",
      [&ratio](const std::string& value, const std::string& shown) {
        ratio = value == "inf" ? std::numeric_limits<double>::infinity() : parse_number(value, shown);
      },
      [&ratio] { return shortest(ratio); });
}

}  // namespace krossfold::run
