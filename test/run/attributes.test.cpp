// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/attributes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "test/data/sample_dataset.hpp"

namespace krossfold::run {
namespace {

TEST(StudyFacts, are_those_of_the_options_and_the_data) {
  const data::Task task{test::sample_dataset(12, 5, 3, 1), test::sample_dataset(7, 5, 3, 2)};
  const std::vector<OptionValue> options{{"folds", "3", false}};
  const StudyFacts facts(options, 9, "shuffled", task);
  EXPECT_EQ(facts.config, to_json(options));
  EXPECT_EQ(facts.seed, 9u);
  EXPECT_EQ(facts.fold_kind, "shuffled");
  EXPECT_EQ(facts.data, "sample");
  EXPECT_EQ(facts.train, 12);
  EXPECT_EQ(facts.test, 7);
  EXPECT_EQ(facts.features, 5);
}

TEST(StudyFacts, name_groups_as_the_folds_of_studies_that_have_any) {
  data::Task task{test::sample_dataset(12, 5, 3, 1), test::sample_dataset(7, 5, 3, 2)};
  task.train.group = Vector<int>("krossfold::test::group", 12);
  EXPECT_EQ(StudyFacts({}, 9, "shuffled", task).fold_kind, "group");
  EXPECT_EQ(StudyFacts({}, 9, "", task).fold_kind, "");
}

TEST(StudyFacts, describe_the_features_of_a_table) {
  data::Dataset train = test::sample_dataset(12, 3, 2, 1);
  StudyFacts facts;
  facts.describe_features(train, {{8}, {4.5}});
  EXPECT_EQ(facts.features_json, R"({"scale":{"offset":[8.0],"divisor":[4.5]}})") << "no table";
  data::TableEncoding table;
  table.named = true;
  table.columns = 5;
  table.label = "kind";
  table.label_column = 5;
  table.column = {{.name = "age", .column = 2, .fill = 40.5},
                  {.name = "sex", .column = 4, .text = true, .category = {"f", "m"}}};
  train.encoding = std::make_shared<const data::TableEncoding>(table);
  facts.describe_features(train, {{1, 2, 3}, {1, 1, 2}});
  EXPECT_EQ(facts.features_json,
            R"({"names":["age","sex=f","sex=m"],"columns":[{"column":2,"name":"age","missing":40.5,"categories":null},)"
            R"({"column":4,"name":"sex","missing":null,"categories":["f","m"]}],"label":"kind","label_column":5,)"
            R"("scale":{"offset":[1.0,2.0,3.0],"divisor":[1.0,1.0,2.0]}})");
  table.named = false;
  train.encoding = std::make_shared<const data::TableEncoding>(table);
  facts.describe_features(train, {});
  EXPECT_EQ(facts.features_json.find("name"), std::string::npos) << facts.features_json;
}

class RunAttributes : public ::testing::Test {
protected:
  StudyFacts study;
  RunFacts facts;
  storage::Container written() const {
    storage::Container content;
    content.attributes["model"] = std::string("svm.h5");
    add_run_attributes(content, "items", study, facts);
    return content;
  }
};

TEST_F(RunAttributes, are_what_is_known_of_study_and_run) {
  study.seed = std::numeric_limits<std::uint64_t>::max();
  study.config = "{}";
  study.data = "digits";
  study.train = 80;
  facts.status = "stopped";
  facts.fingerprint = {"folds = 5\n", 0xFEDCBA9876543210, "a build"};
  facts.formation = "1x2xserial";
  facts.ranks = 2;
  facts.seconds = 1.5;
  facts.utilisation = 0.25;
  facts.started = "2026-01-31T12:00:00Z";
  const storage::Container content = written();
  EXPECT_EQ(content.attribute("kind"), "items");
  EXPECT_EQ(content.attribute("status"), "stopped");
  EXPECT_EQ(content.attribute("seed"), "18446744073709551615") << "larger than an integer of HDF5's signed type";
  EXPECT_EQ(content.attribute("fingerprint"), "folds = 5\n");
  EXPECT_EQ(content.attribute("data_digest"), "fedcba9876543210");
  EXPECT_EQ(content.attribute("build"), "a build");
  EXPECT_EQ(content.attribute("config"), "{}");
  EXPECT_EQ(content.attribute("data"), "digits");
  EXPECT_EQ(content.attribute("formation"), "1x2xserial");
  EXPECT_EQ(content.attribute("started"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(content.attribute("hdf5"), storage::hdf5_version());
  EXPECT_EQ(content.attributes.at("n_train"), storage::Attribute(std::int64_t{80}));
  EXPECT_EQ(content.attributes.at("ranks"), storage::Attribute(std::int64_t{2}));
  EXPECT_EQ(content.attributes.at("seconds"), storage::Attribute(1.5));
  EXPECT_EQ(content.attributes.at("utilisation"), storage::Attribute(0.25));
  EXPECT_EQ(content.attribute("model"), "svm.h5") << "what was there stays";
}

TEST_F(RunAttributes, tell_the_time_of_the_set_up_only_if_there_was_one) {
  EXPECT_FALSE(written().attributes.contains("setup_seconds"));
  facts.setup_seconds = 0.5;
  EXPECT_EQ(written().attributes.at("setup_seconds"), storage::Attribute(0.5));
}

TEST_F(RunAttributes, survive_the_way_through_a_file) {
  study.config = to_json({{"data",
                           "csv:gr\xC3\xB6\xC3\x9F"
                           "er.csv",
                           false}});
  const storage::Container content = written();
  const storage::Container read = storage::container_from_bytes(storage::to_bytes(content), "r.h5");
  for (const auto& [name, value] : content.attributes) EXPECT_EQ(read.attributes.at(name), value) << name;
}

}  // namespace
}  // namespace krossfold::run
