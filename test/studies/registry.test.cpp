// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "krossfold/run/options.hpp"
#include "test/core/refusal.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;

TEST(Registry, has_each_kind_once_and_finds_it_by_its_name) {
  const run::StudyRegistry registry = all_kinds();
  std::vector<std::string> names;
  for (const auto& kind : registry.kinds()) {
    names.push_back(kind->name());
    EXPECT_EQ(registry.find(kind->name()), kind.get());
    EXPECT_NE(kind->summary(), "");
  }
  EXPECT_THAT(names, testing::ElementsAre("svm", "bag", "train", "names"));
  EXPECT_EQ(registry.find("lstm"), nullptr);
}

TEST(Registry, each_kind_has_options_of_different_names_whose_shown_defaults_read_back) {
  const run::StudyRegistry registry = all_kinds();
  for (const auto& kind : registry.kinds()) {
    SCOPED_TRACE(kind->name());
    const auto command = kind->command();
    std::set<std::string> names;
    for (const run::Option& option : command->options().options()) {
      SCOPED_TRACE(option.name);
      EXPECT_TRUE(names.insert(option.name).second);
      EXPECT_NE(option.help, "");
      EXPECT_EQ(option.is_flag, option.metavar.empty());
      const std::string value = option.get();
      if (option.default_text != value) continue;  // chosen later, or told in words
      option.set(value, "--" + option.name);
      EXPECT_EQ(option.get(), value);
    }
    EXPECT_TRUE(names.contains("data"));
    EXPECT_TRUE(names.contains("seed"));
    for (const std::string& shared : kind->shared_options()) EXPECT_TRUE(names.contains(shared)) << shared;
  }
}

TEST(Registry, each_kind_has_a_schema_whose_datasets_differ_and_tell_their_units_and_meaning) {
  const run::StudyRegistry registry = all_kinds();
  for (const auto& kind : registry.kinds()) {
    SCOPED_TRACE(kind->name());
    std::set<std::string> paths;
    for (const storage::FieldInfo& field : kind->schema().fields()) {
      EXPECT_TRUE(paths.insert(field.path).second) << field.path;
      EXPECT_TRUE(field.path.starts_with("/")) << field.path;
      EXPECT_NE(field.units, "") << field.path;
      EXPECT_NE(field.long_name, "") << field.path;
    }
  }
}

TEST(Registry, no_kind_reports_or_plans_a_file_that_only_claims_to_be_of_it) {
  const run::StudyRegistry registry = all_kinds();
  for (const auto& kind : registry.kinds()) {
    SCOPED_TRACE(kind->name());
    run::ResultFile file{"empty.h5", {}};
    file.content.attributes["kind"] = kind->name();
    EXPECT_EQ(&registry.kind_of(file), kind.get());
    EXPECT_THAT(test::refusal([&] { kind->report(file); }), HasSubstr("empty.h5"));
    EXPECT_THAT(test::refusal([&] { kind->plan(file, {}); }), HasSubstr("empty.h5"));
    EXPECT_THAT(test::refusal([&] { kind->comparable(file); }), HasSubstr("empty.h5"));
  }
}

}  // namespace
}  // namespace krossfold::studies
