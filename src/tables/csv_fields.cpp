// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/csv_fields.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/data/text_lines.hpp"

namespace krossfold::tables {

bool CsvFields::next(std::string_view& field) {
  if (at_ == nullptr) return false;
  ++column_;
  const char* first = at_;
  while (first != end_ && data::is_blank(*first)) ++first;
  if (first != end_ && *first == '"') return next_quoted(first + 1, field);
  const char* comma = std::find(at_, end_, ',');
  field = data::trimmed({at_, static_cast<std::size_t>(comma - at_)});
  at_ = comma == end_ ? nullptr : comma + 1;
  return true;
}

bool CsvFields::next_whole(float& value) {
  if (at_ == nullptr) return false;
  const char* digit = at_;
  int number = 0;
  while (digit != end_ && *digit >= '0' && *digit <= '9' && digit - at_ < 7) number = 10 * number + (*digit++ - '0');
  if (digit == at_ || (digit != end_ && *digit != ',')) return false;
  at_ = digit == end_ ? nullptr : digit + 1;
  ++column_;
  value = static_cast<float>(number);
  return true;
}

bool CsvFields::next_quoted(const char* at, std::string_view& field) {
  unquoted_.clear();
  while (true) {
    const char* quote = std::find(at, end_, '"');
    if (quote == end_) throw_input_error(text(where(), ": a quote is not closed"), "", "close it with \"");
    unquoted_.append(at, quote);
    at = quote + 1;
    if (at == end_ || *at != '"') break;
    unquoted_ += *at++;
  }
  while (at != end_ && data::is_blank(*at)) ++at;
  if (at != end_ && *at != ',') {
    throw_input_error(text(where(), ": text follows a closing quote"), "", "write a quote within quotes as \"\"");
  }
  at_ = at == end_ ? nullptr : at + 1;
  field = unquoted_;
  return true;
}

}  // namespace krossfold::tables
