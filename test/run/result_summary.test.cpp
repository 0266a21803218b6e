// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/result_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "krossfold/run/options.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::HasSubstr;

ResultFile sample_file() {
  ResultFile file{"r.h5", {}};
  file.content.attributes = {{"kind", std::string("items")},
                             {"status", std::string("stopped")},
                             {"data", std::string("digits")},
                             {"fold_kind", std::string("shuffled")},
                             {"formation", std::string("1x2xserial")},
                             {"devices", std::string("none")},
                             {"config", to_json({{"folds", "3", false}, {"seed", "0", true}, {"C", "1", false}})},
                             {"schedule", std::string("static")},
                             {"n_train", std::int64_t{80}},
                             {"n_test", std::int64_t{20}},
                             {"n_features", std::int64_t{64}},
                             {"ranks", std::int64_t{2}},
                             {"seconds", 61.0}};
  return file;
}

std::string text_of(const ResultSummary& summary, const UnitCounts& units, const std::string& more = "") {
  report::Document document = begin_document(summary, "items");
  add_units(document, summary, units, more);
  return to_text(document);
}

TEST(ResultSummary, has_what_the_attributes_say) {
  const ResultSummary summary(sample_file());
  EXPECT_EQ(summary.name, "r.h5");
  EXPECT_EQ(summary.kind, "items");
  EXPECT_EQ(summary.status, "stopped");
  EXPECT_EQ(summary.data, "digits");
  EXPECT_EQ(summary.fold_kind, "shuffled");
  EXPECT_EQ(summary.formation, "1x2xserial");
  EXPECT_EQ(summary.devices, "none");
  EXPECT_EQ(summary.train_samples, 80);
  EXPECT_EQ(summary.test_samples, 20);
  EXPECT_EQ(summary.features, 64);
  EXPECT_EQ(summary.ranks, 2);
  EXPECT_EQ(summary.seconds, 61);
}

TEST(ResultSummary, of_a_file_without_attributes_or_with_others_in_their_place_is_of_one_rank) {
  ResultFile wrong{"r.h5", {}};
  wrong.content.attributes = {
      {"ranks", std::int64_t{-4}}, {"seconds", std::int64_t{9}}, {"n_train", std::string("80")}, {"status", 1.0}};
  for (const ResultFile& file : {ResultFile{"r.h5", {}}, wrong}) {
    const ResultSummary summary(file);
    EXPECT_EQ(summary.ranks, 1);
    EXPECT_EQ(summary.seconds, 0);
    EXPECT_EQ(summary.train_samples, 0);
    EXPECT_EQ(summary.status, "");
  }
}

TEST(ResultSummary, takes_the_utilisation_of_the_file_or_that_of_its_units) {
  ResultFile file = sample_file();
  ResultSummary summary(file);
  summary.unit_seconds = 30.5;
  summary.set_utilisation(file);
  EXPECT_EQ(summary.utilisation, 0.25);  // 30.5 s of 61 s on 2 ranks
  file.content.attributes["utilisation"] = 0.5;
  summary.set_utilisation(file);
  EXPECT_EQ(summary.utilisation, 0.5);
  const ResultFile none{"r.h5", {}};
  ResultSummary untimed(none);
  untimed.unit_seconds = 3;
  untimed.set_utilisation(none);
  EXPECT_EQ(untimed.utilisation, 0);
}

TEST(ResultSummary, knows_the_value_of_every_option_and_nothing_of_others) {
  const ResultSummary summary(sample_file());
  EXPECT_EQ(summary.option("folds"), "3");
  EXPECT_EQ(summary.option("seed"), "0");
  EXPECT_EQ(summary.option("epochs"), "");
  EXPECT_EQ(ResultSummary(ResultFile{"r.h5", {}}).option("folds"), "");
}

TEST(ResultDocument, begins_with_the_file_and_its_data) {
  const report::Document document = begin_document(ResultSummary(sample_file()), "a study of items");
  EXPECT_EQ(to_text(document), "r.h5: a study of items\n");
  const std::string json = report::to_json({document});
  for (const char* part : {"\"file\": \"r.h5\"", "\"kind\": \"items\"", "\"name\": \"digits\"", "\"train\": 80",
                           "\"test\": 20", "\"features\": 64"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(ResultDocument, tells_how_many_units_are_done_failed_and_pruned) {
  ResultSummary summary(sample_file());
  UnitCounts units;
  units.all = 12;
  units.done = 5;
  units.failed = 2;
  EXPECT_THAT(text_of(summary, units), HasSubstr("  status  stopped: 7 of 12 units, 2 failed\n"));
  units.pruned = 1;
  EXPECT_THAT(text_of(summary, units, "; more"), HasSubstr("stopped: 8 of 12 units, 2 failed, 1 pruned; more\n"));
  summary.status = "running";
  EXPECT_THAT(
      text_of(summary, units),
      HasSubstr("running, or killed (what a journal holds beyond this is kept and not computed again): 8 of 12 units"));
}

TEST(ResultDocument, has_the_counts_of_units_as_facts_with_those_of_the_kind) {
  UnitCounts units;
  units.all = 4;
  units.done = 3;
  units.failed = 1;
  report::Document document;
  add_units(document, ResultSummary(sample_file()), units, "", {{"units.diverged", 2}});
  const std::string json = report::to_json({document});
  EXPECT_THAT(json, HasSubstr("\"units\": {\n      \"all\": 4,\n      \"done\": 3,\n      \"failed\": 1,\n"
                              "      \"pruned\": 0,\n      \"diverged\": 2\n    }"));
}

TEST(ResultDocument, ends_with_the_options_that_are_not_defaults_the_time_and_the_warnings) {
  ResultSummary summary(sample_file());
  summary.utilisation = 0.496;
  summary.warnings = {"beware"};
  report::Document document;
  document.title = "t";
  end_document(document, summary);
  EXPECT_EQ(to_text(document),
            "t\n"
            "  options  folds 3, C 1; schedule static\n"
            "  time     1 min 01 s on 2 ranks, 50 % of the last run computing\n"
            "  warning: beware\n");
  const std::string json = report::to_json({document});
  EXPECT_THAT(json, HasSubstr("\"options\": {\n      \"folds\": \"3\",\n      \"seed\": \"0\",\n      \"C\": \"1\"\n"));
  EXPECT_THAT(json, HasSubstr("\"utilisation\": 0.496"));
}

TEST(ResultDocument, of_an_older_file_without_options_or_times_ends_too) {
  report::Document document;
  document.title = "t";
  end_document(document, ResultSummary(ResultFile{"r.h5", {}}));
  EXPECT_EQ(to_text(document),
            "t\n"
            "  options  all at their defaults\n"
            "  time     0 s on 1 rank\n");
}

TEST(ResultDocument, refuses_options_that_cannot_be_read) {
  ResultFile file = sample_file();
  file.content.attributes["config"] = std::string("{\"folds\": ");
  report::Document document;
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { end_document(document, ResultSummary(file)); }),
              HasSubstr("the options in r.h5 cannot be read"));
}

}  // namespace
}  // namespace krossfold::run
