// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <limits>
#include <random>

#include "krossfold/core/error.hpp"

namespace krossfold {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The message of the input error that `call` throws, or "" if it throws none.
template <class Call>
std::string input_error(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "";
}

/// Where <iomanip> is included, std::quoted may be called as well.
TEST(Text, quotes_any_kind_of_word_without_its_control_characters) {
  const char* const word = "a\x1b[2Jb";
  for (const std::string& quote :
       {text(quoted(word)), text(quoted(std::string(word))), text(quoted(std::string_view(word)))})
    EXPECT_EQ(quote, "'a?[2Jb'");
}

TEST(Text, joins_values_of_any_type) { EXPECT_EQ(text("fold ", 3, " of ", 5u, ": ", 0.25), "fold 3 of 5: 0.25"); }

TEST(Shortest, has_known_forms) {
  EXPECT_EQ(shortest(0.001), "0.001");
  EXPECT_EQ(shortest(1e-6), "1e-06");
  EXPECT_EQ(shortest(3), "3");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(infinity), "inf");
  EXPECT_EQ(shortest(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Shortest, reads_back_as_the_same_double) {
  constexpr unsigned seed = 5;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(shortest(value).c_str(), nullptr), value) << shortest(value);
    ASSERT_EQ(parse_number(shortest(value), "x"), value) << shortest(value);
  }
}

TEST(DurationText, has_the_unit_that_people_use) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.0015), "1.5 ms");
  EXPECT_EQ(duration_text(0.85), "850 ms");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(39), "39 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(11520), "3 h 12 min");
  EXPECT_EQ(duration_text(100 * 3600 + 60), "100 h 01 min");
  EXPECT_EQ(duration_text(-12.34), "-12.3 s");
  EXPECT_EQ(duration_text(infinity), "unknown");
  EXPECT_EQ(duration_text(std::nan("")), "unknown");
}

TEST(DurationText, rounds_up_into_the_next_unit) {
  EXPECT_EQ(duration_text(0.9997), "1 s");
  EXPECT_EQ(duration_text(59.94), "59.9 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");
  EXPECT_EQ(duration_text(119.7), "2 min 00 s");
  EXPECT_EQ(duration_text(3599.4), "59 min 59 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 00 min");
  EXPECT_EQ(duration_text(7199), "2 h 00 min");
}

TEST(Joined, has_the_separator_between_each_two_words) {
  EXPECT_EQ(joined({}, ", "), "");
  EXPECT_EQ(joined({"a"}, ", "), "a");
  EXPECT_EQ(joined({"a", "b c", "d"}, ", "), "a, b c, d");
  EXPECT_EQ(joined({"", "b", ""}, "|"), "|b|");
}

