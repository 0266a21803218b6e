// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/names.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/test_part.hpp"
#include "krossfold/data/text_lines.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/tables/table_fields.hpp"

namespace krossfold::input {

// Defined in a source file that CMake generates from data/pet_names.txt.
extern const unsigned char pet_names_txt[];
extern const std::size_t pet_names_txt_size;

namespace {

constexpr const char* name_forms = "Use names, names:FILE or names:FILE#COLUMN.";

/// Adds an entry after folding, unless that leaves nothing of it.
void add(NameSet& set, std::string_view entry) {
  std::string name = fold_name(entry, set.count);
  if (name.empty()) {
    ++set.left_out;
  } else {
    set.name.push_back(std::move(name));
  }
}

std::vector<std::string> fields_of(const data::TextLines& lines, const std::string& source) {
  return tables::fields_of(lines.line(), ',', source, lines.number());
}

std::string list_of(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

/// Refuses UTF-16, whose every other byte is mostly zero.
void check_letters(std::span<const std::byte> bytes, const std::string& source) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) {
    throw_input_error(text(source, " is text in UTF-16"), "names are read in UTF-8", "save it as UTF-8");
  }
  const auto zero = content.find('\0');
  require(zero == std::string_view::npos, text(source, " is no list of names"), text("byte ", zero, " is zero"),
          "save it as text in UTF-8");
}

void add_column(NameSet& set, data::TextLines& lines, const std::string& column) {
  if (!lines.next()) return;
  const std::vector<std::string> header = fields_of(lines, set.source);
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) {
    throw_input_error(text(set.source, " has no column '", column, "'"), text("its columns are: ", list_of(header)),
                      "Give one of these after the #.");
  }
  const auto at = static_cast<std::size_t>(found - header.begin());
  while (lines.next()) {
    const std::vector<std::string> fields = fields_of(lines, set.source);
    if (fields.size() != header.size()) {
      throw_input_error(text(set.source, ", line ", lines.number(), " has ", fields.size(),
                             fields.size() == 1 ? " field" : " fields"),
                        text("the header has ", header.size()));
    }
    add(set, fields[at]);
  }
}

Digest digest_of(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += name + '\n';
  return crc64(std::as_bytes(std::span(all)));
}

}  // namespace

NameSet parse_names(std::span<const std::byte> bytes, const std::string& source, const std::string& column) {
  NameSet set;
  set.source = source;
  check_letters(bytes, source);
  data::TextLines lines(bytes);
  if (column.empty()) {
    while (lines.next()) add(set, lines.line());
  } else {
    add_column(set, lines, column);
  }
  if (set.size() < 2) {
    const std::string why = set.left_out != 0
                                ? text(set.left_out, set.left_out == 1 ? " entry is" : " entries are",
                                       " without a letter of the alphabet a to z, to which names are folded")
                            : set.size() == 0 ? "it has no entries"
                                              : "some of them are held out";
    throw_input_error(text(source, " holds ", set.size(), set.size() == 1 ? " name" : " names"), why,
                      "give a longer list");
  }
  set.digest = digest_of(set.name);
  return set;
}

namespace {

NameSet load(const std::string& spec) {
  if (spec == "names") {
    return parse_names(std::as_bytes(std::span(pet_names_txt, pet_names_txt_size)), "names", "");
  }
  if (!spec.starts_with("names:")) throw_input_error(text("unknown names '", spec, "'"), "", name_forms);
  const std::string rest = spec.substr(6);
  const auto hash = rest.find('#');
  const std::string file = rest.substr(0, hash), column = hash == std::string::npos ? "" : rest.substr(hash + 1);
  if (file.empty() || (hash != std::string::npos && column.empty())) {
    throw_input_error(text("'", spec, "' names no ", file.empty() ? "file" : "column"), "", name_forms);
  }
  const std::vector<std::byte> bytes = data::read_file(file);
  if (column.empty() && (file.ends_with(".csv") || file.ends_with(".csv.gz"))) {
    data::TextLines lines(bytes);
    const auto header = lines.next() ? fields_of(lines, file) : std::vector<std::string>();
    if (header.size() > 1) {
      throw_input_error(text("no column of ", file, " is named"), text("its columns are: ", list_of(header)),
                        text("Write names:", file, "#COLUMN."));
    }
  }
  return parse_names(bytes, file, column);
}

}  // namespace

NameSet load_names(const std::string& spec) {
  return naming_memory(text("cannot read ", spec), [&] { return load(spec); });
}

NameTask split_names(const NameSet& all, int limit) {
  const auto train = static_cast<std::ptrdiff_t>(std::lround(0.8 * all.size()));
  data::check_limit(limit, train, text(all.source, " has ", train, " names"));
  NameTask task;
  const auto part = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    NameSet set;
    set.source = all.source;
    set.name.assign(all.name.begin() + first, all.name.begin() + last);
    set.digest = digest_of(set.name);
    return set;
  };
  task.train = part(0, limit > 0 ? limit : train);
  task.held_out = part(train, all.size());
  return task;
}

NameWindows name_windows(const std::vector<std::string>& names, int steps) {
  NameWindows windows;
  windows.steps = steps;
  const auto length = static_cast<std::size_t>(steps);
  windows.symbol.reserve(names.size() * length);
  windows.next.reserve(names.size() * length);
  for (const std::string& name : names) {
    std::vector<int> line;
    if (name.size() < length) line.push_back(blank_symbol);
    for (const char letter : name.substr(name.size() < length ? 0 : name.size() - length)) {
      line.push_back(static_cast<int>(name_alphabet.find(letter)));
    }
    line.push_back(stop_symbol);
    line.resize(length + 1, blank_symbol);
    windows.symbol.insert(windows.symbol.end(), line.begin(), line.end() - 1);
    windows.next.insert(windows.next.end(), line.begin() + 1, line.end());
  }
  return windows;
}

}  // namespace krossfold::input
