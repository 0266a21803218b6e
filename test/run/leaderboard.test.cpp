// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/leaderboard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/run/sample_file.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Items with a test error; a test part is as in the file.
class TestedKind : public test::ItemKind {
public:
  using ItemKind::ItemKind;
  Standing standing(const ResultFile& file) const override {
    Standing one;
    one.work = "items";
    one.test_error = report::real(file.content, "error", NAN);
    one.loss = report::real(file.content, "loss", NAN);
    one.test_part = test_part_of(file, "/test");
    return one;
  }
};

StudyRegistry registry() {
  StudyRegistry registry;
  registry.add(std::make_unique<TestedKind>());
  registry.add(std::make_unique<TestedKind>("things"));
  return registry;
}

ResultFile file_of(const std::string& name, double error, const std::vector<std::int32_t>& labels = {0, 1, 1, 0},
                   const std::map<std::string, storage::Attribute>& others = {}) {
  ResultFile file{name, {}};
  file.content.attributes = others;
  file.content.attributes.merge(std::map<std::string, storage::Attribute>{{"kind", std::string("items")},
                                                                          {"status", std::string("finished")},
                                                                          {"data", std::string("digits")},
                                                                          {"n_test", std::int64_t{4}},
                                                                          {"error", error}});
  if (labels.empty()) return file;
  file.content.arrays.push_back({"/test/label", {labels.size()}, labels, {}, "1", "label"});
  std::vector<std::int32_t> samples(labels.size());
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<std::int32_t>(3 * i);
  file.content.arrays.push_back({"/test/sample", {labels.size()}, samples, {}, "1", "sample"});
  return file;
}

/// "1 1 a.h5" a line: test part, place, file.
std::vector<std::string> order_of(const std::vector<ResultFile>& files) {
  std::istringstream csv(report::to_csv({leaderboard(registry(), files)}));
  std::vector<std::string> rows;
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(line, testing::StartsWith("test_part,place,file,"));
  while (std::getline(csv, line)) rows.push_back(line.substr(0, line.find(".h5")));
  return rows;
}

TEST(Wilson, intervals_are_those_of_published_examples) {
  // Newcombe, Statistics in Medicine 17 (1998) 857, table I, method 3.
  const auto near = [](Interval found, double low, double high) {
    EXPECT_NEAR(found.low, low, 5e-5);
    EXPECT_NEAR(found.high, high, 5e-5);
  };
  near(wilson_interval(81.0 / 263, 263), 0.2553, 0.3662);
  near(wilson_interval(15.0 / 148, 148), 0.0624, 0.1605);
  near(wilson_interval(0, 20), 0, 0.1611);
  near(wilson_interval(1.0 / 29, 29), 0.0061, 0.1718);
}

TEST(Leaderboard, puts_the_smallest_error_first_and_equal_ones_on_one_place) {
  EXPECT_THAT(order_of({file_of("a.h5", 0.5), file_of("b.h5", 0.25), file_of("c.h5", 0.5), file_of("d.h5", 0.75)}),
              ElementsAre("1,1,b", "1,2,a", "1,2,c", "1,4,d"));
}

TEST(Leaderboard, compares_kinds_but_not_test_parts_or_data) {
  const std::vector<ResultFile> files{file_of("a.h5", 0.5), file_of("b.h5", 0.25, {1, 1, 1, 0}),
                                      file_of("c.h5", 0.25, {0, 1, 1, 0}, {{"kind", std::string("things")}}),
                                      file_of("d.h5", 0, {0, 1, 1, 0}, {{"data", std::string("others")}})};
  EXPECT_THAT(order_of(files), ElementsAre("1,1,c", "1,2,a", "2,1,b", "3,1,d"));
  const report::Document document = leaderboard(registry(), files);
  ASSERT_EQ(document.warnings.size(), 1u);
  EXPECT_THAT(document.warnings[0], HasSubstr("the studies of digits have 2 different test parts"));
}

TEST(Leaderboard, distinguishes_test_parts_by_samples_and_names_of_classes) {
  ResultFile moved = file_of("b.h5", 0.25), named = file_of("c.h5", 0.25);
  std::get<std::vector<std::int32_t>>(moved.content.arrays[1].values)[2] = 7;
  named.content.arrays.push_back({"/class_name", {2}, std::vector<std::string>{"no", "yes"}, {}, "1", "name"});
  EXPECT_THAT(order_of({file_of("a.h5", 0.5), moved, named}), ElementsAre("1,1,a", "2,1,b", "3,1,c"));
}

TEST(Leaderboard, gives_no_place_to_what_was_not_tested_and_names_unfinished_files) {
  const std::vector<ResultFile> files{file_of("a.h5", 0, {}),
                                      file_of("b.h5", NAN, {0, 1, 1, 0}, {{"status", std::string("stopped")}}),
                                      file_of("c.h5", 0.75)};
  EXPECT_THAT(order_of(files), ElementsAre("1,1,c", "1,,b", ",,a"));
  EXPECT_THAT(leaderboard(registry(), files).warnings,
              ElementsAre("b.h5 is not finished (stopped)", "files without a stored test part have no place"));
}

TEST(Leaderboard, orders_losses_after_errors) {
  EXPECT_THAT(order_of({file_of("a.h5", NAN, {0, 1, 1, 0}, {{"loss", 0.3}}),
                        file_of("b.h5", NAN, {0, 1, 1, 0}, {{"loss", 0.1}}),
                        file_of("c.h5", 0.75, {0, 1, 1, 0}, {{"loss", 0.9}})}),
              ElementsAre("1,1,c", "1,2,b", "1,3,a"));
}

TEST(Leaderboard, needs_two_files) {
  EXPECT_THAT(test::message_of(ExitCode::usage, [] { leaderboard(registry(), {file_of("a.h5", 0)}); }),
              HasSubstr("at least two result files"));
}

}  // namespace
}  // namespace krossfold::run
