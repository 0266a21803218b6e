// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/numpy_files.hpp"
#include "krossfold/data/read_file.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "krossfold/tables/readers.hpp"
#include "own_tables.hpp"

namespace krossfold::tables {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::flowers;
using test::own_table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A .npy file of format version 1.
std::string npy(const std::string& type, const std::string& shape, const std::string& elements, bool fortran = false) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() % 256) +
         static_cast<char>(header.size() / 256) + header + elements;
}

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The table of .npy files with these bytes; without labels if `y` is "".
Table array_table(const std::string& x, const std::string& y, const TableParams& params = {},
                  const TableEncoding* encoding = nullptr) {
  const NumpyArray x_array = parse_npy(bytes_of(x), "x.npy");
  if (y.empty()) return numpy_table(x_array, nullptr, params, encoding);
  const NumpyArray y_array = parse_npy(bytes_of(y), "y.npy");
  return numpy_table(x_array, &y_array, params, encoding);
}

data::Dataset dataset(const std::string& x, const std::string& y, const TableParams& params = {}) {
  return table_dataset(array_table(x, y, params), params);
}

void refused(const std::string& x, const std::vector<std::string>& parts, const TableParams& params = {}) {
  SCOPED_TRACE(x);
  expect_input_error([&] { table_dataset(numpy_table(parse_npy(bytes_of(x), "x.npy"), nullptr, params), params); },
                     parts);
}

TEST(NumpyFiles, give_the_same_data_in_every_format_and_order) {
  for (const char* file : {"little_f8", "big_f8", "little_f4", "big_f4", "fortran", "version2", "version3"}) {
    SCOPED_TRACE(file);
    const std::string x = own_table("flowers_" + std::string(file) + ".npy");
    EXPECT_EQ(table_dataset(read_npy(x, own_table("flowers_names.npy"))).digest, flowers().digest);
  }
  const std::string x = own_table("flowers_little_f8.npy");
  EXPECT_EQ(table_dataset(read_npy(x, own_table("flowers_bytes.npy"))).digest, flowers().digest);
  EXPECT_EQ(table_dataset(read_npy(x, own_table("flowers_numbers.npy"))).digest, flowers({"0", "1", "2"}).digest);
  EXPECT_THAT(read_npy(x, own_table("flowers_names.npy")).warning, IsEmpty());
  EXPECT_EQ(table_dataset(read_npz(own_table("flowers.npz"), "X", "y")).digest, flowers().digest);
  EXPECT_EQ(table_dataset(read_npz(own_table("flowers_deflated.npz"), "X", "y")).digest,
            flowers({"0", "1", "2"}).digest);
}

TEST(NumpyFiles, labels_that_are_whole_numbers_are_named_alike_in_every_type) {
  const std::string x = npy("<f8", "(3, 1)", bytes_of_values<double>({1.5, 2.5, 3.5}));
  const std::vector<std::string> names{"100000", "123456789012", "-3"};
  for (const std::string& y : {npy("<f8", "(3,)", bytes_of_values<double>({100000, 123456789012, -3})),
                               npy("<i8", "(3,)", bytes_of_values<std::int64_t>({100000, 123456789012, -3}))}) {
    const data::Dataset read = dataset(x, y);
    EXPECT_THAT(read.class_name, testing::UnorderedElementsAreArray(names));
  }
}

TEST(NumpyFiles, give_the_same_whole_numbers_in_every_type) {
  const data::Dataset tenths = flowers();
  for (const char* type : {"i1", "i2", "i2_big", "i4", "u1", "u2", "u4", "u8"}) {
    SCOPED_TRACE(type);
    const Table table = read_npy(own_table("tenths_" + std::string(type) + ".npy"), own_table("flowers_names.npy"));
    ASSERT_EQ(table.size(), tenths.size());
    for (int i = 0; i < table.size(); ++i) {
      for (int j = 0; j < 4; ++j) EXPECT_EQ(table.value(i, j), std::round(10 * tenths.raw(i, j)));
    }
  }
  EXPECT_EQ(read_npy(own_table("tenths_b1.npy"), own_table("flowers_names.npy")).value(3, 2), 1);
}

