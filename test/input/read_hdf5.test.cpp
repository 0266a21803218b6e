// SPDX-License-Identifier: BSD-3-Clause
// Files that h5py and xarray wrote (record_hdf5.py), against the values of flowers.txt.
#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "test/tables/own_tables.hpp"

namespace krossfold::input {
namespace {

using test::expect_input_error;
using test::flowers;
using test::own_table;

/// All samples of a SPEC, in the order of the file.
data::Dataset read(const std::string& arrays, const tables::TableParams& table = {},
                   const std::string& file = "flowers.h5") {
  const std::string spec = "hdf5:" + own_table(file) + arrays;
  return load_task({.train = spec, .test = spec, .table = table}).train;
}

const std::vector<std::string> numbers{"0", "1", "2"};

TEST(ReadHdf5, takes_x_and_y_by_default_and_labels_of_any_type) {
  EXPECT_EQ(read("").digest, flowers().digest);
  EXPECT_EQ(read(":/x,/y").digest, flowers().digest);
  EXPECT_EQ(read(":x,y").digest, flowers().digest);
  EXPECT_EQ(read(":/x,/labels/bytes").digest, flowers().digest);
  EXPECT_EQ(read(":/x,/labels/numbers").digest, flowers(numbers).digest);
  EXPECT_EQ(read(":/x,/labels/column").digest, flowers(numbers).digest);
  EXPECT_EQ(read(":/with_label").digest, flowers(numbers).digest);
  EXPECT_EQ(read(":/with_label", {.label = "-1"}).digest, flowers(numbers).digest);
  const data::Dataset truth = read(":/x,/labels/truth");
  EXPECT_EQ(truth.class_name, (std::vector<std::string>{"False", "True"}));
  EXPECT_EQ(truth.label(0), 1);
  EXPECT_EQ(truth.label(16), 0);
}

TEST(ReadHdf5, takes_numbers_of_any_type_and_byte_order) {
  for (const char* path : {"/floats/big_f8", "/floats/big_f4", "/floats/little_f8", "/floats/little_f4", "/chunked"}) {
    EXPECT_EQ(read(std::string(":") + path + ",/y").digest, flowers().digest) << path;
  }
  const Digest tenths = read(":/tenths/i8,/y").digest;
  const data::Dataset expected = flowers();
  const data::Dataset found = read(":/tenths/i8,/y");
  for (int i = 0; i < expected.size(); ++i) {
    for (int j = 0; j < 4; ++j) EXPECT_EQ(found.raw(i, j), std::round(10 * expected.raw(i, j)));
  }
  for (const char* type : {"i1", "i2", "i4", "u1", "u2", "u4", "u8", "f2"}) {
    EXPECT_EQ(read(std::string(":/tenths/") + type + ",/y").digest, tenths) << type;
  }
}

TEST(ReadHdf5, takes_arrays_of_matlab_as_matlab_shows_them) {
  EXPECT_EQ(read(":X,y", {}, "flowers_matlab.mat").digest, flowers(numbers).digest);
  EXPECT_EQ(read(":Xy", {}, "flowers_matlab.mat").digest, flowers(numbers).digest);
}

TEST(ReadHdf5, takes_three_dimensions_for_images) {
  const data::Dataset images = read(":/images,/y");
  EXPECT_EQ(images.image, (data::ImageShape{2, 2, 1}));
  EXPECT_EQ(images.digest, read(":/tenths/i8,/y").digest);
  expect_input_error([] { read(":/images"); }, {"samples of 2x2 numbers and no labels", "hdf5:FILE:X,Y"});
}

TEST(ReadHdf5, takes_as_many_channels_as_rows_for_images_if_told) {
  EXPECT_EQ(read(":/deep,/y").features(), 8);
  EXPECT_EQ(read(":/deep,/y").image, data::ImageShape{});
  EXPECT_EQ(read(":/deep,/y", {.image = "2x2x2"}).image, (data::ImageShape{2, 2, 2}));
}

TEST(ReadHdf5, reads_netcdf) {
  const std::string file = "flowers.nc";
  EXPECT_EQ(read(":measure,kind", {}, file).digest, flowers().digest);
  expect_input_error([&] { read(":coded,kind", {}, file); },
                     {"flowers.nc, array /coded, row 1, column 3: the value is missing"});
  const data::Dataset filled = read(":coded,kind", {.missing = "median"}, file);
  EXPECT_EQ(filled.raw(0, 0), 51);
  EXPECT_NE(filled.raw(0, 2), 14);
  expect_input_error([&] { read(":packed,kind", {}, file); },
                     {"flowers.nc, array /packed is packed", "scale_factor is 0.1"});
}

TEST(ReadHdf5, takes_for_missing_what_netcdf_files_mean_so) {
  const std::string file = "fills.nc";
  expect_input_error([&] { read(":old,kind", {}, file); },
                     {"array /old, row 1, column 3: the value is missing", "NaN or 14, which stands for missing"});
  const data::Dataset filled = read(":never,kind", {.missing = "mean"}, file), flower = flowers();
  float sum = 0;
  for (int i = 0; i < flower.size(); ++i) {
    for (int j = 0; j < 4; ++j) {
      if (i == 2 && j == 1) continue;
      EXPECT_EQ(filled.raw(i, j), flower.raw(i, j));
    }
    sum += i == 2 ? 0 : flower.raw(i, 1);
  }
  EXPECT_NEAR(filled.raw(2, 1), sum / static_cast<float>(flower.size() - 1), 1e-5);
  expect_input_error([&] { read(":count,kind", {}, file); },
                     {"array /count, row 5 holds -2147483647", "where nothing was ever written"});
  expect_input_error([&] { read(":unsigned,kind", {}, file); }, {"array /unsigned is packed", "_Unsigned"});
}

TEST(ReadHdf5, takes_for_missing_what_an_attribute_says_in_any_type) {
  for (const char* array :
       {"f2_by_f4", "f2_by_f8", "f2_by_list", "f4_by_f4", "f4_by_f8", "f4_by_list", "f8_by_f8", "f8_by_list"}) {
    expect_input_error([&] { read(text(":floats/", array, ",y"), {}, "marks.h5"); },
                       {array, "row 3, column 2: the value is missing", "stand"});
  }
  for (const char* type : {"i1", "i4", "f4"}) {
    for (const char* of : {"i2", "i8", "f8", "list"}) {
      expect_input_error([&] { read(text(":whole/", type, "_by_", of, ",y"), {}, "marks.h5"); },
                         {type, "row 3, column 2: the value is missing", "-99"});
    }
  }
  expect_input_error([] { read(":largest,y", {}, "marks.h5"); }, {"/largest, row 3, column 2: the value is missing"});
  expect_input_error([] { read(":packed,y", {}, "marks.h5"); }, {"/packed is packed", "scale_factor holds 2 numbers"});
}

TEST(ReadHdf5, takes_for_missing_what_is_no_valid_value) {
  expect_input_error([] { read(":range,y", {}, "marks.h5"); },
                     {"/range, row 3, column 2: the value is missing", "above 150, the highest valid value"});
  expect_input_error([] { read(":lowest,y", {}, "marks.h5"); },
                     {"/lowest, row 3, column 2: the value is missing", "below 0, the lowest valid value"});
  expect_input_error([] { read(":highest,y", {}, "marks.h5"); },
                     {"/highest, row 3, column 2: the value is missing", "above 18446744073709551614"});
  EXPECT_LT(read(":range,y", {.missing = "mean"}, "marks.h5").raw(2, 1), 150);
}

TEST(ReadHdf5, warns_of_attributes_that_say_nothing) {
  const auto warnings = [](const std::string& array) {
    return load_task({.train = text("hdf5:", own_table("marks.h5"), ":", array, ",y")}).warning;
  };
  EXPECT_THAT(warnings("text"),
              testing::IsSupersetOf(
                  {testing::HasSubstr("array /text: the attribute missing_value is 'none', no number, and was ignored"),
                   testing::HasSubstr("the attribute valid_range is '0 to 9', no number"),
                   testing::HasSubstr("the attribute valid_max holds 2 numbers")}));
  EXPECT_THAT(warnings("no_number"),
              testing::IsSupersetOf({testing::HasSubstr("/no_number: the attribute missing_value is empty, and was"),
                                     testing::HasSubstr("the attribute scale_factor is empty")}));
  EXPECT_THAT(warnings("empty_range"),
              testing::Contains(testing::HasSubstr("valid_range is not a lowest and a highest number")));
}

TEST(ReadHdf5, warns_of_unsigned_numbers_that_netcdf_never_wrote) {
  for (const auto& [type, value] :
       {std::pair<const char*, const char*>{"u2", "65535"}, {"u4", "4294967295"}, {"u8", "18446744073709551614"}}) {
    const std::string spec = text("hdf5:", own_table("unsigned.nc"), ":", type, ",kind");
    EXPECT_THAT(load_task({.train = spec, .test = spec}).warning,
                testing::Contains(testing::ContainsRegex(
                    text("array /", type, ", row 5 holds ", value, ", .*where nothing was ever written"))));
  }
}

TEST(ReadHdf5, takes_for_missing_what_netcdf_never_wrote_and_an_attribute_marks) {
  expect_input_error([] { read(":marked,kind", {}, "unsigned.nc"); },
                     {"array /marked, row 5, column 4: the value is missing", "-2147483647, which stands for missing"});
  EXPECT_EQ(read(":marked,kind", {.missing = "mean"}, "unsigned.nc").size(), 17);
}

TEST(ReadHdf5, keeps_labels_apart_that_double_does_not_hold) {
  EXPECT_THAT(read(":floats/f8_by_f8,long", {.missing = "mean"}, "marks.h5").class_name,
              testing::ElementsAre("9007199254740992", "9007199254740993"));
}

TEST(ReadHdf5, refuses_text_and_empty_arrays_of_matlab) {
  expect_input_error([] { read(":floats/f8_by_f8,letters", {}, "marks.h5"); },
                     {"/letters holds text of MATLAB", "codes of its letters", "cellstr"});
  expect_input_error([] { read(":nothing,y", {}, "marks.h5"); }, {"/nothing holds no values", "empty in MATLAB"});
}

TEST(ReadHdf5, refuses_arrays_that_do_not_fit) {
  expect_input_error([] { read(":no_features,y", {}, "marks.h5"); }, {"/no_features holds no features", "17x0"});
  expect_input_error([] { read(":/hole,/y"); },
                     {"flowers.h5, array /hole, row 3, column 2: the value is missing", "it is NaN", "median"});
  EXPECT_EQ(read(":/hole,/y", {.missing = "mean"}).size(), 17);
  expect_input_error([] { read(":/x,/z"); },
                     {"flowers.h5 has no array /z", "/labels/bytes (text, 17)", "/x (float64, 17 x 4)"});
  expect_input_error([] { read("", {}, "flowers.nc"); }, {"flowers.nc has no array /x", "/measure (float64, 17 x 4)"});
  expect_input_error([] { read(":/x,/x"); }, {"array /x is not a list of labels", "2 dimensions"});
  expect_input_error([] { read(":/images,/one"); }, {"array /one is not a list of labels"});
  expect_input_error([] { read(":/one,/y"); }, {"array /one holds a single value"});
  expect_input_error([] { read(":/y,/y"); }, {"array /y holds text", "features are numbers"});
  expect_input_error([] { read(":/complex,/y"); }, {"array /complex cannot be used", "of another type, 17 x 4"});
  expect_input_error([] { read(":/x,/y", {.label = "1"}); }, {"label is not for", "array /y"});
  expect_input_error([] { load_task({.train = "hdf5:"}); }, {"'hdf5:' names no file", "hdf5:FILE[:X[,Y]]"});
  expect_input_error([] { load_task({.train = "hdf5:nothing.h5"}); }, {"cannot read nothing.h5", "No such file"});
  expect_input_error([] { load_task({.train = "flowers.h5"}); },
                     {"unknown data 'flowers.h5'", "Did you mean hdf5:flowers.h5?"});
}

}  // namespace
}  // namespace krossfold::input
