// SPDX-License-Identifier: BSD-3-Clause
#include "column_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "krossfold/core/text.hpp"
#include "table_words.hpp"

namespace krossfold::tables {
namespace {

bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }

}  // namespace

bool is_identifier(const std::string& name) {
  constexpr std::array<std::string_view, 26> whole{
      "id",        "ids",      "idno", "idnum",   "identifier", "index", "idx",     "guid",       "uuid",
      "caseno",    "memid",    "pid",  "rowid",   "rowname",    "sid",   "usubjid", "subject",    "subj",
      "row.names", "rownames", "ptid", "patient", "row_names",  "patno", "pupil",   "participant"};
  // What has an identifier in lower case: "childid", "custid".
  constexpr std::array<std::string_view, 21> things{
      "case",    "child",  "class",  "client", "cust",   "customer", "dist", "family",  "household", "order", "pat",
      "patient", "person", "record", "sch",    "school", "student",  "subj", "subject", "town",      "user"};
  const std::string low = in_lower_case(name);
  if (std::find(whole.begin(), whole.end(), low) != whole.end()) return true;
  // "id" as the last word of several, which a sign or the case of letters parts: not in "acid", "PAID" or "valid".
  if (name.size() < 3 || !low.ends_with("id")) return false;
  const std::string_view thing(low.data(), low.size() - 2);
  if (std::find(things.begin(), things.end(), thing) != things.end()) return true;
  const char before = name[name.size() - 3], begin = name[name.size() - 2];
  return !is_letter(before) || (is_lower(before) && is_upper(begin));
}

bool is_unnamed_index(const Table& table, std::size_t j) {
  const FeatureColumn& column = table.column[j];
  return table.named && ((column.column == 1 && column.name.empty()) || column.name.starts_with("Unnamed: 0"));
}

bool are_too_close_to_differ(double low, double high, std::size_t count) {
  constexpr double pairs = 20;
  const auto samples = static_cast<double>(count);
  return samples * (samples - 1) / (2 * (high - low + 1)) >= pairs;
}

bool is_shared_by_few(std::size_t distinct, std::size_t samples) {
  constexpr std::size_t few = 10;
  return distinct < samples && few * distinct > samples;
}

}  // namespace krossfold::tables
