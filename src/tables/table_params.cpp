// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table_params.hpp"

#include <algorithm>
#include <charconv>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

void check_word(const std::string& parameter, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  std::string takes;
  for (const std::string& one : known) takes += (takes.empty() ? "" : &one == &known.back() ? " or " : ", ") + one;
  throw_unknown_word(parameter, word, known, takes);
}

int next_whole(std::string_view& rest) {
  int number = 0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (fault != std::errc{} || number < 1 || number > 65536) return 0;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

}  // namespace

char delimiter_of(const std::string& word) {
  if (word.empty()) return 0;
  check_word("delimiter", word, {"comma", "semicolon", "tab", "pipe", "blank"});
  return word == "comma" ? ',' : word == "semicolon" ? ';' : word == "tab" ? '\t' : word == "pipe" ? '|' : ' ';
}

char decimal_of(const std::string& word) {
  if (word.empty()) return 0;
  check_word("decimal", word, {"point", "comma"});
  return word == "point" ? '.' : ',';
}

int header_lines_of(const std::string& word) {
  return word.size() == 1 && word[0] >= '2' && word[0] <= '9' ? word[0] - '0' : 1;
}

data::ImageShape parse_image_shape(const std::string& word) {
  if (word.empty() || word == "auto") return {};
  data::ImageShape shape;
  std::string_view rest = word;
  const auto skip_x = [&] {
    if (!rest.starts_with('x')) return false;
    rest.remove_prefix(1);
    return true;
  };
  shape.width = next_whole(rest);
  shape.height = skip_x() ? next_whole(rest) : 0;
  if (skip_x()) shape.channels = next_whole(rest);
  if (shape.width == 0 || shape.height == 0 || shape.channels == 0 || !rest.empty()) {
    throw_input_error(text("bad image shape ", quoted(word)), "it is WIDTHxHEIGHT, WIDTHxHEIGHTxCHANNELS or auto",
                      "write 28x28, for example");
  }
  return shape;
}

void check_table_params(const TableParams& params) {
  delimiter_of(params.delimiter);
  decimal_of(params.decimal);
  if (params.skip_lines < 0) {
    throw_input_error(text("skip-lines is ", params.skip_lines), "it is a number of lines", "give 0 or more");
  }
  check_word("header", params.header, {"find", "yes", "no", "2", "3", "4", "5"});
  check_word("missing", params.missing, {"refuse", "mean", "median", "drop"});
  check_word("categorical", params.categorical, {"refuse", "onehot"});
  parse_image_shape(params.image);
}

std::vector<std::string> given_columns(const TableParams& params) {
  const TableParams none;
  std::vector<std::string> given;
  const auto add = [&](const char* name, bool is_given) {
    if (is_given) given.emplace_back(name);
  };
  add("label", params.label != none.label);
  add("group", params.group != none.group);
  add("weight", params.weight != none.weight);
  add("drop", params.drop != none.drop);
  add("delimiter", params.delimiter != none.delimiter);
  add("decimal", params.decimal != none.decimal);
  add("skip-lines", params.skip_lines != none.skip_lines);
  add("header", params.header != none.header);
  return given;
}

}  // namespace krossfold::tables
