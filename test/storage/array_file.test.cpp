// SPDX-License-Identifier: BSD-3-Clause
// Files are written with the HDF5 library itself; what Python programs write is tested by test/input/read_hdf5.test.cpp.
#include "krossfold/storage/array_file.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "krossfold/core/text.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "temporary_folder.hpp"

namespace krossfold::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return error.what();
  }
  return "no error";
}

/// A file with a 3 x 5 array of counts, words and a number.
std::string sample_file(const test::TemporaryFolder& folder) {
  Container content;
  content.attributes["kind"] = std::string("sample");
  content.attributes["count"] = std::int64_t{7};
  std::vector<std::int32_t> counts(15);
  std::iota(counts.begin(), counts.end(), -4);
  content.arrays.push_back({"/group/counts", {3, 5}, counts, {}, "1", "counts", false});
  content.arrays.push_back({"/words", {3}, std::vector<std::string>{"a", "", "Zoë"}, {}, "1", "words", false});
  content.arrays.push_back({"/half", {}, std::vector<double>{0.5}, {}, "1", "a half", false});
  write_container(folder / "sample.h5", content);
  return folder / "sample.h5";
}

TEST(ArrayFile, reads_rows_of_numbers_and_words) {
  const test::TemporaryFolder folder;
  const ArrayFile file(sample_file(folder));
  const StoredArray counts = file.open("/group/counts");
  EXPECT_THAT(counts.shape(), ElementsAre(3u, 5u));
  EXPECT_EQ(counts.kind(), 'i');
  EXPECT_EQ(counts.bytes(), 8u);
  std::vector<std::int64_t> row(10);
  counts.read(1, 2, row.data());
  EXPECT_THAT(row, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(file.open("/words").read_text(0, 3), ElementsAre("a", "", "Zoë"));
  EXPECT_THAT(file.open("/words").read_text(2, 1), ElementsAre("Zoë"));
  double half = 0;
  file.open("/half").read(0, 1, &half);
  EXPECT_EQ(half, 0.5);
  EXPECT_EQ(file.attribute("kind"), "sample");
  EXPECT_EQ(file.attribute("other"), "");
  EXPECT_EQ(file.attribute("count", std::int64_t{0}), 7);
  EXPECT_EQ(counts.attribute("units").kind, 'S');
  EXPECT_EQ(counts.attribute("units").word, "1");
  EXPECT_EQ(counts.attribute("unit").kind, '-');
}

TEST(ArrayFile, names_its_arrays_where_one_is_missing) {
  const test::TemporaryFolder folder;
  const ArrayFile file(sample_file(folder));
  EXPECT_THAT(file.listing(),
              ElementsAre("/group/counts (int32, 3 x 5)", "/half (float64, a single value)", "/words (text, 3)"));
  EXPECT_TRUE(file.has("/group/counts"));
  for (const char* path : {"/group", "/group/count", "/groups/counts", "/x"}) EXPECT_FALSE(file.has(path)) << path;
  EXPECT_THAT(error_of([&] { file.open("/x"); }),
              testing::AllOf(HasSubstr("sample.h5 has no array /x"),
                             HasSubstr("it holds /group/counts (int32, 3 x 5), /half")));
}

TEST(ArrayFile, pieces_are_whole_chunks_of_a_few_mebibytes) {
  const test::TemporaryFolder folder;
  Container content;
  content.attributes["kind"] = std::string("large");
  constexpr std::size_t rows = 3000, columns = 1000;
  std::vector<float> values(rows * columns);
  std::iota(values.begin(), values.end(), 0.0f);
  content.arrays.push_back({"/x", {rows, columns}, values, {}, "1", "values", false});
  write_container(folder / "large.h5", content);
  const StoredArray x = ArrayFile(folder / "large.h5").open("/x");  // it stays open with the array
  EXPECT_GE(x.rows_at_once() * columns * sizeof(float), 1u << 20);
  EXPECT_LE(x.rows_at_once() * columns * sizeof(float), 4u << 20);
  std::vector<float> read(rows * columns);
  for (std::uint64_t first = 0; first < rows; first += x.rows_at_once()) {
    x.read(first, std::min<std::uint64_t>(x.rows_at_once(), rows - first), read.data() + first * columns);
  }
  EXPECT_EQ(read, values);
}

TEST(ArrayFile, refuses_what_cannot_be_read_and_says_why) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "nothing.h5"); }),
              testing::AllOf(HasSubstr("cannot read"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([&] { ArrayFile file(folder.path()); }), HasSubstr("it is a folder"));
  test::put(folder / "text.h5", "a,b\n1,2\n");
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "text.h5"); }), HasSubstr("text.h5 is not a readable HDF5 file"));
  test::put(folder / "old.mat", "MATLAB 5.0 MAT-file Platform: posix, Created on: " + std::string(200, ' '));
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "old.mat"); }),
              testing::AllOf(HasSubstr("old.mat is not a readable HDF5 file"), HasSubstr("MAT-file of version 5"),
                             HasSubstr("-v7.3"), HasSubstr("scipy.io.loadmat")));
  const std::string whole = test::content_of(sample_file(folder));
  test::put(folder / "cut.h5", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "cut.h5"); }), HasSubstr("cut.h5 is not a readable HDF5 file"));
}