TEST(NumpyFiles, hold_numbers_in_half_precision) {
  // 1, -2, the largest, the smallest above 0, the largest below the smallest normal one, that one, 1/3 and -0 (IEEE 754 binary16)
  const std::vector<std::uint16_t> half{0x3C00, 0xC000, 0x7BFF, 0x0001, 0x03FF, 0x0400, 0x3555, 0x8000};
  const std::vector<float> expected{1, -2, 65504, 0x1p-24f, 1023 * 0x1p-24f, 0x1p-14f, 1365 * 0x1p-12f, 0};
  const auto table = [](const std::string& type, std::vector<std::uint16_t> values) {
    if (type[0] == '>') {
      for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(value << 8 | value >> 8);
    }
    const std::string count = std::to_string(values.size());
    return array_table(npy(type, "(" + count + ", 1)", bytes_of_values<std::uint16_t>(values)),
                       npy("|b1", "(" + count + ",)", std::string(values.size(), '\1')), {.missing = "mean"});
  };
  for (const char* type : {"<f2", ">f2"}) {
    const Table read = table(type, half);
    for (int i = 0; i < read.size(); ++i)
      EXPECT_EQ(read.value(i, 0), expected[static_cast<std::size_t>(i)]) << type << i;
  }
  EXPECT_TRUE(table("<f2", {0x3C00, 0x7E00}).incomplete);
  expect_input_error([&] { table("<f2", {0x3C00, 0xFC00}); }, {"row 2, column 1: -inf is not a finite number"});
}

TEST(NumpyFiles, flatten_further_dimensions_like_reshape) {
  // numpy.arange(12).reshape(2, 2, 3) in C and in Fortran order
  const std::string c = npy("|u1", "(2, 2, 3)", bytes_of_values<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  const std::string f =
      npy("|u1", "(2, 2, 3)", bytes_of_values<std::uint8_t>({0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}), true);
  const std::string y = npy("|b1", "(2, 1)", std::string("\x00\x01", 2));
  for (const std::string& x : {c, f}) {
    const data::Dataset read = dataset(x, y, {.image = "3x2"});
    EXPECT_THAT(test::row(read, 0), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(test::row(read, 1), ElementsAre(6, 7, 8, 9, 10, 11));
    EXPECT_THAT(read.class_name, ElementsAre("False", "True"));
    EXPECT_EQ(read.image, (data::ImageShape{3, 2, 1}));
  }
  EXPECT_EQ(dataset(npy("|u1", "(2,)", "\x01\x02"), y).features(), 1);
}

TEST(NumpyFiles, of_rows_and_columns_are_images) {
  const auto read = [&](const std::string& shape, const TableParams& params = {}) {
    return array_table(npy("|u1", "(2, " + shape + ")", std::string(2 * 48, '\5')), npy("|u1", "(2,)", "\1\2"), params);
  };
  EXPECT_EQ(read("6, 8").image, (data::ImageShape{8, 6, 1}));
  EXPECT_EQ(read("3, 4, 4").image, (data::ImageShape{4, 4, 3}));
  EXPECT_EQ(read("1, 6, 8").image, (data::ImageShape{8, 6, 1}));
  for (const char* shape : {"48", "1, 48", "48, 1", "1, 48, 1", "4, 3, 4", "2, 2, 4, 3"}) {
    EXPECT_EQ(read(shape).image, data::ImageShape{}) << shape;
  }
}

TEST(NumpyFiles, of_images_name_the_pixel_that_is_missing) {
  std::vector<float> pixels(2 * 5 * 7 * 3, 1);
  pixels[((1 * 5 + 2) * 7 + 4) * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  const std::string y = npy("|u1", "(2,)", "\1\2");
  expect_input_error([&] { array_table(npy("<f4", "(2, 5, 7, 3)", bytes_of_values(pixels)), y); },
                     {"x.npy, row 2, channel 2, pixel row 3, pixel column 5: the value is missing"});
}

TEST(NumpyFiles, of_images_may_have_their_channels_last) {
  std::string pixels;  // sample, row, column, channel
  for (int i = 0; i < 2; ++i) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 5; ++x) {
        for (int c = 0; c < 3; ++c) pixels += static_cast<char>(60 * i + c * 20 + y * 5 + x);
      }
    }
  }
  const std::string y = npy("|u1", "(2,)", "\1\2");
  data::TableEncoding table = data::plain_encoding(60);
  for (const std::string shape : {"4, 5, 3", "20, 3"}) {
    const std::string x = npy("|u1", "(2, " + shape + ")", pixels);
    const TableParams told{.image = shape == "20, 3" ? "5x4x3" : ""};
    const data::Dataset read = dataset(x, y, told);
    EXPECT_EQ(read.image, (data::ImageShape{5, 4, 3}));
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 60; ++j) ASSERT_EQ(read.raw(i, j), static_cast<float>(60 * i + j)) << i << " " << j;
    }
    EXPECT_EQ(array_table(x, y, told).format, "NumPy array, channels last");
    EXPECT_EQ(array_table(x, "", {.labelled = false}, &table).value(0, 1), 20) << "the model knows no images";
  }
}

