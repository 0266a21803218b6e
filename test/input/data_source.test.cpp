// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/data_source.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/storage/container.hpp"
#include "test/input/png_bytes.hpp"
#include "test/tables/own_tables.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using test::own_table;
using testing::ElementsAre;
using testing::HasSubstr;

TaskParams people(const std::string& missing, const std::string& categorical) {
  return {
      .train = "csv:" + own_table("people.csv"),
      .table = {.label = "ill", .group = "visit", .weight = "trust", .missing = missing, .categorical = categorical}};
}

void expect_equal(const data::Dataset& a, const data::Dataset& b) {
  EXPECT_EQ(a.digest, b.digest);  // values, labels, class names, groups, weights
  EXPECT_EQ(a.feature_names(), b.feature_names());
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.file_rows(), b.file_rows());
  EXPECT_EQ(a.encoding == nullptr, b.encoding == nullptr);
}

/// Converts and asserts that both parts, the warnings and the sentences are those of the original.
void expect_same_task(const test::SampleFolder& folder, const TaskParams& original, TaskParams converted_params,
                      std::uint64_t seed) {
  const std::string file = folder.path("converted.h5");
  convert_data(original, file, true);
  converted_params.train = "hdf5:" + file;
  const data::Task expected = load_task(original, seed), found = load_task(converted_params, seed);
  expect_equal(found.train, expected.train);
  expect_equal(found.test, expected.test);
}

TEST(ConvertData, gives_the_same_parts_as_the_original) {
  const test::SampleFolder folder;
  for (const std::uint64_t seed : {0, 3}) {
    for (const char* missing : {"mean", "median"}) {
      expect_same_task(folder, people(missing, "onehot"), {.table = {.missing = missing, .categorical = "onehot"}},
                       seed);
    }
    expect_same_task(folder, people("drop", "onehot"), {.table = {.categorical = "onehot"}}, seed);
    for (const char* spec : {"digits", "csv:flowers.csv", "csv:flowers_label_first.csv", "npz:flowers.npz:X,y",
                             "hdf5:flowers.h5", "hdf5:flowers.h5:/images,/y", "libsvm:flowers_zero_based.libsvm"}) {
      SCOPED_TRACE(spec);
      std::string full = spec;
      if (const auto colon = full.find(':'); colon != std::string::npos) full.insert(colon + 1, own_table(""));
      const bool first = full.find("label_first") != std::string::npos;
      expect_same_task(folder, {.train = full, .table = {.label = first ? "species" : ""}}, {}, seed);
    }
  }
}

TEST(ConvertData, keeps_both_parts_and_the_order_of_two_files) {
  const test::SampleFolder folder;
  // Converted again, a converted file stays the same.
  convert_data({.train = "digits"}, folder.path("a.h5"), false);
  convert_data({.train = "hdf5:" + folder.path("a.h5")}, folder.path("b.h5"), false);
  expect_equal(load_task({.train = "hdf5:" + folder.path("b.h5"), .limit = 200}, 5).train,
               load_task({.train = "digits", .limit = 200}, 5).train);
}

TEST(ConvertData, data_to_predict_are_matched_by_name) {
  const test::SampleFolder folder;
  const data::Dataset train = load_task({.train = "csv:" + own_table("flowers.csv")}).train;
  for (const char* name : {"flowers_swapped.csv", "flowers_label_first.csv"}) {
    convert_data({.train = "csv:" + own_table(name), .table = {.label = "species"}}, folder.path("q.h5"), true);
    std::vector<std::string> warning;
    const InputParams params{4, train.class_name, train.encoding, {}};
    EXPECT_EQ(load_input(folder.path("q.h5"), params, warning).digest, test::flowers().digest) << name;
    EXPECT_THAT(warning, testing::IsEmpty());
  }
  std::vector<std::string> warning;
  InputParams params{4, train.class_name, train.encoding};
  params.table.label = "species";
  expect_input_error([&] { load_input(folder.path("q.h5"), params, warning); },
                     {"label is not for", "q.h5", "convert the original again"});
  const TaskParams study{.train = "csv:" + own_table("flowers_label_first.csv"),
                         .test = "hdf5:" + folder.path("q.h5"),
                         .table = {.label = "species"}};
  EXPECT_EQ(load_task(study).test.size(), 17) << "the option is about the training table";
  convert_data({.train = "csv:" + own_table("people_complete.csv")}, folder.path("q.h5"), true);
  expect_input_error(
      [&] {
        load_input(folder.path("q.h5"), {4, train.class_name, train.encoding, {}}, warning);
      },
      {"q.h5 lacks the columns", "sepal length (cm)"});
}

