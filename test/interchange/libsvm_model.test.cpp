// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/libsvm_model.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "krossfold/model/svm_file.hpp"
#include "pair_machine.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::interchange {
namespace {

using svm::KernelKind;

const std::vector<svm::KernelFunction> kernels = {
    {KernelKind::rbf, 0.02}, {KernelKind::linear}, {KernelKind::polynomial, 0.1, 2, 1}};
const std::vector<data::Scale> scales = {
    {}, {{8}, {4.6}}, {{0}, {4.6}}, {{1, 2, 3, 4, 5, 6}, {4, 5, 6, 7, 8, 9}}, {{0, 0, 0, 0, 0, 0}, {4, 5, 6, 7, 8, 9}}};

TEST(LibsvmModel, machines_of_every_kernel_and_scale_come_back_with_their_decision_values) {
  const test::TemporaryFolder folder;
  for (const svm::KernelFunction& kernel : kernels) {
    for (std::size_t s = 0; s < scales.size(); ++s) {
      for (const int classes : {2, 4}) {
        SCOPED_TRACE(text(svm::kernel_word(kernel.kind), ", scale ", s, ", ", classes, " classes"));
        const svm::Machine machine = test::pair_machine(classes, kernel, scales[s], 7);
        const LibsvmFiles files = libsvm_files(machine, "m.h5");
        LibsvmData data;
        data.features = machine.features();
        if (!files.range.empty()) {
          data.range = folder / "m.range";
          test::put(data.range, files.range);
        }
        const svm::Machine again = machine_from_libsvm(test::bytes_of(files.model), "m.model", data);
        test::expect_same_decisions(again, machine, 2e-5);
        ASSERT_EQ(again.sigmoid.size(), machine.sigmoid.size());
        for (std::size_t p = 0; p < again.sigmoid.size(); ++p) {
          EXPECT_EQ(again.sigmoid[p].a, machine.sigmoid[p].a);
          EXPECT_EQ(again.sigmoid[p].b, machine.sigmoid[p].b);
        }
      }
    }
  }
}

TEST(LibsvmModel, the_scale_is_part_of_the_model_exactly_where_the_kernel_allows_it) {
  const std::vector<std::vector<bool>> has_range = {
      {false, false, false, true, true}, {false, false, false, false, false}, {false, true, false, true, false}};
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (std::size_t s = 0; s < scales.size(); ++s) {
      const LibsvmFiles files = libsvm_files(test::pair_machine(3, kernels[k], scales[s], 1), "m.h5");
      EXPECT_EQ(!files.range.empty(), has_range[k][s]) << k << ", " << s;
    }
  }
}

// svm-scale fills in omitted features from number 1 on, so that 0 must be scaled to 0 for feature 0.
TEST(LibsvmModel, scaled_features_from_0_leave_the_first_one_without_offset) {
  svm::Machine machine = test::pair_machine(3, kernels[0], scales[3], 7);
  machine.support.first_index = 0;
  const LibsvmFiles files = libsvm_files(machine, "m.h5");
  EXPECT_EQ(files.range.substr(0, files.range.find("\n2 ")), "x\n0 1\n0 0 4\n1 2 7") << files.range;
  const test::TemporaryFolder folder;
  const LibsvmData data{machine.features(), folder / "m.range", ""};
  test::put(data.range, files.range);
  test::expect_same_decisions(machine_from_libsvm(test::bytes_of(files.model), "m.model", data), machine, 2e-5);

  machine.kernel = kernels[2];
  const std::string message = test::message_of(ExitCode::usage, [&] { libsvm_files(machine, "m.h5"); });
  EXPECT_NE(message.find("m.h5: feature 0 has the offset 1"), std::string::npos) << message;
  machine.scale.offset[0] = 0;
  EXPECT_NE(libsvm_files(machine, "m.h5").range, "");
}