TEST(NumpyFiles, of_images_are_refused_in_another_order_than_the_shape_says) {
  const std::string y = npy("|u1", "(2,)", "\x01\x02");
  const auto images = [&](const std::string& dimensions, const std::string& image) {
    return dataset(npy("|u1", "(2, " + dimensions + ")", std::string(2 * 24, '\x05')), y, {.image = image});
  };
  for (const auto& [dimensions, image] : std::vector<std::pair<std::string, std::string>>{{"3, 2, 4", "4x2x3"},
                                                                                          {"2, 4, 3", "4x2x3"},
                                                                                          {"8, 3", "4x2x3"},
                                                                                          {"3, 8", "4x2x3"},
                                                                                          {"24", "4x2x3"},
                                                                                          {"6, 4", "4x2x3"},
                                                                                          {"4, 6", "6x4"},
                                                                                          {"1, 4, 6", "6x4"},
                                                                                          {"4, 6, 1", "6x4"}}) {
    EXPECT_TRUE(images(dimensions, image).image.is_image()) << dimensions << " as " << image;
  }
  for (const char* other : {"3, 4, 2", "2, 3, 4", "4, 2, 3", "2, 12", "12, 2"}) {
    expect_input_error(
        [&] { images(other, "4x2x3"); },
        {"x.npy has samples of ", "channels, rows and columns of 3x2x4, in this order, or has its channels last"});
  }
  expect_input_error([&] { images("6, 4", "6x4"); },
                     {"samples of 6x4 numbers", "rows and columns of 4x6", "unless their shape is 4x6"});
  expect_input_error([&] { images("4, 6", "3x2"); }, {"does not fit"});
}

TEST(NumpyFiles, of_one_dimension_are_no_sample_of_many_features) {
  const std::string x = npy("|u1", "(24,)", std::string(24, '\1'));
  const data::TableEncoding many = data::plain_encoding(24), one = data::plain_encoding(1);
  expect_input_error([&] { array_table(x, "", {.labelled = false}, &many); },
                     {"x.npy has 24 numbers", "X[numpy.newaxis]"});
  EXPECT_EQ(array_table(x, "", {.labelled = false}, &one).size(), 24);
}

TEST(NumpyFiles, hold_labels_of_images_apart) {
  const std::string pixels(2 * 24, '\1'), y = npy("|S4", "(2,)", std::string("cat dog\0", 8));
  const auto refused = [&](const std::string& shape, const TableParams& params, bool apart, const char* what) {
    expect_input_error([&] { array_table(npy("|u1", "(2, " + shape + ")", pixels), apart ? y : "", params); },
                       {"x.npy", what});
  };
  refused("4, 6", {}, false, "samples of 4x6 numbers and no labels");
  refused("4, 6", {.label = "3"}, false, "no labels");
  refused("1, 4, 6", {}, false, "no labels");
  refused("4, 6", {.group = "3"}, true, "--group is not for x.npy");
  refused("4, 6", {.weight = "3"}, true, "--weight is not for x.npy");
  refused("4, 6", {.drop = {"3"}}, true, "--drop is not for x.npy");
  EXPECT_EQ(array_table(npy("|u1", "(2, 24, 1)", pixels), "").column.size(), 23U);
  const data::TableEncoding plain = data::plain_encoding(24);
  EXPECT_EQ(array_table(npy("|u1", "(2, 4, 6)", pixels), "", {.labelled = false}, &plain).column.size(), 24U)
      << "to predict";
}

