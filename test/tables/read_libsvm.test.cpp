// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

using test::all_labels;
using test::bytes_of;
using test::expect_input_error;
using testing::ElementsAre;

data::Dataset libsvm(const std::string& content, const ReadParams& params = {}) {
  return parse_libsvm(bytes_of(content), "t.svm", params);
}

void refused(const std::string& content, const std::vector<std::string>& parts, const ReadParams& params = {}) {
  SCOPED_TRACE(content.substr(0, 200));
  expect_input_error([&] { libsvm(content, params); }, parts);
}

TEST(Libsvm, fills_features_that_are_not_named_with_zeros) {
  const data::Dataset dataset = libsvm("+1 1:0.5 3:-2\n-1 2:1e1\n+1\n");
  EXPECT_THAT(test::row(dataset, 0), ElementsAre(0.5, 0, -2));
  EXPECT_THAT(test::row(dataset, 1), ElementsAre(0, 10, 0));
  EXPECT_THAT(test::row(dataset, 2), ElementsAre(0, 0, 0));
  EXPECT_THAT(dataset.class_name, ElementsAre("-1", "1"));
  EXPECT_THAT(all_labels(dataset), ElementsAre(1, 0, 1));
}

TEST(Libsvm, is_the_same_whatever_the_ends_of_lines_blanks_and_comments) {
  const Digest digest = libsvm("1 1:2\n2 2:3\n").digest;
  const std::string marked = text("\xEF\xBB\xBF", "1 1:2\n2 2:3\n");
  for (const std::string& content :
       {std::string("1 1:2\n2 2:3"), std::string("1 1:2\r\n2 2:3\r\n"), marked,
        std::string("# head\n\n1 1:2 # first\n \n2  2:3\t\n"), std::string("\t1.0\t1:2.0 2:0\n+2 2:+3\n")}) {
    EXPECT_EQ(libsvm(content).digest, digest) << content;
  }
}

TEST(Libsvm, takes_numbers_that_are_equal_for_one_label_however_they_are_written) {
  const data::Dataset dataset = libsvm("1e+06 1:1\n1000000 1:2\n0.0 1:3\n-0 1:4\n01 1:5\n1e0 1:6\n.5 1:7\n5e-1 1:8\n");
  EXPECT_THAT(dataset.class_name, ElementsAre("0", "0.5", "1", "1000000"));
  EXPECT_THAT(all_labels(dataset), ElementsAre(3, 3, 0, 0, 2, 2, 1, 1));
}

TEST(Libsvm, warns_of_columns_whose_decimals_single_precision_drops) {
  const auto warnings = [](const std::string& content) {
    std::vector<std::string> warning;
    parse_libsvm(bytes_of(content), "t.svm", {}, &warning);
    return warning;
  };
  EXPECT_THAT(warnings("1 1:9000000.1 2:1\n2 1:9000002.9\n1 1:9000003\n"),
              ElementsAre(testing::HasSubstr("single precision merges those within a step: 1 (steps of 1);")));
  EXPECT_THAT(warnings("1 1:9000000.1\n2 1:9000002.9\n1 2:3\n"), ElementsAre()) << "0 is far away";
  EXPECT_THAT(warnings("1 1:9000000\n2 1:9000002\n"), ElementsAre());
}

TEST(Libsvm, pads_to_the_features_asked_for) {
  const data::Dataset dataset = libsvm("1 1:2\n", {.known_classes = {"1", "2"}, .features = 4});
  EXPECT_THAT(test::row(dataset, 0), ElementsAre(2, 0, 0, 0));
  refused("1 1:2\n2 5:1\n", {"t.svm, line 2", "no feature 5", "4 features"}, {.features = 4});
}

TEST(Libsvm, counts_from_zero_if_any_index_is_zero) {
  const data::Dataset zero = libsvm("1 0:1 2:3\n2 1:5\n"), one = libsvm("1 1:1 3:3\n2 2:5\n");
  EXPECT_EQ(zero.digest, one.digest);
  EXPECT_EQ(zero.first_index, 0);
  EXPECT_EQ(one.first_index, 1);
  EXPECT_THAT(test::row(libsvm("1 2:3\n2 0:5\n", {.first_index = 0}), 0), ElementsAre(0, 0, 3));
  refused("1 0:1 0:2\n", {"index 0 follows 0"});
  refused("1 0:1 3:2\n", {"there is no feature 3", "3 features"}, {.features = 3});
  EXPECT_EQ(libsvm("1 0:1 2:2\n", {.features = 3}).features(), 3);
  EXPECT_THAT(test::row(libsvm("1 1:1\n1 0:2\n"), 0), ElementsAre(0, 1)) << "an index of 0 anywhere";
  refused("1 0:1\n", {"index 0", "start at 1"}, {.first_index = 1});
}