TEST(LibsvmModel, two_classes_one_against_the_rest_are_the_pair_of_half_the_difference) {
  const svm::KernelFunction kernel{KernelKind::rbf, 0.02};
  const svm::Machine pair = test::pair_machine(2, kernel, {}, 5);
  svm::Machine mirrored = pair;  // f = (f - (-f)) / 2
  mirrored.multiclass = svm::Multiclass::one_vs_rest;
  const int n = pair.support.size();
  mirrored.coefficient = Matrix<double>("krossfold::test::coefficient", 2, n);
  for (int i = 0; i < n; ++i) {
    mirrored.coefficient(0, i) = pair.coefficient(0, i);
    mirrored.coefficient(1, i) = -pair.coefficient(0, i);
  }
  mirrored.bias = {pair.bias[0], -pair.bias[0]};
  mirrored.sigmoid = {};
  const svm::Machine again =
      machine_from_libsvm(test::bytes_of(libsvm_files(mirrored, "m.h5").model), "m.model", {6, "", ""});
  test::expect_same_decisions(again, pair, 1e-6);
}

TEST(LibsvmModel, one_against_the_rest_of_more_classes_is_refused) {
  svm::Machine machine = test::pair_machine(3, kernels[0], {}, 5);
  machine.multiclass = svm::Multiclass::one_vs_rest;
  const std::string message = test::message_of(ExitCode::usage, [&] { libsvm_files(machine, "m.h5"); });
  for (const char* words : {"m.h5", "one-vs-rest with 3 classes", "--multiclass ovo"}) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
}

constexpr const char* whole =
    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 4\nrho 0.1 0.2 0.3\nlabel 4 -2 9\nnr_sv 1 2 "
    "1\nSV\n"
    "1 0.5 1:2 3:1\n-1 0.25 1:3\n-1 -0.5 2:1 3:4\n-0.5 -1 1:-1\n";

std::string changed(const std::string& from, const std::string& to) {
  std::string content = whole;
  content.replace(content.find(from), from.size(), to);
  return content;
}

TEST(LibsvmModel, a_file_of_three_classes_is_read_as_svm_train_means_it) {
  const svm::Machine machine = machine_from_libsvm(test::bytes_of(whole), "m.model", {});
  EXPECT_EQ(machine.class_name, (std::vector<std::string>{"4", "-2", "9"}));
  EXPECT_EQ(machine.features(), 3);
  EXPECT_EQ(list_of(machine.support.label), (std::vector<int>{0, 1, 1, 2}));
  // Pairs (4, -2), (4, 9), (-2, 9): the coefficients of a class lie in the column of the other one.
  EXPECT_EQ(list_of(machine.coefficient), (std::vector<double>{1, -1, -1, 0, 0.5, 0, 0, -0.5, 0, 0.25, -0.5, -1}));
}

// The decision values of LIBSVM, by hand: rho, and (gamma x y + coef0)^2 between the two support vectors.
TEST(LibsvmModel, knows_how_far_it_is_from_libsvm) {
  const auto difference = [](const std::string& content) {
    const std::vector<std::byte> bytes = test::bytes_of(content);
    double found = -1;
    machine_from_libsvm(bytes, "m.model", {}, &found);
    return found;
  };
  EXPECT_LT(difference(whole), 1e-6);
  EXPECT_LT(difference(changed("rbf\ngamma 0.5", "linear")), 1e-6);
  const auto polynomial = [](const std::string& value) {
    return "svm_type c_svc\nkernel_type polynomial\ndegree 2\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 "
           "2\n"
           "nr_sv 1 1\nSV\n1000 1:" +
           value + "\n-1000 1:1\n";
  };
  EXPECT_EQ(difference(polynomial("1.5")), 0);
  // x = 10.1 is 10.1000003815 in single precision: 1000 x^4 differs by 4000 x^3 3.8e-7.
  EXPECT_NEAR(difference(polynomial("10.1")), 4000 * 10.1 * 10.1 * 10.1 * 3.8147e-7, 0.01);
}

