// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the command line includes it.

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/task_params.hpp"
#include "krossfold/run/options.hpp"

namespace krossfold::run {

/// A word that an option takes, and what it means; "" if the word says it.
struct Choice {
  std::string word, meaning{};
};

/// One option of a command: everything that the command line, the help, the result file and the documentation know about it.
struct Option {
  std::string name;          ///< "folds"
  std::string metavar;       ///< "K"; "" for a flag. SPEC, MODEL, INPUT, FILE and FILE.h5 are completed as such
  std::string help;          ///< of a flag that is set by default: what --no-NAME does
  std::string default_text;  ///< "" if there is nothing to show
  bool is_flag = false, is_positional = false;
  /// Sets the parameter from text. Throws an input error that calls the option `shown`, the name that the user knows it by.
  std::function<void(const std::string& value, const std::string& shown)> set;
  std::function<std::string()> get;    ///< the value as text
  std::vector<Choice> choices{};       ///< the words that it takes, possibly beside other values
  std::string group{};                 ///< the heading of the help that it stands under
  std::string letter{};                ///< "o" if it is also -o
  bool may_be_empty = false;           ///< an empty value means something
  bool repeats = false;                ///< a positional for all remaining words, each of which is set
  std::vector<std::string> only_of{};  ///< the words of the command's first argument that it has a meaning for; {}: all

  /// True for a flag that is set unless --no-NAME is given.
  bool is_set_flag() const { return is_flag && get && get() == "true"; }
};

/// The whole number that `digits` spell, if a T can hold it and nothing follows it.
template <class T>
std::optional<T> whole_number(const std::string& digits) {
  T number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// Parses a whole number from min to max. Throws an input error that names the option otherwise.
template <class T>
T parse_whole(const std::string& value, const std::string& shown, T min, T max = std::numeric_limits<T>::max()) {
  const auto number = whole_number<T>(value);
  if (number && *number >= min && *number <= max) return *number;
  throw_input_error(text("bad value '", value, "' for ", shown),
                    text("expected a whole number from ", min, " to ", max));
}
/// The items between commas. An item in double quotes may hold commas, and "" for a quote, as in a table.
std::vector<std::string> split_list(const std::string& list);
/// The ends of LO:HI; a number alone is both. Throws an input error that names the option if there is nothing.
std::pair<std::string, std::string> split_range(const std::string& value, const std::string& shown);

/// The options of a command, bound to the parameters that they set.
class OptionTable {
public:
  /// Adds an option whose type is an integer, double, bool (a flag), std::string, Range, WholeRange, a vector of numbers, or a
  /// std::optional of one of these. Whole numbers are at least `min`. The present value is the default that the help shows.
  template <class T>
  Option& add(std::string name, T& value, std::string metavar, std::string help, std::int64_t min = 0) {
    Option option{std::move(name), std::move(metavar), std::move(help), "", std::is_same_v<T, bool>, false, {}, {}};
    option.set = [&value, min](const std::string& text, const std::string& shown) { parse(value, text, shown, min); };
    option.get = [&value] { return value_of(value); };
    const std::string standard = option.get();
    if (!option.is_flag && standard != "auto" && standard != "0") option.default_text = standard;
    return push(std::move(option));
  }
  /// Adds an option with conversions of its own.
  Option& add(std::string name, std::string metavar, std::string help,
              std::function<void(const std::string&, const std::string&)> set,
              const std::function<std::string()>& get) {
    return push({std::move(name), std::move(metavar), std::move(help), get(), false, false, std::move(set), get});
  }
  /// Adds a positional argument, which the help calls `metavar`.
  Option& add_argument(std::string& value, const std::string& metavar, std::string help) {
    Option& option = add(metavar, value, metavar, std::move(help));
    option.is_positional = true;
    return option;
  }
  /// Adds a positional argument that takes all remaining words.
  Option& add_arguments(std::vector<std::string>& values, const std::string& metavar, std::string help) {
    Option& option = add(
        metavar, metavar, std::move(help),
        [&values](const std::string& word, const std::string&) { values.push_back(word); },
        [] { return std::string(); });
    option.is_positional = option.repeats = true;
    return option;
  }
  /// The heading of the help (option_groups.hpp) for the options that are added after it.
  void begin_group(std::string heading) { group_ = std::move(heading); }
  const std::vector<Option>& options() const { return options_; }
  std::vector<Option>& options() { return options_; }

private:
  Option& push(Option option) {
    option.group = group_;
    return options_.emplace_back(std::move(option));
  }

  template <std::integral T>
  static void parse(T& value, const std::string& text, const std::string& shown, std::int64_t min) {
    value = parse_whole(text, shown, static_cast<T>(min));
  }
  static void parse(double& value, const std::string& text, const std::string& shown, std::int64_t) {
    value = parse_number(text, shown);
  }
  static void parse(bool& value, const std::string& text, const std::string&, std::int64_t) { value = text != "false"; }
  static void parse(std::string& value, const std::string& text, const std::string&, std::int64_t) { value = text; }
  template <class T>
  static void parse(RangeOf<T>& value, const std::string& text, const std::string& shown, std::int64_t min) {
    const auto [low, high] = split_range(text, shown);
    parse(value.low, low, shown, min);
    parse(value.high, high, shown, min);
  }
  template <class T>
  static void parse(std::optional<T>& value, const std::string& text, const std::string& shown, std::int64_t min) {
    T parsed{};
    parse(parsed, text, shown, min);
    value = std::move(parsed);
  }
  template <class T>
  static void parse(std::vector<T>& value, const std::string& text, const std::string& shown, std::int64_t min) {
    std::vector<T> list;
    for (const std::string& item : split_list(text)) parse(list.emplace_back(), item, shown, min);
    value = std::move(list);
  }

  std::vector<Option> options_;
  std::string group_;
};

/// The value of every option of a table; `defaults` is the same table bound to default parameters.
std::vector<OptionValue> values_of(const OptionTable& table, const OptionTable& defaults);

/// The value of every option for these parameters, where `make` builds the table.
template <class Params>
std::vector<OptionValue> values_of(const Params& params, OptionTable (*make)(Params&), Params defaults = {}) {
  Params used = params;
  return values_of(make(used), make(defaults));
}

/// Options that several studies share.
void add_data_options(OptionTable& table, input::TaskParams& task);
/// Those of them that choose the test part and the limit.
void add_test_options(OptionTable& table, input::TaskParams& task);
/// Factors of the samples' weights by class (data/class_weight.hpp).
Option& add_class_weight(OptionTable& table, std::string& word);
/// How a table is laid out; and, with add_column_options(), what becomes of its columns.
void add_table_options(OptionTable& table, tables::TableParams& params);
void add_column_options(OptionTable& table, tables::TableParams& params);
Option& add_test_part(OptionTable& table, std::string& part);
/// more_kinds: the words of --fold-kind that the study takes besides those that every one takes.
void add_fold_options(OptionTable& table, int& folds, std::string& fold_kind, std::uint64_t& seed, std::string& scale,
                      const std::vector<Choice>& more_kinds = {});
/// The kind whose folds are single samples, for `more_kinds`.
Choice leave_one_out();
Option& add_scale(OptionTable& table, std::string& scale);
Option& add_stop_ratio(OptionTable& table, double& ratio);

}  // namespace krossfold::run