TEST(NumpyFiles, lose_the_blanks_around_words) {
  const std::string x = npy("|u1", "(4, 1)", "abcd"),
                    y = npy("|S5", "(4,)", std::string("cat\0\0cat  dog\0\0 dog\t", 20));
  EXPECT_THAT(dataset(x, y).class_name, ElementsAre("cat", "dog"));
}

TEST(NumpyFiles, take_columns_by_number) {
  const std::string x = npy("<f8", "(3, 4)", bytes_of_values<double>({5, 1, 0.5, 7, 9, 2, 0.25, 8, 3, 1, 1, 7}));
  const TableParams params{.group = "2", .weight = "3", .drop = {"1"}};
  expect_input_error([&] { table_dataset(numpy_table(parse_npy(bytes_of(x), "x.npy"), nullptr, params), params); },
                     {"nothing but a label"});
  const Table table = numpy_table(parse_npy(bytes_of(x), "x.npy"), nullptr, {.group = "2", .weight = "3"});
  const data::Dataset read = table_dataset(table);
  EXPECT_THAT(read.class_name, ElementsAre("7", "8"));
  EXPECT_THAT(list_of(read.group), ElementsAre(0, 1, 0));
  EXPECT_THAT(list_of(read.weight), ElementsAre(0.5, 0.25, 1));
  EXPECT_THAT(test::row(read, 1), ElementsAre(9));
}

TEST(NumpyFiles, predict_what_tables_taught) {
  const Table csv = read_table(own_table("flowers.csv"));
  const TableEncoding encoding = fit_encoding(csv, {}, {});
  const Table x = read_npy(own_table("flowers_little_f8.npy"), "", {}, &encoding);
  EXPECT_FALSE(x.labelled());
  EXPECT_THAT(x.warning, ElementsAre(HasSubstr("matched by position, because the file has no names")));
  const Table both = read_npy(own_table("flowers_little_f8.npy"), own_table("flowers_names.npy"), {}, &encoding);
  EXPECT_EQ(encode(both, encoding, {}, {"setosa", "versicolor", "virginica"}).digest, flowers().digest);
  expect_input_error([&] { read_npy(own_table("flowers_numbers.npy"), "", {}, &encoding); },
                     {"17 numbers", "first dimension"});
}

TEST(NumpyFiles, fill_in_what_is_missing_or_name_it) {
  const std::string x = npy("<f4", "(2, 2)", bytes_of_values<float>({1, NAN, 3, 4})),
                    y = npy("|S2", "(2,)", std::string("a\0bc", 4));
  EXPECT_THAT(test::row(dataset(x, y, {.missing = "median"}), 0), ElementsAre(1, 4));
  expect_input_error([&] { dataset(x, y); }, {"x.npy, row 1, column 2", "missing", "NaN"});
  refused(npy("<f4", "(2, 2)", bytes_of_values<float>({1, 2, INFINITY, 4})),
          {"x.npy, row 2, column 1", "not a finite number"});
  refused(npy("<f8", "(2, 2)", bytes_of_values<double>({1, 2, 3e300, 4})), {"x.npy, row 2, column 1", "too large"});
}

TEST(NumpyFiles, of_python_2_may_have_long_shapes) {
  EXPECT_EQ(parse_npy(bytes_of(npy("<f4", "(2L, 1L)", bytes_of_values<float>({1, 2}))), "x.npy").shape,
            (std::vector<std::uint64_t>{2, 1}));
}

