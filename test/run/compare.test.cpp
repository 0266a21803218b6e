// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/run/sample_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Attributes = std::map<std::string, storage::Attribute>;

/// A study on so many ranks that took so many seconds, and computed so many on all of them together.
ResultFile file_of(const std::string& name, std::int64_t ranks, double seconds, double computing,
                   const Attributes& others = {}) {
  ResultFile file{name, {}};
  file.content.attributes = others;
  file.content.attributes.merge(Attributes{{"kind", std::string("items")},
                                           {"status", std::string("finished")},
                                           {"data", std::string("digits")},
                                           {"data_digest", std::string("1f")},
                                           {"fingerprint", std::string("folds = 5\nworkers = 4\nseed = 0\n")},
                                           {"formation", std::string("1xserial")},
                                           {"ranks", ranks},
                                           {"seconds", seconds},
                                           {"computing", computing}});
  return file;
}

report::Document comparison(const std::vector<ResultFile>& files) { return compare(test::item_registry(), files); }

/// Why a second file cannot be compared with the first.
std::string refusal(const Attributes& others) {
  return test::message_of(ExitCode::usage, [&] {
    comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 4, 6, 18, others)});
  });
}

TEST(Compare, models_each_file_on_the_ranks_of_the_others) {
  // The first computes half of the time, the second three quarters: 10 s / (4 x 0.5) and 18 s / (2 x 0.75).
  EXPECT_EQ(report::to_csv({comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 4, 6, 18)})}),
            "file,formation,devices,own_ranks,ranks,seconds,measured,speed_up,utilisation,quality\n"
            "a.h5,1xserial,,2,2,10,yes,1,0.5,nan\n"
            "a.h5,1xserial,,2,4,5,no,2,,\n"
            "b.h5,1xserial,,4,2,12,no,0.8333333333333334,,\n"
            "b.h5,1xserial,,4,4,6,yes,1.6666666666666667,0.75,nan\n");
}

TEST(Compare, sets_speed_up_and_rank_hours_against_the_first_file) {
  const report::Document document = comparison({file_of("a.h5", 2, 3600, 3600), file_of("b.h5", 4, 1440, 4320)});
  EXPECT_EQ(document.title, "comparison of 2 results: items on digits, 3 items");
  const std::string shown = report::to_text(document);
  EXPECT_THAT(shown, testing::ContainsRegex("a\\.h5 +1xserial +2 +3600 +1\\.00 +2 +50\\.00 % +3600 +-\n"));
  EXPECT_THAT(shown, testing::ContainsRegex("b\\.h5 +1xserial +4 +1440 +2\\.50 +1\\.6 +75\\.00 % +4320 +-\n"));
  EXPECT_THAT(shown, HasSubstr("test error\n"));
  EXPECT_THAT(shown, testing::ContainsRegex("a\\.h5 +4 +1800 m\n"));
}

TEST(Compare, of_files_on_equal_numbers_of_ranks_models_nothing) {
  const std::string csv =
      report::to_csv({comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 2, 5, 10), file_of("c.h5", 2, 20, 10)})});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3);
  EXPECT_THAT(csv, testing::Not(HasSubstr(",no")));
}

TEST(Compare, does_not_model_files_that_do_not_tell_what_they_computed) {
  const std::string json = report::to_json({comparison({file_of("a.h5", 2, 10, 0), file_of("b.h5", 4, 6, 18)})});
  EXPECT_THAT(json, HasSubstr("\"ranks\": 4,\n        \"seconds\": null,\n        \"measured\": false"));
  EXPECT_THAT(json, HasSubstr("\"utilisation\": null"));
}

TEST(Compare, needs_two_files) {
  for (const std::vector<ResultFile>& files : {std::vector<ResultFile>{}, {file_of("a.h5", 2, 10, 10)}}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { comparison(files); }),
                HasSubstr("a comparison needs at least two result files"));
  }
}

/// What is shown of a second file of another study.
std::string leaderboard_with(const Attributes& others) {
  return report::to_text(comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 4, 6, 18, others)}));
}

TEST(Compare, lists_files_of_other_kinds_data_and_options_without_modelling_them) {
  EXPECT_THAT(
      leaderboard_with({{"kind", std::string("things")}}),
      AllOf(HasSubstr("leaderboard of 2 studies"), HasSubstr("a.h5 and b.h5 are of different kinds of studies")));
  EXPECT_THAT(leaderboard_with({{"data_digest", std::string("20")}}), HasSubstr("a.h5 and b.h5 have different data"));
  for (const char* options : {"folds = 6\nworkers = 4\nseed = 0\n", "folds = 5\nworkers = 4\n", ""}) {
    EXPECT_THAT(leaderboard_with({{"fingerprint", std::string(options)}}), HasSubstr("have different options"));
  }
}

TEST(Compare, refuses_files_of_no_study) {
  EXPECT_THAT(
      test::message_of(
          ExitCode::usage,
          [] {
            comparison({file_of("a.h5", 2, 10, 10, {{"kind", std::string("model")}}), file_of("b.h5", 2, 10, 10)});
          }),
      HasSubstr("a.h5 is not a result file"));
}

TEST(Compare, takes_files_that_differ_in_options_that_share_the_work) {
  const Attributes more{{"fingerprint", std::string("folds = 5\nworkers = 16\nseed = 0\n")}};
  EXPECT_EQ(comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 4, 6, 18, more)}).blocks().size(),
            comparison({file_of("a.h5", 2, 10, 10), file_of("b.h5", 4, 6, 18)}).blocks().size());
}

TEST(Compare, refuses_files_that_are_not_finished_or_have_no_times) {
  for (const char* status : {"running", "stopped", ""}) {
    EXPECT_THAT(refusal({{"status", std::string(status)}}),
                AllOf(HasSubstr("b.h5 cannot be compared"), HasSubstr("not finished")));
  }
  EXPECT_THAT(refusal({{"seconds", 0.0}}), HasSubstr("b.h5 has no times"));
}

}  // namespace
}  // namespace krossfold::run
