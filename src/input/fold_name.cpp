// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "krossfold/input/names.hpp"

namespace krossfold::input {
namespace {

/// Replaces the characters first ... last by `letters`.
struct Folding {
  std::uint32_t first, last;
  std::string_view letters;
};

/// Covers Latin-1, Latin Extended-A and punctuation with an equivalent in the alphabet, in ascending order.
constexpr Folding foldings[] = {
    {0x09, 0x09, " "},    {0x2F, 0x2F, " "},    {0x5F, 0x5F, " "},     {0x60, 0x60, "'"},     {0xA0, 0xA0, " "},
    {0xAD, 0xAD, "-"},    {0xB4, 0xB4, "'"},    {0xC0, 0xC5, "a"},     {0xC6, 0xC6, "ae"},    {0xC7, 0xC7, "c"},
    {0xC8, 0xCB, "e"},    {0xCC, 0xCF, "i"},    {0xD0, 0xD0, "d"},     {0xD1, 0xD1, "n"},     {0xD2, 0xD6, "o"},
    {0xD8, 0xD8, "o"},    {0xD9, 0xDC, "u"},    {0xDD, 0xDD, "y"},     {0xDE, 0xDE, "th"},    {0xDF, 0xDF, "ss"},
    {0xE0, 0xE5, "a"},    {0xE6, 0xE6, "ae"},   {0xE7, 0xE7, "c"},     {0xE8, 0xEB, "e"},     {0xEC, 0xEF, "i"},
    {0xF0, 0xF0, "d"},    {0xF1, 0xF1, "n"},    {0xF2, 0xF6, "o"},     {0xF8, 0xF8, "o"},     {0xF9, 0xFC, "u"},
    {0xFD, 0xFD, "y"},    {0xFE, 0xFE, "th"},   {0xFF, 0xFF, "y"},     {0x100, 0x105, "a"},   {0x106, 0x10D, "c"},
    {0x10E, 0x111, "d"},  {0x112, 0x11B, "e"},  {0x11C, 0x123, "g"},   {0x124, 0x127, "h"},   {0x128, 0x131, "i"},
    {0x132, 0x133, "ij"}, {0x134, 0x135, "j"},  {0x136, 0x138, "k"},   {0x139, 0x142, "l"},   {0x143, 0x14B, "n"},
    {0x14C, 0x151, "o"},  {0x152, 0x153, "oe"}, {0x154, 0x159, "r"},   {0x15A, 0x161, "s"},   {0x162, 0x167, "t"},
    {0x168, 0x173, "u"},  {0x174, 0x175, "w"},  {0x176, 0x178, "y"},   {0x179, 0x17E, "z"},   {0x17F, 0x17F, "s"},
    {0x2BC, 0x2BC, "'"},  {0x300, 0x36F, ""},   {0x2010, 0x2015, "-"}, {0x2018, 0x201B, "'"},
};

/// Decodes the UTF-8 character at `at` and advances `at` past it; returns nothing if it is not valid UTF-8.
std::optional<std::uint32_t> next_utf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k])); };
  const std::uint32_t first = byte(at);
  const int more = first < 0x80                    ? 0
                   : first >= 0xC2 && first < 0xE0 ? 1
                   : first >= 0xE0 && first < 0xF0 ? 2
                   : first >= 0xF0 && first < 0xF5 ? 3
                                                   : -1;
  if (more < 0 || at + static_cast<std::size_t>(more) >= text.size()) return std::nullopt;
  std::uint32_t code = more == 0 ? first : first & (0x3Fu >> more);
  for (int k = 1; k <= more; ++k) {
    const std::uint32_t next = byte(at + static_cast<std::size_t>(k));
    if ((next & 0xC0u) != 0x80u) return std::nullopt;
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
  if (code < least[static_cast<std::size_t>(more)]) return std::nullopt;  // overlong encoding
  at += static_cast<std::size_t>(more) + 1;
  return code;
}

std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at < text.size();) {
    const auto code = next_utf8(text, at);
    if (!code) {  // not UTF-8: treat the text as Latin-1
      all.clear();
      for (const char letter : text) all.push_back(static_cast<unsigned char>(letter));
      return all;
    }
    all.push_back(*code);
  }
  return all;
}

}  // namespace

std::string fold_name(std::string_view text, FoldCount& count) {
  std::string name;
  for (std::uint32_t code : characters_of(text)) {
    if (code >= 'A' && code <= 'Z') code += 'a' - 'A';
    const auto letter = static_cast<char>(code < 0x80 ? code : 0);
    if (letter != 0 && letter != name_alphabet[stop_symbol] && name_alphabet.find(letter) != std::string_view::npos) {
      name += letter;
      continue;
    }
    const auto found = std::find_if(std::begin(foldings), std::end(foldings),
                                    [code](const Folding& f) { return code >= f.first && code <= f.last; });
    if (found == std::end(foldings)) {
      ++count.dropped;
    } else {
      ++count.folded;
      name += found->letters;
    }
  }
  const auto pair_of_blanks = [](char a, char b) { return a == ' ' && b == ' '; };
  name.erase(std::unique(name.begin(), name.end(), pair_of_blanks), name.end());
  if (!name.empty() && name.back() == ' ') name.pop_back();
  if (!name.empty() && name.front() == ' ') name.erase(0, 1);
  return name;
}

}  // namespace krossfold::input