TEST(NumpyFiles, are_refused_if_they_hold_something_else) {
  expect_input_error([] { read_npy(own_table("flowers_little_f8.npy"), own_table("flowers_objects.npy")); },
                     {"flowers_objects.npy holds Python objects", "pickles", "astype(str)"});
  expect_input_error([] { read_npy(own_table("flowers_names.npy"), ""); }, {"flowers_names.npy holds text"});
  expect_input_error([] { read_npy(own_table("flowers.csv"), ""); }, {"flowers.csv is no .npy file"});
  expect_input_error([] { read_npz(own_table("flowers.csv"), "X", "y"); }, {"flowers.csv is no .npz file"});
  expect_input_error([] { read_npz(own_table("flowers.npz"), "x", "y"); }, {"flowers.npz has no array 'x'", "X, y"});
  expect_input_error([] { read_npz(own_table("flowers.npz"), "", ""); }, {"no array of", "there are X, y", ":X,Y"});
  expect_input_error([] { read_npy(own_table("flowers_little_f8.npy"), own_table("flowers_little_f4.npy")); },
                     {"flowers_little_f4.npy is not a list of labels"});
  expect_input_error([] { read_npy(own_table("flowers_numbers.npy"), own_table("flowers_names.npy"), {.label = "1"}); },
                     {"label is not for"});
  refused(npy("<c16", "(1, 1)", std::string(16, '\0')), {"elements of type '<c16'"});
  refused(npy("<f16", "(1, 1)", std::string(16, 'a')), {"elements of type '<f16'", "astype(float)"});
  refused(npy("<c8", "(1, 1)", "abcdefgh"), {"elements of type '<c8'", "X.real and X.imag"});
  refused(npy("<f8", "()", std::string(8, '\0')), {"x.npy holds a single value"});
  refused(npy("<f8", "(0, 3)", ""), {"x.npy holds no samples"});
  refused(npy("<f8", "(18446744073709551615, 18446744073709551615)", std::string(8, '\0')),
          {"x.npy has the wrong size"});
  refused(npy("<f8", "(4294967296, 4294967296)", std::string(8, '\0')), {"x.npy has the wrong size"});
  refused(npy("<f8", "(2, 2)", std::string(31, '\0')), {"x.npy has the wrong size"});
  refused(npy("<f8", "(2, -2)", std::string(32, '\0')), {"x.npy is damaged"});
  refused(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14), {"x.npy is cut off"});
  refused(std::string("\x93NUMPY\x04\x00\x02\x00{}{}", 14), {"format version 4"});
}

/// Changes or removes a few bytes.
std::string damaged(std::string content, std::mt19937& random) {
  for (int change = 1 + static_cast<int>(random() % 3); change > 0 && !content.empty(); --change) {
    const std::size_t at = random() % content.size();
    if (random() % 8 == 0) {
      content.resize(at);
    } else if (random() % 4 == 0) {
      content.erase(at, random() % 5);
    } else {
      content[at] = static_cast<char>(random());
    }
  }
  return content;
}

TEST(NumpyFiles, that_are_damaged_give_data_or_an_error) {
  const unsigned seed = 93;
  std::mt19937 random(seed);
  int read_well = 0, refused_ = 0;
  for (const char* file :
       {"flowers_little_f8.npy", "flowers_fortran.npy", "tenths_i2_big.npy", "flowers.npz", "flowers_deflated.npz"}) {
    const std::string good = test::string_of(data::read_file(own_table(file)));
    const bool archive = std::string(file).ends_with(".npz");
    for (int round = 0; round < 3000; ++round) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << file << ", round " << round);
      const std::string content =
          damaged(archive ? good : good.substr(0, 200), random) + (archive ? "" : good.substr(200));
      try {
        std::vector<std::byte> member;
        if (archive) member = read_npz_member(bytes_of(content), "X", "some file");
        const NumpyArray x = parse_npy(archive ? std::span<const std::byte>(member) : bytes_of(content), "some file");
        const data::Dataset read = table_dataset(numpy_table(x, nullptr, {.missing = "mean"}));
        ASSERT_GT(read.size(), 0);
        ++read_well;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
        ++refused_;
      }
    }
  }
  EXPECT_GT(read_well, 200);
  EXPECT_GT(refused_, 200);
}

TEST(NumpyFiles, do_not_make_memory_for_more_than_deflated_data_can_hold) {
  std::string content = test::string_of(data::read_file(own_table("flowers_deflated.npz")));
  const auto entry = content.find("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  content.replace(entry + 24, 4, "\xf0\xff\xff\xff");
  expect_input_error([&] { read_npz_member(bytes_of(content), "X", "a.npz"); },
                     {"a.npz is damaged", "bytes cannot come from"});
}

}  // namespace
}  // namespace krossfold::tables
