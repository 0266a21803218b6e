// SPDX-License-Identifier: BSD-3-Clause
// Readers of text: tables, libsvm, names, options, lock files and SPECs.
#include <map>
#include <string>
#include <vector>

#include "fuzz/learnt.hpp"
#include "fuzz/samples.hpp"
#include "fuzz/target.hpp"
#include "krossfold/input/names.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/storage/output_lock.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"
#include "krossfold/tables/table_columns.hpp"
#include "krossfold/tables/table_description.hpp"
#include "src/cli/config_file.hpp"

namespace krossfold::fuzz {

namespace {

std::string letters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void read_csv(std::span<const std::byte> input) {
  Choices choice(input);
  const char* const missing[] = {"refuse", "mean", "median", "drop"};
  const char* const delimiter[] = {"", "comma", "semicolon", "tab", "blank", "pipe"};
  const char* const header[] = {"find", "yes", "no", "2", "3"};
  tables::TableParams params;
  params.missing = missing[choice.next(4)];
  params.delimiter = delimiter[choice.next(6)];
  params.header = header[choice.next(5)];
  const char* const decimal[] = {"", "point", "comma"};
  const unsigned numbers = choice.next(12);
  params.categorical = numbers % 2 == 0 ? "onehot" : "refuse";
  params.decimal = decimal[numbers / 2 % 3];
  params.skip_lines = static_cast<int>(numbers / 6);
  if (choice.next(4) == 1) params.group = "1";
  if (choice.next(4) == 1) params.weight = "2";
  const tables::Table table = tables::parse_table(choice.rest(), "input.csv", params);
  must(table.size() > 0, "a table has samples");
  must(static_cast<int>(table.label.code.size()) == table.size(), "every sample has a label");
  for (const int code : table.label.code)
    must(code >= 0 && code < static_cast<int>(table.label.word.size()), "a label is one of the words");
  const tables::TableEncoding encoding = tables::fit_encoding(table, {}, params);
  must(!tables::lines(tables::describe(table, encoding, true)).empty(), "a table is described");
  check_samples(tables::encode(table, encoding, params));
}

/// A table that is given to a model, or one that was converted before.
void read_known(std::span<const std::byte> input) {
  Choices choice(input);
  const data::TableEncoding& encoding = learnt(choice.next(learnt_kinds));
  const unsigned options = choice.next(64);
  tables::TableParams params;
  params.labelled = options % 2 == 1;
  if (options / 2 % 2 == 1) params.label = encoding.named ? "kind" : "3";
  if (options / 4 % 2 == 1) params.weight = "2";
  if (options / 8 % 2 == 1) params.image = options % 2 == 1 ? "auto" : "2x2";
  params.missing = options / 8 % 2 == 1 ? "refuse" : "mean";
  params.categorical = "onehot";
  const bool converted = options / 16 % 2 == 1;
  tables::TableParams whole = params;  // what a conversion keeps
  whole.missing = "mean";
  if (converted && options / 2 % 2 == 1) {  // and learnt from
    must(tables::finish_table(tables::parse_table(choice.rest(), "input.csv", whole), params).size() > 0,
         "a table has samples");
    return;
  }
  const tables::Table table =
      converted ? tables::finish_table(tables::parse_table(choice.rest(), "input.csv", whole), params, &encoding)
                : tables::parse_table(choice.rest(), "input.csv", params, &encoding);
  must(!tables::lines(tables::describe(table, encoding)).empty(), "a table is described");
  std::vector<std::string> warning;
  const std::vector<std::string> known =
      options / 32 == 1 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>();
  const data::Dataset samples = tables::encode(table, encoding, params, known, &warning);
  must(samples.features() == encoding.features(), "samples have the features that the model learnt");
  check_samples(samples);
}

void read_libsvm(std::span<const std::byte> input) {
  Choices choice(input);
  tables::ReadParams params;
  const unsigned options = choice.next(8);
  params.labelled = options % 2 == 0;
  if (options & 2U) params.known_classes = {"1", "-1.0"};
  if (options & 4U) params.features = 4;
  params.sparse = choice.next(2) == 0;
  params.first_index = static_cast<int>(choice.next(3)) - 1;
  std::vector<std::string> warning;
  const data::Dataset samples = tables::parse_libsvm(choice.rest(), "input.libsvm", params, &warning);
  check_samples(samples);
  must(params.features == 0 || samples.features() == params.features, "samples have the features of the model");
}

void read_names(std::span<const std::byte> input) {
  Choices choice(input);
  const input::NameSet names =
      input::parse_names(choice.rest(), "input", choice.next(2) == 0 ? std::string() : std::string("name"));
  for (const std::string& name : names.name) {
    must(!name.empty(), "no name is empty");
    must(name.find_first_not_of(input::name_alphabet.substr(0, input::name_symbols - 1)) == std::string::npos,
         "a folded name is of the alphabet");
  }
  const input::NameTask task = input::split_names(names);
  must(task.train.size() + task.held_out.size() == names.size(), "every name trains or is held out");
  const input::NameWindows windows = input::name_windows(names.name, 6);
  must(windows.size() == names.size() && windows.next.size() == windows.symbol.size(), "every name has a window");
}

void read_toml(std::span<const std::byte> input) {
  const InputFile file(input, "input.toml");
  const cli::ConfigFile config = cli::read_config(file.path(), "svm");
  const std::map<std::string, std::string> given(config.options.begin(), config.options.end());
  for (const auto& [name, value] : config.options) {
    must(!name.empty(), "an option has a name");
    cli::is_replaced(name, value, given);
  }
}

void read_lock(std::span<const std::byte> input) {
  const auto owner = storage::owner_from_text(letters(input));
  if (!owner) return;
  const auto again = storage::owner_from_text(storage::to_text(*owner));
  must(again.has_value(), "what was understood of a lock file is understood again");
  storage::describe(*owner);
}

/// What --data names; what begins with a digit is read as a shape of images.
void read_spec(std::span<const std::byte> input) {
  const std::string spec = letters(input);
  if (spec.empty() || spec[0] < '0' || spec[0] > '9') return input::check_spec(spec);
  tables::TableParams params;
  params.image = spec;
  tables::check_table_params(params);
}

constexpr Target targets[] = {{"csv", read_csv},     {"known", read_known}, {"libsvm", read_libsvm},
                              {"names", read_names}, {"toml", read_toml},   {"lock", read_lock},
                              {"spec", read_spec}};

}  // namespace

std::span<const Target> text_targets() { return targets; }

}  // namespace krossfold::fuzz