TEST(SizeText, has_binary_units) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(std::uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(size_text((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(size_text(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(ParseDuration, reads_every_documented_form) {
  const std::vector<std::pair<const char*, double>> cases = {{"90", 90},
                                                             {"90s", 90},
                                                             {"15m", 900},
                                                             {"2h", 7200},
                                                             {"1.5h", 5400},
                                                             {"2d", 172800},
                                                             {"0", 0},
                                                             {"1e3", 1000},
                                                             {"1e-3", 0.001},
                                                             {"15:00", 900},
                                                             {"1:30:00", 5400},
                                                             {"90:00", 5400},
                                                             {"1-12:00:00", 129600},
                                                             {"1-12", 129600},
                                                             {"1-12:30", 131400},
                                                             {"0-00:00:01", 1},
                                                             {"48:00:00", 172800}};
  for (const auto& [written, seconds] : cases) EXPECT_EQ(parse_duration(written, "--max-time"), seconds) << written;
}

TEST(ParseDuration, names_the_option_of_what_it_cannot_read) {
  for (const char* bad : {"",       "s",       "-5",     "-5s",     "5x",  "5 m",   "1:60",
                          "1:2:60", "1:60:00", "1-24",   "1:2:3:4", "1-",  "-1:00", "1:",
                          ":1",     "1:-1",    "1.5:00", "nan",     "inf", "1e400", "99999999999999999999:00",
                          "1h30"}) {
    const std::string message = input_error([&] { parse_duration(bad, "--max-time"); });
    EXPECT_EQ(message.rfind("--max-time: '" + std::string(bad) + "'", 0), 0u) << bad << ": " << message;
  }
}

TEST(ParseSize, reads_powers_of_1024) {
  const std::vector<std::pair<const char*, std::uint64_t>> cases = {
      {"0", 0},
      {"1024", 1024},
      {"1024B", 1024},
      {"16K", 16384},
      {"16k", 16384},
      {"16KiB", 16384},
      {"16KB", 16384},
      {"3M", 3u << 20},
      {"2.5G", std::uint64_t{5} << 29},
      {"8GiB", std::uint64_t{8} << 30},
      {"1T", std::uint64_t{1} << 40},
      {"2P", std::uint64_t{2} << 50},
      {"15E", std::uint64_t{15} << 60},
      {"1e3", 1000},
      {"1e3K", 1024000},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
      {"9007199254740993", 9007199254740993u}};  // not representable as a double
  for (const auto& [written, bytes] : cases) EXPECT_EQ(parse_size(written, "--memory-limit"), bytes) << written;
}

TEST(ParseSize, names_the_option_of_what_it_cannot_read) {
  for (const char* bad : {"", "G", "-1", "-1.5G", "1X", "1 G", "1GG", "1iB", "16E", "18446744073709551616", "1e30",
                          "nan", "inf", "20000P", "16.5E"}) {
    const std::string message = input_error([&] { parse_size(bad, "--memory-limit"); });
    EXPECT_EQ(message.rfind("--memory-limit: '" + std::string(bad) + "'", 0), 0u) << bad << ": " << message;
  }
}

TEST(ParseNumber, reads_what_strtod_reads) {
  for (const char* written : {"0", "-0", "1", "+1", "-1.5", ".5", "5.", "1e5", "1E+5", "1e-320", "1e-400", "-1e-400",
                              "123456789012345678901234567890", "0.1000000000000000055511151231257827"}) {
    const double expected = std::strtod(written, nullptr), read = parse_number(written, "x");
    EXPECT_EQ(read, expected) << written;
    EXPECT_EQ(std::signbit(read), std::signbit(expected)) << written;
  }
}

TEST(ParseNumber, names_what_it_cannot_read) {
  for (const char* bad :
       {"", " 1", "1 ", "abc", "1x", "1,5", "+-1", "++1", "-", "+", "nan", "inf", "-inf", "1e400", "0x10"}) {
    const std::string message = input_error([&] { parse_number(bad, "line 3, column 2"); });
    EXPECT_EQ(message.rfind("line 3, column 2: '" + std::string(bad) + "' is not a number", 0), 0u) << bad << message;
  }
}

TEST(ParseNumber, messages_hold_no_control_characters_and_stay_short) {
  const std::string message = input_error([] { parse_number("\033[31m\n" + std::string(1000, 'x'), "x"); });
  EXPECT_LT(message.size(), 120u);
  for (const char letter : message) EXPECT_GE(letter, ' ');
}

TEST(NearestWord, finds_the_word_that_was_meant) {
  const std::vector<std::string> words = {"contiguous", "stratified", "shuffled", "svm", "--folds", "--fold-kind"};
  EXPECT_EQ(nearest_word("stratifed", words), "stratified");
  EXPECT_EQ(nearest_word("contigous", words), "contiguous");
  EXPECT_EQ(nearest_word("suhffled", words), "shuffled");
  EXPECT_EQ(nearest_word("smv", words), "svm");  // one swap
  EXPECT_EQ(nearest_word("--fold", words), "--folds");
  EXPECT_EQ(nearest_word("SVM", words), "svm");
}

TEST(NearestWord, guesses_nothing_from_afar) {
  EXPECT_EQ(nearest_word("bag", {"svm", "train"}), "");
  EXPECT_EQ(nearest_word("", {"svm"}), "");
  EXPECT_EQ(nearest_word("sv", {"svm"}), "");  // one letter of two
  EXPECT_EQ(nearest_word("svm", {}), "");
}

}  // namespace
}  // namespace krossfold