TEST(Libsvm, warns_of_indices_that_may_count_from_zero_where_only_the_features_are_known) {
  const auto warnings = [](const std::string& content, const ReadParams& params) {
    std::vector<std::string> warning;
    parse_libsvm(bytes_of(content), "t.svm", params, &warning);
    return warning;
  };
  const std::string doubtful = "1 1:1 3:3\n2 2:5\n";
  EXPECT_THAT(
      warnings(doubtful, {.features = 4}),
      ElementsAre(testing::AllOf(testing::HasSubstr("t.svm has neither an index 0 nor 4"),
                                 testing::HasSubstr("taken to count from 1"), testing::HasSubstr("zero_based=False"))));
  EXPECT_THAT(warnings(doubtful, {}), ElementsAre()) << "training data";
  EXPECT_THAT(warnings(doubtful, {.features = 4, .first_index = 1}), ElementsAre());
  EXPECT_THAT(warnings("1 1:1 4:3\n2 2:5\n", {.features = 4}), ElementsAre());
  EXPECT_THAT(warnings(doubtful, {.features = 4, .first_index = 0}), ElementsAre());
  EXPECT_THAT(warnings("1 0:1 3:3\n", {.features = 4}), ElementsAre());
}

TEST(Libsvm, leaves_out_features_that_the_training_data_do_not_have) {
  for (const bool zero : {false, true}) {
    const std::string content =
        zero ? "1 0:1 3:4 5:8\n2 1:2 3:0\n1 4:0\n2 2:3 3:7 5:9\n" : "1 1:1 4:4 6:8\n2 2:2 4:0\n1 5:0\n2 3:3 4:7 6:9\n";
    const ReadParams params{.known_classes = {"1", "2"}, .features = 3, .first_index = zero ? 0 : 1};
    std::vector<std::string> warning;
    const data::Dataset dataset = parse_libsvm(bytes_of(content), "t.svm", params, &warning);
    EXPECT_EQ(dataset.features(), 3);
    EXPECT_THAT(test::row(dataset, 0), ElementsAre(1, 0, 0));
    EXPECT_THAT(test::row(dataset, 1), ElementsAre(0, 2, 0));
    EXPECT_THAT(test::row(dataset, 2), ElementsAre(0, 0, 0));
    EXPECT_THAT(test::row(dataset, 3), ElementsAre(0, 0, 3));
    EXPECT_THAT(all_labels(dataset), ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(warning, ElementsAre(zero ? "t.svm has 2 features that the training data do not have, which were "
                                            "ignored: 3 to 5, in 2 of 4 samples"
                                          : "t.svm has 2 features that the training data do not have, which were "
                                            "ignored: 4 to 6, in 2 of 4 samples"));
    warning.clear();
    parse_libsvm(bytes_of(zero ? "1 0:1 3:0 9:0\n" : "1 1:1 4:0 9:0\n"), "t.svm", params, &warning);
    EXPECT_THAT(warning, ElementsAre()) << "zeros say nothing";
    parse_libsvm(bytes_of("1 0:1\n1 9:9000000.1\n2 9:9000002.9\n"), "t.svm", {.features = 3, .first_index = 0},
                 &warning);
    EXPECT_THAT(warning, ElementsAre("t.svm has 1 feature that the training data do not have, which was ignored: 9, "
                                     "in 2 of 3 samples"));
    refused(content, {"there is no feature"}, params);  // nobody would see the warning
  }
}

TEST(Libsvm, refuses_unknown_features_of_a_file_that_may_count_otherwise_than_the_training_data) {
  const auto refused_with_warnings = [](const std::string& content, const std::vector<std::string>& parts,
                                        const ReadParams& params) {
    std::vector<std::string> warning;
    expect_input_error([&] { parse_libsvm(bytes_of(content), "t.svm", params, &warning); }, parts);
  };
  refused_with_warnings(
      "1 1:1\n2 1:1 4:1\n",
      {"t.svm, line 2: there is no feature 4", "4 features, from 0", "no index 0", "zero_based=True", "0:0"},
      {.features = 4, .first_index = 0});
  refused_with_warnings("1 1:1 5:1\n", {"no feature 5", "4 features, from 1", "kind used for training"},
                        {.features = 4});
  refused_with_warnings("1 0:1 4:1\n", {"no feature 4", "4 features, from 0"}, {.features = 4});
  refused_with_warnings("1 1:1\n2 1:1 6:2\n",
                        {"t.svm, line 2: there is no feature 6", "imported with 4 features, from 1", "--features 6"},
                        {.features = 4, .first_index = 1, .imported = true});
  refused_with_warnings("1 0:1\n2 1:1 6:2\n", {"no feature 6", "4 features, from 0", "--features 7"},
                        {.features = 4, .first_index = 0, .imported = true});
  refused_with_warnings("1 0:1 5:1\n", {"index 0", "start at 1"}, {.features = 4, .first_index = 1});
}

TEST(Libsvm, names_the_line_of_a_bad_index) {
  refused("1 -3:1\n", {"t.svm, line 1", "index -3"});
  refused("1 1:1 3:1 2:1\n", {"t.svm, line 1", "index 2 follows 3", "ascend"});
  refused("1 1:1 1:1\n", {"index 1 follows 1"});
  refused("1 x:1\n", {"t.svm, line 1", "'x' in 'x:1' is not an index"});
  refused("1 qid:1 1:2\n", {"t.svm, line 1: 'qid:1' says which samples are ranked together", "sed"});
  refused("1 :1\n", {"'' in ':1' is not an index"});
  refused("1 1.5:1\n", {"'1.5'"});
  refused("1 qid:3 1:1\n", {"'qid:3'"});
}

TEST(Libsvm, refuses_indices_that_no_dense_matrix_can_hold) {
  refused("1 10000001:1\n", {"t.svm, line 1", "'10000001' is too large", "10000000"});
  refused("1 99999999999999999999:1\n", {"t.svm, line 1", "'99999999999999999999' is too large"});
  EXPECT_EQ(libsvm("1 1000000:1\n").features(), 1000000);
}

TEST(Libsvm, refuses_what_does_not_fit_in_memory_before_it_asks_for_it) {
  std::string content = "1 100000:1\n";
  for (int i = 0; i < 1'000'000; ++i) content += "2 1:1\n";
  refused(content, {"t.svm", "1000001 samples of 100000 features", "of memory", "this machine has"});
}

TEST(Libsvm, refuses_a_dense_form_out_of_all_proportion) {
  std::string content;
  for (int i = 0; i < 100; ++i) content += "1 1:2\n";
  content += "2 9000000:1\n";
  refused(content,
          {"101 samples of 9000000 features", "largest index is in ", "line 101", "3.636 GB", "Check this index"});
  EXPECT_EQ(libsvm("1 1:2\n2 1000:1\n").features(), 1000);
}

TEST(Libsvm, names_line_and_column_of_a_bad_value) {
  refused("1 1:1\n2 1:1 4:zwei\n", {"t.svm, line 2, column 4", "'zwei' is not a number"});
  refused("1 3:nan\n", {"t.svm, line 1, column 3", "'nan' is not a finite"});
  refused("1 3:-inf\n", {"t.svm, line 1, column 3", "'-inf' is not a finite"});
  refused("1 3:\n", {"t.svm, line 1, column 3", "missing"});
  refused("1 1:2:3\n", {"t.svm, line 1, column 1", "'2:3'"});
  refused("1 1:1 2\n", {"t.svm, line 1", "'2' is not of the form index:value"});
}

TEST(Libsvm, names_the_line_of_a_missing_or_wrong_label) {
  refused("1 1:1\n1:1 2:3\n", {"t.svm, line 2", "label is missing", "'1:1'"});
  refused("1 1:1\n0,5,13,9\n", {"t.svm, line 2", "'0,5,13,9' is not a number"});
  refused("nan 1:1\n", {"t.svm, line 1", "'nan'"});
}

TEST(Libsvm, refuses_files_that_hold_nothing) {
  refused("", {"t.svm holds no samples"});
  refused("# only a comment\n\n", {"t.svm holds no samples"});
  refused("1\n2\n", {"t.svm holds no features"});
}

TEST(Libsvm, reads_samples_without_labels_when_allowed) {
  const ReadParams params{.known_classes = {"1", "2"}, .features = 3, .labelled = false};
  const data::Dataset dataset = libsvm("1:5\n3:7\n", params);
  EXPECT_FALSE(dataset.labelled());
  EXPECT_THAT(test::row(dataset, 1), ElementsAre(0, 0, 7));
  EXPECT_THAT(all_labels(libsvm("2 1:5\n1 3:7\n", params)), ElementsAre(1, 0));
  refused("1:5\n1 3:7\n", {"line 2 has a label", "have none"}, params);
  refused("1 1:5\n3:7\n", {"line 2 has no label"}, params);
  EXPECT_THAT(all_labels(libsvm("2 1:5\n3 3:7\n", params)), ElementsAre(1, -1)) << "no class of these";
}

TEST(Libsvm, refuses_an_empty_line_that_may_be_a_sample_of_zeros) {
  const ReadParams params{.known_classes = {"1", "2"}, .features = 3, .labelled = false};
  refused("1:5\n\n3:7\n", {"t.svm, line 2 is empty", "all 0", "1:0"}, params);
  refused("# head\n\n1:5\n# more\n\n\n3:7\n", {"t.svm, line 5 is empty"}, params);
  EXPECT_EQ(libsvm("# head\n\n1:5\n# more\n3:7\n", params).size(), 2) << "below a comment at the head";
  std::vector<std::string> warning;
  EXPECT_EQ(parse_libsvm(bytes_of("1:5\n3:7\n\n# end\n\n"), "t.svm", params, &warning).size(), 2);
  EXPECT_THAT(warning, ElementsAre(testing::HasSubstr("t.svm has no labels and ends with 2 empty lines")));
  warning.clear();
  parse_libsvm(bytes_of("1:5\n3:7\n"), "t.svm", params, &warning);
  parse_libsvm(bytes_of("1 1:5\n2 3:7\n\n"), "t.svm", params, &warning);
  EXPECT_TRUE(warning.empty()) << warning.front();
  EXPECT_EQ(libsvm("1 1:5\n\n2 3:7\n", params).size(), 2) << "samples with labels are no empty lines";
}

/// `samples` lines of `entries` entries each, among `features`.
std::string large_file(int samples, int features, int entries) {
  std::string content;
  for (int i = 0; i < samples; ++i) {
    content += std::to_string(i % 2 + 1);
    for (int k = 0; k < entries; ++k) {
      content +=
          " " + std::to_string(1 + (features - 1) / entries * k + (i + k) % 7) + ":" + std::to_string(k % 3) + ".5";
    }
    content += i == 0 ? " " + std::to_string(features) + ":0\n" : "\n";
  }
  return content;
}

TEST(Libsvm, keeps_large_samples_of_few_values_sparse_where_the_caller_takes_them) {
  const std::string content = large_file(500, 10'000, 20);
  const data::Dataset dense = libsvm(content), sparse = libsvm(content, {.sparse = true});
  EXPECT_FALSE(dense.is_sparse());
  ASSERT_TRUE(sparse.is_sparse());
  EXPECT_EQ(sparse.digest, dense.digest);
  EXPECT_EQ(sparse.features(), 10'000);
  EXPECT_EQ(sparse.first_index, 1);
  EXPECT_EQ(entries_of(sparse.sparse), 500 * 20) << "a zero in the file is no entry";
  EXPECT_EQ(all_labels(sparse), all_labels(dense));
  EXPECT_FALSE(libsvm(large_file(50, 10'000, 20), {.sparse = true}).is_sparse()) << "small";
  EXPECT_FALSE(libsvm(large_file(500, 10'000, 1100), {.sparse = true}).is_sparse()) << "more than a tenth";
  EXPECT_TRUE(libsvm("2 1:1\n", {.known_classes = {"1", "2"}, .features = 10'000'000, .sparse = true}).is_sparse());
  refused(content, {"no feature 10000", "9000 features"}, {.features = 9000, .sparse = true});
  std::vector<std::string> warning;
  const ReadParams narrow{.known_classes = {"1", "2"}, .features = 9000, .first_index = 1};
  ReadParams narrow_sparse = narrow;
  narrow_sparse.sparse = true;
  const data::Dataset kept = parse_libsvm(bytes_of(content), "t.svm", narrow_sparse, &warning);
  ASSERT_TRUE(kept.is_sparse());
  EXPECT_EQ(kept.digest, parse_libsvm(bytes_of(content), "t.svm", narrow, &warning).digest);
  EXPECT_EQ(entries_of(kept.sparse), 500 * 19) << "without the features from 9001 on";
  EXPECT_THAT(warning, testing::Each(testing::HasSubstr("in 500 of 500 samples")));
}

TEST(Libsvm, takes_far_more_features_sparse_than_fit_dense) {
  std::string content = "1 10000000:1\n";
  for (int i = 0; i < 100'000; ++i) content += "2 1:1\n";
  const data::Dataset sparse = libsvm(content, {.sparse = true});
  EXPECT_EQ(sparse.size(), 100'001);
  EXPECT_EQ(sparse.features(), 10'000'000);
}

TEST(Libsvm, compressed_files_give_the_same_data_set) {
  const test::SampleFolder folder;
  const std::string content = "1 1:2\n2 2:3\n";
  EXPECT_EQ(read_libsvm(folder.write("t.svm.gz", test::gzipped(content))).digest,
            read_libsvm(folder.write("t.svm", content)).digest);
}

}  // namespace
}  // namespace krossfold::tables