TEST(LibsvmModel, what_is_wrong_is_named_with_its_line_and_column) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {changed("c_svc", "one_class"), {"line 1, column 10", "c_svc and nu_svc"}},
      {changed("rbf", "sigmoid"), {"line 2, column 13", "sigmoid"}},
      {changed("gamma 0.5", "gamma 0"), {"line 3", "gamma is positive"}},
      {changed("gamma 0.5", "gamma 0.5 1"), {"line 3", "gamma has one value"}},
      {changed("gamma 0.5", "color red"), {"line 3", "color"}},
      {changed("nr_class 3", "nr_class 1"), {"line 4, column 10", "from 2 to 30000"}},
      {changed("nr_class 3", "nr_class 30000"), {"3 numbers, for 449985000 pairs"}},
      {changed("total_sv 4", "total_sv 2000000000"), {"nr_sv is 4 in all"}},
      {changed("total_sv 4", "total_sv 3"), {"nr_sv is 4 in all, total_sv 3"}},
      {changed("rho 0.1", "rho x"), {"line 6, column 5", "no finite number: 'x'"}},
      {changed("rho 0.1", "rho nan"), {"line 6, column 5"}},
      {changed("rho 0.1 0.2", "rho 0.1"), {"rho has 2 numbers, for 3 pairs"}},
      {changed("4 -2 9", "4 -2 4"), {"two classes have the same label"}},
      {changed("nr_sv 1 2 1", "nr_sv 1 3 1"), {"nr_sv is 5 in all"}},
      {changed("nr_sv 1 2 1", "nr_sv 5 -2 1"), {"line 8, column 9"}},
      {changed("SV\n", ""), {"line 9, column 1", "no field"}},
      {changed("1 0.5 1:2", "1 1:2"), {"line 10, column 3", "begins with 2 coefficients"}},
      {changed("1:2 3:1", "3:1 1:2"), {"line 10, column 11", "ascend"}},
      {changed("1:2 3:1", "1:2 3"), {"line 10, column 11", "index:value"}},
      {changed("3:1", "99999999999:1"), {"line 10, column 11", "whole number"}},
      {changed("3:1", "3:1e60"), {"line 10, column 11", "single precision"}},
      {changed("-0.5 -1 1:-1\n", ""), {"cut off", "3 of 4 support vectors"}},
      {changed("-0.5 -1 1:-1\n", "-0.5 -1 1:-1\n1 1 1:1\n"), {"line 14", "total_sv is 4"}},
      {"", {"no model file of LIBSVM"}},
      {std::string(whole, std::string(whole).size() - 1), {"m.model is cut off", "no line end"}},
      {changed("svm_type c_svc\n", ""), {"svm_type is missing"}},
      {changed("kernel_type rbf\n", ""), {"kernel_type is missing"}},
      {changed("gamma 0.5\n", ""), {"gamma is missing"}},
      {changed("gamma 0.5\n", "gamma 0.5\ngamma 7\n"), {"line 4", "gamma is given twice"}},
      {changed("rbf\n", "polynomial\ndegree 2\n"), {"coef0 is missing"}},
      {changed("rbf\n", "polynomial\ncoef0 1\n"), {"degree is missing"}},
  };
  for (const auto& [content, says] : cases) {
    const std::vector<std::byte> bytes = test::bytes_of(content);
    const std::string message = test::message_of(ExitCode::usage, [&] { machine_from_libsvm(bytes, "m.model", {}); });
    EXPECT_NE(message.find("m.model"), std::string::npos) << message;
    for (const std::string& words : says) EXPECT_NE(message.find(words), std::string::npos) << words << "\n" << message;
  }
}

