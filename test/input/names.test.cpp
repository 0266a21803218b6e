// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/names.hpp"
#include "test/core/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace krossfold::input {
namespace {

using test::refusal;

std::string folded(std::string_view text) {
  FoldCount count;
  return fold_name(text, count);
}

NameSet parsed(std::string_view text, const std::string& column = "") {
  return parse_names(std::as_bytes(std::span(text)), "list", column);
}

std::string letters(const std::vector<int>& symbols) {
  std::string text;
  for (const int symbol : symbols) text += name_alphabet[static_cast<std::size_t>(symbol)];
  return text;
}

TEST(NameAlphabet, has_31_symbols_each_once) {
  EXPECT_EQ(name_symbols, 31);
  EXPECT_EQ(std::set<char>(name_alphabet.begin(), name_alphabet.end()).size(), 31u);
}

TEST(FoldName, brings_letters_into_the_alphabet) {
  EXPECT_EQ(folded("Mr. O'Malley-Smith"), "mr. o'malley-smith");
  EXPECT_EQ(folded("Zo\xC3\xAB"), "zoe");  // UTF-8
  EXPECT_EQ(folded("Zo\xEB"), "zoe");      // Latin-1
  EXPECT_EQ(folded("Stra\xC3\x9F"
                   "e \xC5\x81ukasz \xC3\x86gir"),
            "strasse lukasz aegir");
  EXPECT_EQ(folded("Rock\xE2\x80\x99n\xE2\x80\x93Roll"), "rock'n-roll");
  EXPECT_EQ(folded("Jose\xCC\x81"), "jose");  // a combining accent
  EXPECT_EQ(folded("  Sweet \t  Pea  "), "sweet pea");
  EXPECT_EQ(folded("R2-D2!+"), "r-d");
  EXPECT_EQ(folded("\xE7\x8C\xAB"), "");  // the Chinese character for cat
}

TEST(FoldName, counts_what_it_changed_and_what_it_dropped) {
  FoldCount count;
  fold_name("Zo\xC3\xAB the 3rd & last\xE2\x80\x99", count);
  EXPECT_EQ(count.folded, 2);
  EXPECT_EQ(count.dropped, 2);
  fold_name("PLAIN", count);
  EXPECT_EQ(count.folded, 2);
  EXPECT_EQ(count.dropped, 2);
}

TEST(Names, are_a_line_each_and_kept_in_order_with_repetitions) {
  const NameSet set = parsed("\xEF\xBB\xBFRex\r\n\nbella\n1234\nRex\n");
  EXPECT_THAT(set.name, testing::ElementsAre("rex", "bella", "rex"));
  EXPECT_EQ(set.left_out, 1);
  EXPECT_EQ(set.count.dropped, 4);
  EXPECT_NE(set.digest, parsed("rex\nbella\n").digest);
}

TEST(Names, in_utf_16_are_refused) {
  using namespace std::string_view_literals;
  EXPECT_THAT(refusal([] {
                parsed(
                    "\xFF\xFE"
                    "a\0b\0\n\0c\0d\0"sv);
              }),
              testing::HasSubstr("list is text in UTF-16"));
  EXPECT_THAT(refusal([] { parsed("a\0b\0\n\0c\0d\0"sv); }),
              testing::HasSubstr("list is no list of names (byte 1 is zero)"));
}

TEST(Names, come_from_a_column_of_comma_separated_values) {
  const NameSet set =
      parsed("id,animal_name,breed\n1,\"Boots, Jr.\",\"Mix, short\"\n2,Wall-E,x\n3,,x\n", "animal_name");
  EXPECT_THAT(set.name, testing::ElementsAre("boots jr.", "wall-e"));
  EXPECT_EQ(set.left_out, 1);
  EXPECT_THAT(refusal([] { parsed("id,name\n1,a\n2,b\n", "nam"); }), testing::HasSubstr("id, name"));
  EXPECT_THAT(refusal([] { parsed("id,name\n1,a\n2,b,c\n", "name"); }), testing::HasSubstr("line 3 has 3 fields"));
}

TEST(Names, built_in_list_is_some_hundred_names_that_need_no_folding) {
  const NameSet set = load_names("names");
  EXPECT_GT(set.size(), 300);
  EXPECT_EQ(set.left_out, 0);
  EXPECT_EQ(set.count.folded + set.count.dropped, 0);
  EXPECT_EQ(std::set<std::string>(set.name.begin(), set.name.end()).size(), set.name.size());
}

TEST(Names, of_a_wrong_spec_are_refused_with_what_to_write) {
  EXPECT_THAT(refusal([] { load_names("digits"); }), testing::HasSubstr("names:FILE#COLUMN"));
  EXPECT_THAT(refusal([] { load_names("names:"); }), testing::HasSubstr("names no file"));
  EXPECT_THAT(refusal([] { load_names("names:x.csv#"); }), testing::HasSubstr("names no column"));
  EXPECT_THAT(refusal([] { load_names("names:/nowhere/x.txt"); }), testing::HasSubstr("/nowhere/x.txt"));
  EXPECT_THAT(refusal([] { parsed("one\n"); }), testing::HasSubstr("holds 1 name (some of them are held out)"));
  EXPECT_THAT(refusal([] { parsed(""); }), testing::HasSubstr("holds 0 names (it has no entries)"));
  EXPECT_THAT(refusal([] { parsed("\u0438\u0432\u0430\u043D\n\u0430\u043D\u043D\u0430\n"); }),
              testing::HasSubstr("2 entries are without a letter of the alphabet a to z"));
  const auto path = std::filesystem::temp_directory_path() / "krossfold-names-test.csv";
  std::ofstream(path) << "id,name\n1,rex\n2,bo\n";
  EXPECT_THAT(refusal([&] { load_names("names:" + path.string()); }), testing::HasSubstr("id, name"));
  EXPECT_EQ(load_names("names:" + path.string() + "#name").size(), 2);
  std::filesystem::remove(path);
}

TEST(NameTask, holds_out_the_last_fifth) {
  const NameSet all = parsed("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  const NameTask task = split_names(all);
  EXPECT_EQ(task.train.size(), 8);
  EXPECT_THAT(task.held_out.name, testing::ElementsAre("i", "j"));
  EXPECT_THAT(split_names(all, 3).train.name, testing::ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_names(all, 3).held_out.name, testing::ElementsAre("i", "j"));
  EXPECT_THAT(refusal([&] { split_names(all, 9); }), testing::HasSubstr("8 names"));
}

TEST(NameWindows, begin_with_a_blank_and_end_with_stop_and_blanks_or_are_the_end_of_a_long_name) {
  const auto windows = name_windows({"rex", "bellina", "princess", "mr. whiskers"}, 8);
  ASSERT_EQ(windows.size(), 4);
  const auto row = [](const std::vector<int>& all, int i) {
    return letters({all.begin() + 8 * i, all.begin() + 8 * (i + 1)});
  };
  EXPECT_EQ(row(windows.symbol, 0), " rex+   ");
  EXPECT_EQ(row(windows.next, 0), "rex+    ");
  EXPECT_EQ(row(windows.symbol, 1), " bellina");
  EXPECT_EQ(row(windows.next, 1), "bellina+");
  EXPECT_EQ(row(windows.symbol, 2), "princess");
  EXPECT_EQ(row(windows.next, 2), "rincess+");
  EXPECT_EQ(row(windows.symbol, 3), "whiskers");
  EXPECT_EQ(row(windows.next, 3), "hiskers+");
}

}  // namespace
}  // namespace krossfold::input