/// A libsvm file that is large enough to stay sparse.
std::string sparse_file(const test::SampleFolder& folder) {
  std::string content = "1 9000:1\n";
  for (int i = 0; i < 500; ++i) content += text(i % 3 + 1, " ", i % 97 + 1, ":1.5 ", 8000 + i % 7, ":", i, "\n");
  return folder.write("t.libsvm", content);
}

TEST(DescribeData, of_very_many_features_describes_none_of_them) {
  const test::SampleFolder folder;
  const auto described = [&](int features) {
    std::string content;
    for (int i = 0; i < 40; ++i) content += text(i % 2 + 1, " 3:", i, " ", features, ":-1.5\n");
    return describe_data({.train = "libsvm:" + folder.write("wide.libsvm", content)}, 0);
  };
  EXPECT_EQ(described(100'000).content.columns.size(), 100'000u);
  const DataDescription wide = described(100'001);
  EXPECT_TRUE(wide.content.columns.empty());
  EXPECT_EQ(wide.content.features, 100'001);
  EXPECT_EQ(wide.lowest, -1.5);
  EXPECT_EQ(wide.highest, 39);
  EXPECT_THAT(wide.content.warning, testing::Contains(testing::HasSubstr("100001 features of")));
}

TEST(ConvertData, keeps_sparse_samples_sparse) {
  const test::SampleFolder folder;
  const std::string original = "libsvm:" + sparse_file(folder);
  for (const bool sparse : {true, false}) {
    const TaskParams params{.train = original, .limit = 300, .sparse = sparse};
    expect_same_task(folder, params, {.limit = 300, .sparse = sparse}, 1);
    const data::Task task = load_task({.train = "hdf5:" + folder.path("converted.h5"), .sparse = sparse});
    EXPECT_EQ(task.train.is_sparse(), sparse) << "the dense form for callers that take no other";
    EXPECT_EQ(task.train.first_index, 1);
  }
  EXPECT_FALSE(storage::read_container(folder.path("converted.h5")).has("/x"));
}

TEST(ConvertData, of_strangers_is_refused_unless_its_sparse_rows_are_valid) {
  const test::SampleFolder folder;
  const std::string file = folder.path("t.h5");
  convert_data({.train = "libsvm:" + sparse_file(folder)}, file, false);
  const storage::Container good = storage::read_container(file);
  const auto refused = [&](const char* what, const auto& damage) {
    SCOPED_TRACE(what);
    storage::Container bad = good;
    damage(
        [&](const char* path) -> storage::Values& {
          for (storage::Array& one : bad.arrays) {
            if (one.path == path) return one.values;
          }
          throw_run_error(text("no array ", path));
        },
        bad);
    for (storage::Array& one : bad.arrays) {
      one.shape = {std::visit([](const auto& values) { return std::uint64_t{values.size()}; }, one.values)};
    }
    storage::write_container(file, bad);
    for (const bool sparse : {true, false}) {
      expect_input_error([&] { load_task({.train = "hdf5:" + file, .sparse = sparse}); }, {"t.h5"});
    }
  };
  const auto begin = [](storage::Values & values) -> auto& { return std::get<std::vector<std::int64_t>>(values); };
  const auto column = [](storage::Values & values) -> auto& { return std::get<std::vector<std::int32_t>>(values); };
  using storage::Container;
  refused("a row too few", [&](auto at, Container&) { begin(at("/x_begin")).pop_back(); });
  refused("no row", [&](auto at, Container&) { begin(at("/x_begin")).clear(); });
  refused("a late begin", [&](auto at, Container&) { begin(at("/x_begin"))[0] = 1; });
  refused("a huge begin", [&](auto at, Container&) { begin(at("/x_begin"))[5] = std::int64_t{1} << 60; });
  refused("a negative begin", [&](auto at, Container&) { begin(at("/x_begin"))[5] = -7; });
  refused("a column out of range", [&](auto at, Container&) { column(at("/x_column")).back() = 9000; });
  refused("a negative column", [&](auto at, Container&) { column(at("/x_column")).front() = -1; });
  refused("columns that do not ascend",
          [&](auto at, Container&) { std::swap(column(at("/x_column"))[2], column(at("/x_column"))[3]); });
  refused("a value too few", [&](auto at, Container&) { std::get<std::vector<float>>(at("/x_value")).pop_back(); });
  refused("a value that is not finite",
          [&](auto at, Container&) { std::get<std::vector<float>>(at("/x_value"))[3] = NAN; });
  refused("2^40 features", [&](auto, Container& c) { c.attributes["n_features"] = std::int64_t{1} << 40; });
  refused("no features", [&](auto, Container& c) { c.attributes.erase("n_features"); });
}

TEST(ConvertData, refuses_what_the_original_would_be_refused_for) {
  const test::SampleFolder folder;
  const std::string file = folder.path("people.h5"), spec = "hdf5:" + file;
  EXPECT_EQ(convert_data(people("refuse", "refuse"), file, false).samples, 8);
  expect_input_error([&] { load_task({.train = spec}); }, {"column 2 (colour)", "holds text", "categorical onehot"});
  expect_input_error([&] { load_task({.train = spec, .table = {.categorical = "onehot"}}); },
                     {"people.h5, line 4, column 1 (age): the value is missing", "median"});
  expect_input_error(
      [&] { load_task({.train = spec, .table = {.drop = {"age"}, .missing = "mean", .categorical = "onehot"}}); },
      {"drop is not for", "convert the original again"});
  expect_input_error([&] { convert_data({.train = "digits"}, file, false); }, {"people.h5 exists", "overwrite"});
  expect_input_error([&] { convert_data({.train = spec}, file, true); }, {"people.h5 is a file of the original"});
}

TEST(DescribeData, summarises_every_column_and_says_what_a_study_would_say) {
  const DataDescription d = describe_data(people("refuse", "refuse"));
  EXPECT_EQ(d.content.samples, 8);
  ASSERT_EQ(d.content.columns.size(), 3u);
  const tables::ColumnSummary &age = d.content.columns[0], &colour = d.content.columns[1],
                              &height = d.content.columns[2];
  EXPECT_EQ(age.name, "age");
  EXPECT_EQ(age.type, "whole number");
  EXPECT_EQ(age.missing, 2);
  EXPECT_EQ(age.distinct, 6);
  EXPECT_EQ(age.lowest, 22);
  EXPECT_EQ(age.highest, 60);
  EXPECT_DOUBLE_EQ(age.mean, (31 + 45 + 22 + 60 + 37 + 51) / 6.0);
  EXPECT_EQ(colour.type, "text");
  EXPECT_EQ(colour.missing, 1);
  EXPECT_EQ(colour.distinct, 3);
  EXPECT_EQ(height.type, "number");
  EXPECT_EQ(d.content.groups, 4);
  EXPECT_TRUE(d.content.weighted);
  EXPECT_THAT(d.study.refusal,
              testing::AllOf(HasSubstr("line 2, column 2 (colour)"), HasSubstr("'red' is not a number")));
  const DataDescription taken = describe_data(people("mean", "onehot"));
  EXPECT_EQ(taken.study.refusal, "");
  const data::Task task = load_task(people("mean", "onehot"));
  EXPECT_EQ(taken.study.train, task.train.size());
  EXPECT_EQ(taken.study.test, task.test.size());
}

TEST(DescribeData, counts_equal_samples_and_poor_columns) {
  const test::SampleFolder folder;
  const std::string file =
      folder.write("t.csv", "a,b,c,gone,y\n1,5,1,,u\n2,5,2,,v\n1,5,1,,v\n3,5,3,,u\n3,5,3,,u\n4,5,4,,u\n");
  const DataDescription d = describe_data({.train = "csv:" + file});
  ASSERT_EQ(d.content.columns.size(), 4u);
  EXPECT_EQ(d.content.columns[1].type, "one value");
  EXPECT_EQ(d.content.columns[3].type, "missing");
  EXPECT_EQ(d.content.columns[3].missing, 6);
  EXPECT_TRUE(std::isnan(d.content.columns[3].mean));
  EXPECT_EQ(d.content.repeated, 2);
  EXPECT_EQ(d.content.contradicting, 2);
  EXPECT_THAT(d.content.warning, testing::Contains(HasSubstr("columns that are equal: a = c")));
  EXPECT_THAT(d.content.warning, testing::Contains(HasSubstr("same value in every sample: b")));
}

TEST(DescribeData, knows_images) {
  const DataDescription d = describe_data({.train = "digits"});
  EXPECT_EQ(d.content.samples, 1797);
  EXPECT_EQ(d.width, 8);
  EXPECT_EQ(d.height, 8);
  EXPECT_EQ(d.lowest, 0);
  EXPECT_EQ(d.highest, 16);
  EXPECT_EQ(d.content.classes.size(), 10u);
  EXPECT_EQ(d.study.train + d.study.test, 1797);
}

TEST(DescribeData, counts_the_classes_of_folders_as_studies_do) {
  const test::SampleFolder folder;
  for (const char* name : {"1.1", "1.10", "nan"}) {
    for (int i = 0; i < 3; ++i) {
      folder.write(text("images/", name, "/", i, ".png"), test::png_bytes(test::grey_png(2, 1, {10 * i, 200})));
    }
  }
  const std::string converted = folder.path("c.h5");
  convert_data({.train = "images:" + folder.path("images")}, converted, false);
  for (const std::string& spec : {"images:" + folder.path("images"), "hdf5:" + converted}) {
    const DataDescription d = describe_data({.train = spec});
    ASSERT_EQ(d.content.classes.size(), 3u) << spec;
    for (const tables::ClassShare& one : d.content.classes) EXPECT_EQ(one.samples, 3) << one.name;
    EXPECT_EQ(d.study.refusal, "");
  }
  std::vector<std::string> warning;
  const data::Dataset known = load_input(converted, {.features = 2, .class_name = {"1.1", "nan"}}, warning);
  EXPECT_THAT(test::all_labels(known), ElementsAre(0, 0, 0, -1, -1, -1, 1, 1, 1));
}

TEST(CanBeRead, tells_files_that_are_there_from_others) {
  const std::string table = own_table("flowers.csv"), folder = own_table("");
  for (const std::string& spec :
       {std::string("digits"), std::string("names"), "csv:" + table, text("idx:", table, ",", table),
        "npz:" + own_table("flowers.npz") + ":X,y", "hdf5:" + own_table("flowers.h5") + ":/images,/y",
        "images:" + folder, "names:" + table + "#species"}) {
    EXPECT_TRUE(can_be_read(spec)) << spec;
  }
  for (const std::string& spec :
       {std::string("csv:absent.csv"), "cvs:" + table, "csv:" + folder, "images:" + table, "mnist:" + folder,
        "idx:" + table + ",absent", "npy:" + table + ",absent", std::string("names:absent#species")}) {
    EXPECT_FALSE(can_be_read(spec)) << spec;
  }
}

}  // namespace
}  // namespace krossfold::input