TEST(ArrayFile, finds_damaged_values) {
  const test::TemporaryFolder folder;
  Container content;
  content.attributes["kind"] = std::string("sample");
  content.arrays.push_back({"/x", {64}, std::vector<double>(64, 1234.5), {}, "1", "values", false});
  write_container(folder / "x.h5", content);
  std::string bytes = test::content_of(folder / "x.h5");
  const double value = 1234.5;
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  test::put(folder / "x.h5", bytes);
  std::vector<double> read(64);
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "x.h5").open("/x").read(0, 64, read.data()); }),
              testing::AllOf(HasSubstr("x.h5, array /x cannot be read"), HasSubstr("HDF5: ")));
}

/// A file whose array /x is made by `define`, and /kept by HDF5's defaults.
std::string file_with(const test::TemporaryFolder& folder, const std::string& name,
                      const std::function<void(hid_t file, hid_t creation)>& define) {
  const hdf5::Handle file(H5Fcreate((folder / name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  define(file.get(), creation.get());
  return folder / name;
}

void make_array(hid_t file, hid_t creation, std::vector<hsize_t> shape) {
  const hdf5::Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const hdf5::Handle made(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                          H5Dclose);
  ASSERT_GE(made.get(), 0);
}

TEST(ArrayFile, refuses_arrays_that_are_larger_than_what_the_file_holds) {
  const test::TemporaryFolder folder;
  constexpr hsize_t many = hsize_t{1} << 40;
  const std::string plain = file_with(folder, "plain.h5", [](hid_t file, hid_t creation) {
    make_array(file, creation, {many, 1000});
  });
  EXPECT_THAT(error_of([&] { ArrayFile(plain).open("/x"); }), HasSubstr("it was never written"));
  const std::string small = file_with(folder, "small.h5", [](hid_t file, hid_t creation) {
    make_array(file, creation, {3, 4});
  });
  EXPECT_THAT(error_of([&] { ArrayFile(small).open("/x"); }), HasSubstr("it was never written"));
  const std::string chunked = file_with(folder, "chunked.h5", [](hid_t file, hid_t creation) {
    const hsize_t chunk[] = {1000, 1000};
    H5Pset_chunk(creation, 2, chunk);
    make_array(file, creation, {many, many});  // more bytes than 64 bits count
  });
  EXPECT_THAT(error_of([&] { ArrayFile(chunked).open("/x"); }), HasSubstr("/x cannot be read"));
  const std::string one_chunk = file_with(folder, "one_chunk.h5", [](hid_t file, hid_t creation) {
    const hsize_t chunk[] = {1 << 28}, most[] = {H5S_UNLIMITED}, size[] = {2};
    H5Pset_chunk(creation, 1, chunk);
    const hdf5::Handle space(H5Screate_simple(1, size, most), H5Sclose);
    const hdf5::Handle made(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                            H5Dclose);
  });
  EXPECT_THAT(error_of([&] { ArrayFile(one_chunk).open("/x"); }), HasSubstr("/x cannot be read"));
}

TEST(ArrayFile, refuses_rows_of_millions_of_numbers_of_which_a_small_file_holds_few) {
  const test::TemporaryFolder folder;
  const auto opened = [&](const std::string& name, hsize_t columns, hsize_t written, bool filled = true) {
    return ArrayFile(file_with(folder, name,
                               [&](hid_t file, hid_t creation) {
                                 const hsize_t shape[] = {2, columns}, chunk[] = {1, 1024}, start[] = {0, 0},
                                               count[] = {1, written};
                                 H5Pset_chunk(creation, 2, chunk);
                                 if (const std::int8_t nothing = 0; filled)
                                   H5Pset_fill_value(creation, H5T_NATIVE_INT8, &nothing);
                                 const hdf5::Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
                                 const hdf5::Handle made(H5Dcreate2(file, "x", H5T_NATIVE_INT8, space.get(),
                                                                    H5P_DEFAULT, creation, H5P_DEFAULT),
                                                         H5Dclose);
                                 const std::vector<std::int8_t> values(written, 1);
                                 H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr);
                                 const hdf5::Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
                                 ASSERT_GE(H5Dwrite(made.get(), H5T_NATIVE_INT8, memory.get(), space.get(), H5P_DEFAULT,
                                                    values.data()),
                                           0);
                               }))
        .open("/x")
        .shape()[1];
  };
  EXPECT_THAT(error_of([&] { opened("few.h5", 4 << 20, 1024); }),
              HasSubstr("each row has 4194304 numbers, of which the file holds 1 KiB"));
  EXPECT_EQ(opened("all.h5", 4 << 20, 4 << 20), 4u << 20);
  EXPECT_EQ(opened("narrow.h5", 200000, 1024), 200000u);
  EXPECT_THAT(error_of([&] { opened("half.h5", 200000, 1025, false); }),
              HasSubstr("only 2 of its 392 chunks were written"));
}

TEST(ArrayFile, takes_the_truth_values_of_h5py_and_no_other_enumeration) {
  const test::TemporaryFolder folder;
  const auto file = [&](const std::string& name, signed char truth) {
    return file_with(folder, name, [&](hid_t into, hid_t creation) {
      const hdf5::Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
      const signed char no = 0, values[] = {0, truth, truth};
      const hsize_t shape[] = {3};
      H5Tenum_insert(type.get(), "FALSE", &no);
      H5Tenum_insert(type.get(), "TRUE", &truth);
      const hdf5::Handle space(H5Screate_simple(1, shape, nullptr), H5Sclose);
      const hdf5::Handle made(H5Dcreate2(into, "x", type.get(), space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                              H5Dclose);
      ASSERT_GE(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    });
  };
  EXPECT_EQ(ArrayFile(file("bool.h5", 1)).open("/x").kind(), 'b');
  EXPECT_NE(ArrayFile(file("other.h5", 2)).open("/x").kind(), 'b');
}

TEST(ArrayFile, reads_enumerations_as_the_names_of_their_values) {
  const test::TemporaryFolder folder;
  for (const hid_t base : {H5T_STD_I8LE, H5T_STD_U16BE, H5T_STD_I64LE}) {
    const auto file = [&](const std::string& name, std::vector<std::int64_t> values) {
      return file_with(folder, name, [&](hid_t into, hid_t creation) {
        const hdf5::Handle type(H5Tenum_create(base), H5Tclose);
        for (const auto& [word, number] : {std::pair<const char*, std::int64_t>{"rose", 7}, {"tulip", 2}}) {
          std::int64_t member = number;
          ASSERT_GE(H5Tconvert(H5T_NATIVE_INT64, base, 1, &member, nullptr, H5P_DEFAULT), 0);
          ASSERT_GE(H5Tenum_insert(type.get(), word, &member), 0);
        }
        const hsize_t shape[] = {values.size()};
        ASSERT_GE(H5Tconvert(H5T_NATIVE_INT64, base, values.size(), values.data(), nullptr, H5P_DEFAULT), 0);
        const hdf5::Handle space(H5Screate_simple(1, shape, nullptr), H5Sclose);
        const hdf5::Handle made(H5Dcreate2(into, "x", type.get(), space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                                H5Dclose);
        ASSERT_GE(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
      });
    };
    const StoredArray flowers = ArrayFile(file("flowers.h5", {2, 7, 7, 2})).open("/x");
    EXPECT_EQ(flowers.kind(), 'S');
    EXPECT_EQ(flowers.type(), "enumeration, 4");
    EXPECT_THAT(flowers.read_text(1, 3), testing::ElementsAre("rose", "rose", "tulip"));
    const StoredArray odd = ArrayFile(file("odd.h5", {2, 3, 7})).open("/x");
    EXPECT_THAT(odd.read_text(2, 1), testing::ElementsAre("rose"));
    EXPECT_THAT(
        error_of([&] { odd.read_text(0, 3); }),
        testing::AllOf(HasSubstr("/x cannot be read"), HasSubstr("the value in row 2 has no name in its enumeration")));
    EXPECT_THAT(error_of([&] { odd.read_text(1, 2); }), HasSubstr("the value in row 2 has no name"));
  }
}

TEST(ArrayFile, reads_enumerations_of_many_names) {
  const test::TemporaryFolder folder;
  constexpr int members = 2000;
  const std::string path = file_with(folder, "many.h5", [&](hid_t into, hid_t creation) {
    const hdf5::Handle type(H5Tenum_create(H5T_NATIVE_INT), H5Tclose);
    for (int k = 0; k < members; ++k) {
      const int value = 7919 * k % 5003;  // neither the order of the names nor that of the numbers
      ASSERT_GE(H5Tenum_insert(type.get(), text("kind ", value).c_str(), &value), 0);
    }
    const std::string long_name(1024, 'n');
    const int last = 5003;
    ASSERT_GE(H5Tenum_insert(type.get(), long_name.c_str(), &last), 0);
    std::vector<int> values;
    for (int k = 0; k < members; ++k) values.push_back(7919 * (members - 1 - k) % 5003);
    values.push_back(last);
    const hsize_t shape[] = {values.size()};
    const hdf5::Handle space(H5Screate_simple(1, shape, nullptr), H5Sclose);
    const hdf5::Handle made(H5Dcreate2(into, "x", type.get(), space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                            H5Dclose);
    ASSERT_GE(H5Dwrite(made.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  });
  const StoredArray kinds = ArrayFile(path).open("/x");
  const std::vector<std::string> read = kinds.read_text(0, members);
  for (int k = 0; k < members; ++k)
    ASSERT_EQ(read[static_cast<std::size_t>(k)], text("kind ", 7919 * (members - 1 - k) % 5003));
  EXPECT_THAT(error_of([&] { kinds.read_text(0, members + 1); }),
              HasSubstr("the value in row 2001 has a name of more than 1,023 bytes"));
}

TEST(ArrayFile, reads_arrays_that_compress_well) {
  const test::TemporaryFolder folder;
  constexpr hsize_t rows = 9 << 20;  // 72 MiB of equal numbers, in less than a thousandth of it
  const std::string zipped = file_with(folder, "zipped.h5", [](hid_t file, hid_t creation) {
    const hsize_t chunk[] = {1 << 20}, shape[] = {rows};
    const double seven = 7;
    H5Pset_chunk(creation, 1, chunk);
    H5Pset_deflate(creation, 9);
    const hdf5::Handle space(H5Screate_simple(1, shape, nullptr), H5Sclose);
    const hdf5::Handle made(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                            H5Dclose);
    std::vector<double> values(rows, seven);
    ASSERT_GE(H5Dwrite(made.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  });
  std::vector<double> last(2);
  ArrayFile(zipped).open("/x").read(rows - 2, 2, last.data());
  EXPECT_EQ(last, (std::vector<double>{7, 7}));
}

TEST(ArrayFile, refuses_a_shape_of_many_chunks_few_of_which_are_there) {
  const test::TemporaryFolder folder;
  const std::string path = file_with(folder, "chunks.h5", [](hid_t file, hid_t creation) {
    const hsize_t shape = hsize_t{1} << 40, chunk = 1000, few = 10, first = 0;
    H5Pset_chunk(creation, 1, &chunk);
    const hdf5::Handle space(H5Screate_simple(1, &shape, nullptr), H5Sclose);
    const hdf5::Handle part(H5Screate_simple(1, &few, nullptr), H5Sclose);
    const hdf5::Handle made(H5Dcreate2(file, "x", H5T_NATIVE_INT8, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                            H5Dclose);
    const std::vector<std::int8_t> values(few, 7);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &few, nullptr);
    ASSERT_GE(H5Dwrite(made.get(), H5T_NATIVE_INT8, part.get(), space.get(), H5P_DEFAULT, values.data()), 0);
  });
  EXPECT_THAT(error_of([&] { ArrayFile(path).open("/x"); }), HasSubstr("its shape needs"));
}

TEST(ArrayFile, does_not_follow_links_to_other_files) {
  const test::TemporaryFolder folder;
  sample_file(folder);
  const std::string links = file_with(folder, "links.h5", [](hid_t file, hid_t creation) {
    H5Lcreate_external("sample.h5", "/words", file, "x", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("sample.h5", "/group", file, "group", H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t two = 2;
    const hdf5::Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose);
    const hdf5::Handle made(H5Dcreate2(file, "own", H5T_NATIVE_INT, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT),
                            H5Dclose);
    const int values[] = {1, 2};
    H5Dwrite(made.get(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Lcreate_soft("/own", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  });
  const ArrayFile file(links);
  for (const char* path : {"/x", "/group/counts"}) EXPECT_FALSE(file.has(path)) << path;
  EXPECT_THAT(error_of([&] { file.open("/x"); }), HasSubstr("links.h5 has no array /x"));
  EXPECT_THAT(file.open("/soft").shape(), ElementsAre(2u));  // within the file
}

TEST(ArrayFile, refuses_values_in_other_files_or_arrays) {
  const test::TemporaryFolder folder;
  const std::string external = file_with(folder, "external.h5", [&](hid_t file, hid_t creation) {
    H5Pset_external(creation, (folder / "sample.h5").c_str(), 0, 16);
    make_array(file, creation, {2});
  });
  EXPECT_THAT(error_of([&] { ArrayFile(external).open("/x"); }), HasSubstr("its values lie in other files or arrays"));
  const std::string composed = file_with(folder, "virtual.h5", [&](hid_t file, hid_t creation) {
    const hsize_t three = 3;
    const hdf5::Handle space(H5Screate_simple(1, &three, nullptr), H5Sclose);
    H5Pset_virtual(creation, space.get(), "sample.h5", "/words", space.get());
    make_array(file, creation, {3});
  });
  EXPECT_THAT(error_of([&] { ArrayFile(composed).open("/x"); }), HasSubstr("its values lie in other files or arrays"));
}

TEST(ArrayFile, refuses_filters_that_would_be_loaded_as_plugins) {
  const test::TemporaryFolder folder;
  const std::string file = file_with(folder, "filter.h5", [](hid_t opened, hid_t creation) {
    const hsize_t chunk = 2;
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_filter(creation, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);  // blosc
    make_array(opened, creation, {2});
  });
  EXPECT_THAT(error_of([&] { ArrayFile(file).open("/x"); }),
              testing::AllOf(HasSubstr("compressed by the filter 32001"), HasSubstr("h5repack")));
}

}  // namespace
}  // namespace krossfold::storage