TEST(LibsvmModel, a_file_with_any_other_letter_is_read_or_refused) {
  int read = 0, refused = 0;
  for (std::size_t at = 0; at < std::string(whole).size(); ++at) {
    for (const char letter : {'0', '9', '-', '.', ':', ' ', '\n', 'x', '\xff', '\0'}) {
      std::string content = whole;
      content[at] = letter;
      try {
        const svm::Machine machine = machine_from_libsvm(test::bytes_of(content), "m.model", {});
        EXPECT_EQ(machine.coefficient.extent(0), machine.bias.size());
        EXPECT_EQ(static_cast<int>(machine.coefficient.extent(1)), machine.support.size());
        ++read;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(read, 50);  // other numbers
  EXPECT_GT(refused, 500);
}

TEST(LibsvmModel, large_sizes_that_a_small_file_names_are_refused_before_memory_is_allocated) {
  const std::string far = changed("2:1 3:4", "2:1 10000000:4");  // four rows of 40 MB each would do no harm
  const svm::Machine machine = machine_from_libsvm(test::bytes_of(far), "m.model", {});
  EXPECT_EQ(machine.features(), 10'000'000);
  EXPECT_TRUE(machine.support.is_sparse());
  const std::string message = test::message_of(
      ExitCode::usage, [] { machine_from_libsvm(test::bytes_of(changed("3:1", "10000002:1")), "m.model", {}); });
  EXPECT_NE(message.find("line 10, column 11"), std::string::npos) << message;
  test::message_of(ExitCode::usage, [] { machine_from_libsvm(test::bytes_of(whole), "m.model", {2, "", ""}); });
}

/// A file of two support vectors.
std::string pair_file(const std::string& kernel, const std::string& first, const std::string& second) {
  return "svm_type c_svc\nkernel_type " + kernel + "\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 2\nnr_sv 1 1\nSV\n1 " +
         first + "\n-1 " + second + "\n";
}

TEST(LibsvmModel, features_may_not_lose_what_tells_them_apart) {
  const auto read = [](const std::string& content) {
    return machine_from_libsvm(test::bytes_of(content), "m.model", {});
  };
  const auto refusal = [&](const std::string& content) {
    return test::message_of(ExitCode::usage, [&] { read(content); });
  };
  // In steps of 6e-5; whether that shows is a question of the coefficients.
  double difference = 0;
  machine_from_libsvm(test::bytes_of(pair_file("linear", "1:1 2:1013.2501", "1:2 2:1013.2506")), "m.model", {},
                      &difference);
  EXPECT_GT(difference, 0.01);
  read(pair_file("linear", "1:1 2:1013.2501", "1:2 2:1013.2501"));
  read(pair_file("linear", "1:1 2:0.1", "1:2 2:0.10000000000000002"));  // a rounding error
  read(pair_file("linear", "1:1.1e-5 2:0.1", "1:2.3e-5 2:0.3"));
  read(pair_file("linear", "1:12345.67 2:1", "2:1"));

  const std::string rbf = "rbf\ngamma 1", far = " 3000000:1";
  const std::string message = refusal(pair_file(rbf, "1:1600000000.5" + far, "1:1600000010.5" + far));
  EXPECT_NE(message.find("m.model: feature 1 loses digits"), std::string::npos) << message;
  EXPECT_TRUE(read(pair_file(rbf, "1:1600000000.5" + far, "2:0.1" + far)).support.is_sparse());
}

TEST(LibsvmModel, the_largest_columns_of_a_kernel_matrix_come_back_from_a_model_file) {
  const std::string content = pair_file("precomputed", "0:2000000", "0:1");
  const svm::Machine machine = machine_from_libsvm(test::bytes_of(content), "m.model", {});
  EXPECT_EQ(machine.kernel_columns, 2'000'000);
  EXPECT_EQ(model::machine_from_container(model::to_container(machine), "m.h5").column, machine.column);
}

TEST(LibsvmModel, names_of_labels_differ) {
  const test::TemporaryFolder folder;
  LibsvmData data;
  data.labels = folder / "m.labels";
  test::put(data.labels, "4 four\n-2 a b\n9 nine\n");
  EXPECT_EQ(machine_from_libsvm(test::bytes_of(whole), "m.model", data).class_name,
            (std::vector<std::string>{"four", "a b", "nine"}));
  test::put(data.labels, "4 four\n-2 a b\n9 four\n");
  const std::string message =
      test::message_of(ExitCode::usage, [&] { machine_from_libsvm(test::bytes_of(whole), "m.model", data); });
  EXPECT_NE(message.find("m.labels, line 3, column 3"), std::string::npos) << message;
  EXPECT_NE(message.find("'four' is the name of label 4 already"), std::string::npos) << message;
}

TEST(LibsvmRange, maps_raw_features_as_svm_scale_does) {
  // lower + (upper - lower) (v - least) / (most - least); feature 2 had one value, and svm-scale leaves it out.
  const data::Scale scale = scale_of(read_range(test::bytes_of("x\n-1 1\n1 10 30\n3 -2 2\n"), "r"), 3, 1);
  const auto scaled = [&](int j, double raw) { return (raw - scale.offset_of(j)) / scale.divisor_of(j); };
  EXPECT_DOUBLE_EQ(scaled(0, 10), -1);
  EXPECT_DOUBLE_EQ(scaled(0, 25), 0.5);
  EXPECT_DOUBLE_EQ(scaled(2, 1), 0.5);
  EXPECT_NEAR(scaled(1, 1e6), 0, 1e-20);
}

TEST(LibsvmRange, names_features_that_are_0_in_all_support_vectors) {
  const test::TemporaryFolder folder;
  LibsvmData data;
  data.range = folder / "m.range";
  test::put(data.range, "x\n0 1\n1 0 2\n2 0 2\n3 0 2\n5 7 8\n");
  const auto read = [&] { return machine_from_libsvm(test::bytes_of(whole), "m.model", data); };
  EXPECT_EQ(read().features(), 5);
  EXPECT_EQ(read().support.raw(0, 4), 7);
  data.features = 6;
  EXPECT_EQ(read().features(), 6);
  data.features = 3;
  const std::string message = test::message_of(ExitCode::usage, read);
  EXPECT_NE(message.find("m.range has a feature 5 (samples are said to have 3) Give --features 5"), std::string::npos)
      << message;
  data.features = 0;
  test::put(data.range, "x\n0 1\n0 7 8\n1 0 2\n2 0 2\n3 0 2\n");
  EXPECT_EQ(read().features(), 4);
  EXPECT_EQ(read().support.first_index, 0);
  EXPECT_EQ(read().support.raw(0, 0), 7);
}

TEST(LibsvmRange, features_that_single_precision_cannot_tell_apart_are_refused) {
  const test::TemporaryFolder folder;
  LibsvmData data;
  data.range = folder / "m.range";
  const auto read = [&] { machine_from_libsvm(test::bytes_of(whole), "m.model", data); };
  test::put(data.range, "x\n0 1\n1 16000 16010\n2 0 1\n3 12345.6704 12355.6704\n");
  read();
  test::put(data.range, "x\n0 1\n1 1600000000 1600000010\n2 0 1\n3 0 1\n");
  const std::string message = test::message_of(ExitCode::usage, read);
  EXPECT_NE(message.find("m.model: feature 1 loses digits"), std::string::npos) << message;
}

TEST(LibsvmRange, what_is_wrong_is_named_with_its_line) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {"y\n0 1\n", "line 1, column 1"},
      {"x\n", "limits"},
      {"x\n1 -1\n", "line 2"},
      {"x\n-1 1\n-1 1 2\n", "line 3, column 1"},
      {"x\n-1 1\n1 2\n", "line 3"},
      {"x\n-1 1\n1 3 2\n", "line 3"},
      {"x\n-1 1\n2 1 2\n1 1 2\n", "line 4, column 1"},
      {"x\n-1 1\n10000001 1 2\n", "line 3, column 1"},
      {"x\n-1 1\n1 0 1", "no line end"},
  };
  for (const auto& [content, says] : cases) {
    const std::vector<std::byte> bytes = test::bytes_of(content);
    const std::string message = test::message_of(ExitCode::usage, [&] { read_range(bytes, "m.range"); });
    EXPECT_NE(message.find("m.range"), std::string::npos) << message;
    EXPECT_NE(message.find(says), std::string::npos) << says << "\n" << message;
  }
}

}  // namespace
}  // namespace krossfold::interchange
